// <cuda_fp8.h> for a cell: 8-bit floats, one, two or four at a time, and their conversions, rounded once to nearest even.
// (OCP 8-bit Floating Point Specification; CUDA Math API, "FP8 Intrinsics".)
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned int;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace warpcell_cpu {

// Bits of the mantissa, what is added to the exponent, the greatest finite number, what is above all numbers, what is none.
struct Float8 { int mantissa, bias; u32 greatest, beyond, none; };
constexpr Float8 e4m3{3, 7, 0x7e, 0x7f, 0x7f}, e5m2{2, 15, 0x7b, 0x7c, 0x7e};

WARPCELL_CPU_FN unsigned char float8_of(double x, const Float8& format, bool saturates) {
  if (x != x) return (unsigned char)format.none;
  const u32 sign = u32(to_bits(x) >> 63) << 7;
  const double size = x < 0 ? -x : x;
  const double least = from_bits<double>(u64(1023 + 1 - format.bias) << 52);   // of the numbers with a whole mantissa
  u32 bits;
  if (size < least) {
    bits = u32(rint(size / least * (1 << format.mantissa)));                    // up to `least` itself
  } else {
    u64 all = to_bits(size);
    const int dropped = 52 - format.mantissa;
    all += (u64(1) << (dropped - 1)) - 1 + (all >> dropped & 1);
    const u64 kept = (all >> dropped) - (u64(1023 - format.bias) << format.mantissa);
    bits = kept > format.greatest ? 0xff : u32(kept);
  }
  if (bits > format.greatest) bits = saturates ? format.greatest : format.beyond;
  return (unsigned char)(sign | bits);
}

WARPCELL_CPU_FN float float8_value(unsigned char bits, const Float8& format) {
  const u32 size = bits & 0x7f, mantissa = size & ((1u << format.mantissa) - 1);
  const int exponent = int(size >> format.mantissa);
  float value;
  if (format.mantissa == 3 ? size == 0x7f : size > 0x7c) value = __builtin_nanf("");
  else if (format.mantissa == 2 && size == 0x7c) value = __builtin_huge_valf();
  else if (exponent == 0) value = float(mantissa) * from_bits<float>(u64(127 + 1 - format.bias - format.mantissa) << 23);
  else value = from_bits<float>(u64(u32(exponent - format.bias + 127) << 23 | mantissa << (23 - format.mantissa)));
  return bits & 0x80 ? -value : value;
}

WARPCELL_CPU_FN const Float8& float8_format(__nv_fp8_interpretation_t kind) { return kind == __NV_E4M3 ? e4m3 : e5m2; }

}  // namespace warpcell_cpu

WARPCELL_CPU_FN __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind) {
  return warpcell_cpu::float8_of(x, warpcell_cpu::float8_format(kind), saturation == __NV_SATFINITE);
}
WARPCELL_CPU_FN __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind) {
  return __nv_cvt_double_to_fp8(x, saturation, kind);
}
WARPCELL_CPU_FN __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind) {
  return __nv_cvt_double_to_fp8(float(__half(x)), saturation, kind);
}
WARPCELL_CPU_FN __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind) {
  return __nv_cvt_double_to_fp8(float(__nv_bfloat16(x)), saturation, kind);
}
// The first of two is the lower byte.
#define X(name, type, first, second)                                                                                          \
  WARPCELL_CPU_FN __nv_fp8x2_storage_t name(type x, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind) {           \
    return (unsigned short)(__nv_cvt_double_to_fp8(first, saturation, kind) | __nv_cvt_double_to_fp8(second, saturation, kind) << 8); \
  }
X(__nv_cvt_double2_to_fp8x2, double2, x.x, x.y) X(__nv_cvt_float2_to_fp8x2, float2, x.x, x.y)
X(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, float(__half2(x).x), float(__half2(x).y))
X(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, float(__nv_bfloat162(x).x), float(__nv_bfloat162(x).y))
#undef X
WARPCELL_CPU_FN __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return __half(warpcell_cpu::float8_value(x, warpcell_cpu::float8_format(kind)));
}
WARPCELL_CPU_FN __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind) {
  return {__nv_cvt_fp8_to_halfraw((unsigned char)x, kind).x, __nv_cvt_fp8_to_halfraw((unsigned char)(x >> 8), kind).x};
}

