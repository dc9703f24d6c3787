// Bessel functions of the orders 0 and 1 but I, which stands in special.cuh, in float64 for all. Numbers of formulas
// are those of NIST's handbook (dlmf.nist.gov).
#pragma once
#include "../special.cuh"
#include "functor.cuh"

namespace warpcell {

UNARY(BesselJ0, W(::j0(double(x))));
UNARY(BesselJ1, W(::j1(double(x))));

// Of the second kind −∞ at 0, and no number below.
template <int order>
__device__ inline double bessel_y(double x) {
  if (!(x > 0)) return x == 0 ? __longlong_as_double(0xfff0000000000000LL) : __longlong_as_double(0x7ff8000000000000LL);
  return order == 0 ? ::y0(x) : ::y1(x);
}
UNARY(BesselY0, W(bessel_y<0>(double(x))));
UNARY(BesselY1, W(bessel_y<1>(double(x))));

// K₀(x) and K₁(x) for 0 < x ≤ 1, by their power series (10.31.2, 10.31.1), whose terms are of one sign but for x
// near 1.
template <int order>
__device__ inline double bessel_k_near(double x) {
  const double r = 0.25 * x * x, log = ::log(0.5 * x), euler = 0.57721566490153286061;
  double term = 1, harmonic = 0, sum = 0;
  for (int k = 0; k < 12; k++) {
    // ψ(k + 1) + γ is the harmonic number of k.
    if constexpr (order == 0)
      sum += term * (harmonic - euler - log);
    else
      sum += term / (k + 1) * (log + euler - harmonic - 0.5 / (k + 1));
    term *= r / double((k + 1) * (k + 1));
    harmonic += 1.0 / (k + 1);
  }
  return order == 0 ? sum : 1 / x + 0.5 * x * sum;
}

// eˣ Kₖ(x) = 2/√2x ∫ e^(−v²) (1 + v²/x)ᵏ / √(1 + v²/2x) dv from 0 on: (10.32.9) of v = √2x sinh(t/2). For x ≥ 1 sums
// of steps of 1/5 are the integral to e^−40, since the integrand has no other singularity than at ±i√2x; beyond 31
// steps it is below 1e−17.
template <int order>
__device__ inline double bessel_k_far(double x) {
  const double step = 0.2, r = 1 / x;
  // e^(−v²) of the next step is that of this one times `ratio`, whose own is e^(−2·step²).
  double power = 1, ratio = 0.96078943915232320943, sum = 0.5;
  for (int k = 1; k <= 31; k++) {
    power *= ratio;
    ratio *= 0.92311634638663576831;
    const double square = double(k * k) * (step * step) * r;
    sum += power * (order == 0 ? 1 : 1 + square) / ::sqrt(1 + 0.5 * square);
  }
  return 1.41421356237309504880 * step * sum / ::sqrt(x);
}

template <int order, bool is_scaled>
WARPCELL_APART double bessel_k(double x) {
  if (!(x > 0)) return x == 0 ? __longlong_as_double(0x7ff0000000000000LL) : __longlong_as_double(0x7ff8000000000000LL);
  if (x <= 1) return bessel_k_near<order>(x) * (is_scaled ? ::exp(x) : 1.0);
  return bessel_k_far<order>(x) * (is_scaled ? 1.0 : ::exp(-x));
}
UNARY(ModifiedBesselK0, W((bessel_k<0, false>(double(x)))));
UNARY(ModifiedBesselK1, W((bessel_k<1, false>(double(x)))));
UNARY(ScaledModifiedBesselK0, W((bessel_k<0, true>(double(x)))));
UNARY(ScaledModifiedBesselK1, W((bessel_k<1, true>(double(x)))));

}  // namespace warpcell
