// The textures of a GPU by number: turns texels in a segment into a CUDA array, and that into texture and surface
// objects.
#pragma once
#include <memory>
#include <unordered_map>

#include "../../device.h"
#include "segments.h"
#include "streams.h"

namespace warpcell::cuda {

// How the driver says it.
int format_of(Texel texel);
ArrayDescription array_description(const TextureTerms& terms);
TextureDescription texture_description(const TextureTerms& terms);

// A CUDA array with what its texels are; null where the texels are read in the segment.
class TexelArray {
 public:
  TexelArray(const DriverApi& api, const TextureTerms& terms, DevicePointer memory);
  ~TexelArray();
  TexelArray(const TexelArray&) = delete;
  TexelArray& operator=(const TexelArray&) = delete;

  // Between the array and its memory.
  void copy(Stream stream, bool to_memory) const;
  ArrayHandle handle() const { return array_; }

 private:
  const DriverApi& api_;
  DevicePointer memory_;
  size_t row_, rows_, planes_;
  ArrayHandle array_ = nullptr;
};

class GpuTextures final : public Textures {
 public:
  GpuTextures(const DriverApi& api, const Segments& segments, Streams& streams)
      : api_(api), segments_(segments), streams_(streams) {}

  void create(uint32_t number, const TextureMemory& memory, const TextureTerms& terms) override;
  void copy(uint32_t number, uint32_t stream, uint64_t sequence, bool to_memory) override;
  void release(uint32_t number) override;
  uint64_t handle(uint32_t number) const override;

 private:
  struct Object {
    uint64_t handle;
    bool is_surface;
    std::shared_ptr<TexelArray> array;  // null: linear memory
  };
  const Object& object(uint32_t number) const;

  const DriverApi& api_;
  const Segments& segments_;
  Streams& streams_;
  std::unordered_map<uint32_t, std::weak_ptr<TexelArray>> arrays_;  // by the session's number
  std::unordered_map<uint32_t, Object> objects_;
};

}  // namespace warpcell::cuda
