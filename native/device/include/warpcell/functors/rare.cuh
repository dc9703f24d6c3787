// Functions of one operand or two that are seldom wanted, a functor for each (functor.cuh). Numbers of formulas are
// those of NIST's handbook (dlmf.nist.gov).
#pragma once
#include "../special.cuh"
#include "functor.cuh"

namespace warpcell {

// NaN loses: of one it is the other.
BINARY(Fmax, y != y ? x : (x >= y ? x : y));
ARITHMETIC(Fmax);
BINARY(Fmin, y != y ? x : (x <= y ? x : y));
ARITHMETIC(Fmin);

// x · 2ⁿ, rounded once; a part of n that is no whole number is a factor before.
struct Ldexp {
  static __device__ inline float scaled(float x, int n) { return ::scalbnf(x, n); }
  static __device__ inline double scaled(double x, int n) { return ::scalbn(x, n); }
  template <class W>
  static __device__ inline W of(W x, W n) {
    if (n != n) return n;
    // Beyond, all but 0, infinities and NaN are 0 or infinite.
    const W most = W(5000), bounded = n > most ? most : n < -most ? -most : n, whole = fn::rint(bounded);
    if (whole != bounded) x *= fn::exp2(bounded - whole);
    return scaled(x, int(whole));
  }
};

// x = mantissa · 2^exponent, where the mantissa's size is from ½ to 1; of 0, infinities and NaN the exponent is 0.
template <class W>
__device__ inline W mantissa_of(W x, int& exponent) {
  exponent = 0;
  if (x == W(0) || x - x != W(0)) return x;
  if constexpr (same<W, double>)
    return ::frexp(x, &exponent);
  else
    return ::frexpf(x, &exponent);
}
struct FrexpMantissa {
  template <class W>
  static __device__ inline W of(W x) {
    int exponent;
    return mantissa_of(x, exponent);
  }
};
struct FrexpExponent {
  template <class W>
  static __device__ inline W of(W x) {
    int exponent;
    mantissa_of(x, exponent);
    return W(exponent);
  }
};

UNARY(Ndtr, fn::normal_share(x));

// e^(x²) · erfc(x), in float64 for all: the power overflows where the product does not.
__device__ inline double scaled_erfc(double x) { return x != x ? x : ::erfcx(x); }
UNARY(Erfcx, W(scaled_erfc(double(x))));

// log Φ(x): below −1 by erfcx, where Φ comes near 0 and beyond.
WARPCELL_APART double log_normal_share(double x) {
  const double root = 0.70710678118654752440;
  if (x < -1) return ::log(0.5 * scaled_erfc(-x * root)) - 0.5 * x * x;
  return ::log1p(-0.5 * ::erfc(x * root));
}
UNARY(LogNdtr, W(log_normal_share(double(x))));

// Σ 1/(q + k)ˢ for q > 0 by terms up to z = q + k ≥ s + 8 and Euler and Maclaurin's formula from there (25.11.28);
// terms that no longer count end it before.
__device__ inline double zeta_of_positive(double s, double q) {
  double sum = 0, z = q;
  for (int k = 1; z < s + 8; z = q + k++) {
    const double term = ::pow(z, -s);
    sum += term;
    if (!(term > sum * 1e-18)) return sum;
  }
  const double power = ::pow(z, -s);
  if (power == 0) return sum;
  const double step = 1 / (z * z);
  double tail = 0, factor = s / z;
  for (int k = 0; k < kMaclaurinNumbers; k++) {
    tail += maclaurin_number(k) * factor;
    factor *= (s + 2 * k + 1) * (s + 2 * k + 2) * step;
  }
  return sum + power * (z / (s - 1) + 0.5 + tail);
}

// Hurwitz' ζ(s, q) = Σ 1/(q + k)ˢ. Below 0 the terms of q + k < 0 are those of another sum, from 1 − r on, less those
// from 1 − q on, where q lies r above a whole number; only whole s have such powers.
WARPCELL_APART double hurwitz_zeta(double s, double q) {
  if (s != s || q != q) return s + q;
  if (s <= 1) return s == 1 ? __longlong_as_double(0x7ff0000000000000LL) : __longlong_as_double(0x7ff8000000000000LL);
  if (q > 0) return zeta_of_positive(s, q);
  if (q == ::floor(q)) return __longlong_as_double(q - q == 0 ? 0x7ff0000000000000LL : 0x7ff8000000000000LL);
  if (s != ::floor(s)) return __longlong_as_double(0x7ff8000000000000LL);
  const double below = zeta_of_positive(s, ::ceil(q) - q) - zeta_of_positive(s, 1 - q);
  return zeta_of_positive(s, q - ::floor(q)) + (::fmod(s, 2.0) == 1 ? -below : below);
}
BINARY(Zeta, W(hurwitz_zeta(double(x), double(y))));

}  // namespace warpcell
