// Functions of two operands beside arithmetic, a functor for each (functor.cuh).
#pragma once
#include "functor.cuh"
#include "logaddexp.cuh"

// In loops that are to become vectors, as in math.cuh.
#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)
#endif

namespace warpcell {

BINARY(Atan2, fn::atan2(x, y));
struct Hypot {
  template <class W>
  static __device__ inline W of(W x, W y) {
    return fn::hypot(x, y);
  }
#ifndef WARPCELL_SERIAL
  static __device__ inline float brief(bool& is_usual, float x, float y) {
    return float_math::brief_hypot(is_usual, x, y);
  }
#endif
};
BINARY(Copysign, fn::copysign(x, y));
ARITHMETIC(Copysign);
BINARY(Heaviside, x != x ? x : (x < W(0) ? W(0) : (x > W(0) ? W(1) : y)));
ARITHMETIC(Heaviside);
BINARY(Xlogy, x == W(0) && y == y ? W(0) : x * fn::log(y));
// The bits of floats of one sign are in the order of their values.
struct Nextafter {
  template <class W>
  static __device__ inline W of(W x, W y) {
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    const bool grows = (x < y) == (x > W(0));
    if constexpr (same<W, double>) {
      if (x == W(0)) return fn::copysign(__longlong_as_double(1), y);
      return __longlong_as_double(__double_as_longlong(x) + (grows ? 1 : -1));
    } else {
      if (x == W(0)) return fn::copysign(bits_float(1), y);
      return bits_float(grows ? float_bits(x) + 1 : float_bits(x) - 1);
    }
  }
};
// Integers by Euclid's algorithm; of 0 and 0 it is 0.
template <class W>
__device__ inline Wrapping<W> size_of_integer(W x) {
  return x < W(0) ? Wrapping<W>(0) - Wrapping<W>(x) : Wrapping<W>(x);
}
struct Gcd {
  template <class W>
  static __device__ inline Wrapping<W> of_sizes(Wrapping<W> a, Wrapping<W> b) {
    while (b != 0) {
      const Wrapping<W> rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }
  template <class W>
  static __device__ inline W of(W x, W y) {
    return W(of_sizes<W>(size_of_integer(x), size_of_integer(y)));
  }
};
struct Lcm {
  template <class W>
  static __device__ inline W of(W x, W y) {
    const Wrapping<W> a = size_of_integer(x), b = size_of_integer(y);
    return a == 0 || b == 0 ? W(0) : W(a / Gcd::of_sizes<W>(a, b) * b);
  }
};

}  // namespace warpcell

#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute pop
#endif
