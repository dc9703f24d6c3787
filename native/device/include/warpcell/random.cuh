// Random numbers from the words of Philox: four elements of a counter, or two of 8 bytes. All steps are exact or
// rounded once to nearest, so that every device makes the same.
#pragma once
#include "numbers.cuh"
#include "philox.cuh"
#include "turns.cuh"

namespace warpcell {

// Elements from one counter: floats take a word, those of 8 bytes and whole numbers two.
template <class T>
constexpr int kDrawn = Number<T>::is_float && sizeof(T) < 8 ? 4 : 2;

template <class T>
struct alignas(sizeof(T) * kDrawn<T>) Drawn {
  T element[kDrawn<T>];
};

// Twice a number of [0, 1) of 24 bits.
__device__ inline float twice_unit(uint word) { return float(int(word >> 8)) * (1.0f / 8388608); }
// low + u · 2 · half for uniform u of [0, 1), within [first, last]: rounding could leave [low, high), of which `first`
// and `last` are the least and the largest element. Half of the width, since the width itself may be no number.
template <class T>
struct Uniform {
  Wide<T> low, half, first, last;

  __device__ __forceinline__ T of(Wide<T> twice) const {
    Wide<T> value = ::fma(twice, half, low);
    value = value > first ? value : first;
    return narrow<T>(value < last ? value : last);
  }
  __device__ __forceinline__ Drawn<T> operator()(const Words& words) const {
    if constexpr (kDrawn<T> == 2)
      return {{of(2.0 * unit(words.word[0], words.word[1])), of(2.0 * unit(words.word[2], words.word[3]))}};
    else
      return {{of(twice_unit(words.word[0])), of(twice_unit(words.word[1])), of(twice_unit(words.word[2])),
               of(twice_unit(words.word[3]))}};
  }
};

template <class T>
struct Pair {
  T first, second;
};

// Box and Muller's pairs in float32, from 31 bits for the radius and 32 for the angle.
__device__ __forceinline__ Pair<float> normal_pair(uint radius_word, uint angle_word) {
  using namespace float_math;
  // left = 2ⁿ(1 + f) of (0, 1], 1 + f of [√½, √2).
  const float left = fma(float(int(radius_word >> 1)), 4.65661287e-10f, 2.32830644e-10f);
  const uint bits = float_bits(left) - 0x3f3504f3u;
  const float f = bits_float((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
  const float series = horner(f, 0.3333333f, -0.25000837f, 0.20001285f, -0.16622774f, 0.14199834f, -0.13164231f,
                              0.12778337f, -0.0764511f);
  const float logarithm = fma(float(int(bits) >> 23), 0.693147181f, fma(f * f, fma(f, series, -0.5f), f));
#ifdef WARPCELL_SERIAL
  const float radius = __builtin_sqrtf(logarithm * -2.0f);
#else
  const float radius = __fsqrt_rn(logarithm * -2.0f);
#endif
  // A quarter turn at a time: the rest is within π/4 of 0.
  const uint quarter = (angle_word + 0x20000000u) >> 30;
  const float x = float(int(angle_word - (quarter << 30))) * 1.46291808e-9f, y = x * x;
  const float sine = fma(x * y, horner(y, -0.166666546f, 8.33216087e-3f, -1.95152959e-4f), x);
  const float cosine = fma(y, horner(y, -0.5f, 0.0416666457f, -1.38873163e-3f, 2.44331571e-5f), 1.0f);
  const bool is_odd = (quarter & 1) != 0;
  const float a = radius * (is_odd ? sine : cosine), b = radius * (is_odd ? cosine : sine);
  return {bits_float(float_bits(a) ^ ((quarter + 1) & 2) << 30), bits_float(float_bits(b) ^ (quarter & 2) << 30)};
}

// The same in float64, from 53 bits each. Logarithm and angle by series without branches, which become vectors.
__device__ __forceinline__ Pair<double> wide_normal_pair(const Words& words) {
  double left = 1.0 - unit(words.word[0], words.word[1]);
  // left = m · 2^e with m of [√½, √2): log m = 2 artanh((m − 1)/(m + 1)).
  long long bits = __double_as_longlong(left) - 0x3fe6a09e667f3bcdLL;
  int exponent = int((unsigned long long)bits >> 32) >> 20;
  double m = __longlong_as_double((bits & 0x000fffffffffffffLL) + 0x3fe6a09e667f3bcdLL);
  double s = (m - 1.0) / (m + 1.0), t = s * s;
  double series = 1.0 / 23;
#define TERM(n) series = series * t + 1.0 / (n);
  // clang-format off
  TERM(21) TERM(19) TERM(17) TERM(15) TERM(13) TERM(11) TERM(9) TERM(7) TERM(5) TERM(3)
// clang-format on
#undef TERM
      double logarithm = double(exponent) * 0.693147180559945309417 + 2.0 * s + 2.0 * s * t * series;
  double radius = sqrt(-2.0 * logarithm);
  // A quarter turn at a time: the rest is within π/4 of 0.
  double quarters = 4.0 * unit(words.word[2], words.word[3]);
  int quarter = int(quarters + 0.5);
  double x = (quarters - double(quarter)) * 1.57079632679489661923, y = x * x;
  double sine =
      x * (1.0 + y * (-1.0 / 6 +
                      y * (1.0 / 120 +
                           y * (-1.0 / 5040 +
                                y * (1.0 / 362880 + y * (-1.0 / 39916800 +
                                                         y * (1.0 / 6227020800.0 + y * (-1.0 / 1307674368000.0))))))));
  double cosine =
      1.0 +
      y * (-0.5 +
           y * (1.0 / 24 + y * (-1.0 / 720 +
                                y * (1.0 / 40320 + y * (-1.0 / 3628800 +
                                                        y * (1.0 / 479001600 + y * (-1.0 / 87178291200.0 +
                                                                                    y * (1.0 / 20922789888000.0))))))));
  double a = quarter & 1 ? sine : cosine, b = quarter & 1 ? cosine : sine;
  double c = (quarter + 1) & 2 ? -a : a, d = quarter & 2 ? -b : b;
  return {radius * c, radius * d};
}

template <class T>
struct Normal {
  Wide<T> mean, deviation;

  __device__ __forceinline__ T of(Wide<T> x) const { return narrow<T>(::fma(x, deviation, mean)); }
  __device__ __forceinline__ Drawn<T> operator()(const Words& words) const {
    if constexpr (kDrawn<T> == 2) {
      const Pair<double> made = wide_normal_pair(words);
      return {{of(made.first), of(made.second)}};
    } else {
      const Pair<float> a = normal_pair(words.word[0], words.word[1]), b = normal_pair(words.word[2], words.word[3]);
      return {{of(a.first), of(a.second), of(b.first), of(b.second)}};
    }
  }
};

}  // namespace warpcell
