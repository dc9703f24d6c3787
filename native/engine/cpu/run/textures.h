// The textures of the CPU by number: each reads the session's memory itself, so nothing is copied.
#pragma once
#include <memory>
#include <unordered_map>

#include "../../host/refusals.h"
#include "segments.h"
#include "texture_object.h"

namespace warpcell::cpu {

class CpuTextures final : public Textures {
 public:
  explicit CpuTextures(const Segments& segments) : segments_(segments) {}

  void create(uint32_t number, const TextureMemory& memory, const TextureTerms& terms) override {
    objects_[number] = std::make_unique<TextureObject>(terms, segments_.range(memory.place, terms.bytes()));
  }
  void copy(uint32_t, uint32_t, uint64_t, bool) override {}
  void release(uint32_t number) override { objects_.erase(number); }
  uint64_t handle(uint32_t number) const override {
    auto found = objects_.find(number);
    if (found == objects_.end()) throw unknown_texture(number);
    return reinterpret_cast<uint64_t>(found->second.get());
  }

 private:
  const Segments& segments_;
  std::unordered_map<uint32_t, std::unique_ptr<TextureObject>> objects_;
};

}  // namespace warpcell::cpu
