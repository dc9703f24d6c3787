// Functions of mathematical physics: modified Bessel functions of the first kind and the slopes of log Γ. Numbers of
// formulas are those of NIST's handbook (dlmf.nist.gov).
#pragma once
#include "math.cuh"

// In loops that are to become vectors, as in math.cuh.
#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)
#endif

namespace warpcell {

template <class W>
__device__ inline W polynomial(W, W last) {
  return last;
}
template <class W, class... Rest>
__device__ inline W polynomial(W x, W first, Rest... rest) {
  return polynomial(x, rest...) * x + first;
}

// I₀ and I₁ meet their two forms at 8: polynomials of least relative error, fitted to the power series (10.25.2) below,
// and beyond to √x e^−x Iₖ(x), which tends to 1/√2π (10.40.1).
constexpr float kBesselNear = 8;

// Iₖ(x)/xᵏ of x² ≤ 64: to 9e−9, 9e−19, 2.1e−9 and 1.4e−19.
template <int order, class W>
__device__ inline W bessel_near(W square) {
  if constexpr (order == 0 && same<W, float>)
    return polynomial(square, 1.0f, 0.25000006f, 0.015624949f, 0.0004340439f, 6.7793053e-6f, 6.800542e-8f,
                      4.6233797e-10f, 2.6344417e-12f, 5.8131918e-15f, 5.7170396e-17f);
  else if constexpr (order == 0)
    return polynomial(square, 1.0, 0.25, 0.015624999999999977, 0.00043402777777779505, 6.781684027771301e-06,
                      6.781684027919087e-08, 4.709502795107447e-10, 2.4028075678131383e-12, 9.385965800842248e-15,
                      2.896908907273034e-17, 7.242074160257724e-20, 1.4967785551688255e-22, 2.5901769709576323e-25,
                      3.9335137635265993e-28, 4.199408776397536e-31, 8.566507688625001e-34);
  else if constexpr (same<W, float>)
    return polynomial(square, 0.5f, 0.06250001f, 0.0026041626f, 5.425458e-5f, 6.7802137e-7f, 5.6621214e-9f,
                      3.3182262e-11f, 1.617938e-13f, 3.5033537e-16f, 2.7509446e-18f);
  else
    return polynomial(square, 0.5, 0.0625, 0.0026041666666666652, 5.425347222222313e-05, 6.781684027774688e-07,
                      5.651403356543923e-09, 3.3639305685231016e-11, 1.50175472559975e-13, 5.214425663525377e-16,
                      1.448453658294221e-18, 3.2918725963778678e-21, 6.2361948625445045e-24, 9.967109289863085e-27,
                      1.4007133660568093e-29, 1.420261290389803e-32, 2.6314549659296927e-35);
}
// √x e^−x Iₖ(x) of 16/x − 1, from −1 to 1: to 9e−9, 2.5e−17, 1e−8 and 2.7e−17.
template <int order, class W>
__device__ inline W bessel_far(W place) {
  if constexpr (order == 0 && same<W, float>)
    return polynomial(place, 0.4021765f, 0.003360558f, 0.0001361568f, 1.110324e-5f, 1.6383414e-6f, 3.6968686e-7f);
  else if constexpr (order == 0)
    return polynomial(place, 0.4021765094450081, 0.0033605519836677924, 0.00013621607438970128, 1.1143033797366827e-05,
                      1.4838476725646866e-06, 2.9735968080656665e-07, 8.872020470548731e-08, 3.932810456830897e-08,
                      2.1567536651774243e-08, 7.538832023061789e-09, -6.856088084381677e-09, -1.3341303623991774e-08,
                      -5.016415070800884e-09, 7.368261463708256e-09, 6.516000555184516e-09, -3.17780295723962e-09,
                      -4.5184922674068845e-09, 1.140359719433277e-09, 2.1514902014935007e-09, -2.9645825194366484e-10,
                      -6.430610506686111e-10, 3.944170372786097e-11, 8.97672872514452e-11);
  else if constexpr (same<W, float>)
    return polynomial(place, 0.38939846f, -0.009749585f, -0.00021916912f, -1.4991294e-5f, -2.00869e-6f, -4.310784e-7f);
  else
    return polynomial(place, 0.38939845902587233, -0.009749577193235676, -0.00021923576383157793,
                      -1.5038547206207495e-05, -1.8349102434911368e-06, -3.4838541921862663e-07,
                      -1.0001081417777399e-07, -4.313118011101774e-08, -2.339382196775703e-08, -8.413649584490654e-09,
                      6.847078764331638e-09, 1.3973780598134064e-08, 5.571012262433401e-09, -7.476873257464979e-09,
                      -6.938232905911361e-09, 3.1303650651340935e-09, 4.751500280543773e-09, -1.0950942909020606e-09,
                      -2.2498805513702717e-09, 2.7971855869329807e-10, 6.706307332623653e-10, -3.684652604740129e-11,
                      -9.347765078023585e-11);
}

// Iₖ(x) for the order 0 or 1, or e^−|x| Iₖ(x).
template <int order, bool is_scaled, class W>
__device__ inline W bessel_i(W x) {
  const W size = fn::fabs(x), limit = W(kBesselNear);
  const bool is_near = !(size > limit);
  const W inside = fn::pick(is_near, size, limit), outside = fn::pick(is_near, limit, size);
  W near = bessel_near<order>(inside * inside);
  W far = bessel_far<order>(W(16) / outside - W(1));
  if constexpr (is_scaled) {
    near *= fn::exp(-inside);
    far /= fn::sqrt(outside);
  } else {
    // Iₖ is a number a little beyond the last x whose power is: half of the exponent twice. At 2000 both are infinite,
    // and the root is not.
    const W bounded = fn::pick(outside > W(2000), W(2000), outside), root = fn::exp(W(0.5) * bounded);
    far = far / fn::sqrt(bounded) * root * root;
  }
  if constexpr (order == 1) {
    near *= x;
    far = fn::copysign(far, x);
  }
  return fn::pick(is_near, near, far);
}

}  // namespace warpcell

