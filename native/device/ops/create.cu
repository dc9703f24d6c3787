// Elements made from their index: evenly spaced and random numbers. A random one depends on seed, stream and index
// only, so devices agree.
#include <warpcell/map.cuh>
#include <warpcell/numbers.cuh>
#include <warpcell/philox.cuh>

using namespace warpcell;

template <class T>
__global__ void spaced(T* out, long long count, double start, double step) {
  long long index = global_index();
  if (index < count) out[index] = narrow<T>(start + double(index) * step);
}

// The same for int64, exact where float64 is not.
template <class T>
__global__ void counted(T* out, long long count, long long start, long long step) {
  long long index = global_index();
  if (index < count) out[index] = narrow<T>(start + index * step);
}

// Two elements from the words of one counter.
template <class T>
struct Two {
  T first, second;
};
template <class T, class Draw>
__device__ __forceinline__ void draw_pair(T* out, long long pair, unsigned long long seed, unsigned long long stream,
                                          const Draw& draw) {
  Two<T> drawn = draw(philox((unsigned long long)pair, stream, seed));
  out[2 * pair] = drawn.first;
  out[2 * pair + 1] = drawn.second;
}
// out[i] for i < count: the pairs that are this thread's, or this block's on the CPU, where the loop becomes vectors.
// `draw` is no lambda, since clang puts none that is so long into a loop by itself.
template <class T, class Draw>
__device__ inline void draw_pairs(T* out, long long count, unsigned long long seed, unsigned long long stream,
                                  const Draw draw) {
#ifdef WARPCELL_CPU
  Span span = block_span(count / 2);
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
  for (long long pair = span.begin; pair < span.end; pair++) draw_pair(out, pair, seed, stream, draw);
#else
  long long pair = global_index();
  if (pair < count / 2) draw_pair(out, pair, seed, stream, draw);
#endif
  if (count % 2 == 1 && blockIdx.x == 0 && threadIdx.x == 0)
    out[count - 1] = draw(philox((unsigned long long)(count / 2), stream, seed)).first;
}

// [0, 1) from 53 random bits, cut to those that T holds, since rounding could give 1.
template <class T>
struct Uniform {
  static constexpr int bits = 24;
};
#ifdef WARPCELL_SIXTEEN_BITS
template <>
struct Uniform<__half> {
  static constexpr int bits = 11;
};
template <>
struct Uniform<__nv_bfloat16> {
  static constexpr int bits = 8;
};
#endif
template <class T>
__device__ inline T uniform_of(unsigned high, unsigned low) {
  if constexpr (same<T, double>)
    return unit(high, low);
  else
    return narrow<T>(float(int(high >> (32 - Uniform<T>::bits))) * (1.0f / float(1 << Uniform<T>::bits)));
}

template <class T>
struct UniformPair {
  __device__ __forceinline__ Two<T> operator()(const Words& words) const {
    return {uniform_of<T>(words.word[0], words.word[1]), uniform_of<T>(words.word[2], words.word[3])};
  }
};
template <class T>
__global__ void uniform(T* out, long long count, unsigned long long seed, unsigned long long stream) {
  draw_pairs(out, count, seed, stream, UniformPair<T>{});
}

// Box and Muller's pairs, in float64 so that rounding to T hides what devices differ by. Logarithm and angle by series
// without branches, which become vectors.
__device__ __forceinline__ Two<double> normal_pair(const Words& words) {
  double left = 1.0 - unit(words.word[0], words.word[1]);
  // left = m · 2^e with m of [√½, √2): log m = 2 artanh((m − 1)/(m + 1)).
  long long bits = __double_as_longlong(left) - 0x3fe6a09e667f3bcdLL;
  int exponent = int((unsigned long long)bits >> 32) >> 20;
  double m = __longlong_as_double((bits & 0x000fffffffffffffLL) + 0x3fe6a09e667f3bcdLL);
  double s = (m - 1.0) / (m + 1.0), t = s * s;
  double series = 1.0 / 23;
#define TERM(n) series = series * t + 1.0 / (n);
  TERM(21)
  TERM(19) TERM(17) TERM(15) TERM(13) TERM(11) TERM(9) TERM(7) TERM(5) TERM(3)
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
struct NormalPair {
  __device__ __forceinline__ Two<T> operator()(const Words& words) const {
    Two<double> made = normal_pair(words);
    return {narrow<T>(made.first), narrow<T>(made.second)};
  }
};
template <class T>
__global__ void normal(T* out, long long count, unsigned long long seed, unsigned long long stream) {
  draw_pairs(out, count, seed, stream, NormalPair<T>{});
}

// The high 64 bits of word · span: a whole number of [0, span), each within span/2^64 of equally likely.
__device__ inline unsigned long long scaled(unsigned high, unsigned low, unsigned long long span) {
  unsigned long long span_high = span >> 32, span_low = span & 0xffffffffu;
  unsigned long long middle = (unsigned long long)low * span_high + ((unsigned long long)low * span_low >> 32);
  unsigned long long other = (unsigned long long)high * span_low + (middle & 0xffffffffu);
  return (unsigned long long)high * span_high + (middle >> 32) + (other >> 32);
}

template <class T>
struct IntegerPair {
  long long low;
  unsigned long long span;
  __device__ __forceinline__ T one(unsigned high_word, unsigned low_word) const {
    return T(low + (long long)scaled(high_word, low_word, span));
  }
  __device__ __forceinline__ Two<T> operator()(const Words& words) const {
    return {one(words.word[0], words.word[1]), one(words.word[2], words.word[3])};
  }
};
template <class T>
__global__ void integers(T* out, long long count, long long low, unsigned long long span, unsigned long long seed,
                         unsigned long long stream) {
  draw_pairs(out, count, seed, stream, IntegerPair<T>{low, span});
}
