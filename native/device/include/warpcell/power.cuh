// x^y in float32 on a GPU, for the operands that are nearly all: log₂ of x in two floats, and a power of 2.
#pragma once
#include "normal.cuh"

namespace warpcell::float_math {

// 2/log 2 and a third, each in two parts.
constexpr float kPerLog = 2.88539004f, kPerLogLow = 3.85192598e-08f, kThird = 0.333333343f,
                kThirdLow = -9.93410776e-09f;

// At most 4 units in the last place from x^y; `is_usual` is cleared where it is not: at infinities, NaN, most powers of
// 0, and numbers and results short of or beyond normal ones.
__device__ inline float usual_pow(bool& is_usual, float x, float y) {
  const uint size = float_bits(x) & 0x7fffffffu, octave = (size - 0x3f3504f3u) & 0xff800000u;  // √½
  // |x| = 2ⁿ (1 + f), of which n is counted in steps of 2⁻²³
  const float n = float(int(octave)), m = bits_float(size - octave), f = m - 1.0f;
  // (1 + s)/(1 − s) = 1 + f, of which s is rounded, and what it lacks: |s| ≤ 0.172. What is used again is rounded by
  // itself, whatever a compiler may contract.
  const float inverse = brief_reciprocal(m + 1.0f), s = __fmul_rn(f, inverse),
              lack = fma(s, -f, fma(s, -2.0f, f)) * inverse;
  // artanh(s) in two parts, to 2⁻²⁹ of it.
  const float square = __fmul_rn(s, s), cube = __fmul_rn(square, s);
  const float rest = fma(
      cube, kThird, fma(cube, horner(square, kThirdLow, 0.2f, 0.142810702f, 0.115279943f), fma(lack, square, lack)));
  const float log = s + rest, log_low = (s - log) + rest;
  // y log₂|x| = y n + times · artanh(s), in two parts. What depends on y alone is worked out once for all elements that
  // share one.
  const float step = y * 1.1920929e-07f, times = __fmul_rn(y, kPerLog),
              times_low = fma(y, kPerLogLow, fma(y, kPerLog, -times));
  const float exponent = fma(step, n, __fmul_rn(times, log));
  const float exponent_low = fma(times, log_low, fma(times_low, log, fma(times, log, fma(step, n, -exponent))));
  const float shift = 12582912.0f, moved = exponent + shift;
  const float power = instructions::flushed_exp2((exponent - (moved - shift)) + exponent_low);
  // Whole conditions, not && and ||, and a bound of integers: there is no branch for an element.
  const uint zeros = y > 0.0f ? 1u : 0u;
  const bool is_zero = float_bits(x) < zeros;
  is_usual = is_usual & (is_zero | ((magnitude(n) < 126.0f * 8388608.0f) & (magnitude(exponent) < 125.0f)));
  const uint result = is_zero ? 0u : float_bits(power) + (float_bits(moved) << 23);
  // What a negative x sets of the result's bits: its sign where y is odd, all others, which is NaN, where y is no whole
  // number.
  const float half = y * 0.5f;
  const uint of_odd = ::floorf(half) != half ? 0x80000000u : 0u, of_negative = ::floorf(y) != y ? 0x7fffffffu : of_odd;
  return bits_float(result | (uint(int(float_bits(x)) >> 31) & of_negative));
}

}  // namespace warpcell::float_math
