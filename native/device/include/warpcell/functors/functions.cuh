// Functions of one operand, a functor for each (functor.cuh).
#pragma once
#include "../special.cuh"
#include "functor.cuh"
#include "gates.cuh"

// In loops that are to become vectors, as in math.cuh.
#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)
#endif

namespace warpcell {

UNARY(Same, x);
ARITHMETIC(Same);
UNARY(Neg, W(-Wrapping<W>(x)));
ARITHMETIC(Neg);
// −0 has the magnitude 0, which no comparison tells.
struct Abs {
  template <class W>
  static __device__ inline W of(W x) {
    if constexpr (is_float<W>)
      return fn::fabs(x);
    else
      return x < W(0) ? W(-Wrapping<W>(x)) : x;
  }
};
ARITHMETIC(Abs);
// 0 for −0, NaN for NaN.
UNARY(Sign, x > W(0) ? W(1) : x < W(0) ? W(-1) : x == W(0) ? W(0) : x);
ARITHMETIC(Sign);
struct Signbit {
  template <class W>
  static __device__ inline bool of(W x) {
    if constexpr (is_float<W>)
      return fn::copysign(W(1), x) < W(0);
    else
      return x < W(0);
  }
};
ARITHMETIC(Signbit);
UNARY(Square, W(Wrapping<W>(x) * Wrapping<W>(x)));
ARITHMETIC(Square);
UNARY(LogicalNot, x == W(0));
ARITHMETIC(LogicalNot);
UNARY(BitwiseNot, W(~x));
ARITHMETIC(BitwiseNot);
UNARY(Isnan, x != x);
ARITHMETIC(Isnan);
UNARY(Isinf, x == x && x - x != x - x);
ARITHMETIC(Isinf);
UNARY(Isfinite, x - x == x - x);
ARITHMETIC(Isfinite);
UNARY(Reciprocal, W(1) / x);
SHORT(Reciprocal);
UNARY_BRIEF(Exp, fn::exp(x), float_math::brief_exp(x));
SHORT(Exp);
UNARY(Exp2, fn::exp2(x));
SHORT(Exp2);
UNARY_BRIEF(Expm1, fn::expm1(x), float_math::brief_expm1(x));
UNARY(Log, fn::log(x));
SHORT(Log);
UNARY(Log2, fn::log2(x));
SHORT(Log2);
UNARY(Log10, fn::log10(x));
SHORT(Log10);
UNARY_BRIEF(Log1p, fn::log1p(x), float_math::brief_log1p(x));
UNARY(Sqrt, fn::sqrt(x));
SHORT(Sqrt);
UNARY_BRIEF(Rsqrt, W(1) / fn::sqrt(x), ::rsqrtf(x));
SHORT(Rsqrt);
UNARY(Cbrt, fn::cbrt(x));
// `near` is for the arguments that `is_near` admits: without branches, so that a CPU makes vectors of loops over it,
// and a GPU has several under way.
struct Sin {
  template <class W>
  static __device__ inline W of(W x) {
    return fn::sin(x);
  }
  static __device__ inline bool is_near(float x) { return !(float_math::magnitude(x) > float_math::kFarthest); }
  static __device__ inline float near(float x) { return float_math::near_sin(x); }
#ifndef WARPCELL_SERIAL
  static __device__ inline float brief(bool& is_usual, float x) {
    is_usual = is_usual & is_near(x);
    return float_math::brief_sin(x);
  }
#endif
};
SHORT(Sin);
struct Cos {
  template <class W>
  static __device__ inline W of(W x) {
    return fn::cos(x);
  }
  static __device__ inline bool is_near(float x) { return Sin::is_near(x); }
  static __device__ inline float near(float x) { return float_math::near_cos(x); }
#ifndef WARPCELL_SERIAL
  static __device__ inline float brief(bool& is_usual, float x) {
    is_usual = is_usual & is_near(x);
    return float_math::brief_cos(x);
  }
#endif
};
SHORT(Cos);
struct Tan {
  template <class W>
  static __device__ inline W of(W x) {
    return fn::tan(x);
  }
#ifdef WARPCELL_SERIAL
  static inline bool is_near(float x) { return Sin::is_near(x); }
  static inline float near(float x) { return float_math::near_tan(x); }
#else
  static __device__ inline float brief(bool& is_usual, float x) {
    is_usual = is_usual & Sin::is_near(x);
    return float_math::brief_tan(x);
  }
#endif
};
// sin(πx)/(πx). What x is beyond the nearest whole number is exact, and an odd one turns the sign.
struct Sinc {
  template <class W>
  static __device__ inline W of(W x) {
    const W pi = W(3.14159265358979323846), whole = fn::rint(x), half = W(0.5) * whole;
    const W sine = fn::sin(pi * (x - whole));
    return x == W(0) ? W(1) : (half == fn::floor(half) ? sine : -sine) / (pi * x);
  }
};
UNARY(Asin, fn::asin(x));
SHORT(Asin);
UNARY(Acos, fn::acos(x));
SHORT(Acos);
UNARY(Atan, fn::atan(x));
SHORT(Atan);
UNARY_BRIEF(Sinh, fn::sinh(x), float_math::brief_sinh(x));
UNARY_BRIEF(Cosh, fn::cosh(x), float_math::brief_cosh(x));
UNARY(Asinh, fn::asinh(x));
UNARY(Acosh, fn::acosh(x));
UNARY(Atanh, fn::atanh(x));
UNARY_BRIEF(Erf, fn::erf(x), float_math::brief_erf(x));
UNARY_BRIEF(Erfc, fn::erfc(x), float_math::brief_erfc(x));
UNARY(Erfinv, fn::erfinv(x));
struct Lgamma {
  template <class W>
  static __device__ inline W of(W x) {
    return fn::lgamma(x);
  }
#ifdef WARPCELL_SERIAL
  static inline bool is_near(float x) { return float_math::lgamma_near(x); }
  static inline float near(float x) { return float_math::near_lgamma(x); }
#endif
};
UNARY(I0, (bessel_i<0, false>(x)));
UNARY(I0e, (bessel_i<0, true>(x)));
UNARY(I1, (bessel_i<1, false>(x)));
UNARY(I1e, (bessel_i<1, true>(x)));
// In float64 for all: its parts cancel near its zero.
UNARY(Digamma, W(polygamma(double(x), 0)));
struct Polygamma {
  template <class W>
  static __device__ inline W of(W x, W n, W) {
    return W(polygamma(double(x), int(n)));
  }
};
UNARY(Floor, fn::floor(x));
ARITHMETIC(Floor);
UNARY(Ceil, fn::ceil(x));
ARITHMETIC(Ceil);
UNARY(Round, fn::rint(x));
ARITHMETIC(Round);
UNARY(Trunc, fn::trunc(x));
ARITHMETIC(Trunc);
UNARY(Frac, x - fn::trunc(x));
ARITHMETIC(Frac);

}  // namespace warpcell

#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute pop
#endif