#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute pop
#endif

namespace warpcell {

#ifdef WARPCELL_SERIAL
#define WARPCELL_APART inline __attribute__((noinline))
#else
#define WARPCELL_APART __device__ __noinline__
#endif

__device__ inline double whole_power(double x, int n) {
  double result = 1;
  for (; n > 0; n >>= 1, x *= x)
    if (n & 1) result *= x;
  return result;
}

// B₂ₖ/(2k)! of k + 1, as Euler and Maclaurin's formula has them.
constexpr int kMaclaurinNumbers = 10;
__device__ inline double maclaurin_number(int k) {
  const double numbers[kMaclaurinNumbers] = {1 / 12.0,
                                             -1 / 720.0,
                                             1 / 30240.0,
                                             -1 / 1209600.0,
                                             1 / 47900160.0,
                                             -691 / 1307674368000.0,
                                             1 / 74724249600.0,
                                             -3617.0 / 10670622842880000.0,
                                             43867.0 / 5109094217170944000.0,
                                             -174611.0 / 802857662698291200000.0};
  return numbers[k];
}

// Σ (c/(x + j))ⁿ⁺¹ over all j ≥ 0, for x ≥ 0, by terms up to z = x + j ≥ n + 8 and Euler and Maclaurin's formula from
// there (25.11.28): right to 2e−17. For n = 0, where the sum has no end, −ψ(x): 1/n is −log z there (5.11.2).
__device__ inline double reciprocal_powers(double x, int n, double c) {
  double sum = 0, z = x;
  for (int j = 1; z < n + 8; z = x + j++) sum += whole_power(c / z, n + 1);
  double tail = 0, factor = n + 1, step = 1 / (z * z), power = step;
  for (int k = 0; k < kMaclaurinNumbers; k++) {
    tail += maclaurin_number(k) * factor * power;
    power *= step;
    factor *= double(n + 2 * k + 2) * double(n + 2 * k + 3);
  }
  return sum + c * whole_power(c / z, n) * ((n == 0 ? -::log(z) : 1.0 / n) + (0.5 / z + tail));
}

// The n-th slope of ψ(x) = Γ′(x)/Γ(x), which is (−1)ⁿ⁺¹ n! Σ 1/(x + j)ⁿ⁺¹ (5.15.1). Below 0 the terms of x + j < 0 are
// those of another sum, from 1 − r on, less those from 1 − x on, where x lies r above a whole number.
WARPCELL_APART double polygamma(double x, int n) {
  // A power of two near the root of n!, so that neither overflows.
  double c = 1, factor = 1;
  while (4 * c <= n) c *= 2;
  for (int j = 1; j <= n; j++) factor *= j / c;
  factor /= c;
  const bool is_odd = n & 1;
  double sum;
  if (x > 0) {
    sum = reciprocal_powers(x, n, c);
  } else {
    const double above = reciprocal_powers(x - ::floor(x), n, c), below = reciprocal_powers(::ceil(x) - x, n, c),
                 beyond = reciprocal_powers(1 - x, n, c);
    sum = is_odd ? above + below - beyond : above - below + beyond;
  }
  return (is_odd ? factor : -factor) * sum;
}

}  // namespace warpcell
