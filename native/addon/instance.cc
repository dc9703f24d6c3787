// The parts of N-API that have a life of their own: a queue to the event loop, references, external memory.
#include "instance.h"

#include "arguments.h"
#include "shared_memory.h"

namespace warpcell {

namespace {

// What an ArrayBuffer keeps alive. A loan says when it has ended by writing 0 to the first word of the memory.
struct Hold {
  std::shared_ptr<Mapping> mapping;
  bool is_loan;
};

void release(napi_env, void*, void* hint) {
  auto* hold = static_cast<Hold*>(hint);
  if (hold->is_loan) __atomic_store_n(reinterpret_cast<uint32_t*>(hold->mapping->memory()), 0, __ATOMIC_SEQ_CST);
  delete hold;
}

napi_value array_buffer(napi_env env, Hold&& parts, uint64_t offset, uint64_t bytes) {
  auto* hold = new Hold(std::move(parts));
  napi_value buffer;
  if (napi_create_external_arraybuffer(env, hold->mapping->memory() + offset, bytes, release, hold, &buffer) != napi_ok) {
    hold->is_loan = false;
    release(env, nullptr, hold);
    throw ClientError("SYSTEM", "Expected an ArrayBuffer over " + std::to_string(bytes) + " bytes of shared memory but this build of Node allows none.");
  }
  return buffer;
}

}  // namespace

Instance* Instance::create(napi_env env) {
  auto* instance = new Instance(env);
  napi_value buffer;
  void* memory = nullptr;
  napi_create_arraybuffer(env, kScratchBytes, &memory, &buffer);
  instance->scratch_ = static_cast<unsigned char*>(memory);
  napi_create_reference(env, buffer, 1, &instance->scratch_reference_);
  napi_set_instance_data(env, instance, nullptr, nullptr);
  napi_add_env_cleanup_hook(env, finish, instance);
  return instance;
}

Instance* Instance::of(napi_env env) {
  void* data = nullptr;
  napi_get_instance_data(env, &data);
  return static_cast<Instance*>(data);
}

// Node has run the queue's own end before (hooks run last in, first out), but keeps it until its last user lets go.
void Instance::finish(void* data) {
  auto* instance = static_cast<Instance*>(data);
  Registry::instance().close_all_of(instance);
  if (instance->queue_ != nullptr && !instance->is_queue_closed_) napi_release_threadsafe_function(instance->queue_, napi_tsfn_release);
  delete instance;
}

napi_value Instance::scratch_buffer() const {
  napi_value buffer;
  napi_get_reference_value(env_, scratch_reference_, &buffer);
  return buffer;
}

void Instance::make_queue() {
  napi_create_threadsafe_function(env_, nullptr, nullptr, text(env_, "warpcell waits"), 0, 1, nullptr, nullptr, nullptr, resolve, &queue_);
  napi_unref_threadsafe_function(env_, queue_);
}

napi_value Instance::promise(Connection& connection, uint64_t sequence) {
  if (queue_ == nullptr) make_queue();
  // Only a pending wait keeps Node alive.
  if (pending_++ == 0) napi_ref_threadsafe_function(env_, queue_);

  auto* completion = new Completion{this, nullptr, Outcome::died};
  napi_value promise;
  napi_create_promise(env_, &completion->deferred, &promise);

  connection.waiter.add(sequence, [this, completion](Outcome outcome) {
    completion->outcome = outcome;
    if (is_queue_closed_ || napi_call_threadsafe_function(queue_, completion, napi_tsfn_nonblocking) != napi_ok) {
      // JavaScript ends on that thread; nobody is left to hear of it.
      is_queue_closed_ = true;
      delete completion;
    }
  });
  return promise;
}

void Instance::resolve(napi_env env, napi_value, void*, void* data) {
  auto* completion = static_cast<Completion*>(data);
  if (env != nullptr) {
    Instance& instance = *completion->instance;
    if (--instance.pending_ == 0) napi_unref_threadsafe_function(env, instance.queue_);
    napi_resolve_deferred(env, completion->deferred, text(env, kOutcomeNames[int(completion->outcome)]));
  }
  delete completion;
}

std::shared_ptr<Mapping> Instance::mapping_of(const Segment& segment) {
  for (auto entry = segments_.begin(); entry != segments_.end();) entry = entry->second.expired() ? segments_.erase(entry) : std::next(entry);

  std::shared_ptr<Mapping> mapping = segments_[segment.serial].lock();
  if (mapping == nullptr) segments_[segment.serial] = mapping = std::make_shared<Mapping>(segment.descriptor.get(), segment.bytes);
  return mapping;
}

napi_value Instance::view(const Segment& segment) {
  for (auto entry = views_.begin(); entry != views_.end();) {
    napi_value living = nullptr;
    napi_get_reference_value(env_, entry->second, &living);
    if (living != nullptr && entry->first == segment.serial) return living;
    if (living != nullptr) {
      ++entry;
      continue;
    }
    napi_delete_reference(env_, entry->second);
    entry = views_.erase(entry);
  }

  napi_value buffer = array_buffer(env_, {mapping_of(segment), false}, 0, segment.bytes);
  napi_ref reference;
  napi_create_reference(env_, buffer, 0, &reference);
  views_[segment.serial] = reference;
  return buffer;
}

napi_value Instance::view(const Segment& segment, uint64_t offset, uint64_t bytes) {
  if (offset > segment.bytes || bytes > segment.bytes - offset) {
    throw ClientError("ARGUMENT", "Expected a range of a segment of " + std::to_string(segment.bytes) + " bytes but got " + std::to_string(bytes) + " bytes at " + std::to_string(offset) + ".");
  }
  return array_buffer(env_, {mapping_of(segment), false}, offset, bytes);
}

napi_value Instance::map(int descriptor) {
  for (auto entry = mappings_.begin(); entry != mappings_.end();) entry = entry->second.expired() ? mappings_.erase(entry) : std::next(entry);

  auto mapping = std::make_shared<Mapping>(descriptor, sealed_bytes(descriptor));
  mappings_[mapping->memory()] = mapping;
  return array_buffer(env_, {mapping, false}, 0, mapping->bytes());
}

napi_value Instance::lend(napi_value whole, uint64_t offset, uint64_t bytes) {
  void* memory = nullptr;
  napi_get_arraybuffer_info(env_, whole, &memory, nullptr);
  auto found = mappings_.find(memory);
  std::shared_ptr<Mapping> mapping = found == mappings_.end() ? nullptr : found->second.lock();
  if (mapping == nullptr) throw ClientError("ARGUMENT", "Expected an ArrayBuffer made by mapMemory or shareMemory but got another value.");
  if (offset < sizeof(uint32_t) || offset > mapping->bytes() || bytes > mapping->bytes() - offset) {
    throw ClientError("ARGUMENT", "Expected a range after the first word of " + std::to_string(mapping->bytes()) + " bytes but got " + std::to_string(bytes) + " bytes at " + std::to_string(offset) + ".");
  }
  return array_buffer(env_, {std::move(mapping), true}, offset, bytes);
}

}  // namespace warpcell
