// The parts of N-API that have a life of their own: a queue to the event loop, references, external memory. It must not know commands.
#include "instance.h"

#include "arguments.h"

namespace warpcell {

namespace {

struct View {
  void* memory;
  uint64_t bytes;
};

void unmap_view(napi_env, void*, void* hint) {
  auto* view = static_cast<View*>(hint);
  unmap_segment(view->memory, view->bytes);
  delete view;
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

  auto* view = new View{map_segment(segment), segment.bytes};
  napi_value buffer;
  if (napi_create_external_arraybuffer(env_, view->memory, view->bytes, unmap_view, view, &buffer) != napi_ok) {
    unmap_view(env_, nullptr, view);
    throw ClientError("SYSTEM", "Expected an ArrayBuffer over " + std::to_string(segment.bytes) + " bytes of shared memory but this build of Node allows none.");
  }
  napi_ref reference;
  napi_create_reference(env_, buffer, 0, &reference);
  views_[segment.serial] = reference;
  return buffer;
}

}  // namespace warpcell
