// What a thread does for a generator of cuRAND's host interface: four words of Philox4x32-10, and what is made of them.
#pragma once
#include "philox.cuh"
#include "thrust/bodies.cuh"

namespace warpcell_rand {

using warpcell::Words;

// Each makes `count` numbers of four words.
struct Integers {
  using type = unsigned;
  static constexpr int count = 4;
  __device__ void operator()(const Words& words, unsigned* out) const {
    for (int i = 0; i < 4; i++) out[i] = words.word[i];
  }
};
// Of (0, 1].
struct Uniform {
  using type = float;
  static constexpr int count = 4;
  __device__ static float of(unsigned word) { return float(word) * 0x1p-32f + 0x1p-33f; }
  __device__ void operator()(const Words& words, float* out) const {
    for (int i = 0; i < 4; i++) out[i] = of(words.word[i]);
  }
};
struct UniformDouble {
  using type = double;
  static constexpr int count = 2;
  __device__ static double of(unsigned high, unsigned low) {
    return double(((unsigned long long)high << 32 | low) >> 11) * 0x1p-53 + 0x1p-53;
  }
  __device__ void operator()(const Words& words, double* out) const {
    for (int i = 0; i < 2; i++) out[i] = of(words.word[2 * i], words.word[2 * i + 1]);
  }
};
// By Box and Muller, two of two; `IsLog`: their exponentials.
template <bool IsLog>
struct Normal {
  using type = float;
  static constexpr int count = 4;
  float mean, deviation;
  __device__ void operator()(const Words& words, float* out) const {
    for (int i = 0; i < 4; i += 2) {
      float radius = sqrtf(-2 * logf(Uniform::of(words.word[i]))), angle = 6.2831853f * Uniform::of(words.word[i + 1]);
      out[i] = mean + deviation * radius * sinf(angle);
      out[i + 1] = mean + deviation * radius * cosf(angle);
    }
    if (IsLog)
      for (int i = 0; i < 4; i++) out[i] = expf(out[i]);
  }
};
template <bool IsLog>
struct NormalDouble {
  using type = double;
  static constexpr int count = 2;
  double mean, deviation;
  __device__ void operator()(const Words& words, double* out) const {
    double radius = sqrt(-2 * log(UniformDouble::of(words.word[0], words.word[1])));
    double angle = 6.283185307179586 * UniformDouble::of(words.word[2], words.word[3]);
    out[0] = mean + deviation * radius * sin(angle);
    out[1] = mean + deviation * radius * cos(angle);
    if (IsLog)
      for (int i = 0; i < 2; i++) out[i] = exp(out[i]);
  }
};

// `n` numbers, the first of which is number `first` of the sequence.
template <class Spread>
struct Filled {
  typename Spread::type* out;
  unsigned long long seed, first, n;
  Spread spread;
  __device__ void operator()(size_t i) {
    unsigned long long block = first / Spread::count + i;
    typename Spread::type values[Spread::count];
    spread(warpcell::philox(block, 0, seed), values);
    for (int k = 0; k < Spread::count; k++) {
      unsigned long long at = block * Spread::count + k;
      if (at >= first && at - first < n) out[at - first] = values[k];
    }
  }
};

}  // namespace warpcell_rand
