// CUDA's special functions: error functions and their inverses, Bessel functions, norms. (CUDA Math API, "Single Precision", "Double Precision".)
#pragma once
#include "elementary.h"

#if !defined(WARPCELL_CPU_STANDARD_LIBRARY)
extern "C" {
double j0(double) noexcept;
double j1(double) noexcept;
double jn(int, double) noexcept;
double y0(double) noexcept;
double y1(double) noexcept;
double yn(int, double) noexcept;
}
#endif

#define WARPCELL_CPU_ADDED template <int = 0> WARPCELL_CPU_FN   // gives way to the C library's own, as in elementary.h

namespace warpcell_cpu {

// Where `function`, whose slope is `slope` · e^(-x²), has the value y: Halley's steps from a start that is right to a digit.
template <class Function>
WARPCELL_CPU_FN double inverse_error(double x, double y, double slope, Function function) {
  for (int step = 0; step < 3; step++) {
    const double error = function(x) - y;
    x -= error / (slope * exp(-x * x) + x * error);
  }
  return x;
}

}  // namespace warpcell_cpu

// (The start: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.22.)
WARPCELL_CPU_ADDED double erfcinv(double y) {
  constexpr double slope = 1.12837916709551257390, sqrt_half = 0.70710678118654752440;   // 2/√π
  if (!(y > 0 && y < 2)) return y == 0 ? __builtin_inf() : y == 2 ? -__builtin_inf() : __builtin_nan("");
  if (y >= 0.5 && y <= 1.5) return warpcell_cpu::inverse_error((1 - y) / slope, 1 - y, slope, [](double x) { return erf(x); });
  const double tail = y < 1 ? y : 2 - y, t = sqrt(-2 * log(tail / 2)), start = sqrt_half * (t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)));
  const double x = warpcell_cpu::inverse_error(start, tail, -slope, [](double z) { return erfc(z); });
  return y < 1 ? x : -x;
}
WARPCELL_CPU_ADDED double erfinv(double y) {
  constexpr double slope = 1.12837916709551257390;
  if (y >= -0.5 && y <= 0.5) return warpcell_cpu::inverse_error(y / slope, y, slope, [](double x) { return erf(x); });
  return y < 0 ? -erfcinv(1 + y) : erfcinv(1 - y);
}
WARPCELL_CPU_ADDED double normcdfinv(double p) { return -1.41421356237309504880 * erfcinv(2 * p); }
WARPCELL_CPU_ADDED double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }

// e^(x²) erfc(x). (From 25 on: DLMF 7.12.1; below, what rounding takes from x² is put back.)
WARPCELL_CPU_ADDED double erfcx(double x) {
  if (x < -27) return __builtin_inf();
  if (x < 25) {
    const double square = x * x;
    return exp(square) * (erfc(x) * (1 + ::fma(x, x, -square)));
  }
  const double u = 0.5 / (x * x);
  return 0.56418958354775628695 / x * (1 - u * (1 - 3 * u * (1 - 5 * u * (1 - 7 * u * (1 - 9 * u * (1 - 11 * u))))));   // 1/√π
}

namespace warpcell_cpu {

// The modified Bessel function of order 0 or 1, |x|: its series of positive terms, or from 30 on its expansion at infinity. (DLMF 10.25.2, 10.40.1.)
WARPCELL_CPU_FN double modified_bessel(int order, double x) {
  if (__builtin_isinf(x)) return x;
  double sum = 1, term = 1;
  if (x < 30) {
    const double quarter = x * x / 4;
    for (int k = 1; term > 1e-17 * sum; k++) sum += term *= quarter / (k * (k + order));
    return order == 0 ? sum : x / 2 * sum;
  }
  const int square = 4 * order * order;
  for (int k = 1; k <= 30 && (term > 1e-17 || term < -1e-17); k++) sum += term *= ((2 * k - 1) * (2 * k - 1) - square) / (8 * k * x);
  const double half = exp(x / 2);   // e^x may be infinite where the function is not
  return half * (sum / sqrt(6.28318530717958647693 * x)) * half;
}

// √(x₀² + … + xₙ²), where no square is too large or too small.
template <class T>
WARPCELL_CPU_FN double norm(int count, const T* x) {
  double largest = 0, sum = 0;
  for (int i = 0; i < count; i++) largest = fmax(largest, fabs(double(x[i])));
  if (__builtin_isinf(largest)) return largest;
  const double scale = largest == 0 ? 1 : largest;
  for (int i = 0; i < count; i++) sum = ::fma(x[i] / scale, x[i] / scale, sum);
  return scale * sqrt(sum);
}

}  // namespace warpcell_cpu

WARPCELL_CPU_ADDED double cyl_bessel_i0(double x) { return warpcell_cpu::modified_bessel(0, fabs(x)); }
WARPCELL_CPU_ADDED double cyl_bessel_i1(double x) { return copysign(warpcell_cpu::modified_bessel(1, fabs(x)), x); }
#define X(type, f)                                                                                              \
  WARPCELL_CPU_ADDED type norm##f(int count, const type* x) { return type(warpcell_cpu::norm(count, x)); }      \
  WARPCELL_CPU_ADDED type rnorm##f(int count, const type* x) { return type(1 / warpcell_cpu::norm(count, x)); }
X(float, f) X(double, )
#undef X

// Of float, by way of double.
#define X(name) WARPCELL_CPU_ADDED float name##f(float x) { return float(name(double(x))); }
X(erfinv) X(erfcinv) X(erfcx) X(normcdf) X(normcdfinv) X(j0) X(j1) X(y0) X(y1) X(cyl_bessel_i0) X(cyl_bessel_i1)
#undef X
#define X(name) WARPCELL_CPU_ADDED float name##f(int order, float x) { return float(name(order, double(x))); }
X(jn) X(yn)
#undef X
#undef WARPCELL_CPU_ADDED
