// Elements made from their index: evenly spaced and random numbers. A random one depends on seed, stream and index
// only, so devices agree.
#include <warpcell/map.cuh>
#include <warpcell/numbers.cuh>
#include <warpcell/random.cuh>

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

// out[i] for i < count. `draw` is no lambda, since clang puts none that is so long into a loop by itself.
template <class T, class Draw>
__device__ inline void draw_all(T* out, long long count, unsigned long long seed, unsigned long long stream,
                                const Draw draw) {
  constexpr int N = kDrawn<T>;
  const long long whole = count / N;
#ifdef WARPCELL_SERIAL
  // A stretch at a time, the elements of a counter apart: so both loops become vectors.
  constexpr long long kStretch = 256;
  T apart[N][kStretch];
  Span span = block_span(whole);
  for (long long first = span.begin; first < span.end; first += kStretch) {
    const long long length = span.end - first < kStretch ? span.end - first : kStretch;
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (long long i = 0; i < length; i++) {
      const Drawn<T> made = draw(philox((unsigned long long)(first + i), stream, seed));
      for (int e = 0; e < N; e++) apart[e][i] = made.element[e];
    }
    T* to = out + first * N;
    for (long long i = 0; i < length; i++)
      for (int e = 0; e < N; e++) to[i * N + e] = apart[e][i];
  }
  const bool is_last = blockIdx.x == 0;
#else
  const long long group = global_index();
  if (group < whole) {
    const Drawn<T> drawn = draw(philox((unsigned long long)group, stream, seed));
    T* to = out + group * N;
    if ((unsigned long long)out % sizeof(Drawn<T>) == 0) {
      *(Drawn<T>*)to = drawn;
    } else {
#pragma unroll
      for (int e = 0; e < N; e++) to[e] = drawn.element[e];
    }
  }
  const bool is_last = group == whole;
#endif
  if (!is_last || count % N == 0) return;
  const Drawn<T> rest = draw(philox((unsigned long long)whole, stream, seed));
  for (int e = 0; e < N && whole * N + e < count; e++) out[whole * N + e] = rest.element[e];
}

template <class T>
__global__ void uniform(T* out, long long count, Wide<T> low, Wide<T> half, Wide<T> first, Wide<T> last,
                        unsigned long long seed, unsigned long long stream) {
  draw_all(out, count, seed, stream, Uniform<T>{low, half, first, last});
}
template <class T>
__global__ void normal(T* out, long long count, Wide<T> mean, Wide<T> deviation, unsigned long long seed,
                       unsigned long long stream) {
  draw_all(out, count, seed, stream, Normal<T>{mean, deviation});
}

// The high 64 bits of word · span: a whole number of [0, span), each within span/2^64 of equally likely.
__device__ inline unsigned long long scaled(unsigned high, unsigned low, unsigned long long span) {
  unsigned long long span_high = span >> 32, span_low = span & 0xffffffffu;
  unsigned long long middle = (unsigned long long)low * span_high + ((unsigned long long)low * span_low >> 32);
  unsigned long long other = (unsigned long long)high * span_low + (middle & 0xffffffffu);
  return (unsigned long long)high * span_high + (middle >> 32) + (other >> 32);
}

template <class T>
struct Integers {
  long long low;
  unsigned long long span;
  __device__ __forceinline__ T of(unsigned high_word, unsigned low_word) const {
    return T(low + (long long)scaled(high_word, low_word, span));
  }
  // Two from the words of a counter: 64 bits each.
  __device__ __forceinline__ Drawn<T> operator()(const Words& words) const {
    return {{of(words.word[0], words.word[1]), of(words.word[2], words.word[3])}};
  }
};
template <class T>
__global__ void integers(T* out, long long count, long long low, unsigned long long span, unsigned long long seed,
                         unsigned long long stream) {
  draw_all(out, count, seed, stream, Integers<T>{low, span});
}
