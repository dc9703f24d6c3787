// Remainders, hypotenuse, the inverse error function and the logarithm of gamma in float32, as float_math.cuh has its
// functions: without branches or calls, so that a CPU's compiler makes vectors of loops over them.
#pragma once
#include "float_math.cuh"

namespace warpcell::float_math {

// The whole number of times that |y| goes into |x|, and what x leaves, exactly, for the operands that `divides_near`
// admits: the quotient's rounding adds one at most, and its product with y is taken from x in one rounding, of a number
// that needs none.
constexpr float kManyTimes = 4194304.0f;  // 2²²
struct Divided {
  float times, rest;
};
inline bool divides_near(float x, float y) {
  return !(magnitude(x) / magnitude(y) >= kManyTimes) & !(magnitude(y) == __builtin_inff());
}
inline Divided divided(float x, float y) {
  float size = magnitude(x), unit = magnitude(y), times = __builtin_truncf(size / unit), rest = fma(-times, unit, size);
  bool is_above = rest < 0.0f;
  return {pick(is_above, times - 1.0f, times), signed_as(pick(is_above, rest + unit, rest), x)};
}
inline float near_fmod(float x, float y) { return divided(x, y).rest; }
inline float near_remainder(float x, float y) {
  float rest = near_fmod(x, y);
  return pick(rest == 0.0f, signed_as(0.0f, y), pick((rest < 0.0f) != (y < 0.0f), rest + y, rest));
}
inline float near_floor_divide(float x, float y) {
  Divided found = divided(x, y);
  float sign = bits_float((float_bits(x) ^ float_bits(y)) & 0x80000000u);
  bool is_below = (float_bits(sign) != 0) & (found.rest != 0.0f);
  float times = signed_as(pick(is_below, found.times + 1.0f, found.times), sign);
  return pick(found.times != found.times, found.times, times);
}

// √(x² + y²), where no square is too large or too small: scaled by a power of two. Of x and y as of y and x.
inline float hypot(float x, float y) {
  float a = magnitude(x), b = magnitude(y), most = pick(a > b, a, b), least = pick(a > b, b, a);
  bool is_large = most > 1e18f, is_small = most < 1e-18f;
  float scale = pick(is_large, 0x1p-64f, pick(is_small, 0x1p64f, 1.0f));
  float back = pick(is_large, 0x1p64f, pick(is_small, 0x1p-64f, 1.0f));
  float p = most * scale, q = least * scale, result = __builtin_sqrtf(fma(p, p, q * q)) * back;
  bool is_infinite = (a == __builtin_inff()) | (b == __builtin_inff());
  return pick(is_infinite, __builtin_inff(), result);
}

// By w = −log(1 − x²): x times a polynomial in w, or near ±1 in √w (Giles, "Approximating the erfinv function", 2010;
// the polynomials are fitted here). At most 3.1 units in the last place.
inline float erfinv(float x) {
  float w = -log(fma(-x, x, 1.0f)), v = w - 2.5f, s = __builtin_sqrtf(w) - 3.11803399f;
  float central = horner(v, 1.50140941f, 0.24664028f, -0.00417738687f, -0.0012527419f, 0.000218344445f,
                         -4.96334542e-06f, -3.4627044e-06f, 4.66170121e-07f, 2.32326247e-08f, -8.79101769e-09f);
  float tail = horner(s, 2.95132852f, 1.00361812f, 0.00716363825f, -0.00538025936f, 0.00385299092f, -0.00270511047f,
                      0.00136212108f, -8.92421303e-05f, -0.000204977696f);
  return x * pick(magnitude(x) == 1.0f, __builtin_inff(), pick(w < 5.0f, central, tail));
}

// log Γ(x) for positive finite x: at most 3.6 units in the last place. Below 3 by log Γ(2 + z) = z q(z), and below 1.25
// less log x; beyond, by Stirling's series with what it leaves fitted.
inline bool lgamma_near(float x) { return (x > 0.0f) & (x < __builtin_inff()); }
inline float near_lgamma(float x) {
  Split parts = split(x);
  float part = fma(parts.n, kLn2Low, reduced_log(parts.f)), whole = parts.n * kLn2;
  bool is_least = x < 1.25f;
  float z = x - pick(is_least, 1.0f, 2.0f);
  float near =
      z * horner(z, 0.422784358f, 0.322466969f, -0.0673530102f, 0.020582309f, -0.00737752533f, 0.00288021076f,
                 -0.00122555438f, 0.00053995644f, -0.000164205689f, 5.69815202e-05f, -9.04485642e-05f, 4.71620406e-05f);
  float low = near - pick(is_least, whole + part, 0.0f);
  // (x − ½)(log x − 1) + ½ log 2π − ½ + r(1/x²)/x; log x keeps its small part, as the rest cancels.
  float inverse = 1.0f / x;
  float rest = fma(inverse, horner(inverse * inverse, 0.0833333135f, -0.00277447421f, 0.000709371816f), 0.418938533f);
  float high = fma(x - 0.5f, (whole - 1.0f) + part, rest);
  return pick(x < 3.0f, low, high);
}
// Of any x; a loop over it does not become vectors.
inline float lgamma(float x) { return lgamma_near(x) ? near_lgamma(x) : __builtin_lgammaf(x); }

}  // namespace warpcell::float_math
