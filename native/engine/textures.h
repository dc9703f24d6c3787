// Textures and surfaces: what is asked of them, as a message says it, and what a device can do for them.
#pragma once
#include <cstdint>
#include <string>

#include "../protocol/commands.h"

namespace warpcell {

enum class Texel { uint8, int8, uint16, int16, uint32, int32, float16, float32 };
// As the driver numbers them.
enum class Address : int { wrap, clamp, mirror, border };

// In words: "texture dtype=uint8 channels=4 size=640x480 layers=0 filter=linear address=clamp,wrap,clamp normalized=1
// read=normalized memory=array", or "surface" with the terms up to layers. Without layers: 0. size: of
// x, y and z, as many as it has.
struct TextureTerms {
  bool is_surface = false;
  Texel texel = Texel::float32;
  uint32_t channels = 1;
  uint32_t axes = 1;
  uint64_t size[3] = {1, 1, 1};
  uint32_t layers = 0;
  bool is_linear_memory = false;  // for tex1Dfetch
  bool filters = false;
  Address address[3] = {Address::clamp, Address::clamp, Address::clamp};
  bool is_normalized = false;     // coordinates from 0 to 1
  bool reads_normalized = false;  // integers become floats from 0 or -1 to 1

  uint32_t texel_bytes() const;  // with all channels
  uint64_t bytes() const;        // of all that there is
};

// Throws DeviceError PROTOCOL for words that say something else.
TextureTerms read_texture(const std::string& text);

// Where the texels lie, row by row, and the number of the array that a device which cannot read them there makes of
// them: textures and surfaces with the same one share it.
struct TextureMemory {
  uint32_t array;
  Place place;
};

// What one device does for them. Beyond its texels a texture with the address mode border is 0.
class Textures {
 public:
  virtual ~Textures() = default;
  // Comes after synchronize(). Throws DeviceError.
  virtual void create(uint32_t number, const TextureMemory& memory, const TextureTerms& terms) = 0;
  // In order with the work of its stream: a texture of what lies in its memory now, or its memory of what it holds.
  virtual void copy(uint32_t number, uint32_t stream, uint64_t sequence, bool to_memory) = 0;
  // Comes after synchronize().
  virtual void release(uint32_t number) = 0;
  // What a kernel is given. Throws DeviceError INVALID_LAUNCH.
  virtual uint64_t handle(uint32_t number) const = 0;
};

}  // namespace warpcell
