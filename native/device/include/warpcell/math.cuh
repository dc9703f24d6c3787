// The functions of elementwise operations in the type that they compute in. On a CPU, float32 ones are written so that compilers vectorise them.
#pragma once
#include "numbers.cuh"

namespace warpcell {

// X(name, name for float): the C library's, in both precisions.
#define WARPCELL_FUNCTIONS(X) \
  X(exp, expf) X(exp2, exp2f) X(expm1, expm1f) X(log, logf) X(log2, log2f) X(log10, log10f) X(log1p, log1pf) \
  X(sqrt, sqrtf) X(cbrt, cbrtf) X(sin, sinf) X(cos, cosf) X(tan, tanf) X(asin, asinf) X(acos, acosf) X(atan, atanf) \
  X(sinh, sinhf) X(cosh, coshf) X(tanh, tanhf) X(asinh, asinhf) X(acosh, acoshf) X(atanh, atanhf) \
  X(erf, erff) X(erfc, erfcf) X(erfinv, erfinvf) X(lgamma, lgammaf) X(floor, floorf) X(ceil, ceilf) X(rint, rintf) X(trunc, truncf)

namespace fn {
#define X(name, name_f) \
  __device__ inline float name(float x) { return ::name_f(x); } \
  __device__ inline double name(double x) { return ::name(x); }
WARPCELL_FUNCTIONS(X)
#undef X
__device__ inline float pow(float x, float y) { return ::powf(x, y); }
__device__ inline double pow(double x, double y) { return ::pow(x, y); }
__device__ inline float fmod(float x, float y) { return ::fmodf(x, y); }
__device__ inline double fmod(double x, double y) { return ::fmod(x, y); }
__device__ inline float atan2(float y, float x) { return ::atan2f(y, x); }
__device__ inline double atan2(double y, double x) { return ::atan2(y, x); }
__device__ inline float hypot(float x, float y) { return ::hypotf(x, y); }
__device__ inline double hypot(double x, double y) { return ::hypot(x, y); }
__device__ inline float fabs(float x) { return ::fabsf(x); }
__device__ inline double fabs(double x) { return ::fabs(x); }
__device__ inline float copysign(float x, float y) { return ::copysignf(x, y); }
__device__ inline double copysign(double x, double y) { return ::copysign(x, y); }
}  // namespace fn

}  // namespace warpcell
