// What the addon keeps for one thread of JavaScript: its scratch memory, its promises and its views of segments.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <node_api.h>

#include "registry.h"
#include "shared_memory.h"
#include "weak_objects.h"

namespace warpcell {

class Instance {
 public:
  static constexpr size_t kScratchBytes = 65536;

  // Makes the instance of this thread; it goes when the thread's JavaScript ends, and closes the clients that the thread opened.
  static Instance* create(napi_env env);
  static Instance* of(napi_env env);

  const unsigned char* scratch() const { return scratch_; }
  napi_value scratch_buffer() const;

  // A promise for the outcome of a wait.
  napi_value promise(Connection& connection, uint64_t sequence);
  // The memory of a segment: the same ArrayBuffer as long as one lives.
  napi_value view(const Segment& segment);
  // A part of it as an ArrayBuffer of its own.
  napi_value view(const Segment& segment, uint64_t offset, uint64_t bytes);

  // A new ArrayBuffer over all of some shared memory.
  napi_value map(int descriptor);
  // A part of what `map` answered; once it has been collected, the first word of the whole becomes 0.
  napi_value lend(napi_value whole, uint64_t offset, uint64_t bytes);

  WeakObjects& weak_objects() { return weak_objects_; }

 private:
  struct Completion {
    Instance* instance;
    napi_deferred deferred;
    Outcome outcome;
  };

  explicit Instance(napi_env env) : env_(env), weak_objects_(env) {}
  static void resolve(napi_env env, napi_value, void*, void* data);
  static void finish(void* data);
  void make_queue();
  std::shared_ptr<Mapping> mapping_of(const Segment& segment);

  napi_env env_;
  unsigned char* scratch_ = nullptr;
  napi_ref scratch_reference_ = nullptr;

  napi_threadsafe_function queue_ = nullptr;
  std::atomic<bool> is_queue_closed_{false};
  uint32_t pending_ = 0;

  WeakObjects weak_objects_;
  std::map<uint64_t, napi_ref> views_;   // by the segment's serial; weak
  std::map<uint64_t, std::weak_ptr<Mapping>> segments_;   // by the segment's serial
  std::map<const void*, std::weak_ptr<Mapping>> mappings_;   // by their first byte
};

}  // namespace warpcell
