// Elements of 16 bytes that are loaded at once, as floats.
#pragma once
#include "numbers.cuh"

namespace warpcell {

// Element `e` of those in `pack`, of float32 or 16 bits.
template <class T>
__device__ inline float float_of(const uint4& pack, int e) {
  const uint words[] = {pack.x, pack.y, pack.z, pack.w};
#if defined(WARPCELL_SIXTEEN_BITS) && !defined(WARPCELL_SERIAL)
  if constexpr (sizeof(T) == 2) return e % 2 == 0 ? low_float<T>(words[e / 2]) : high_float<T>(words[e / 2]);
#endif
  return bits_float(words[e % 4]);
}

}  // namespace warpcell
