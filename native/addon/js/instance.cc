// The parts of Node-API that have a life of their own: a queue to the event loop, references, external memory.
#include "instance.h"

#include "arguments.h"
#include "../memory/shared_memory.h"

namespace warpcell {

namespace {

// What an ArrayBuffer keeps alive. A loan says when it has ended by writing 0 to the first word of the memory.
struct Hold {
  std::shared_ptr<Mapping> mapping;
  bool is_loan;
};

void release(Napi::Env, void*, Hold* hold) {
  if (hold->is_loan) __atomic_store_n(reinterpret_cast<uint32_t*>(hold->mapping->memory()), 0, __ATOMIC_SEQ_CST);
  delete hold;
}

Napi::ArrayBuffer array_buffer(Napi::Env env, Hold&& parts, uint64_t offset, uint64_t bytes) {
  auto hold = std::make_unique<Hold>(std::move(parts));
  auto buffer = made(Napi::ArrayBuffer::New(env, hold->mapping->memory() + offset, bytes, release, hold.get()));
  hold.release();
  return buffer;
}

}  // namespace

Instance::Instance(Napi::Env env) : env_(env), weak_objects_(env), owned_blocks_(env) {
  env.AddCleanupHook([](Instance* instance) { instance->finish(); }, this);
}

// Node has run the queue's own end before (hooks run last in, first out), but keeps it, and with it this instance,
// until its last user lets go.
void Instance::finish() {
  Registry::instance().close_all_of(this);
  if (queue_ != nullptr && !is_queue_closed_) queue_.Release();
}

void Instance::make_queue() {
  queue_ = Queue::New(env_, "warpcell waits", 0, 1, this);
  if (queue_ == nullptr) throw JavaScriptStopped();
  queue_.Unref(env_);
}

// The wrapper's Promise::Deferred leaves its promise unset where Node makes none (its thread ends), and has no way to
// ask.
Napi::Value Instance::promise(Connection& connection, uint32_t stream, uint64_t sequence) {
  if (queue_ == nullptr) make_queue();
  auto completion = std::make_unique<Completion>();
  napi_value promise;
  if (napi_create_promise(env_, &completion->deferred, &promise) != napi_ok) throw JavaScriptStopped();

  // Only a pending wait keeps Node alive.
  if (pending_++ == 0) queue_.Ref(env_);
  connection.waiter.add(stream, sequence, [this, completion = completion.release()](Outcome outcome) {
    completion->outcome = outcome;
    if (is_queue_closed_ || queue_.NonBlockingCall(completion) != napi_ok) {
      // JavaScript ends on that thread; nobody is left to hear of it.
      is_queue_closed_ = true;
      delete completion;
    }
  });
  return {env_, promise};
}

void Instance::resolve(Napi::Env env, Napi::Function, Instance* instance, Completion* data) {
  std::unique_ptr<Completion> completion(data);
  if (env == nullptr) return;
  if (--instance->pending_ == 0) instance->queue_.Unref(env);
  auto outcome = Napi::String::New(env, kOutcomeNames[int(completion->outcome)]);
  // Refused only where JavaScript ends on this thread: then nobody is left to hear of it.
  napi_resolve_deferred(env, completion->deferred, outcome);
}

std::shared_ptr<Mapping> Instance::mapping_of(const Segment& segment) {
  for (auto entry = segments_.begin(); entry != segments_.end();)
    entry = entry->second.expired() ? segments_.erase(entry) : std::next(entry);

  std::shared_ptr<Mapping> mapping = segments_[segment.serial].lock();
  if (mapping == nullptr)
    segments_[segment.serial] = mapping = std::make_shared<Mapping>(segment.descriptor.get(), segment.bytes);
  return mapping;
}

Napi::Value Instance::view(const Segment& segment) {
  for (auto entry = views_.begin(); entry != views_.end();) {
    Napi::ArrayBuffer living = entry->second.Value();
    if (!living.IsEmpty() && entry->first == segment.serial) return living;
    entry = living.IsEmpty() ? views_.erase(entry) : std::next(entry);
  }

  Napi::ArrayBuffer buffer = array_buffer(env_, {mapping_of(segment), false}, 0, segment.bytes);
  views_[segment.serial] = made(Napi::Weak(buffer));
  return buffer;
}

Napi::Value Instance::room(Client& client) {
  auto hold = std::make_unique<std::shared_ptr<Room>>(client.room());
  auto release = [](Napi::Env, void*, std::shared_ptr<Room>* hold) { delete hold; };
  auto buffer = made(Napi::ArrayBuffer::New(env_, (*hold)->bytes, sizeof(Room), release, hold.get()));
  hold.release();
  return buffer;
}

Napi::Value Instance::view(const Segment& segment, uint64_t offset, uint64_t bytes) {
  if (offset > segment.bytes || bytes > segment.bytes - offset) {
    throw ClientError("ARGUMENT", std::to_string(bytes) + " bytes at " + std::to_string(offset) +
                                      " do not lie in a segment of " + std::to_string(segment.bytes) + " bytes.");
  }
  return array_buffer(env_, {mapping_of(segment), false}, offset, bytes);
}

Napi::Value Instance::map(int descriptor) {
  for (auto entry = mappings_.begin(); entry != mappings_.end();)
    entry = entry->second.expired() ? mappings_.erase(entry) : std::next(entry);

  auto mapping = std::make_shared<Mapping>(descriptor, sealed_bytes(descriptor));
  mappings_[mapping->memory()] = mapping;
  return array_buffer(env_, {mapping, false}, 0, mapping->bytes());
}

Napi::Value Instance::lend(const Napi::Object& whole, uint64_t offset, uint64_t bytes) {
  auto found = whole.IsArrayBuffer() ? mappings_.find(whole.As<Napi::ArrayBuffer>().Data()) : mappings_.end();
  std::shared_ptr<Mapping> mapping = found == mappings_.end() ? nullptr : found->second.lock();
  if (mapping == nullptr)
    throw ClientError("ARGUMENT", "Only an ArrayBuffer made by mapMemory or shareMemory can be lent.");
  if (offset < sizeof(uint32_t) || offset > mapping->bytes() || bytes > mapping->bytes() - offset) {
    throw ClientError("ARGUMENT", std::to_string(bytes) + " bytes at " + std::to_string(offset) +
                                      " do not lie behind the first word of " + std::to_string(mapping->bytes()) +
                                      " bytes.");
  }
  return array_buffer(env_, {std::move(mapping), true}, offset, bytes);
}

}  // namespace warpcell
