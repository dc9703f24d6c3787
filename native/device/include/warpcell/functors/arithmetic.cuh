// Arithmetic of two operands, a functor for each (functor.cuh).
#pragma once
#include "functor.cuh"

// In loops that are to become vectors, as in math.cuh.
#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)
#endif

namespace warpcell {

BINARY(Add, W(Wrapping<W>(x) + Wrapping<W>(y)));
ARITHMETIC(Add);
BINARY(Sub, W(Wrapping<W>(x) - Wrapping<W>(y)));
ARITHMETIC(Sub);
BINARY(Mul, W(Wrapping<W>(x) * Wrapping<W>(y)));
ARITHMETIC(Mul);
BINARY(Div, x / y);
ARITHMETIC(Div);
// NaN wins: `!(x >= y)` is true when either is NaN, and then the one that is.
BINARY(Maximum, x != x ? x : (x >= y ? x : y));
ARITHMETIC(Maximum);
BINARY(Minimum, x != x ? x : (x <= y ? x : y));
ARITHMETIC(Minimum);
// Rounds towards −∞; by 0 an integer gives 0, as NumPy has it.
struct FloorDivide {
  template <class W>
  static __device__ inline W of(W x, W y) {
    if constexpr (is_float<W>) {
      W rest = fn::fmod(x, y), quotient = (x - rest) / y;
      if (rest != W(0) && (rest < W(0)) != (y < W(0))) quotient -= W(1);
      if (y == W(0)) return x / y;
      W whole = fn::rint(quotient);
      return whole == W(0) ? fn::copysign(W(0), x / y) : whole;
    } else {
      if (y == W(0)) return W(0);
      if (W(-1) < W(0) && y == W(-1)) return W(-Wrapping<W>(x));
      W quotient = x / y;
      return quotient * y != x && (x < W(0)) != (y < W(0)) ? quotient - W(1) : quotient;
    }
  }
#ifdef WARPCELL_SERIAL
  static inline bool is_near(float x, float y) { return float_math::divides_near(x, y); }
  static inline float near(float x, float y) { return float_math::near_floor_divide(x, y); }
#endif
};
// What floorDivide leaves: it has the divisor's sign.
struct Remainder {
  template <class W>
  static __device__ inline W of(W x, W y) {
    if constexpr (is_float<W>) {
      W rest = fn::fmod(x, y);
      if (rest == W(0)) return fn::copysign(W(0), y);
      return (rest < W(0)) != (y < W(0)) ? rest + y : rest;
    } else {
      if (y == W(0) || (W(-1) < W(0) && y == W(-1))) return W(0);
      W rest = x % y;
      return rest != W(0) && (rest < W(0)) != (y < W(0)) ? rest + y : rest;
    }
  }
#ifdef WARPCELL_SERIAL
  static inline bool is_near(float x, float y) { return float_math::divides_near(x, y); }
  static inline float near(float x, float y) { return float_math::near_remainder(x, y); }
#else
  static __device__ inline float brief(bool& is_usual, float x, float y) {
    const float rest = float_math::brief_fmod(is_usual, x, y), other = rest + y;
    return rest == 0.0f ? ::copysignf(0.0f, y) : (rest < 0.0f) != (y < 0.0f) ? other : rest;
  }
#endif
};
struct Fmod {
  template <class W>
  static __device__ inline W of(W x, W y) {
    if constexpr (is_float<W>)
      return fn::fmod(x, y);
    else
      return y == W(0) || (W(-1) < W(0) && y == W(-1)) ? W(0) : W(x % y);
  }
#ifdef WARPCELL_SERIAL
  static inline bool is_near(float x, float y) { return float_math::divides_near(x, y); }
  static inline float near(float x, float y) { return float_math::near_fmod(x, y); }
#else
  static __device__ inline float brief(bool& is_usual, float x, float y) {
    return float_math::brief_fmod(is_usual, x, y);
  }
#endif
};
// An integer to a negative power is 0, ±1 or, for 0, 0.
struct Pow {
  template <class W>
  static __device__ inline W of(W x, W y) {
    if constexpr (is_float<W>) {
      return fn::pow(x, y);
    } else {
      if (y < W(0)) return x == W(1) ? W(1) : x == W(-1) ? (y & W(1) ? W(-1) : W(1)) : W(0);
      Wrapping<W> result = 1, base = Wrapping<W>(x);
      for (Wrapping<W> left = Wrapping<W>(y); left != 0; left >>= 1, base *= base)
        if (left & 1) result *= base;
      return W(result);
    }
  }
#ifndef WARPCELL_SERIAL
  static __device__ inline float brief(bool& is_usual, float x, float y) {
    return float_math::brief_pow(is_usual, x, y);
  }
  static __device__ inline float usual(bool& is_usual, float x, float y) {
    return float_math::usual_pow(is_usual, x, y);
  }
#endif
};
SHORT(Pow);
// x + weight · (y − x), from the nearer end, so that weight 1 gives the other exactly.
struct Lerp {
  template <class W>
  static __device__ inline W of(W x, W y, W weight) {
    const W way = y - x;
    return fn::pick(weight < W(0.5), x + weight * way, y - way * (W(1) - weight));
  }
};
ARITHMETIC(Lerp);

}  // namespace warpcell

#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute pop
#endif
