// Functions on a GPU for results of 16 bits, which show no error below 2⁻¹²: in few steps, without branches.
// Polynomials are minimax in the error beside the result, which stands beside each.
#pragma once
#include "instructions.cuh"
#include "normal.cuh"
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

// e^x, to 2⁻²² and what the exponent is rounded by, |x| · 2⁻²⁴.
__device__ inline float brief_exp(float x) { return instructions::exp2(x * 1.44269504f); }

// log(1 + x) for x > −1: near 0, where 1 + x has lost what counts, three terms of its series, to 2⁻¹⁹.
__device__ inline float brief_log1p(float x) {
  const float near = x * horner(x, 1.0f, -0.5f, 0.333333333f);
  return pick(magnitude(x) < 0.0078125f, near, 0.693147181f * instructions::log2(1.0f + x));
}
// log(1 + e^x)
__device__ inline float brief_softplus(float x) {
  return pick(x < 0.0f, 0.0f, x) + brief_log1p(brief_exp(-magnitude(x)));
}

// e^x − 1: near 0 to 2⁻¹⁸·⁵.
__device__ inline float brief_expm1(float x) {
  const float near = x * horner(x, 0.999999523f, 0.499973148f, 0.16667828f, 0.0421003252f, 0.00833328068f);
  return pick(magnitude(x) < 0.5f, near, brief_exp(x) - 1.0f);
}

// e^|x| / 2 without overflow before it.
__device__ inline float half_power(float x) { return instructions::exp2(fma(magnitude(x), 1.44269504f, -1.0f)); }
// Near 0 by its series, to 2⁻¹⁸.
__device__ inline float brief_sinh(float x) {
  const float square = x * x, half = half_power(x);
  const float near = x * horner(square, 1.0f, 0.166666667f, 0.00833333333f, 0.000198412698f);
  return pick(magnitude(x) < 1.0f, near, ::copysignf(half - 0.25f * brief_reciprocal(half), x));
}
__device__ inline float brief_cosh(float x) {
  const float half = half_power(x);
  return half + 0.25f * brief_reciprocal(half);
}

// 1 − 2 / (e^2|x| + 1)
__device__ inline float far_tanh(float x) {
  return 1.0f - 2.0f * brief_reciprocal(brief_exp(2.0f * magnitude(x)) + 1.0f);
}
// Near 0 to 2⁻¹⁷·²
__device__ inline float brief_tanh(float x) {
  const float near = x * horner(x * x, 0.999993324f, -0.332890481f, 0.128642127f, -0.0372905284f);
  return pick(magnitude(x) < 0.7f, near, ::copysignf(far_tanh(x), x));
}
// x − tanh(x): near 0, where these cancel, to 2⁻¹⁶·⁹; a sum with 0 has no −0.
__device__ inline float brief_tanhshrink(float x) {
  const float square = x * x;
  const float near = x * square * horner(square, 0.333330572f, -0.133152366f, 0.0520589948f, -0.0150995485f) + 0.0f;
  return pick(magnitude(x) < 0.7f, near, x - ::copysignf(far_tanh(x), x));
}

// x, and the least number for −∞, which times 0 is not NaN.
__device__ inline float at_least_finite(float x) { return instructions::larger_or_nan(x, -3.40282347e38f); }

// tan = sin/cos
__device__ inline float brief_tan(float x) { return brief_sin(x) * brief_reciprocal(brief_cos(x)); }

// x less whole multiples of y, in whose quotient all digits count: not exact where it has more of them than both
// numbers leave room for, or the divisor has no quotient in float32; `is_usual` is cleared then.
__device__ inline float brief_fmod(bool& is_usual, float x, float y) {
  const float size = magnitude(x), by = magnitude(y);
  is_usual = is_usual & (by >= 7.88860905e-31f) & (by <= 1.26765060e30f) & (size <= 4096.0f * by);
  // Off by one where the quotient is nearly whole.
  float rest = fma(-truncf(size * brief_reciprocal(by)), by, size);
  rest = rest < 0.0f ? rest + by : rest;
  rest = rest >= by ? rest - by : rest;
  return ::copysignf(rest, x);
}

// √(x² + y²) of squares that neither overflow nor vanish.
__device__ inline float brief_hypot(bool& is_usual, float x, float y) {
  const float sum = fma(x, x, y * y);
  is_usual = is_usual & (sum >= 7.88860905e-31f) & (sum <= 1.26765060e30f);
  return ::sqrtf(sum);
}

// The larger number and log(1 + e^−|x − y|), of two infinities, too.
__device__ inline float brief_logaddexp(float x, float y) {
  const float most = instructions::larger_or_nan(x, y), way = x == y ? 0.0f : -magnitude(x - y);
  return most + brief_log1p(brief_exp(way));
}

// 2Φ(−√2|x|), which is 1 − erf(|x|)
__device__ inline float brief_erfc_of_size(float x) {
  const BriefTail tail = brief_tail(brief_size(1.41421356f * x));
  return 2.0f * (tail.power * tail.share);
}
// Near 0 to 2⁻¹⁹
__device__ inline float brief_erf(float x) {
  const float near = x * horner(x * x, 1.12837708f, -0.375992179f, 0.111462921f, -0.0222486351f);
  return pick(magnitude(x) < 0.7f, near, ::copysignf(1.0f - brief_erfc_of_size(x), x));
}
__device__ inline float brief_erfc(float x) {
  const float tail = brief_erfc_of_size(x);
  return pick(x < 0.0f, 2.0f - tail, tail);
}

}  // namespace warpcell::float_math
