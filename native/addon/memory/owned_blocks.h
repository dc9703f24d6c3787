// Blocks of device memory that belong to JavaScript objects: freed when their owner disposes of them, or has been
// collected.
#pragma once
#include <cstdint>
#include <napi.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpcell {

class OwnedBlocks {
 public:
  explicit OwnedBlocks(Napi::Env env) : env_(env) {}

  // The block at `place` is `owner`'s from now on.
  void add(uint32_t client, uint64_t place, Napi::Object owner);
  // Frees a block. The place must be one of an owner.
  void remove(uint32_t client, uint64_t place);
  // Frees the blocks of owners that have been collected. Returns how many.
  size_t free_collected();
  // The places of a client's blocks, each with its owner.
  std::vector<std::pair<uint64_t, Napi::Object>> of(uint32_t client) const;

 private:
  Napi::Env env_;
  std::unordered_map<uint32_t, std::unordered_map<uint64_t, Napi::ObjectReference>> owners_;  // by client and place
};

}  // namespace warpcell
