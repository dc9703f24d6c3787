// CUDA's arithmetic with a named rounding: __fadd_rn, __ddiv_ru, __ll2float_rz. (CUDA Math API, intrinsics; IEEE 754, 4.3.)
#pragma once
#include "elementary.h"

extern "C" int fesetround(int) noexcept;

namespace warpcell_cpu {

// A value that the compiler neither knows nor moves to where results are rounded otherwise, nor fuses into a multiply-add.
template <class T>
WARPCELL_CPU_FN T fixed(T x) {
  if constexpr (is_real<T>) asm volatile("" : "+" WARPCELL_CPU_FLOAT_REGISTER(x) : : "memory");
  else asm volatile("" : "+r"(x) : : "memory");
  return x;
}

// What `calculate` makes of its arguments when results are rounded so. Compilers know no rounding but to the nearest.
template <class Calculate, class... T>
WARPCELL_CPU_FN auto rounded(Rounding rounding, Calculate calculate, T... arguments) {
  fesetround(int(rounding));
  auto result = fixed(calculate(fixed(arguments)...));
  fesetround(int(Rounding::nearest));
  return result;
}

// To the nearest is how results are rounded anyway.
template <class T>
WARPCELL_CPU_FN T nearest(T x) {
  asm("" : "+" WARPCELL_CPU_FLOAT_REGISTER(x));
  return x;
}

}  // namespace warpcell_cpu

#define X(letter, type, root, fused)                                                                                               \
  WARPCELL_CPU_FN type __##letter##add_rn(type x, type y) { return warpcell_cpu::nearest(warpcell_cpu::nearest(x) + warpcell_cpu::nearest(y)); }  \
  WARPCELL_CPU_FN type __##letter##sub_rn(type x, type y) { return warpcell_cpu::nearest(warpcell_cpu::nearest(x) - warpcell_cpu::nearest(y)); }  \
  WARPCELL_CPU_FN type __##letter##mul_rn(type x, type y) { return warpcell_cpu::nearest(x * y); }                                 \
  WARPCELL_CPU_FN type __##letter##div_rn(type x, type y) { return x / y; }                                                        \
  WARPCELL_CPU_FN type __##letter##rcp_rn(type x) { return type(1) / x; }                                                          \
  WARPCELL_CPU_FN type __##letter##sqrt_rn(type x) { return root(x); }                                                             \
  WARPCELL_CPU_FN type __##fused##_rn(type x, type y, type z) { return ::fma(x, y, z); }
X(f, float, sqrtf, fmaf) X(d, double, sqrt, fma)
#undef X

#define WARPCELL_CPU_ROUNDED(name, mode, result, parameters, expression, ...)                                                      \
  WARPCELL_CPU_FN result name parameters {                                                                                         \
    return warpcell_cpu::rounded(warpcell_cpu::Rounding::mode, [] parameters { return result(expression); }, __VA_ARGS__);         \
  }
#define WARPCELL_CPU_ROUNDED_ARITHMETIC(letter, type, root, fused, suffix, mode)                                                   \
  WARPCELL_CPU_ROUNDED(__##letter##add_##suffix, mode, type, (type x, type y), x + y, x, y)                                        \
  WARPCELL_CPU_ROUNDED(__##letter##sub_##suffix, mode, type, (type x, type y), x - y, x, y)                                        \
  WARPCELL_CPU_ROUNDED(__##letter##mul_##suffix, mode, type, (type x, type y), x * y, x, y)                                        \
  WARPCELL_CPU_ROUNDED(__##letter##div_##suffix, mode, type, (type x, type y), x / y, x, y)                                        \
  WARPCELL_CPU_ROUNDED(__##letter##rcp_##suffix, mode, type, (type x), type(1) / x, x)                                             \
  WARPCELL_CPU_ROUNDED(__##letter##sqrt_##suffix, mode, type, (type x), root(x), x)                                                \
  WARPCELL_CPU_ROUNDED(__##fused##_##suffix, mode, type, (type x, type y, type z), ::fma(x, y, z), x, y, z)
#define WARPCELL_CPU_ROUNDED_CONVERSION(from, type, to, suffix, mode) WARPCELL_CPU_ROUNDED(__##from##2##to##_##suffix, mode, to, (type x), x, x)
#define X(suffix, mode)                                                                                                            \
  WARPCELL_CPU_ROUNDED_ARITHMETIC(f, float, sqrtf, fmaf, suffix, mode)                                                             \
  WARPCELL_CPU_ROUNDED_ARITHMETIC(d, double, sqrt, fma, suffix, mode)                                                              \
  WARPCELL_CPU_ROUNDED_CONVERSION(double, double, float, suffix, mode)                                                             \
  WARPCELL_CPU_ROUNDED_CONVERSION(int, int, float, suffix, mode)                                                                   \
  WARPCELL_CPU_ROUNDED_CONVERSION(uint, unsigned, float, suffix, mode)                                                             \
  WARPCELL_CPU_ROUNDED_CONVERSION(ll, long long, float, suffix, mode)                                                              \
  WARPCELL_CPU_ROUNDED_CONVERSION(ull, unsigned long long, float, suffix, mode)                                                    \
  WARPCELL_CPU_ROUNDED_CONVERSION(ll, long long, double, suffix, mode)                                                             \
  WARPCELL_CPU_ROUNDED_CONVERSION(ull, unsigned long long, double, suffix, mode)
X(rd, down) X(ru, up) X(rz, to_zero)
#undef X
#undef WARPCELL_CPU_ROUNDED_CONVERSION
#undef WARPCELL_CPU_ROUNDED_ARITHMETIC
#undef WARPCELL_CPU_ROUNDED
