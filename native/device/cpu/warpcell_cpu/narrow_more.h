// What cells have of 16-bit floats beside what the library's kernels use: fused operations that saturate or cut off at 0, extremes that keep a NaN, masks
// of comparisons, conversions with a named rounding, bits as a type. (CUDA Math API, "Half Precision Intrinsics", "Bfloat16 Precision Intrinsics".)
#pragma once
#include "narrow_operations.h"

namespace warpcell_cpu {

// The nearest 16-bit number on one side of x: `nearest` is its rounding, whose value is `value`.
template <class Bits, class Source>
WARPCELL_CPU_FN unsigned short towards(Source x, unsigned short nearest, Rounding rounding) {
  const Source value = Source(Bits::value(nearest));
  if (value == x || x != x) return nearest;
  const bool goes_up = rounding == Rounding::up || (rounding == Rounding::to_zero && x < 0);
  if (goes_up ? value > x : value < x) return nearest;
  const bool is_negative = nearest >> 15, grows = goes_up != is_negative;
  if ((nearest & 0x7fff) == 0) return goes_up ? 1 : 0x8001;
  return (unsigned short)(grows ? nearest + 1 : nearest - 1);
}

}  // namespace warpcell_cpu

#define WARPCELL_CPU_NARROW_MASK(T, name, op) \
  WARPCELL_CPU_FN unsigned name##_mask(T##2 a, T##2 b) { return (op(a.x, b.x) ? 0xffffu : 0) | (op(a.y, b.y) ? 0xffff0000u : 0); }
#define WARPCELL_CPU_NARROW_DIRECTED(T, name, Bits, suffix, mode)                                                                          \
  WARPCELL_CPU_FN T __float2##name##_##suffix(float x) { return __ushort_as_##name(warpcell_cpu::towards<Bits>(x, T(x).bits, warpcell_cpu::Rounding::mode)); } \
  WARPCELL_CPU_FN T __int2##name##_##suffix(int x) { return __ushort_as_##name(warpcell_cpu::towards<Bits>(double(x), T(double(x)).bits, warpcell_cpu::Rounding::mode)); } \
  WARPCELL_CPU_FN T __uint2##name##_##suffix(unsigned x) { return __ushort_as_##name(warpcell_cpu::towards<Bits>(double(x), T(double(x)).bits, warpcell_cpu::Rounding::mode)); }

#define WARPCELL_CPU_NARROW_MORE(T, name, Bits)                                                                                            \
  struct T##_raw {                                                                                                                         \
    unsigned short x;                                                                                                                      \
    T##_raw() = default;                                                                                                                   \
    constexpr T##_raw(unsigned short bits) : x(bits) {}                                                                                    \
    T##_raw(T value) : x(value.bits) {}                                                                                                    \
    operator T() const { return __ushort_as_##name(x); }                                                                                   \
  };                                                                                                                                       \
  struct alignas(4) T##2_raw {                                                                                                             \
    unsigned short x, y;                                                                                                                   \
    T##2_raw() = default;                                                                                                                  \
    constexpr T##2_raw(unsigned short x, unsigned short y) : x(x), y(y) {}                                                                 \
    T##2_raw(T##2 value) : x(value.x.bits), y(value.y.bits) {}                                                                             \
    operator T##2() const { return {__ushort_as_##name(x), __ushort_as_##name(y)}; }                                                       \
  };                                                                                                                                       \
  WARPCELL_CPU_FN T __hfma_sat(T a, T b, T c) { return __hmax(__hmin(__hfma(a, b, c), T(1.0f)), T(0.0f)); }                                \
  WARPCELL_CPU_FN T __hfma_relu(T a, T b, T c) {                                                                                           \
    const T value = __hfma(a, b, c);                                                                                                       \
    return __hisnan(value) ? value : __hmax(value, T(0.0f));                                                                               \
  }                                                                                                                                        \
  WARPCELL_CPU_FN T##2 __hfma2_sat(T##2 a, T##2 b, T##2 c) { return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)}; }              \
  WARPCELL_CPU_FN T##2 __hfma2_relu(T##2 a, T##2 b, T##2 c) { return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)}; }           \
  WARPCELL_CPU_FN T __hmax_nan(T a, T b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b); }                                      \
  WARPCELL_CPU_FN T __hmin_nan(T a, T b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b); }                                      \
  WARPCELL_CPU_FN T##2 __hmax2_nan(T##2 a, T##2 b) { return {__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)}; }                                \
  WARPCELL_CPU_FN T##2 __hmin2_nan(T##2 a, T##2 b) { return {__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)}; }                                \
  WARPCELL_CPU_FN T##2 __hisnan2(T##2 a) { return {T(__hisnan(a.x) ? 1.0f : 0.0f), T(__hisnan(a.y) ? 1.0f : 0.0f)}; }                      \
  /* Complex: a · b + c. */                                                                                                                \
  WARPCELL_CPU_FN T##2 __hcmadd(T##2 a, T##2 b, T##2 c) {                                                                                  \
    return {__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};                                            \
  }                                                                                                                                        \
  WARPCELL_CPU_FN T##2 operator+(T##2 a) { return a; }                                                                                     \
  WARPCELL_CPU_NARROW_MASK(T, __heq2, __heq) WARPCELL_CPU_NARROW_MASK(T, __hne2, __hne) WARPCELL_CPU_NARROW_MASK(T, __hlt2, __hlt)         \
  WARPCELL_CPU_NARROW_MASK(T, __hle2, __hle) WARPCELL_CPU_NARROW_MASK(T, __hgt2, __hgt) WARPCELL_CPU_NARROW_MASK(T, __hge2, __hge)         \
  WARPCELL_CPU_NARROW_MASK(T, __hequ2, __hequ) WARPCELL_CPU_NARROW_MASK(T, __hneu2, __hneu) WARPCELL_CPU_NARROW_MASK(T, __hltu2, __hltu)   \
  WARPCELL_CPU_NARROW_MASK(T, __hleu2, __hleu) WARPCELL_CPU_NARROW_MASK(T, __hgtu2, __hgtu) WARPCELL_CPU_NARROW_MASK(T, __hgeu2, __hgeu)   \
  WARPCELL_CPU_NARROW_DIRECTED(T, name, Bits, rz, to_zero) WARPCELL_CPU_NARROW_DIRECTED(T, name, Bits, rd, down)                           \
  WARPCELL_CPU_NARROW_DIRECTED(T, name, Bits, ru, up)
