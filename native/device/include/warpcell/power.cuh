// x^y in float32 on a GPU, for the operands that are nearly all: log₂ of x in two floats, and a power of 2.
#pragma once
#include "normal.cuh"

namespace warpcell::float_math {

// 2/log 2 and a third of it, each in two parts.
constexpr float kFirst = 2.88539004f, kFirstLow = 3.85192598e-08f, kThird = 0.961796701f, kThirdLow = -7.02846165e-09f;

// At most 4 units in the last place from x^y; `is_usual` is cleared where it is not: at infinities, NaN, most powers of 0, and numbers and results short of or beyond normal ones.
__device__ inline float usual_pow(bool& is_usual, float x, float y) {
  const uint size = float_bits(x) & 0x7fffffffu, bits = size - 0x3f3504f3u;   // √½
  // |x| = 2ⁿ (1 + f)
  const float n = float(int(bits) >> 23), m = bits_float(size - (bits & 0xff800000u)), f = m - 1.0f;
  // (1 + s)/(1 − s) = 1 + f, of which s is rounded, and what it lacks: |s| ≤ 0.172
  const float inverse = brief_reciprocal(m + 1.0f), s = f * inverse, lack = fma(s, -f, fma(s, -2.0f, f)) * inverse;
  // Of 2 artanh(s)/log 2 the terms of s and s³ are kept in two parts each: products of which the rest is kept are rounded by themselves, whatever a compiler may contract.
  const float square = __fmul_rn(s, s), cube = __fmul_rn(square, s), cube_lack = fma(fma(s, s, -square), s, fma(square, s, -cube));
  const float first = __fmul_rn(s, kFirst), third = __fmul_rn(cube, kThird);
  const float of_third = fma(cube, horner(square, kThirdLow, 0.577078249f, 0.412062852f, 0.332627527f), fma(cube_lack, kThird, fma(cube, kThird, -third)));
  const float rest = fma(s, kFirst, -first) + fma(s, kFirstLow, fma(fma(lack, square, lack), kFirst, of_third));
  const float whole = n + first, part = (((n - whole) + first) + third) + rest;
  const float exponent = __fmul_rn(y, whole), exponent_low = fma(y, part, fma(y, whole, -exponent));
  const float total = exponent + exponent_low, shift = 12582912.0f, moved = total + shift;
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"((exponent - (moved - shift)) + exponent_low));
  // Whole conditions, not && and ||: there is no branch for an element.
  const bool is_zero = (float_bits(x) == 0) & (y > 0.0f);
  is_usual = is_usual & (is_zero | ((size - 0x00800000u < 0x7f000000u) & (magnitude(total) < 125.0f)));
  const uint result = is_zero ? 0u : float_bits(power) + (float_bits(moved) << 23);
  // What a negative x sets of the result's bits: its sign where y is odd, all others, which is NaN, where y is no whole number.
  const float half = y * 0.5f;
  const uint of_odd = ::floorf(half) != half ? 0x80000000u : 0u, of_negative = ::floorf(y) != y ? 0x7fffffffu : of_odd;
  return bits_float(result | (uint(int(float_bits(x)) >> 31) & of_negative));
}

}  // namespace warpcell::float_math
