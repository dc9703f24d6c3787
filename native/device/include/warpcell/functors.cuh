// What elementwise operations compute: a functor for each, in the type that its operands compute in (numbers.cuh). The
// table in lib/ops names them.
#pragma once
#include "math.cuh"
#include "numbers.cuh"

// In loops that are to become vectors, as in math.cuh.
#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)
#endif

namespace warpcell {

// Integers wrap around, as the unsigned arithmetic of C++ does.
template <class W>
struct Unsigned {
  using type = W;
};
template <>
struct Unsigned<int> {
  using type = uint;
};
template <>
struct Unsigned<int64> {
  using type = uint64;
};
template <class W>
using Wrapping = typename Unsigned<W>::type;
template <class W>
constexpr bool is_float = Number<W>::is_float;

#define UNARY(Name, expression)             \
  struct Name {                             \
    template <class W>                      \
    static __device__ inline auto of(W x) { \
      return expression;                    \
    }                                       \
  }
// The same with a form for results of 16 bits on a GPU, which show no error below 2⁻¹². Other forms clear `is_usual` at
// operands that they are not for.
#ifdef WARPCELL_SERIAL
#define UNARY_BRIEF(Name, expression, shorter) UNARY(Name, expression)
#else
#define UNARY_BRIEF(Name, expression, shorter)                        \
  struct Name {                                                       \
    template <class W>                                                \
    static __device__ inline auto of(W x) {                           \
      return expression;                                              \
    }                                                                 \
    static __device__ inline float brief(float x) { return shorter; } \
  }
#endif
#define BINARY(Name, expression)                 \
  struct Name {                                  \
    template <class W>                           \
    static __device__ inline auto of(W x, W y) { \
      return expression;                         \
    }                                            \
  }

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
UNARY(Sign, x > W(0) ? W(1) : x < W(0) ? W(-1) : x);
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
UNARY(Exp, fn::exp(x));
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
UNARY(Floor, fn::floor(x));
UNARY(Ceil, fn::ceil(x));
UNARY(Round, fn::rint(x));
UNARY(Trunc, fn::trunc(x));
UNARY(Frac, x - fn::trunc(x));

// `brief` is for results of 16 bits on a GPU, which show no error below 2⁻¹².
// Activations. Every one of NaN is NaN.
UNARY(Relu, x != x ? x : (x > W(0) ? x : W(0)));
UNARY(Relu6, x != x ? x : (x > W(0) ? (x < W(6) ? x : W(6)) : W(0)));
// e^-|x| never overflows.
struct Sigmoid {
  template <class W>
  static __device__ inline W of(W x) {
#ifdef WARPCELL_SERIAL
    if constexpr (same<W, float>) return float_math::sigmoid(x);
#endif
    W small = fn::exp(-fn::fabs(x)), part = W(1) / (W(1) + small);
    return fn::pick(x >= W(0), part, small * part);
  }
#ifndef WARPCELL_SERIAL
  static __device__ inline float brief(float x) {
    float small = __expf(-fn::fabs(x)), part = brief_reciprocal(1.0f + small);
    return x >= 0.0f ? part : small * part;
  }
#endif
};
UNARY_BRIEF(LogSigmoid, fn::pick(x > W(0), W(0), x) - fn::log1p(fn::exp(-fn::fabs(x))),
            fn::pick(x > 0.0f, 0.0f, x) - float_math::brief_log1p(float_math::brief_exp(-fn::fabs(x))));
struct Silu {
  template <class W>
  static __device__ inline W of(W x) {
    return fn::pick(x == -W(1) / W(0), W(0), x * Sigmoid::of(x));
  }
#ifndef WARPCELL_SERIAL
  static __device__ inline float brief(float x) { return float_math::at_least_finite(x) * Sigmoid::brief(x); }
#endif
};
UNARY(Softsign, x - x == x - x ? x / (W(1) + fn::fabs(x)) : x > W(0) ? W(1) : x < W(0) ? W(-1) : x);
UNARY_BRIEF(Hardsigmoid,
            x != x       ? x
            : x <= W(-3) ? W(0)
            : x >= W(3)  ? W(1)
                         : x / W(6) + W(0.5),
            x != x       ? x
            : x <= -3.0f ? 0.0f
            : x >= 3.0f  ? 1.0f
                         : fmaf(x, 0.166666667f, 0.5f));
UNARY_BRIEF(Hardswish,
            x != x       ? x
            : x <= W(-3) ? W(0)
            : x >= W(3)  ? x
                         : x * (x + W(3)) / W(6),
            x != x       ? x
            : x <= -3.0f ? 0.0f
            : x >= 3.0f  ? x
                         : x * (x + 3.0f) * 0.166666667f);
// max(x, 0) + log(1 + e^-|x|): beyond 20 the second term rounds away in float32 already.
UNARY_BRIEF(Softplus, fn::pick(x < W(0), W(0), x) + fn::log1p(fn::exp(-fn::fabs(x))), float_math::brief_softplus(x));
struct Mish {
  template <class W>
  static __device__ inline W of(W x) {
    return fn::pick(x == -W(1) / W(0), W(0), x * fn::tanh(Softplus::of(x)));
  }
#ifndef WARPCELL_SERIAL
  // ((1 + e^x)² − 1) / ((1 + e^x)² + 1), of e^−|x| on either side.
  static __device__ inline float brief(float x) {
    const float small = float_math::brief_exp(-fn::fabs(x));
    const float part = x > 0.0f ? 1.0f + 2.0f * small : small * (small + 2.0f);
    const float whole = part + (x > 0.0f ? 2.0f * small * small : 2.0f);
    return float_math::at_least_finite(x) * (part * brief_reciprocal(whole));
  }
#endif
};
// ½x(1 + erf(x/√2)), by erfc where the sum would cancel; −∞ gives its limit, 0.
struct Gelu {
  template <class W>
  static __device__ inline W of(W x) {
    return fn::pick(x == -W(1) / W(0), W(-0.0), x * fn::normal_share(x));
  }
#ifndef WARPCELL_SERIAL
  // max(x, 0) − |x|Φ(−|x|)
  static __device__ inline float brief(float x) {
    const float size = brief_size(x);
    const BriefTail tail = brief_tail(size);
    return (x > 0.0f ? x : 0.0f) - size * (tail.power * tail.share);
  }
#endif
};
// ½x(1 + tanh(c(x + 0.044715x³))), c = √(2/π) (Hendrycks and Gimpel, arXiv 1606.08415).
struct GeluTanh {
  template <class W>
  static __device__ inline W of(W x) {
    W inner = W(0.79788456080286535588) * (x + W(0.044715) * x * x * x);
    return fn::pick(x == -W(1) / W(0), W(-0.0), W(0.5) * x * (W(1) + fn::tanh(inner)));
  }
#ifndef WARPCELL_SERIAL
  // ½(1 + tanh(z)) = σ(2z)
  static __device__ inline float twice_inner(float x) { return 1.59576912f * (x + 0.044715f * x * x * x); }
  static __device__ inline float brief(float x) {
    return float_math::at_least_finite(x) * Sigmoid::brief(twice_inner(x));
  }
#endif
};

UNARY_BRIEF(Tanhshrink, x - fn::tanh(x), float_math::brief_tanhshrink(x));
// Klambauer and others, "Self-Normalizing Neural Networks", arXiv 1706.02515.
UNARY_BRIEF(Selu,
            W(1.0507009873554804934193349852946) *
                fn::pick(x > W(0), x, W(1.6732632423543772848170429916717) * fn::expm1(x)),
            1.05070099f * fn::pick(x > 0.0f, x, 1.67326324f * float_math::brief_expm1(x)));
BINARY(Prelu, x > W(0) ? x : x * y);
struct Gated {
  template <class W>
  static __device__ inline W of(W x, W y) {
    return x * Sigmoid::of(y);
  }
#ifndef WARPCELL_SERIAL
  static __device__ inline float brief(float x, float y) { return x * Sigmoid::brief(y); }
#endif
};

// Gradients in one pass: x is what came from above, y the operand of the forward function or, where the name says so,
// its result.
BINARY(ReluGradient, y != y ? y : (y > W(0) ? x : W(0)));
BINARY(SigmoidGradient, x * y * (W(1) - y));
BINARY(TanhGradient, x*(W(1) - y * y));
struct SiluGradient {
  template <class W>
  static __device__ inline W of(W x, W y) {
    W s = Sigmoid::of(y);
    return x * fn::pick(y == -W(1) / W(0), W(0), fn::pick(y == W(1) / W(0), W(1), s * (W(1) + y * (W(1) - s))));
  }
#ifndef WARPCELL_SERIAL
  static __device__ inline float brief(float x, float y) {
    const float s = Sigmoid::brief(y), rest = Sigmoid::brief(-y);
    const float limit = instructions::smaller_or_nan(float_math::at_least_finite(y), 3.40282347e38f);
    return x * (s * (1.0f + limit * rest));
  }
#endif
};
// Φ(y) + yφ(y)
struct GeluGradient {
  template <class W>
  static __device__ inline W of(W x, W y) {
    W normal = fn::normal_share(y), density = W(0.39894228040143267794) * fn::exp(W(-0.5) * y * y);
    return x * fn::pick(density == W(0), normal, normal + y * density);
  }
#ifndef WARPCELL_SERIAL
  // Of −y it is 1 less that of y.
  static __device__ inline float brief(float x, float y) {
    const float size = brief_size(y);
    const BriefTail tail = brief_tail(size);
    const float below = tail.power * (tail.share - size * tail.density);
    return x * (y > 0.0f ? 1.0f - below : below);
  }
#endif
};
struct GeluTanhGradient {
  template <class W>
  static __device__ inline W of(W x, W y) {
    const W c = W(0.79788456080286535588);
    W t = fn::tanh(c * (y + W(0.044715) * y * y * y)), steep = (W(1) - t * t) * c * (W(1) + W(0.134145) * y * y);
    return x * (W(0.5) * (W(1) + t) + fn::pick(t * t == W(1), W(0), W(0.5) * y * steep));
  }
#ifndef WARPCELL_SERIAL
  // s + y(1 − s)s · 2c(1 + 0.134145y²), s = σ(2z)
  static __device__ inline float brief(float x, float y) {
    const float s = Sigmoid::brief(GeluTanh::twice_inner(y)), both = s * (1.0f - s);
    const float steep = 1.59576912f * (1.0f + 0.134145f * y * y);
    return x * (s + fn::pick(both == 0.0f, 0.0f, y * (both * steep)));
  }
#endif
};

// Functions of one operand and two numbers.
struct Clamp {
  template <class W>
  static __device__ inline W of(W x, W low, W high) {
    return x != x ? x : (x < low ? (low < high ? low : high) : (x > high ? high : x));
  }
};
struct LeakyRelu {
  template <class W>
  static __device__ inline W of(W x, W slope, W) {
    return x >= W(0) ? x : x * slope;
  }
};
struct Elu {
  template <class W>
  static __device__ inline W of(W x, W alpha, W) {
    return fn::pick(x > W(0), x, alpha * fn::expm1(x));
  }
#ifndef WARPCELL_SERIAL
  static __device__ inline float brief(float x, float alpha, float) {
    return fn::pick(x > 0.0f, x, alpha * float_math::brief_expm1(x));
  }
#endif
};
// α(e^(x/α) − 1) below 0; the second number is 1/α.
struct Celu {
  template <class W>
  static __device__ inline W of(W x, W alpha, W inverse) {
    return fn::pick(x > W(0), x, alpha * fn::expm1(x * inverse));
  }
#ifndef WARPCELL_SERIAL
  static __device__ inline float brief(float x, float alpha, float inverse) {
    return fn::pick(x > 0.0f, x, alpha * float_math::brief_expm1(x * inverse));
  }
#endif
};
struct Threshold {
  template <class W>
  static __device__ inline W of(W x, W threshold, W value) {
    return x <= threshold ? value : x;
  }
};
struct Softshrink {
  template <class W>
  static __device__ inline W of(W x, W lambda, W) {
    return x > lambda ? x - lambda : x < -lambda ? x + lambda : x != x ? x : W(0);
  }
};
struct Hardshrink {
  template <class W>
  static __device__ inline W of(W x, W lambda, W) {
    return x >= -lambda && x <= lambda ? W(0) : x;
  }
};
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

#undef UNARY
#undef UNARY_BRIEF
#undef BINARY

}  // namespace warpcell

#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute pop
#endif
