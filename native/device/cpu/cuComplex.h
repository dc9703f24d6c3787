// <cuComplex.h> for a cell: complex numbers as pairs of floats or doubles. Quotients and magnitudes take care of numbers whose squares overflow.
#pragma once
#include "warpcell_cpu/elementary.h"
#include "warpcell_cpu/vectors.h"

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

// X(the pair, its part, the part's letter in names, the same in the names of functions of the C library)
#define X(Pair, Part, Complex, f)                                                                                           \
  WARPCELL_CPU_FN Part cuCreal##f(Pair x) { return x.x; }                                                                   \
  WARPCELL_CPU_FN Part cuCimag##f(Pair x) { return x.y; }                                                                   \
  WARPCELL_CPU_FN Pair make_##Complex(Part real, Part imaginary) { return {real, imaginary}; }                              \
  WARPCELL_CPU_FN Pair cuConj##f(Pair x) { return {x.x, -x.y}; }                                                            \
  WARPCELL_CPU_FN Pair cuCadd##f(Pair x, Pair y) { return {x.x + y.x, x.y + y.y}; }                                         \
  WARPCELL_CPU_FN Pair cuCsub##f(Pair x, Pair y) { return {x.x - y.x, x.y - y.y}; }                                         \
  WARPCELL_CPU_FN Pair cuCmul##f(Pair x, Pair y) { return {x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x}; }                 \
  WARPCELL_CPU_FN Pair cuCdiv##f(Pair x, Pair y) {                                                                          \
    const Part scale = Part(1) / (fabs##f(y.x) + fabs##f(y.y));                                                             \
    const Part a = x.x * scale, b = x.y * scale, c = y.x * scale, d = y.y * scale, over = Part(1) / (c * c + d * d);        \
    return {(a * c + b * d) * over, (b * c - a * d) * over};                                                                \
  }                                                                                                                         \
  WARPCELL_CPU_FN Part cuCabs##f(Pair x) { return hypot##f(x.x, x.y); }                                                     \
  WARPCELL_CPU_FN Pair cuCfma##f(Pair x, Pair y, Pair z) {                                                                  \
    return {x.x * y.x + z.x - x.y * y.y, x.x * y.y + z.y + x.y * y.x};                                                      \
  }
X(cuFloatComplex, float, cuFloatComplex, f) X(cuDoubleComplex, double, cuDoubleComplex, )
#undef X
WARPCELL_CPU_FN cuComplex make_cuComplex(float real, float imaginary) { return {real, imaginary}; }
WARPCELL_CPU_FN cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return {x.x, x.y}; }
WARPCELL_CPU_FN cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) { return {float(x.x), float(x.y)}; }
