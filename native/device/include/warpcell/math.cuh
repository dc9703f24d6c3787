// The functions of elementwise operations in the type that they compute in. On a CPU, float32 ones are written so that
// compilers vectorise them.
#pragma once
#ifdef WARPCELL_SERIAL
// A loop becomes vectors only when all that it calls stands in it, however much that is.
#ifdef __clang__
#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)
#endif
#include "float_angles.cuh"
#include "float_special.cuh"
#else
#include "brief.cuh"
#include "normal.cuh"
#include "power.cuh"
#endif

namespace warpcell {

// X(name, name for float): the C library's, in both precisions. The first list has vectors of its own on a CPU.
// clang-format off
#define WARPCELL_VECTOR_FUNCTIONS(X) \
  X(exp, expf) X(exp2, exp2f) X(expm1, expm1f) X(log, logf) X(log2, log2f) X(log10, log10f) X(log1p, log1pf) X(sinh, sinhf) X(cosh, coshf) X(tanh, tanhf) X(erf, erff) X(erfc, erfcf) \
  X(sin, sinf) X(cos, cosf) X(tan, tanf) X(asin, asinf) X(acos, acosf) X(atan, atanf) X(asinh, asinhf) X(acosh, acoshf) X(atanh, atanhf) X(cbrt, cbrtf) X(erfinv, erfinvf) X(lgamma, lgammaf)
#define WARPCELL_FUNCTIONS(X) \
  X(sqrt, sqrtf) X(floor, floorf) X(ceil, ceilf) X(rint, rintf) X(trunc, truncf)
// clang-format on

namespace fn {
#define X(name, name_f)                                         \
  __device__ inline float name(float x) { return ::name_f(x); } \
  __device__ inline double name(double x) { return ::name(x); }
// clang-format off
WARPCELL_FUNCTIONS(X)
// clang-format on
#ifndef WARPCELL_SERIAL
// clang-format off
WARPCELL_VECTOR_FUNCTIONS(X)
// clang-format on
#endif
#undef X
#ifdef WARPCELL_SERIAL
#define X(name, name_f)                                      \
  inline float name(float x) { return float_math::name(x); } \
  inline double name(double x) { return ::name(x); }
// clang-format off
WARPCELL_VECTOR_FUNCTIONS(X)
// clang-format on
#undef X
#endif
// Φ(x), the share of the normal distribution below x.
template <class W>
__device__ inline W normal_share(W x) {
  const W root = W(0.70710678118654752440);
  if constexpr (same<W, float>) {
#ifdef WARPCELL_SERIAL
    float tail = 0.5f * float_math::positive_erfc(float_math::magnitude(x) * root);
#else
    float tail = normal_tail(float_math::magnitude(x));
#endif
    return float_math::pick(x > 0.0f, 1.0f - tail, tail);
  }
  return W(0.5) * fn::erfc(-x * root);
}
// `condition ? a : b`; on a CPU without a branch, so that a loop around it becomes vectors.
template <class W>
__device__ inline W pick(bool condition, W a, W b) {
#ifdef WARPCELL_SERIAL
  if constexpr (same<W, float>) return float_math::pick(condition, a, b);
#endif
  return condition ? a : b;
}
#ifdef WARPCELL_SERIAL
inline float pow(float x, float y) { return float_math::pow(x, y); }
inline float atan2(float y, float x) { return float_math::atan2(y, x); }
inline float hypot(float x, float y) { return float_math::hypot(x, y); }
#else
__device__ inline float pow(float x, float y) { return ::powf(x, y); }
__device__ inline float atan2(float y, float x) { return ::atan2f(y, x); }
__device__ inline float hypot(float x, float y) { return ::hypotf(x, y); }
#endif
__device__ inline double pow(double x, double y) { return ::pow(x, y); }
__device__ inline float fmod(float x, float y) { return ::fmodf(x, y); }
__device__ inline double fmod(double x, double y) { return ::fmod(x, y); }
__device__ inline double atan2(double y, double x) { return ::atan2(y, x); }
__device__ inline double hypot(double x, double y) { return ::hypot(x, y); }
__device__ inline float fabs(float x) { return bits_float(float_bits(x) & 0x7fffffffu); }
__device__ inline double fabs(double x) { return ::fabs(x); }
__device__ inline float copysign(float x, float y) { return ::copysignf(x, y); }
__device__ inline double copysign(double x, double y) { return ::copysign(x, y); }
}  // namespace fn

}  // namespace warpcell

#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute pop
#endif
