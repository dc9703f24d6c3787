// float32 functions without branches or calls, for a CPU: compilers turn a loop over them into vectors. At most 2 units
// in the last place from the exact result, erfc at most 3.9 (3.82 at 0.5033279, of all floats). sin and cos do so up to
// 2¹⁶; beyond, the C library's serve. Each reduces its argument to a short interval and evaluates a polynomial there,
// fitted to the function for the least relative error.
#pragma once
#include "turns.cuh"

namespace warpcell::float_math {

// |x| with the sign of y.
inline float signed_as(float x, float y) {
  return bits_float((float_bits(x) & 0x7fffffffu) | (float_bits(y) & 0x80000000u));
}
// NaN stays NaN: no comparison with it holds.
inline float at_least(float x, float low) { return pick(x < low, low, x); }
inline float at_most(float x, float high) { return pick(x > high, high, x); }
// log 2 in two parts: n times the first is exact for |n| < 2¹⁰.
constexpr float kLn2 = 0.693145751953125f, kLn2Low = 1.42860682030941723e-6f;
constexpr float kLog2E = 1.44269504088896341f;

inline float power_of_two(int n) { return bits_float(uint(n + 127) << 23); }
// x · 2ⁿ, by two factors: 2ⁿ itself may be no float.
inline float scaled(float x, int n) { return x * power_of_two(n >> 1) * power_of_two(n - (n >> 1)); }

// e^x / 2ⁿ − 1 for the n of x, to a share of 1 + it.
inline float reduced_exp_less(float x, const Whole& n) {
  float r = fma(n.value, -kLn2Low, fma(n.value, -kLn2, x));
  return fma(r * r, horner(r, 0.5f, 0.1666652f, 0.041666403f, 0.008368831f, 0.0013940533f), r);
}
inline float reduced_exp(float x, const Whole& n) { return reduced_exp_less(x, n) + 1.0f; }
inline float exp(float x) {
  x = at_most(at_least(x, -104.0f), 89.0f);
  Whole n = nearest(x * kLog2E);
  return scaled(reduced_exp(x, n), n.number);
}
// For x from -87 to 88, where e^x is a normal number: one factor.
inline float exp_within(float x) {
  Whole n = nearest(x * kLog2E);
  return reduced_exp(x, n) * power_of_two(n.number);
}
inline float exp2(float x) {
  x = at_most(at_least(x, -150.0f), 128.5f);
  Whole n = nearest(x);
  float r = x - n.value;
  return scaled(
      fma(r, horner(r, 0.6931472f, 0.2402265f, 0.055503592f, 0.009618067f, 0.0013391174f, 0.00015460876f), 1.0f),
      n.number);
}
inline float expm1(float x) {
  float bounded = at_most(at_least(x, -18.0f), 89.0f);
  Whole n = nearest(bounded * kLog2E);
  float r = fma(n.value, -kLn2Low, fma(n.value, -kLn2, bounded));
  float part = fma(r * r, horner(r, 0.5f, 0.16666667f, 0.04166649f, 0.008333208f, 0.0013932686f, 0.00019944255f), r);
  // Half of it, doubled: 2¹²⁸ is no float.
  float half = power_of_two(n.number - 1), result = 2.0f * fma(half, part, half - 0.5f);
  return signed_as(pick(n.number == 0, part, result), x);
}

// log(1 + f) for 1 + f from √½ to √2.
inline float reduced_log(float f) {
  float p = horner(f, 0.3333333f, -0.25000837f, 0.20001285f, -0.16622774f, 0.14199834f, -0.13164231f, 0.12778337f,
                   -0.0764511f);
  return fma(f * f, fma(f, p, -0.5f), f);
}
// x = 2ⁿ (1 + f), for positive x.
struct Split {
  float n, f;
};
inline Split split(float x) {
  bool is_small = x < 1.17549435e-38f;
  uint bits = float_bits(pick(is_small, x * 8388608.0f, x)) - 0x3f3504f3u;  // √½
  int n = int(bits) >> 23;
  float m = bits_float((bits & 0x007fffffu) + 0x3f3504f3u);
  return {float(n) - pick(is_small, 23.0f, 0.0f), m - 1.0f};
}
// −∞ at 0, NaN below, ∞ at ∞.
inline float log_ends(float x, float result) {
  float at_zero = pick(x == 0.0f, -__builtin_inff(), __builtin_nanf(""));
  return pick(x > 0.0f, pick(x < __builtin_inff(), result, x), pick(x != x, x, at_zero));
}
inline float log(float x) {
  Split s = split(x);
  return log_ends(x, fma(s.n, kLn2, fma(s.n, kLn2Low, reduced_log(s.f))));
}
inline float log_to_base(float x, float scale, float scale_low, float step, float step_low) {
  Split s = split(x);
  float part = reduced_log(s.f), high = part * scale, low = fma(part, scale, -high) + part * scale_low;
  float whole = s.n * step, sum = whole + high;
  // What the sum lost: the larger minus it, plus the smaller.
  float lost = pick(s.n == 0.0f, 0.0f, (whole - sum) + high);
  return log_ends(x, sum + (lost + fma(s.n, step_low, low)));
}
inline float log2(float x) { return log_to_base(x, kLog2E, 1.92596303e-8f, 1.0f, 0.0f); }
inline float log10(float x) { return log_to_base(x, 0.434294492f, -1.01030402e-8f, 0.30102539f, 4.60503707e-6f); }
inline float log1p(float x) {
  float u = 1.0f + x;
  Split s = split(at_least(u, 1e-30f));
  float scale = power_of_two(-int(at_most(s.n, 120.0f)));
  // Of 1 + x only the exponent is used, so that what its rounding lost of x is not.
  float f = pick(x > 1e9f, s.f, fma(x, scale, scale - 1.0f));
  float result = fma(s.n, kLn2, fma(s.n, kLn2Low, reduced_log(f)));
  return pick(x == 0.0f, x, log_ends(u, result));
}

// By u = ½(e^(−2|x|) − 1), as u/(1 + u). Beyond 9.02 the nearest float is 1.
inline float tanh(float x) {
  float size = at_most(magnitude(x), 9.5f);
  Whole n = nearest(size * -2.88539008f);
  // Half of what is left; the n that matter are few, so that log 2 need not be in two parts.
  float r = fma(n.value, -0.346573591f, -size), scale = power_of_two(n.number);
  float part = fma(r * r, horner(r, 1.0f, 0.66666668f, 0.33333192f, 0.133331328f, 0.0445845952f, 0.0127643232f), r);
  float u = fma(scale, part, fma(scale, 0.5f, -0.5f)), sum = 1.0f + u;
  // A processor's dividers are few, and wait for each other: a parabola that is 1/sum to 1/99, the square of what is
  // left, and of the quotient what is left then, where u and 1 are exact.
  float inverse = horner(sum, 4.24242424f, -5.81818182f, 2.58585859f);
  inverse = fma(inverse, fma(-sum, inverse, 1.0f), inverse);
  float quotient = u * inverse;
  return signed_as(fma(fma(-u, quotient, u - quotient), inverse, quotient), x);
}
// 1/(1 + e^−x), by 2²⁴e^−|x|, which is normal where it matters.
inline float sigmoid(float x) {
  float bounded = at_least(-magnitude(x), -104.0f);
  Whole n = nearest(bounded * kLog2E);
  float scale = power_of_two(n.number + 24), small = fma(reduced_exp_less(bounded, n), scale, scale);
  return pick(x < 0.0f, small, 16777216.0f) / (16777216.0f + small);
}
// ½e^x for x ≥ 0.
inline float half_exp(float x) {
  x = at_most(x, 90.0f);
  Whole n = nearest(x * kLog2E);
  return scaled(reduced_exp(x, n), n.number - 1);
}
inline float sinh(float x) {
  float size = magnitude(x), square = x * x, half = half_exp(size);
  float near = fma(x * square, horner(square, 0.16666667f, 0.008333311f, 0.00019842635f, 2.7839255e-06f), x);
  return pick(size < 1.0f, near, signed_as(half - 0.25f / half, x));
}
inline float cosh(float x) {
  float half = half_exp(magnitude(x));
  return half + 0.25f / half;
}

// erfc(x) for x ≥ 0: e^(−x²) · t · q(1 − 6t), t = 1/(x + 3).
inline float positive_erfc(float x) {
  float bounded = at_most(x, 10.5f), sum = bounded + 3.0f, t = 1.0f / sum;
  // What t lacks for its roundings, relative to it: q is steep in u.
  float lack = fma(-t, sum, 1.0f) - t * (bounded - (sum - 3.0f)), u = fma(-6.0f * t, lack, fma(-6.0f, t, 1.0f));
  float q = horner(u, 1.0740069f, -0.8833945f, 0.59022784f, -0.31046626f, 0.11953341f, -0.026837176f, -0.0012396068f,
                   0.0030706963f, -0.00047132865f, -0.00031553063f);
  float square = bounded * bounded, rest = fma(bounded, bounded, -square);
  // e^(−x²) with what the square's rounding lost.
  Whole n = nearest(-square * kLog2E);
  float r = fma(n.value, -kLn2Low, fma(n.value, -kLn2, -square)) - rest;
  float e = fma(r * r, horner(r, 0.5f, 0.1666652f, 0.041666403f, 0.008368831f, 0.0013940533f), r);
  float product = fma(t * lack, q, t * q);
  return scaled(fma(product, e, product), n.number);
}
// erf(x) for |x| ≤ 1.
inline float near_erf(float x) {
  return fma(
      x,
      horner(x * x, 0.12837917f, -0.3761263f, 0.11283618f, -0.026855126f, 0.005190734f, -0.00080307614f, 7.920368e-05f),
      x);
}
inline float erfc(float x) {
  float size = magnitude(x), tail = positive_erfc(size);
  return pick(size < 0.5f, 1.0f - near_erf(x), pick(x < 0.0f, 2.0f - tail, tail));
}
inline float erf(float x) {
  float size = magnitude(x);
  return pick(size < 1.0f, near_erf(x), signed_as(1.0f - positive_erfc(size), x));
}

// Of any x; a loop over these does not become vectors.
inline float sin(float x) { return magnitude(x) > kFarthest ? __builtin_sinf(x) : near_sin(x); }
inline float cos(float x) { return magnitude(x) > kFarthest ? __builtin_cosf(x) : near_cos(x); }

// In float64 a power's logarithm has the bits that multiplying by the exponent costs.
inline uint64 double_bits(double x) {
  uint64 bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
inline double bits_double(uint64 bits) {
  double x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline double horner(double, double last) { return last; }
template <class... Rest>
inline double horner(double x, double first, Rest... rest) {
  return fma(x, horner(x, rest...), first);
}
// log₂ of a positive normal number to 2⁻⁴⁴ of it: 2ⁿ(1 + s)/(1 − s) with |s| ≤ 0.172.
inline double wide_log2(double x) {
  uint64 bits = double_bits(x) - 0x3fe6a09e667f3bcdull;  // √½
  // The exponent as a number: its bits below those of 2⁵², and 2¹¹ · 2⁵² added where it is negative.
  double n = bits_double(((bits >> 52) + 1024 & 2047) | 0x4330000000000000ull) - (4503599627370496.0 + 1024.0);
  double m = bits_double((bits & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull), s = (m - 1.0) / (m + 1.0);
  return fma(s,
             horner(s * s, 2.885390081777842, 0.9617966941187308, 0.57707794129261, 0.4122093384457504,
                    0.31990269821183476, 0.28293793796009115),
             n);
}
// 2^x to 2⁻³⁴, for |x| ≤ 1000.
inline double wide_exp2(double x) {
  const double shift = 6755399441055744.0;  // 1.5 · 2⁵²
  double moved = x + shift, r = x - (moved - shift);
  double scale = bits_double((double_bits(moved) - double_bits(shift) + 1023) << 52);
  return scale * horner(r, 0.9999999999616677, 0.6931471807285243, 0.240226511983215, 0.05550410353253229,
                        0.009618027230148651, 0.00133339226619134, 0.00015469299079610944, 1.520191386400764e-05);
}
// x^y as C has it: NaN of a negative x unless y is whole, 1 of x = 1 or y = 0 whatever the other is.
inline float pow(float x, float y) {
  float size = magnitude(x), half = y * 0.5f;
  bool is_whole = __builtin_floorf(y) == y, is_odd = is_whole && __builtin_floorf(half) != half;
  // Stand-ins for 0 and ∞, which have no logarithm here.
  float base = at_most(at_least(size, 1e-45f), 3.4028235e38f);
  double far = double(y) * wide_log2(double(base));
  double bounded = far > 300.0 ? 300.0 : far < -300.0 ? -300.0 : far;
  float result = float(wide_exp2(bounded));
  float infinite = __builtin_inff();
  float up = pick(y > 0.0f, infinite, 0.0f), down = pick(y > 0.0f, 0.0f, infinite);
  result = pick(size == infinite, up, pick(size == 0.0f, down, result));
  result = pick(size == 1.0f, 1.0f, result);
  result = pick(x < 0.0f && size != infinite && !is_whole, __builtin_nanf(""), result);
  result = pick(is_odd && (float_bits(x) >> 31) != 0, -result, result);
  result = pick(x != x || y != y, x + y, result);
  return pick(x == 1.0f || y == 0.0f, 1.0f, result);
}

}  // namespace warpcell::float_math
