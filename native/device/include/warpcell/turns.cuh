// Sine and cosine in float32 without branches, for both devices, and the steps that they and other float32 functions
// are made of. Both are worked out of an argument less whole quarters of a turn, and one is picked: at most 2 units in
// the last place from the exact result, for |x| up to kFarthest.
#pragma once
#include "numbers.cuh"

namespace warpcell::float_math {

#ifdef WARPCELL_SERIAL
// `condition ? a : b` by bits: both sides stay computed, so that no branch comes of it.
inline float pick(bool condition, float a, float b) {
  uint mask = 0u - uint(condition);
  return bits_float((float_bits(a) & mask) | (float_bits(b) & ~mask));
}
inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline float magnitude(float x) { return bits_float(float_bits(x) & 0x7fffffffu); }
#else
__device__ inline float pick(bool condition, float a, float b) { return condition ? a : b; }
__device__ inline float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
__device__ inline float magnitude(float x) { return ::fabsf(x); }
#endif

__device__ inline float horner(float, float last) { return last; }
template <class... Rest>
__device__ inline float horner(float x, float first, Rest... rest) {
  return fma(x, horner(x, rest...), first);
}

// A number's nearest integer, as a float and as an int: adding 1.5 · 2²³ leaves it in the last bits.
struct Whole {
  float value;
  int number;
};
__device__ inline Whole nearest(float x) {
  const float shift = 12582912.0f;
  float moved = x + shift;
  return {moved - shift, int(float_bits(moved) - float_bits(shift))};
}

// x less whole quarters of a turn, by π/2 in three parts: the first product is exact, so that what is left is right
// also near multiples of π/2. For |x| up to kFarthest. Beyond, the count of quarters would have too few bits behind its
// point to be the nearest.
constexpr float kFarthest = 65536.0f;
struct Turned {
  float rest;
  int quarter;
};
__device__ inline Turned turned(float x) {
  Whole n = nearest(x * 0.636619772f);
  float r = fma(n.value, -1.5707964f, x);
  return {fma(n.value, 1.7151245e-15f, fma(n.value, 4.371139e-08f, r)), n.number};
}
// The sine of r and a number of quarters.
__device__ inline float quartered_sin(float r, int quarter) {
  float square = r * r;
  float sine = fma(r * square, horner(square, -0.16666655f, 0.008332173f, -0.00019516681f), r);
  float cosine =
      fma(square * square, horner(square, 0.041666646f, -0.0013887362f, 2.4437739e-05f), fma(square, -0.5f, 1.0f));
  return bits_float(float_bits(pick((quarter & 1) != 0, cosine, sine)) ^ (uint(quarter & 2) << 30));
}
__device__ inline float near_sin(float x) {
  Turned t = turned(x);
  return pick(x == 0.0f, x, quartered_sin(t.rest, t.quarter));
}
__device__ inline float near_cos(float x) {
  Turned t = turned(x);
  return quartered_sin(t.rest, t.quarter + 1);
}

}  // namespace warpcell::float_math
