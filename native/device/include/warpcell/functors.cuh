// What elementwise operations compute: a functor for each (functor.cuh). The table in lib/ops names them.
#pragma once
#include "activations.cuh"
#include "functor.cuh"
#include "special.cuh"

// In loops that are to become vectors, as in math.cuh.
#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)
#endif

namespace warpcell {

BINARY(Add, W(Wrapping<W>(x) + Wrapping<W>(y)));
BINARY(Sub, W(Wrapping<W>(x) - Wrapping<W>(y)));
BINARY(Mul, W(Wrapping<W>(x) * Wrapping<W>(y)));
BINARY(Div, x / y);
// NaN wins: `!(x >= y)` is true when either is NaN, and then the one that is.
BINARY(Maximum, x != x ? x : (x >= y ? x : y));
BINARY(Minimum, x != x ? x : (x <= y ? x : y));

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
#endif
};
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
struct Logaddexp {
  template <class W>
  static __device__ inline W of(W x, W y) {
    W most = x >= y ? x : y, least = x >= y ? y : x;
    if (x != x || y != y) return x + y;
    return most == least && most - most != W(0) ? most : most + fn::log1p(fn::exp(least - most));
  }
#ifndef WARPCELL_SERIAL
  static __device__ inline float brief(float x, float y) { return float_math::brief_logaddexp(x, y); }
#endif
};
struct Logaddexp2 {
  template <class W>
  static __device__ inline W of(W x, W y) {
    W most = x >= y ? x : y, least = x >= y ? y : x;
    if (x != x || y != y) return x + y;
    return most == least && most - most != W(0) ? most
                                                : most + W(1.4426950408889634074) * fn::log1p(fn::exp2(least - most));
  }
};
BINARY(Heaviside, x != x ? x : (x < W(0) ? W(0) : (x > W(0) ? W(1) : y)));
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

BINARY(Eq, x == y);
BINARY(Ne, x != y);
BINARY(Lt, x < y);
BINARY(Le, x <= y);
BINARY(Gt, x > y);
BINARY(Ge, x >= y);
BINARY(LogicalAnd, (x != W(0)) && (y != W(0)));
BINARY(LogicalOr, (x != W(0)) || (y != W(0)));
BINARY(LogicalXor, (x != W(0)) != (y != W(0)));
BINARY(BitwiseAnd, W(x& y));
BINARY(BitwiseOr, W(x | y));
BINARY(BitwiseXor, W(x ^ y));
// By as many bits as there are, or more, nothing is left but the sign; a negative number of bits is more.
BINARY(BitwiseLeftShift, Wrapping<W>(y) < 8 * sizeof(W) ? W(Wrapping<W>(x) << y) : W(0));
BINARY(BitwiseRightShift, Wrapping<W>(y) < 8 * sizeof(W) ? W(x >> y) : (x < W(0) ? W(-1) : W(0)));

UNARY(Same, x);
UNARY(Neg, W(-Wrapping<W>(x)));
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
// 0 for −0, NaN for NaN.
UNARY(Sign, x > W(0) ? W(1) : x < W(0) ? W(-1) : x == W(0) ? W(0) : x);
struct Signbit {
  template <class W>
  static __device__ inline bool of(W x) {
    if constexpr (is_float<W>)
      return fn::copysign(W(1), x) < W(0);
    else
      return x < W(0);
  }
};
UNARY(Square, W(Wrapping<W>(x) * Wrapping<W>(x)));
UNARY(LogicalNot, x == W(0));
UNARY(BitwiseNot, W(~x));
UNARY(Isnan, x != x);
UNARY(Isinf, x == x && x - x != x - x);
UNARY(Isfinite, x - x == x - x);

UNARY(Reciprocal, W(1) / x);
UNARY_BRIEF(Exp, fn::exp(x), float_math::brief_exp(x));
UNARY(Exp2, fn::exp2(x));
UNARY_BRIEF(Expm1, fn::expm1(x), float_math::brief_expm1(x));
UNARY(Log, fn::log(x));
UNARY(Log2, fn::log2(x));
UNARY(Log10, fn::log10(x));
UNARY_BRIEF(Log1p, fn::log1p(x), float_math::brief_log1p(x));
UNARY(Sqrt, fn::sqrt(x));
UNARY_BRIEF(Rsqrt, W(1) / fn::sqrt(x), ::rsqrtf(x));
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
UNARY(Acos, fn::acos(x));
UNARY(Atan, fn::atan(x));
UNARY_BRIEF(Sinh, fn::sinh(x), float_math::brief_sinh(x));
UNARY_BRIEF(Cosh, fn::cosh(x), float_math::brief_cosh(x));
UNARY_BRIEF(Tanh, fn::tanh(x), float_math::brief_tanh(x));
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
UNARY(Ceil, fn::ceil(x));
UNARY(Round, fn::rint(x));
UNARY(Trunc, fn::trunc(x));
UNARY(Frac, x - fn::trunc(x));

// x + weight · (y − x), from the nearer end, so that weight 1 gives the other exactly.
struct Lerp {
  template <class W>
  static __device__ inline W of(W x, W y, W weight) {
    const W way = y - x;
    return fn::pick(weight < W(0.5), x + weight * way, y - way * (W(1) - weight));
  }
};
struct Where {
  template <class W>
  static __device__ inline W of(int condition, W x, W y) {
    return condition ? x : y;
  }
};

}  // namespace warpcell

#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute pop
#endif
