// A texture or a surface of the CPU: what its handle points to, and how its texels are found and mixed. (Programming
// Guide, "Texture Fetching".)
#pragma once
#include <cstdint>

#include "../../device.h"

namespace warpcell::cpu {

struct TextureObject {
  TextureObject(const TextureTerms& terms, uint8_t* memory);

  TextureTerms terms;
  uint8_t* memory;  // of all texels, row by row
  int size[3];
  uint64_t texel, row, plane;  // bytes
  uint32_t shape;              // as a call says it (texture_calls.h), and the type of the values
  uint32_t value_type;
  // The four values of the texel at one place, or of what is between texels.
  void (*fetch)(const TextureObject& object, float x, float y, float z, int layer, uint32_t* values);
};

}  // namespace warpcell::cpu
