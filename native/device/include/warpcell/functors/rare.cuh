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

// −x log x, whose limit at 0 is 0.
struct Entr {
  template <class W>
  static __device__ inline W of(W x) {
    return x > W(0) ? -x * fn::log(x) : x == W(0) ? W(0) : x != x ? x : W(__longlong_as_double(0xfff0000000000000LL));
  }
};

// x log(1 + y), where 0 of x is 0.
BINARY(Xlog1py, x == W(0) && !(y != y) ? W(0) : x * fn::log1p(y));

// The x of which Φ(x) = p. Near ½ by erfinv; below by Newton's method on log Φ(x) = log p, which is concave, so that
// each step but the first ends on one side and the last is as exact as log p beside x²; above by symmetry, as 1 − p is
// exact there.
WARPCELL_APART double normal_quantile(double p) {
  if (!(p > 0 && p < 1))
    return __longlong_as_double(p == 0 ? 0xfff0000000000000LL : p == 1 ? 0x7ff0000000000000LL : 0x7ff8000000000000LL);
  const double root = 0.70710678118654752440;
  if (p >= 0.25 && p <= 0.75) return ::erfinv(2 * p - 1) / root;
  const double wanted = ::log(p < 0.5 ? p : 1 - p);
  double x = -::sqrt(-2 * wanted);
  for (int step = 0; step < 8; step++) {
    const double scaled = scaled_erfc(-x * root), change = ::log(0.5 * scaled) - 0.5 * x * x - wanted;
    // The slope of log Φ is √(2/π) / erfcx(−x/√2).
    const double next = x - change * scaled * 1.25331413731550025121;
    if (::fabs(next - x) <= 1e-9 * ::fabs(x)) {
      x = next;
      break;
    }
    x = next;
  }
  return p < 0.5 ? x : -x;
}
UNARY(Ndtri, W(normal_quantile(double(x))));

// What Stirling's formula lacks of log Γ(a) for a ≥ 10 (5.11.1): 1/12a − 1/360a³ + …
__device__ inline double stirling_rest(double a) {
  const double r = 1 / (a * a);
  return (1 / 12.0 - r * (1 / 360.0 - r * (1 / 1260.0 - r * (1 / 1680.0 - r * (1 / 1188.0 - r * 691 / 360360.0))))) / a;
}
// u − log(1 + u): near 0 by its power series, where the two cancel.
__device__ inline double less_log(double u) {
  if (!(::fabs(u) < 0.1)) return u - ::log1p(u);
  double power = u * u, sum = 0.5 * power;
  for (int k = 3; ::fabs(power) > 1e-17 * sum; k++) sum += (power *= -u) / k;
  return sum;
}
// xᵃ e^−x / Γ(a). From 10 on by e^(−a(λ − 1 − log λ)) of λ = x/a, as large powers would lose digits.
__device__ inline double gamma_density(double a, double x) {
  if (a < 10) return a * ::exp(a * ::log(x) - x - ::lgamma(a + 1));
  return ::sqrt(a * 0.15915494309189533577) * ::exp(-a * less_log((x - a) / a) - stirling_rest(a));
}
// The share of the gamma distribution of shape a that lies below x, or above it: below a + 1 by the power series
// (8.11.4), beyond by the continued fraction (8.9.2) from its front, as Lentz has it. Both need some √a terms where x
// is near a; from 10⁸ on the first term of Temme's expansion (8.12.3) is as exact.
template <bool is_above>
WARPCELL_APART double gamma_share(double a, double x) {
  const double infinite = __longlong_as_double(0x7ff0000000000000LL), none = __longlong_as_double(0x7ff8000000000000LL);
  if (a != a || x != x || a < 0 || x < 0) return none;
  if (a == 0) return x == 0 ? none : double(!is_above);
  if (x == 0) return is_above;
  if (a == infinite) return x == infinite ? none : double(is_above);
  if (x == infinite) return !is_above;
  if (a >= 1e8) {
    const double u = (x - a) / a, half = less_log(u), eta = ::copysign(::sqrt(2 * half), u);
    const double rest = (-1 / 3.0 + eta * (1 / 12.0 - eta * (2 / 135.0 - eta / 864))) * 0.39894228040143267794 /
                        ::sqrt(a) * ::exp(-a * half);
    const double turned = eta * ::sqrt(0.5 * a);
    return is_above ? 0.5 * ::erfc(turned) + (rest == rest ? rest : 0)
                    : 0.5 * ::erfc(-turned) - (rest == rest ? rest : 0);
  }
  const double density = gamma_density(a, x);
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (double n = a + 1; density > 0 && term > sum * 1e-17; n++) sum += term *= x / n;
    const double share = density * sum;
    return is_above ? 1 - share : share;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (double n = 1; density > 0; n++) {
    const double part = n * (a - n);
    b += 2;
    d = part * d + b;
    c = b + part / c;
    if (d == 0) d = 1e-300;
    if (c == 0) c = 1e-300;
    d = 1 / d;
    const double factor = c * d;
    h *= factor;
    if (::fabs(factor - 1) < 2e-16) break;
  }
  const double share = density * h;
  return is_above ? share : 1 - share;
}
BINARY(Igamma, W(gamma_share<false>(double(x), double(y))));
BINARY(Igammac, W(gamma_share<true>(double(x), double(y))));

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
