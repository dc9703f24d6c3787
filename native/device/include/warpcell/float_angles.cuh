// Tangent, the inverse functions of tangent, sine and cosine, also hyperbolic ones, and the cube root in float32, as
// float_math.cuh has its functions: at most 2 units in the last place from the exact result.
#pragma once
#include "float_math.cuh"

namespace warpcell::float_math {

// tan up to kFarthest.
inline float near_tan(float x) {
  Whole n = nearest(x * 0.636619772f);
  float high = fma(n.value, -1.5707964f, x), second = n.value * 4.371139e-08f, r = high + second;
  // What is left beside r: of the sum, of the product, and of the third part of π/2.
  float taken = r - high, lost = (high - (r - taken)) + (second - taken);
  lost = fma(n.value, 1.7151245e-15f, lost + fma(n.value, 4.371139e-08f, -second));
  float square = r * r;
  float more =
      fma(r * square, horner(square, 0.33333156f, 0.13338836f, 0.0534082f, 0.024441391f, 0.003101483f, 0.009396525f),
          fma(lost, square, lost));
  float t = r + more, u = -1.0f / t;
  // −1/t with what t and the quotient lost.
  float turned = fma(u, fma((r - t) + more, u, fma(t, u, 1.0f)), u);
  return pick(x == 0.0f, x, pick((n.number & 1) != 0, turned, t));
}
// Of any x; a loop over it does not become vectors.
inline float tan(float x) { return magnitude(x) > kFarthest ? __builtin_tanf(x) : near_tan(x); }

// π/2 less its nearest float.
constexpr float kHalfPi = 1.57079637f, kHalfPiLow = -4.37113883e-08f;

// atan(t) + more, for t from 0 to 1 and a `more` that is less than the last place of t.
inline float near_atan(float t, float more) {
  float square = t * t;
  return t + fma(t * square,
                 horner(square, -0.33333153f, 0.19993767f, -0.14211002f, 0.10665773f, -0.075516984f, 0.043205924f,
                        -0.01636462f, 0.0029200006f),
                 more);
}
inline float atan(float x) {
  float size = magnitude(x);
  bool is_steep = size > 1.0f;
  float part = near_atan(pick(is_steep, 1.0f / size, size), pick(is_steep, -kHalfPiLow, 0.0f));
  return signed_as(pick(is_steep, kHalfPi - part, part), x);
}
inline float atan2(float y, float x) {
  float rise = magnitude(y), run = magnitude(x);
  bool is_steep = rise > run, is_back = (float_bits(x) >> 31) != 0;
  float least = pick(is_steep, run, rise), most = pick(is_steep, rise, run);
  // Both may be 0, or infinite.
  float t = pick(least == most, pick(most == 0.0f, 0.0f, 1.0f), least / most);
  // From the axis that is nearest: 0, π/2 or π, and the angle between them added or taken away.
  float quarters = pick(is_steep, 1.0f, pick(is_back, 2.0f, 0.0f)), sense = pick(is_steep != is_back, -1.0f, 1.0f);
  float part = near_atan(t, sense * quarters * kHalfPiLow);
  return signed_as(fma(quarters, kHalfPi, sense * part), y);
}

// (asin(s) − s)/s³ by s², for s from 0 to ½.
inline float asin_series(float square) {
  return horner(square, 0.16666752f, 0.074953064f, 0.045469772f, 0.024180774f, 0.042166412f);
}
// Beyond ½, asin(x) = π/2 − 2 asin(√((1 − x)/2)).
inline float asin(float x) {
  float size = magnitude(x);
  bool is_near = size <= 0.5f;
  float square = pick(is_near, x * x, fma(size, -0.5f, 0.5f)), root = pick(is_near, size, __builtin_sqrtf(square));
  float more = root * square * asin_series(square);
  float high = kHalfPi - 2.0f * root, low = (kHalfPi - high) - 2.0f * root + kHalfPiLow;
  return signed_as(pick(is_near, root + more, high + fma(-2.0f, more, low)), x);
}
inline float acos(float x) {
  float size = magnitude(x);
  bool is_near = size <= 0.5f;
  float square = pick(is_near, x * x, fma(size, -0.5f, 0.5f)), root = pick(is_near, x, __builtin_sqrtf(square));
  float more = root * square * asin_series(square);
  float low = 2.0f * (root + more), high = fma(-2.0f, root, 2.0f * kHalfPi) - fma(2.0f, more, -2.0f * kHalfPiLow);
  return pick(is_near, (kHalfPi - root) - (more - kHalfPiLow), pick(x < 0.0f, high, low));
}

// The inverse hyperbolic functions by log(1 + u); from 2³⁰ on, where the logarithm of twice the number is near enough,
// u would overflow.
constexpr float kHuge = 1073741824.0f, kLn2Whole = 0.693147181f;
inline float asinh(float x) {
  float size = magnitude(x), square = x * x;
  float near =
      fma(x * square, horner(square, -0.16666643f, 0.074986406f, -0.04438296f, 0.028161146f, -0.013223728f), x);
  bool is_huge = size > kHuge;
  float u = pick(is_huge, size, size + square / (1.0f + __builtin_sqrtf(square + 1.0f)));
  return signed_as(pick(size < 0.5f, near, log1p(u) + pick(is_huge, kLn2Whole, 0.0f)), x);
}
inline float acosh(float x) {
  float t = x - 1.0f, root = __builtin_sqrtf(2.0f * t);
  float near =
      fma(root * t, horner(t, -0.08333322f, 0.018746601f, -0.0055478695f, 0.0017600585f, -4.132139e-04f), root);
  bool is_huge = x > kHuge;
  float far = log1p(pick(is_huge, x, t + __builtin_sqrtf(fma(t, t, 2.0f * t)))) + pick(is_huge, kLn2Whole, 0.0f);
  return pick(x < 1.0f, __builtin_nanf(""), pick(x < 1.5f, near, far));
}
inline float atanh(float x) {
  float size = magnitude(x), square = x * x;
  float near =
      fma(x * square, horner(square, 0.333333f, 0.20002615f, 0.1422076f, 0.118415274f, 0.050647385f, 0.17773886f), x);
  return pick(size < 0.5f, near, signed_as(0.5f * log1p(2.0f * size / (1.0f - size)), x));
}

// By y, the root of 1/x: a third of the exponent, corrected by the series of (1 − e)^(−1/3), e = 1 − xy³.
inline float cbrt(float x) {
  float size = magnitude(x);
  bool is_small = size < 5.42101086e-20f;  // 2⁻⁶⁴: what is left of x below must not underflow
  float a = pick(is_small, size * 7.92281625e28f, size);
  float y = bits_float(1419900000u - uint(int(float(int(float_bits(a))) * 0.333333333f)));
  float e = fma(-a * y, y * y, 1.0f);
  y = fma(y, e * horner(e, 0.33333333f, 0.22222222f, 0.17283951f), y);
  float root = a * y * y, square = root * root, lost = fma(root, root, -square);
  // x less the cube of the root, exactly.
  float rest = fma(-lost, root, fma(-square, root, a));
  root = fma(rest * y, y * 0.33333333f, root) * pick(is_small, 2.32830644e-10f, 1.0f);
  return pick(size < __builtin_inff(), signed_as(root, x), x);
}

}  // namespace warpcell::float_math
