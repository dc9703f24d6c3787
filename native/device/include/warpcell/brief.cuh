// Sine, cosine and power on a GPU for results of 16 bits, which show no error below 2⁻¹²: in few steps, without
// branches.
#pragma once
#include "instructions.cuh"
#include "turns.cuh"

namespace warpcell::float_math {

// x less a number of half turns, by π in two parts, both positive, so that −0 stays −0. For |x| up to kFarthest of 11
// bits: none comes so near to a multiple of π/2 that the rest shows.
__device__ inline float less_half_turns(float x, float count) {
  return fma(count, -1.50995803e-07f, fma(count, -3.1415925f, x));
}
// The sine of |r| ≤ π/2, to 2⁻¹⁹·⁷.
__device__ inline float brief_half_turn(float r) {
  return r * horner(r * r, 1.0f, -0.166658506f, 0.00831423607f, -0.00018540927f);
}
// 1.5 · 2²³: adding it leaves the nearest whole number in the last bits, the last of which tells whether that is odd.
constexpr float kWholes = 12582912.0f;
// sin(nπ + r) = (−1)ⁿ sin(r)
__device__ inline float brief_sin(float x) {
  const float moved = fma(x, 0.318309886f, kWholes), r = less_half_turns(x, moved - kWholes);
  return bits_float(float_bits(brief_half_turn(r)) + (float_bits(moved) << 31));
}
// cos((n + ½)π + r) = −(−1)ⁿ sin(r)
__device__ inline float brief_cos(float x) {
  const float moved = ::__fmaf_rd(x, 0.318309886f, kWholes), r = less_half_turns(x, (moved - kWholes) + 0.5f);
  return bits_float(float_bits(brief_half_turn(-r)) + (float_bits(moved) << 31));
}

// Beyond this exponent it would show what lg2.approx is off near 1, which is 2⁻²²: times 512 and log 2 it is 2⁻¹³·⁵ of
// the result.
constexpr float kBriefExponent = 512.0f;

// x^y; `is_usual` is cleared where it is not right: exponents that are 0, NaN or beyond kBriefExponent, −0 and −∞.
__device__ inline float brief_pow(bool& is_usual, float x, float y) {
  is_usual = is_usual & (magnitude(y) <= kBriefExponent) & (y != 0.0f) & (float_bits(x) != 0x80000000u) &
             (float_bits(x) != 0xff800000u);
  const float power = instructions::exp2(y * instructions::log2(magnitude(x)));
  // What a negative x sets of the result's bits: its sign where y is odd, all others, which is NaN, where y is no whole
  // number.
  const float moved = y + kWholes;
  const uint of_negative = moved - kWholes == y ? float_bits(moved) << 31 : 0x7fffffffu;
  return bits_float(float_bits(power) | (uint(int(float_bits(x)) >> 31) & of_negative));
}

}  // namespace warpcell::float_math
