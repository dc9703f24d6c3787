// Element types of tensors for device code: what each computes and accumulates in, and conversions that give the same
// on every device. Kernels on 16-bit floats define WARPCELL_SIXTEEN_BITS: the others then need no header of the CUDA
// toolkit.
#pragma once
#ifdef WARPCELL_SIXTEEN_BITS
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

// For functions and lambdas in loops that a CPU's compiler is to make vectors of, which it does only where they stand
// in the loop.
#ifdef WARPCELL_SERIAL
#define WARPCELL_INLINED __attribute__((always_inline))
#else
#define WARPCELL_INLINED
#endif

namespace warpcell {

using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using int64 = long long;
using uint64 = unsigned long long;

// Storage of 8-bit floats (OCP 8-bit Floating Point Specification, revision 1.0): 4 bits of exponent and 3 of mantissa
// without infinities, or 5 and 2 with them.
struct float8_e4m3 {
  uchar bits;
};
struct float8_e5m2 {
  uchar bits;
};

// Complex numbers whole, for kernels that move elements; those that compute take their parts as numbers.
struct alignas(8) complex64 {
  float re, im;
};
struct alignas(16) complex128 {
  double re, im;
};

__device__ inline uint float_bits(float value) { return __float_as_uint(value); }
__device__ inline float bits_float(uint bits) { return __uint_as_float(bits); }

template <int mantissa, int bias>
__device__ inline float small_float_value(uint magnitude) {
  uint exponent = magnitude >> mantissa, fraction = magnitude & ((1u << mantissa) - 1);
  // Below the smallest normal number the fraction counts steps of 2^(1 - bias - mantissa).
  float subnormal = float(fraction) * bits_float(uint(127 + 1 - bias - mantissa) << 23);
  float normal = bits_float((exponent - bias + 127) << 23 | fraction << (23 - mantissa));
  return exponent == 0 ? subnormal : normal;
}

// The magnitude's bits, rounded once to nearest even; `most` is the largest finite one.
template <int mantissa, int bias>
__device__ inline uint small_float_bits(float magnitude) {
  // Below the smallest normal number, adding a power of two leaves the steps in the last bits, rounded.
  float smallest = bits_float(uint(127 + 1 - bias) << 23);
  float shift = bits_float(uint(127 + 1 - bias + 23 - mantissa) << 23);
  uint low = float_bits(magnitude + shift) - float_bits(shift);
  uint bits = float_bits(magnitude);
  uint rounded = bits + ((1u << (22 - mantissa)) - 1) + (bits >> (23 - mantissa) & 1);
  uint high = (rounded >> (23 - mantissa)) - (uint(127 - bias) << mantissa);
  return magnitude < smallest ? low : high;
}

__device__ inline float widened(float8_e4m3 value) {
  uint magnitude = value.bits & 0x7f;
  float result = magnitude == 0x7f ? bits_float(0x7fc00000) : small_float_value<3, 7>(magnitude);
  return value.bits & 0x80 ? -result : result;
}
__device__ inline float widened(float8_e5m2 value) {
  uint magnitude = value.bits & 0x7f;
  float result = magnitude > 0x7c    ? bits_float(0x7fc00000)
                 : magnitude == 0x7c ? bits_float(0x7f800000)
                                     : small_float_value<2, 15>(magnitude);
  return value.bits & 0x80 ? -result : result;
}

// Beyond its range e4m3 has its largest value, 448: it has no infinity. e5m2 becomes infinite, as wider floats do.
__device__ inline float8_e4m3 to_e4m3(float value) {
  uint sign = float_bits(value) >> 24 & 0x80;
  float magnitude = bits_float(float_bits(value) & 0x7fffffff);
  uint bits = magnitude != magnitude ? 0x7f : magnitude >= 448.0f ? 0x7e : small_float_bits<3, 7>(magnitude);
  return {uchar(sign | bits)};
}
__device__ inline float8_e5m2 to_e5m2(float value) {
  uint sign = float_bits(value) >> 24 & 0x80;
  float magnitude = bits_float(float_bits(value) & 0x7fffffff);
  uint bits = magnitude != magnitude ? 0x7e : magnitude >= 61440.0f ? 0x7c : small_float_bits<2, 15>(magnitude);
  return {uchar(sign | bits)};
}

// `wide` holds any T exactly and is what elements are computed in; `sum` is what sums of T are kept in.
template <class T>
struct Number {
  using wide = int;
  using sum = int64;
  static constexpr bool is_float = false, is_bool = false;
};
template <>
struct Number<bool> {
  using wide = int;
  using sum = int64;
  static constexpr bool is_float = false, is_bool = true;
};
template <>
struct Number<uint> {
  using wide = uint;
  using sum = int64;
  static constexpr bool is_float = false, is_bool = false;
};
template <>
struct Number<int64> {
  using wide = int64;
  using sum = int64;
  static constexpr bool is_float = false, is_bool = false;
};
template <>
struct Number<uint64> {
  using wide = uint64;
  using sum = uint64;
  static constexpr bool is_float = false, is_bool = false;
};
template <>
struct Number<float> {
  using wide = float;
  using sum = float;
  static constexpr bool is_float = true, is_bool = false;
};
template <>
struct Number<double> {
  using wide = double;
  using sum = double;
  static constexpr bool is_float = true, is_bool = false;
};
template <>
struct Number<float8_e4m3> : Number<float> {};
template <>
struct Number<float8_e5m2> : Number<float> {};
#ifdef WARPCELL_SIXTEEN_BITS
template <>
struct Number<__half> : Number<float> {};
template <>
struct Number<__nv_bfloat16> : Number<float> {};
#endif
template <class T>
using Sum = typename Number<T>::sum;
template <class T>
using Wide = typename Number<T>::wide;

template <class A, class B>
constexpr bool same = false;
template <class A>
constexpr bool same<A, A> = true;

template <class T>
__device__ inline Wide<T> widen(T value) {
#ifdef WARPCELL_SIXTEEN_BITS
  if constexpr (same<T, __half>)
    return __half2float(value);
  else if constexpr (same<T, __nv_bfloat16>)
    return __bfloat162float(value);
  else
#endif
      if constexpr (same<T, float8_e4m3> || same<T, float8_e5m2>)
    return widened(value);
  else
    return Wide<T>(value);
}

#if defined(WARPCELL_SIXTEEN_BITS) && !defined(WARPCELL_SERIAL)
// The first and the second of two elements of 16 bits that lie in one word.
template <class T>
__device__ inline float low_float(uint word) {
  if constexpr (same<T, __nv_bfloat16>)
    return bits_float(word << 16);
  else
    return __low2float(*(__half2*)&word);
}
template <class T>
__device__ inline float high_float(uint word) {
  if constexpr (same<T, __nv_bfloat16>)
    return bits_float(word & 0xffff0000u);
  else
    return __high2float(*(__half2*)&word);
}
#endif

template <class To>
struct Limits;
template <>
struct Limits<signed char> {
  static constexpr int64 low = -128;
  static constexpr uint64 high = 127;
};
template <>
struct Limits<uchar> {
  static constexpr int64 low = 0;
  static constexpr uint64 high = 255;
};
template <>
struct Limits<short> {
  static constexpr int64 low = -32768;
  static constexpr uint64 high = 32767;
};
template <>
struct Limits<ushort> {
  static constexpr int64 low = 0;
  static constexpr uint64 high = 65535;
};
template <>
struct Limits<int> {
  static constexpr int64 low = -2147483647LL - 1;
  static constexpr uint64 high = 2147483647;
};
template <>
struct Limits<uint> {
  static constexpr int64 low = 0;
  static constexpr uint64 high = 4294967295u;
};
template <>
struct Limits<int64> {
  static constexpr int64 low = -9223372036854775807LL - 1;
  static constexpr uint64 high = 9223372036854775807ull;
};
template <>
struct Limits<uint64> {
  static constexpr int64 low = 0;
  static constexpr uint64 high = 18446744073709551615ull;
};

// A float to an integer: towards zero, beyond the range its nearest limit, NaN to 0. C++ leaves these undefined and
// devices differ.
template <class To, class From>
__device__ inline To truncate(From value) {
  if constexpr (sizeof(To) <= 2 || (same<To, int> && same<From, double>)) {
    // Clamped first, without a branch: the conversion then never leaves its range.
    From low = From(Limits<To>::low), high = From(Limits<To>::high);
    From inside = value > low ? (value < high ? value : high) : low;
    int result = int(inside);
    return value != value ? To(0) : To(result);
  } else {
    if (value != value) return To(0);
    if (value >= From(Limits<To>::high)) return To(Limits<To>::high);
    if (value <= From(Limits<To>::low)) return To(Limits<To>::low);
    return To(value);
  }
}

// From a wide value (see Number) to an element. A double goes through one rounding only; integers wrap around.
template <class To, class From>
__device__ inline To narrow(From value) {
#ifdef WARPCELL_SIXTEEN_BITS
  if constexpr (same<To, __half>) {
    if constexpr (same<From, float>)
      return __float2half(value);
    else
      return __double2half(double(value));
  } else if constexpr (same<To, __nv_bfloat16>) {
    if constexpr (same<From, float>)
      return __float2bfloat16(value);
    else
      return __double2bfloat16(double(value));
  } else
#endif
      if constexpr (same<To, bool>)
    return value != From(0);
  else if constexpr (same<To, float8_e4m3>)
    return to_e4m3(float(value));
  else if constexpr (same<To, float8_e5m2>)
    return to_e5m2(float(value));
  else if constexpr (Number<From>::is_float && !Number<To>::is_float)
    return truncate<To>(value);
  else
    return To(value);
}

template <class To, class From>
__device__ inline To convert(From value) {
  return narrow<To>(widen<From>(value));
}

}  // namespace warpcell
