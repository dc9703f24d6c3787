// Numbers of 16 bits as float32 and back: no BLAS multiplies them, but all sum their products in float32.
#pragma once
#include <cstdint>

namespace warpcell::cpu {

// Their bits.
struct Bfloat16 {
  uint16_t bits;
};
struct Float16 {
  uint16_t bits;
};

// Rounded to the nearest, ties to even; what is too large is infinite.
void widen(const Bfloat16* from, float* to, int64_t count);
void widen(const Float16* from, float* to, int64_t count);
void narrow(const float* from, Bfloat16* to, int64_t count);
void narrow(const float* from, Float16* to, int64_t count);

}  // namespace warpcell::cpu
