// Element types of tensors for device code: what each accumulates in, and conversions that give the same on every device. Kernels on 16-bit floats define
// WARPCELL_SIXTEEN_BITS: the others then need no header of the CUDA toolkit.
#pragma once
#ifdef WARPCELL_SIXTEEN_BITS
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace warpcell {

// `type` is what sums of T are kept in; `wide` holds any T exactly.
template <class T> struct Number { using type = long long; using wide = long long; static constexpr bool is_float = false; };
template <> struct Number<float> { using type = float; using wide = float; static constexpr bool is_float = true; };
template <> struct Number<double> { using type = double; using wide = double; static constexpr bool is_float = true; };
template <class T> using Sum = typename Number<T>::type;
template <class T> using Wide = typename Number<T>::wide;

template <class T> __device__ inline Wide<T> widen(T value) { return Wide<T>(value); }

template <class To> struct Limits;
template <> struct Limits<signed char> { static constexpr long long low = -128, high = 127; };
template <> struct Limits<unsigned char> { static constexpr long long low = 0, high = 255; };
template <> struct Limits<int> { static constexpr long long low = -2147483647LL - 1, high = 2147483647LL; };
template <> struct Limits<long long> { static constexpr long long low = -9223372036854775807LL - 1, high = 9223372036854775807LL; };

// A float to an integer: towards zero, beyond the range its nearest limit, NaN to 0. C++ leaves these undefined and devices differ.
template <class To, class From> __device__ inline To truncate(From value) {
  if (value != value) return To(0);
  if (double(value) >= double(Limits<To>::high)) return To(Limits<To>::high);
  if (double(value) <= double(Limits<To>::low)) return To(Limits<To>::low);
  return To((long long)value);
}

template <class To, bool from_float> struct Narrow {
  template <class From> static __device__ inline To of(From value) { return To(value); }
};
#define WARPCELL_TRUNCATED(TYPE) \
  template <> struct Narrow<TYPE, true> { \
    template <class From> static __device__ inline TYPE of(From value) { return truncate<TYPE>(value); } \
  };
WARPCELL_TRUNCATED(signed char)
WARPCELL_TRUNCATED(unsigned char)
WARPCELL_TRUNCATED(int)
WARPCELL_TRUNCATED(long long)
#undef WARPCELL_TRUNCATED
template <bool from_float> struct Narrow<bool, from_float> {
  template <class From> static __device__ inline bool of(From value) { return value != From(0); }
};
#ifdef WARPCELL_SIXTEEN_BITS
template <> struct Number<__half> { using type = float; using wide = float; static constexpr bool is_float = true; };
template <> struct Number<__nv_bfloat16> { using type = float; using wide = float; static constexpr bool is_float = true; };
template <> __device__ inline float widen<__half>(__half value) { return __half2float(value); }
template <> __device__ inline float widen<__nv_bfloat16>(__nv_bfloat16 value) { return __bfloat162float(value); }

// A double goes through one rounding only, as does a long long that float64 holds.
template <bool from_float> struct Narrow<__half, from_float> {
  static __device__ inline __half of(float value) { return __float2half(value); }
  static __device__ inline __half of(double value) { return __double2half(value); }
  static __device__ inline __half of(long long value) { return __double2half(double(value)); }
};
template <bool from_float> struct Narrow<__nv_bfloat16, from_float> {
  static __device__ inline __nv_bfloat16 of(float value) { return __float2bfloat16(value); }
  static __device__ inline __nv_bfloat16 of(double value) { return __double2bfloat16(value); }
  static __device__ inline __nv_bfloat16 of(long long value) { return __double2bfloat16(double(value)); }
};
#endif

// From a wide value (see Number) to an element.
template <class To, class From> __device__ inline To narrow(From value) { return Narrow<To, Number<From>::is_float>::of(value); }

template <class To, class From> __device__ inline To convert(From value) { return narrow<To>(widen<From>(value)); }

}  // namespace warpcell
