// Allocating for an object is one call from JavaScript, and what the collector takes is freed without one.
#include "owned_blocks.h"

#include <cstdlib>

#include "../js/arguments.h"
#include "../client/error.h"
#include "../client/registry.h"

namespace warpcell {

namespace {

// V8 is told in steps: each telling may start a collection, and costs more than an allocation.
constexpr int64_t kTold = 256 << 10;

}  // namespace

void OwnedBlocks::add(uint32_t client, uint64_t place, int64_t weight, Napi::Object owner) {
  blocks_[client].insert_or_assign(place, Block{made(Napi::Weak(owner)), weight});
  weigh(weight);
}

void OwnedBlocks::remove(uint32_t client, uint64_t place) {
  auto& blocks = blocks_[client];
  auto found = blocks.find(place);
  if (found == blocks.end()) {
    throw ClientError("NOT_ALLOCATED",
                      "No object owns place " + std::to_string(place) + ": it was freed before, or never given out.");
  }
  free(client, place, found->second);
  blocks.erase(found);
}

size_t OwnedBlocks::free_collected() {
  size_t freed = 0;
  Napi::HandleScope scope(env_);
  for (auto& [client, blocks] : blocks_) {
    for (auto entry = blocks.begin(); entry != blocks.end();) {
      if (!entry->second.owner.Value().IsEmpty()) {
        ++entry;
        continue;
      }
      free(client, entry->first, entry->second);
      entry = blocks.erase(entry);
      freed++;
    }
  }
  return freed;
}

std::vector<std::pair<uint64_t, Napi::Object>> OwnedBlocks::of(uint32_t client) const {
  std::vector<std::pair<uint64_t, Napi::Object>> owned;
  auto blocks = blocks_.find(client);
  if (blocks == blocks_.end()) return owned;
  for (const auto& [place, block] : blocks->second) {
    Napi::Object owner = block.owner.Value();
    if (!owner.IsEmpty()) owned.emplace_back(place, owner);
  }
  return owned;
}

void OwnedBlocks::free(uint32_t client, uint64_t place, const Block& block) {
  weigh(-block.weight);
  // A client that was closed has taken its memory with it.
  if (Connection* connection = Registry::instance().find(client)) connection->client.free(place);
}

void OwnedBlocks::weigh(int64_t change) {
  untold_ += change;
  if (std::abs(untold_) < kTold) return;
  Napi::MemoryManagement::AdjustExternalMemory(env_, untold_);
  untold_ = 0;
}

}  // namespace warpcell
