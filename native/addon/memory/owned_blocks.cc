// Allocating for an object is one call from JavaScript, and what the collector takes is freed without one.
#include "owned_blocks.h"

#include "../js/arguments.h"
#include "../client/error.h"
#include "../client/registry.h"

namespace warpcell {

namespace {

// A client that was closed has taken its memory with it.
void free_block(uint32_t client, uint64_t place) {
  if (Connection* connection = Registry::instance().find(client)) connection->client.free(place);
}

}  // namespace

void OwnedBlocks::add(uint32_t client, uint64_t place, Napi::Object owner) {
  owners_[client].insert_or_assign(place, made(Napi::Weak(owner)));
}

void OwnedBlocks::remove(uint32_t client, uint64_t place) {
  auto& owners = owners_[client];
  auto found = owners.find(place);
  if (found == owners.end()) {
    throw ClientError("NOT_ALLOCATED",
                      "No object owns place " + std::to_string(place) + ": it was freed before, or never given out.");
  }
  free_block(client, place);
  owners.erase(found);
}

size_t OwnedBlocks::free_collected() {
  size_t freed = 0;
  Napi::HandleScope scope(env_);
  for (auto& [client, owners] : owners_) {
    for (auto entry = owners.begin(); entry != owners.end();) {
      if (!entry->second.Value().IsEmpty()) {
        ++entry;
        continue;
      }
      free_block(client, entry->first);
      entry = owners.erase(entry);
      freed++;
    }
  }
  return freed;
}

std::vector<std::pair<uint64_t, Napi::Object>> OwnedBlocks::of(uint32_t client) const {
  std::vector<std::pair<uint64_t, Napi::Object>> owned;
  auto owners = owners_.find(client);
  if (owners == owners_.end()) return owned;
  for (const auto& [place, reference] : owners->second) {
    Napi::Object owner = reference.Value();
    if (!owner.IsEmpty()) owned.emplace_back(place, owner);
  }
  return owned;
}

}  // namespace warpcell