// The types saturate. X(the type's ending, its kind)
#define WARPCELL_CPU_FLOAT8(name, kind)                                                                                       \
  struct __nv_fp8_##name {                                                                                                    \
    __nv_fp8_storage_t __x;                                                                                                   \
    __nv_fp8_##name() = default;                                                                                              \
    explicit __nv_fp8_##name(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, kind)) {}                              \
    explicit __nv_fp8_##name(float x) : __nv_fp8_##name(double(x)) {}                                                         \
    explicit __nv_fp8_##name(__half x) : __nv_fp8_##name(double(float(x))) {}                                                 \
    explicit __nv_fp8_##name(__nv_bfloat16 x) : __nv_fp8_##name(double(float(x))) {}                                          \
    template <class Integer_, class = typename warpcell_cpu::EnableIf<warpcell_cpu::is_integer<Integer_>, void>::type>        \
    explicit __nv_fp8_##name(Integer_ x) : __nv_fp8_##name(double(x)) {}                                                      \
    explicit operator float() const { return warpcell_cpu::float8_value(__x, warpcell_cpu::float8_format(kind)); }            \
    explicit operator double() const { return float(*this); }                                                                 \
    explicit operator __half() const { return __half(float(*this)); }                                                         \
    explicit operator __nv_bfloat16() const { return __nv_bfloat16(float(*this)); }                                           \
    explicit operator bool() const { return (__x & 0x7f) != 0; }                                                              \
    template <class Integer_, class = typename warpcell_cpu::EnableIf<warpcell_cpu::is_integer<Integer_>, void>::type>        \
    explicit operator Integer_() const { return warpcell_cpu::truncated<Integer_>(float(*this)); }                            \
  };                                                                                                                          \
  struct alignas(2) __nv_fp8x2_##name {                                                                                       \
    __nv_fp8x2_storage_t __x;                                                                                                 \
    __nv_fp8x2_##name() = default;                                                                                            \
    explicit __nv_fp8x2_##name(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind)) {}                          \
    explicit __nv_fp8x2_##name(double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, kind)) {}                        \
    explicit __nv_fp8x2_##name(__half2 v) : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, kind)) {}                       \
    explicit __nv_fp8x2_##name(__nv_bfloat162 v) : __x(__nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, kind)) {}            \
    explicit operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, kind); }                                       \
    explicit operator float2() const {                                                                                        \
      const warpcell_cpu::Float8& format = warpcell_cpu::float8_format(kind);                                                 \
      return {warpcell_cpu::float8_value((unsigned char)__x, format), warpcell_cpu::float8_value((unsigned char)(__x >> 8), format)}; \
    }                                                                                                                         \
  };                                                                                                                          \
  struct alignas(4) __nv_fp8x4_##name {                                                                                       \
    __nv_fp8x4_storage_t __x;                                                                                                 \
    __nv_fp8x4_##name() = default;                                                                                            \
    explicit __nv_fp8x4_##name(double4 v)                                                                                     \
        : __x(__nv_cvt_double2_to_fp8x2({v.x, v.y}, __NV_SATFINITE, kind) | unsigned(__nv_cvt_double2_to_fp8x2({v.z, v.w}, __NV_SATFINITE, kind)) << 16) {} \
    explicit __nv_fp8x4_##name(float4 v) : __nv_fp8x4_##name(double4{v.x, v.y, v.z, v.w}) {}                                  \
    __nv_fp8x4_##name(__half2 low, __half2 high) : __nv_fp8x4_##name(float4{low.x, low.y, high.x, high.y}) {}                 \
    __nv_fp8x4_##name(__nv_bfloat162 low, __nv_bfloat162 high) : __nv_fp8x4_##name(float4{low.x, low.y, high.x, high.y}) {}   \
    explicit operator float4() const {                                                                                        \
      __nv_fp8x2_##name low, high;                                                                                            \
      low.__x = (unsigned short)__x;                                                                                          \
      high.__x = (unsigned short)(__x >> 16);                                                                                 \
      const float2 a = float2(low), b = float2(high);                                                                         \
      return {a.x, a.y, b.x, b.y};                                                                                            \
    }                                                                                                                         \
  };
WARPCELL_CPU_FLOAT8(e4m3, __NV_E4M3)
WARPCELL_CPU_FLOAT8(e5m2, __NV_E5M2)
#undef WARPCELL_CPU_FLOAT8
