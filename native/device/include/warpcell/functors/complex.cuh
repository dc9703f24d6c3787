// Functions of complex numbers, a functor for each. Both precisions are computed in float64: what complex64 has is
// rounded once. At zeros, infinities and NaN they give what C99 says (annex G.6); branches are cut as there, and the
// sign of a zero says from which side.
#pragma once
#include "../math.cuh"

namespace warpcell {

struct Point64 {
  double re, im;
};

namespace complex_math {

constexpr double kPi = 3.14159265358979323846, kLog2 = 0.69314718055994530942, kLog10 = 2.30258509299404568402;
// Of sizes between, sums of squares lose nothing.
constexpr double kLarge = 1e150, kSmall = 1e-140;
constexpr double kRaise = 1267650600228229401496703205376., kLower = 8.8817841970012523e-16;  // 2^100, 2^−50

__device__ inline double infinity() { return bits_float(0x7f800000u); }
__device__ inline double nan() { return bits_float(0x7fc00000u); }
__device__ inline bool is_nan(double x) { return x != x; }
__device__ inline bool is_finite(double x) { return x - x == 0; }
__device__ inline bool is_infinite(double x) { return fn::fabs(x) == infinity(); }
__device__ inline double larger(double x, double y) { return x > y ? x : y; }
// i · conj z: sin, tan and their inverses are sinh, tanh and theirs of it, turned back so.
__device__ inline Point64 swapped(Point64 z) { return {z.im, z.re}; }

// e^x · factor, of a factor below 1 also where e^x is too large.
__device__ inline double scaled_exp(double x, double factor) {
  constexpr double kMost = 709;
  return x > kMost ? fn::exp(x - kMost) * factor * 8.2184074615549724e307 : fn::exp(x) * factor;
}

// (1 + near)² + other² − 1
__device__ inline double square_less_one(double near, double other) {
  return ::fma(near, near, ::fma(other, other, 2 * near));
}

// log √(x² + y²), near 1 from its distance to 1.
__device__ inline double log_of_size(double x, double y) {
  x = fn::fabs(x);
  y = fn::fabs(y);
  const double most = larger(x, y);
  if (most > 1e300 && is_finite(most)) return fn::log(fn::hypot(x * 0.0625, y * 0.0625)) + 4 * kLog2;
  if (most < 1e-290 && most > 0) return fn::log(fn::hypot(x * kRaise, y * kRaise)) - 100 * kLog2;
  const double size = fn::hypot(x, y);
  if (!(size > 0.5 && size < 2)) return fn::log(size);
  return 0.5 * fn::log1p(square_less_one(most - 1, x > y ? y : x));
}

// Of a size that neither overflows nor underflows (Kahan 1987, "Branch cuts for complex elementary functions").
__device__ inline Point64 root(Point64 z) {
  const double x = z.re, y = z.im;
  if (is_infinite(y)) return {infinity(), y};
  if (is_infinite(x)) {
    const double other = is_nan(y) ? y : fn::copysign(0, y);
    if (x > 0) return {x, other};
    return {fn::fabs(other), fn::copysign(infinity(), y)};
  }
  if (x == 0 && y == 0) return {0, y};
  const double most = larger(fn::fabs(x), fn::fabs(y));
  const double scale = most > 1e300 ? 0.0625 : most < 1e-290 ? kRaise : 1;
  const double unscale = most > 1e300 ? 4 : most < 1e-290 ? kLower : 1;
  const double a = x * scale, b = y * scale;
  const double part = fn::sqrt(0.5 * (fn::hypot(a, b) + fn::fabs(a)));
  const double other = 0.5 * b / part;
  if (x >= 0) return {part * unscale, other * unscale};
  return {fn::fabs(other) * unscale, fn::copysign(part, y) * unscale};
}

__device__ inline Point64 exponential(Point64 z) {
  const double x = z.re, y = z.im;
  if (y == 0) return {fn::exp(x), y};
  if (!is_finite(y)) {
    if (x == -infinity()) return {0, 0};
    return {x == infinity() ? x : nan(), nan()};
  }
  return {scaled_exp(x, fn::cos(y)), scaled_exp(x, fn::sin(y))};
}

__device__ inline Point64 logarithm(Point64 z) { return {log_of_size(z.re, z.im), fn::atan2(z.im, z.re)}; }

// The hyperbolic sine and cosine of x are ½ e^|x| from here on.
constexpr double kFarSinh = 40;

__device__ inline Point64 sinh(Point64 z) {
  const double x = z.re, y = z.im;
  if (y == 0) return {fn::sinh(x), y};
  if (!is_finite(y)) return {x == 0 || is_infinite(x) ? x : nan(), nan()};
  const double c = fn::cos(y), s = fn::sin(y);
  if (!(fn::fabs(x) > kFarSinh)) return {fn::sinh(x) * c, fn::cosh(x) * s};
  return {scaled_exp(fn::fabs(x), 0.5 * fn::copysign(c, c * x)), scaled_exp(fn::fabs(x), 0.5 * s)};
}

__device__ inline Point64 cosh(Point64 z) {
  const double x = z.re, y = z.im;
  if (y == 0) return {fn::cosh(x), is_nan(x) ? y : fn::copysign(y, fn::copysign(1, x) * fn::copysign(1, y))};
  if (!is_finite(y)) {
    if (x == 0) return {nan(), 0};
    return {is_infinite(x) ? infinity() : nan(), nan()};
  }
  const double c = fn::cos(y), s = fn::sin(y);
  if (!(fn::fabs(x) > kFarSinh)) return {fn::cosh(x) * c, fn::sinh(x) * s};
  return {scaled_exp(fn::fabs(x), 0.5 * c), scaled_exp(fn::fabs(x), 0.5 * fn::copysign(s, s * x))};
}

// By Kahan's formula; from 22 on the real part is ±1.
__device__ inline Point64 tanh(Point64 z) {
  constexpr double kFar = 22;
  const double x = z.re, y = z.im;
  if (y == 0) return {fn::tanh(x), y};
  if (!is_finite(y)) {
    if (is_infinite(x)) return {fn::copysign(1, x), 0};
    return {x == 0 ? x : nan(), nan()};
  }
  if (fn::fabs(x) > kFar) return {fn::copysign(1, x), 4 * fn::sin(y) * fn::cos(y) * fn::exp(-2 * fn::fabs(x))};
  const double t = fn::tan(y), beta = 1 + t * t, s = fn::sinh(x), rho = fn::sqrt(1 + s * s);
  const double below = 1 + beta * s * s;
  return {beta * rho * s / below, t / below};
}

// Kahan's formulas of roots of 1 − z and 1 + z, whose products have sums of one sign only.
__device__ inline Point64 acos(Point64 z) {
  const double x = z.re, y = z.im;
  if (is_nan(x) || is_nan(y)) {
    if (is_infinite(x) || is_infinite(y)) return {nan(), -fn::copysign(infinity(), is_nan(y) ? x : y)};
    return {x == 0 ? kPi / 2 : nan(), nan()};
  }
  if (is_infinite(x) || is_infinite(y)) return {fn::atan2(fn::fabs(y), x), -fn::copysign(infinity(), y)};
  const Point64 low = root({1 - x, -y}), high = root({1 + x, y});
  const double sine = high.re * low.im - high.im * low.re;
  return {2 * fn::atan2(low.re, high.re), fn::copysign(fn::asinh(sine), -y)};
}

__device__ inline Point64 asinh(Point64 z) {
  const double x = z.re, y = z.im;
  if (is_nan(x) || is_nan(y)) {
    if (is_infinite(x)) return {x, nan()};
    if (is_infinite(y)) return {infinity(), nan()};
    return {nan(), y == 0 ? y : nan()};
  }
  if (is_infinite(x) || is_infinite(y))
    return {fn::copysign(infinity(), x), fn::copysign(fn::atan2(fn::fabs(y), fn::fabs(x)), y)};
  // Of 1 + i · z and 1 − i · z.
  const Point64 high = root({1 - y, x}), low = root({1 + y, -x});
  const double sine = high.im * low.re - high.re * low.im;
  return {fn::copysign(fn::asinh(sine), x), fn::atan2(y, high.re * low.re - high.im * low.im)};
}

__device__ inline Point64 acosh(Point64 z) {
  const Point64 turned = acos(z);
  return {fn::fabs(turned.im), is_nan(turned.re) ? turned.re : fn::copysign(turned.re, z.im)};
}

__device__ inline Point64 atanh(Point64 z) {
  const double x = fn::fabs(z.re), y = fn::fabs(z.im);
  double re, im;
  if (is_nan(x) || is_nan(y)) {
    re = is_infinite(y) || is_infinite(x) ? 0 : x == 0 ? x : nan();
    im = is_infinite(y) ? kPi / 2 : nan();
  } else if (larger(x, y) > kLarge) {
    const double size = fn::hypot(x * 0.5, y * 0.5);
    re = is_finite(size) ? 0.25 * x / size / size : 0;
    im = kPi / 2;
  } else {
    const double size = fn::hypot(1 - x, y);
    re = size < kSmall ? 0.5 * (kLog2 - fn::log(size)) : 0.25 * fn::log1p(4 * x / size / size);
    im = 0.5 * fn::atan2(2 * y, (1 - x) * (1 + x) - y * y);
  }
  return {fn::copysign(re, z.re), fn::copysign(im, z.im)};
}

}  // namespace complex_math

#define WARPCELL_COMPLEX(Name, result)               \
  struct Name {                                      \
    static __device__ inline Point64 of(Point64 z) { \
      using namespace complex_math;                  \
      const double x = z.re, y = z.im;               \
      (void)x, (void)y;                              \
      return result;                                 \
    }                                                \
  };

WARPCELL_COMPLEX(ComplexExp, exponential(z))
WARPCELL_COMPLEX(ComplexLog, logarithm(z))
WARPCELL_COMPLEX(ComplexSqrt, root(z))
WARPCELL_COMPLEX(ComplexSinh, complex_math::sinh(z))
WARPCELL_COMPLEX(ComplexCosh, complex_math::cosh(z))
WARPCELL_COMPLEX(ComplexTanh, complex_math::tanh(z))
WARPCELL_COMPLEX(ComplexSin, swapped(complex_math::sinh(swapped(z))))
WARPCELL_COMPLEX(ComplexCos, complex_math::cosh(Point64{-y, x}))
WARPCELL_COMPLEX(ComplexTan, swapped(complex_math::tanh(swapped(z))))
WARPCELL_COMPLEX(ComplexAsinh, complex_math::asinh(z))
WARPCELL_COMPLEX(ComplexAcosh, complex_math::acosh(z))
WARPCELL_COMPLEX(ComplexAtanh, complex_math::atanh(z))
WARPCELL_COMPLEX(ComplexAsin, swapped(complex_math::asinh(swapped(z))))
WARPCELL_COMPLEX(ComplexAcos, complex_math::acos(z))
WARPCELL_COMPLEX(ComplexAtan, swapped(complex_math::atanh(swapped(z))))
WARPCELL_COMPLEX(ComplexSquare, (Point64{(x - y) * (x + y), 2 * x * y}))

struct ComplexLog2 {
  static __device__ inline Point64 of(Point64 z) {
    const Point64 log = complex_math::logarithm(z);
    return {log.re / complex_math::kLog2, log.im / complex_math::kLog2};
  }
};
struct ComplexLog10 {
  static __device__ inline Point64 of(Point64 z) {
    const Point64 log = complex_math::logarithm(z);
    return {log.re / complex_math::kLog10, log.im / complex_math::kLog10};
  }
};
struct ComplexLog1p {
  static __device__ inline Point64 of(Point64 z) {
    using namespace complex_math;
    const double u = 1 + z.re, y = z.im, size = fn::hypot(u, y), angle = fn::atan2(y, u);
    if (!(size > 0.5 && size < 2)) return {log_of_size(u, y), angle};
    const bool is_right = fn::fabs(u) >= fn::fabs(y);
    const double near = !is_right ? fn::fabs(y) - 1 : u > 0 ? z.re : -2 - z.re;
    return {0.5 * fn::log1p(square_less_one(near, is_right ? y : u)), angle};
  }
};
struct ComplexExpm1 {
  static __device__ inline Point64 of(Point64 z) {
    using namespace complex_math;
    const double x = z.re, y = z.im;
    if (y == 0) return {fn::expm1(x) + 0., y};  // no −0
    const Point64 power = exponential(z);
    if (!is_finite(y) || fn::fabs(x) > kFarSinh) return {power.re - 1, power.im};
    const double half = fn::sin(0.5 * y);
    return {fn::expm1(x) * fn::cos(y) - 2 * half * half, power.im};
  }
};
// z / |z|; 0 of 0.
struct ComplexSign {
  static __device__ inline Point64 of(Point64 z) {
    using namespace complex_math;
    if (z.re == 0 && z.im == 0) return {0, 0};
    const double most = larger(fn::fabs(z.re), fn::fabs(z.im)), x = z.re / most, y = z.im / most;
    const double size = fn::hypot(x, y);
    return {x / size, y / size};
  }
};
struct ComplexReciprocal {
  static __device__ inline Point64 of(Point64 z) {
    using namespace complex_math;
    if (z.re == 0 && z.im == 0) return {fn::copysign(infinity(), z.re), nan()};
    if (is_infinite(z.re) || is_infinite(z.im)) return {fn::copysign(0, z.re), -fn::copysign(0, z.im)};
    const double most = larger(fn::fabs(z.re), fn::fabs(z.im)), x = z.re / most, y = z.im / most;
    const double square = x * x + y * y;
    return {x / square / most, -y / square / most};
  }
};
// e^(w · log z); of 0, which has no logarithm, 0 where w is right of the imaginary axis.
struct ComplexPow {
  static __device__ inline Point64 of(Point64 z, Point64 w) {
    using namespace complex_math;
    if (w.re == 0 && w.im == 0) return {1, 0};
    if (z.re == 0 && z.im == 0) return w.re > 0 ? Point64{0, 0} : Point64{nan(), nan()};
    if (z.im == 0 && w.im == 0 && z.re > 0) return {fn::pow(z.re, w.re), 0};
    const Point64 log = logarithm(z);
    return exponential({w.re * log.re - w.im * log.im, w.re * log.im + w.im * log.re});
  }
};

}  // namespace warpcell
