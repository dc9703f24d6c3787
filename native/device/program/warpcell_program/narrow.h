// 16-bit floats for the host code of a program: the bits of numbers with fewer bits of exponent and fraction than a
// float's, rounded to nearest even. (IEEE 754-2019, 3.6.)
#pragma once
#include <math.h>

namespace warpcell_program {

// The bits of `x` with that many bits of exponent and of fraction; overflow is infinity.
inline unsigned short narrow_bits(double x, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const unsigned sign = signbit(x) ? 1u << (exponent_bits + fraction_bits) : 0;
  const unsigned infinite = ((1u << exponent_bits) - 1) << fraction_bits;
  if (isnan(x)) return (unsigned short)((1u << (exponent_bits + fraction_bits)) - 1);
  x = fabs(x);
  int exponent = 0;
  if (x == 0 || isinf(x)) return (unsigned short)(sign | (x == 0 ? 0 : infinite));
  frexp(x, &exponent);
  if (exponent - 1 < 1 - bias) exponent = 2 - bias;  // no smaller than subnormal numbers have it
  // The number in units of its last place: rounded to even, since that is how nearbyint rounds.
  const double units = nearbyint(ldexp(x, fraction_bits - (exponent - 1)));
  const double bits = units + ldexp(double(exponent - 2 + bias), fraction_bits);
  return (unsigned short)(sign | (bits >= infinite ? infinite : unsigned(bits)));
}

inline float narrow_value(unsigned short bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const unsigned fraction = bits & ((1u << fraction_bits) - 1);
  const unsigned exponent = bits >> fraction_bits & ((1u << exponent_bits) - 1);
  const float sign = bits >> (exponent_bits + fraction_bits) ? -1 : 1;
  if (exponent == (1u << exponent_bits) - 1) return fraction != 0 ? NAN : sign * INFINITY;
  const unsigned whole = exponent == 0 ? fraction : fraction | 1u << fraction_bits;
  return sign * ldexpf(float(whole), int(exponent == 0 ? 1 : exponent) - bias - fraction_bits);
}

}  // namespace warpcell_program

// clang-format off
#define WARPCELL_PROGRAM_NARROW(T, T2, exponent_bits, fraction_bits) \
  struct T { \
    unsigned short bits; \
    T() = default; \
    T(float x) : bits(warpcell_program::narrow_bits(x, exponent_bits, fraction_bits)) {} \
    T(double x) : bits(warpcell_program::narrow_bits(x, exponent_bits, fraction_bits)) {} \
    T(int x) : T(double(x)) {} \
    operator float() const { return warpcell_program::narrow_value(bits, exponent_bits, fraction_bits); } \
  }; \
  struct alignas(4) T2 { T x, y; };
// clang-format on
