// What a kernel says when it reads a texture or a surface, as one word, and the executor's functions for it. `engine/cpu` includes this file too, so
// it needs no other header.
#pragma once

namespace warpcell_cpu {

// Axes 1 … 3 in the lowest bits.
constexpr unsigned kLayered = 4;
constexpr unsigned kFetch = 8;     // tex1Dfetch
constexpr unsigned kSurface = 16;
constexpr unsigned kWrite = 32;    // of a surface
// Above: how many values of a texel, or of a surface bytes, in 8 bits; of a texture the type of the values, of a surface the boundary mode.
constexpr unsigned kCountAt = 8, kTypeAt = 16;

// The types of a texture's values, in the order of the engine's texels (textures.h).
enum TexelType : unsigned { kUint8, kInt8, kUint16, kInt16, kUint32, kInt32, kFloat16, kFloat32 };

}  // namespace warpcell_cpu

extern "C" {
// Answer 0 where the object cannot be read so: then the cell calls the last one. `texel`: up to four values; integers in 32 bits each.
int warpcell_cpu_texture(unsigned long long object, unsigned call, float x, float y, float z, int layer, unsigned* texel) noexcept;
// `at`: x in bytes, y, z, layer.
int warpcell_cpu_surface(unsigned long long object, unsigned call, const int* at, void* texel) noexcept;
[[noreturn]] void warpcell_cpu_texture_misread(unsigned long long object, unsigned call, const int* at, unsigned line, const unsigned* block, const unsigned* thread) noexcept;
}
