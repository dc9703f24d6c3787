// What the addon keeps for one thread of JavaScript: its promises and its views of segments.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <napi.h>

#include "../memory/owned_blocks.h"
#include "../client/registry.h"
#include "../memory/shared_memory.h"
#include "weak_objects.h"

namespace warpcell {

class Instance {
 public:
  // Closes the clients that the thread opened when the thread's JavaScript ends.
  explicit Instance(Napi::Env env);

  // A promise for the outcome of a wait.
  Napi::Value promise(Connection& connection, uint32_t stream, uint64_t sequence);
  // The memory of a segment: the same ArrayBuffer as long as one lives.
  Napi::Value view(const Segment& segment);
  // Where the client's records are laid out, as an ArrayBuffer.
  Napi::Value room(Client& client);
  // A part of a segment as an ArrayBuffer of its own.
  Napi::Value view(const Segment& segment, uint64_t offset, uint64_t bytes);

  // A new ArrayBuffer over all of some shared memory.
  Napi::Value map(int descriptor);
  // A part of what `map` answered; once it has been collected, the first word of the whole becomes 0.
  Napi::Value lend(const Napi::Object& whole, uint64_t offset, uint64_t bytes);

  WeakObjects& weak_objects() { return weak_objects_; }
  OwnedBlocks& owned_blocks() { return owned_blocks_; }

 private:
  struct Completion {
    napi_deferred deferred;
    Outcome outcome;
  };
  static void resolve(Napi::Env env, Napi::Function, Instance* instance, Completion* data);
  using Queue = Napi::TypedThreadSafeFunction<Instance, Completion, resolve>;

  void finish();
  void make_queue();
  std::shared_ptr<Mapping> mapping_of(const Segment& segment);

  Napi::Env env_;
  Queue queue_;
  std::atomic<bool> is_queue_closed_{false};
  uint32_t pending_ = 0;

  WeakObjects weak_objects_;
  OwnedBlocks owned_blocks_;
  std::map<uint64_t, Napi::Reference<Napi::ArrayBuffer>> views_;  // by the segment's serial; weak
  std::map<uint64_t, std::weak_ptr<Mapping>> segments_;           // by the segment's serial
  std::map<const void*, std::weak_ptr<Mapping>> mappings_;        // by their first byte
};

}  // namespace warpcell
