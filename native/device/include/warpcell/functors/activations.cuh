// Activation functions and their gradients, a functor for each (functor.cuh).
#pragma once
#include "functor.cuh"
#include "gates.cuh"

// In loops that are to become vectors, as in math.cuh.
#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)
#endif

namespace warpcell {

// Every one of NaN is NaN.
UNARY(Relu, x != x ? x : (x > W(0) ? x : W(0)));
ARITHMETIC(Relu);
UNARY(Relu6, x != x ? x : (x > W(0) ? (x < W(6) ? x : W(6)) : W(0)));
ARITHMETIC(Relu6);
UNARY_BRIEF(LogSigmoid, fn::pick(x > W(0), W(0), x) - fn::log1p(fn::exp(-fn::fabs(x))),
            fn::pick(x > 0.0f, 0.0f, x) - float_math::brief_log1p(float_math::brief_exp(-fn::fabs(x))));
struct Silu {
  template <class W>
  static __device__ inline W of(W x) {
#ifndef WARPCELL_SERIAL
    if constexpr (same<W, float>) return float_math::at_least_finite(x) * Sigmoid::of(x);
#endif
    return fn::pick(x == -W(1) / W(0), W(0), x * Sigmoid::of(x));
  }
#ifndef WARPCELL_SERIAL
  static __device__ inline float brief(float x) { return float_math::at_least_finite(x) * Sigmoid::brief(x); }
#endif
};
SHORT(Silu);
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
ARITHMETIC(Hardsigmoid);
UNARY_BRIEF(Hardswish,
            x != x       ? x
            : x <= W(-3) ? W(0)
            : x >= W(3)  ? x
                         : x * (x + W(3)) / W(6),
            x != x       ? x
            : x <= -3.0f ? 0.0f
            : x >= 3.0f  ? x
                         : x * (x + 3.0f) * 0.166666667f);
ARITHMETIC(Hardswish);
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
SHORT(Gelu);
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
SHORT(GeluTanh);
UNARY_BRIEF(Tanhshrink, x - fn::tanh(x), float_math::brief_tanhshrink(x));
// Klambauer and others, "Self-Normalizing Neural Networks", arXiv 1706.02515.
UNARY_BRIEF(Selu,
            W(1.0507009873554804934193349852946) *
                fn::pick(x > W(0), x, W(1.6732632423543772848170429916717) * fn::expm1(x)),
            1.05070099f * fn::pick(x > 0.0f, x, 1.67326324f * float_math::brief_expm1(x)));
BINARY(Prelu, x > W(0) ? x : x * y);
ARITHMETIC(Prelu);
struct Gated {
  template <class W>
  static __device__ inline W of(W x, W y) {
    return x * Sigmoid::of(y);
  }
#ifndef WARPCELL_SERIAL
  static __device__ inline float brief(float x, float y) { return x * Sigmoid::brief(y); }
#endif
};
SHORT(Gated);
// Gradients in one pass: x is what came from above, y the operand of the forward function or, where the name says so,
// its result.
BINARY(ReluGradient, y != y ? y : (y > W(0) ? x : W(0)));
ARITHMETIC(ReluGradient);
BINARY(SigmoidGradient, x * y * (W(1) - y));
ARITHMETIC(SigmoidGradient);
BINARY(TanhGradient, x*(W(1) - y * y));
ARITHMETIC(TanhGradient);
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
SHORT(SiluGradient);
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
SHORT(GeluGradient);
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
SHORT(GeluTanhGradient);
// Functions of one operand and two numbers.
struct Clamp {
  template <class W>
  static __device__ inline W of(W x, W low, W high) {
    return x != x ? x : (x < low ? (low < high ? low : high) : (x > high ? high : x));
  }
};
ARITHMETIC(Clamp);
struct LeakyRelu {
  template <class W>
  static __device__ inline W of(W x, W slope, W) {
    return x >= W(0) ? x : x * slope;
  }
};
ARITHMETIC(LeakyRelu);
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
ARITHMETIC(Threshold);
struct Softshrink {
  template <class W>
  static __device__ inline W of(W x, W lambda, W) {
    return x > lambda ? x - lambda : x < -lambda ? x + lambda : x != x ? x : W(0);
  }
};
ARITHMETIC(Softshrink);
struct Hardshrink {
  template <class W>
  static __device__ inline W of(W x, W lambda, W) {
    return x >= -lambda && x <= lambda ? W(0) : x;
  }
};
ARITHMETIC(Hardshrink);

}  // namespace warpcell

#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute pop
#endif
