// <cuComplex.h> for the host code of a program: complex numbers as pairs of floats or doubles.
#pragma once
#include <math.h>

#include "vector_functions.h"

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

// clang-format off
// X(the pair, its part, the part's letter in names)
#define X(Pair, Part, f) \
  static inline Part cuCreal##f(Pair x) { return x.x; } \
  static inline Part cuCimag##f(Pair x) { return x.y; } \
  static inline Pair make_##Pair(Part real, Part imaginary) { return {real, imaginary}; } \
  static inline Pair cuConj##f(Pair x) { return {x.x, -x.y}; } \
  static inline Pair cuCadd##f(Pair x, Pair y) { return {x.x + y.x, x.y + y.y}; } \
  static inline Pair cuCsub##f(Pair x, Pair y) { return {x.x - y.x, x.y - y.y}; } \
  static inline Pair cuCmul##f(Pair x, Pair y) { return {x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x}; } \
  static inline Pair cuCfma##f(Pair x, Pair y, Pair z) { return cuCadd##f(cuCmul##f(x, y), z); } \
  static inline Part cuCabs##f(Pair x) { return hypot##f(x.x, x.y); } \
  /* Squares of large parts must not overflow. */ \
  static inline Pair cuCdiv##f(Pair x, Pair y) { \
    const Part scale = Part(1) / (fabs##f(y.x) + fabs##f(y.y)); \
    const Part a = x.x * scale, b = x.y * scale, c = y.x * scale, d = y.y * scale, over = Part(1) / (c * c + d * d); \
    return {(a * c + b * d) * over, (b * c - a * d) * over}; \
  }
// clang-format on
X(cuFloatComplex, float, f)
X(cuDoubleComplex, double, )
#undef X

static inline cuComplex make_cuComplex(float real, float imaginary) { return {real, imaginary}; }
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return {x.x, x.y}; }
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) { return {float(x.x), float(x.y)}; }
