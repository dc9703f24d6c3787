// Functions of short columns of [outer, length, inner], and their gradients: softmax along an axis before the last.
#include <warpcell/softmax.cuh>

using namespace warpcell;

// `length` is at most kMostOfColumn: a thread of a GPU has its columns in
// registers, kMostOfColumn elements, and neighbouring threads read and write neighbours.
constexpr int kMostOfColumn = 32, kFewOfColumn = 8;

#ifdef WARPCELL_SERIAL
// Calls f(where the first of them begins, how many) for the neighbouring columns of this block.
template <class F>
inline WARPCELL_INLINED void each_columns(long long outer, long long length, long long inner, F f) {
  const long long tiles = (inner + kTogether - 1) / kTogether;
  const Rows mine = block_rows(outer * tiles);
  for (long long at = mine.begin; at < mine.end; at++) {
    const long long o = at / tiles, first = at % tiles * kTogether;
    f(o * length * inner + first, inner - first < kTogether ? int(inner - first) : kTogether);
  }
}
#else
// Calls f(where it begins) for each column of this thread, kMostOfColumn / `most` of them.
template <int most, class F>
__device__ inline void each_column(long long outer, long long length, long long inner, F f) {
  constexpr int K = kMostOfColumn / most;
  const long long columns = outer * inner;
#pragma unroll
  for (int k = 0; k < K; k++) {
    const long long column = ((long long)blockIdx.x * K + k) * blockDim.x + threadIdx.x;
    const long long o = columns >> 31 == 0 ? (long long)(unsigned(column) / unsigned(inner)) : column / inner;
    if (column < columns) f(k, column + o * (length - 1) * inner);
  }
}
#endif

template <class T, bool is_log, int most>
__global__ void __launch_bounds__(kShortThreads)
    softmax_columns(const T* x, T* y, long long outer, long long length, long long inner) {
  using A = Sum<T>;
#ifdef WARPCELL_SERIAL
  each_columns(outer, length, inner, [=](long long at, int count) WARPCELL_INLINED {
    turned_softmax<T, is_log>(x + at, y + at, count, length, 1, inner);
  });
#else
  const int steps = int(length);
  T kept[kMostOfColumn / most][most];
  each_column<most>(outer, length, inner, [&](int k, long long at) {
#pragma unroll
    for (int i = 0; i < most; i++)
      if (i < steps) kept[k][i] = x[at + i * inner];
  });
  each_column<most>(outer, length, inner, [&](int k, long long at) {
    A top = -A(1) / A(0), sum = A(0);
#pragma unroll
    for (int i = 0; i < most; i++)
      if (i < steps && widen<T>(kept[k][i]) > top) top = widen<T>(kept[k][i]);
#pragma unroll
    for (int i = 0; i < most; i++)
      if (i < steps) sum += exp_for<T>(A(widen<T>(kept[k][i])) - top);
    const A by = is_log ? fn::log(sum) : A(1) / sum;
#pragma unroll
    for (int i = 0; i < most; i++) {
      if (i >= steps) continue;
      const A less = A(widen<T>(kept[k][i])) - top;
      y[at + i * inner] = narrow<T>(is_log ? less - by : exp_for<T>(less) * by);
    }
  });
#endif
}

template <class T, bool is_log, int most>
__global__ void __launch_bounds__(kShortThreads)
    softmax_columns_gradient(const T* g, const T* y, T* out, long long outer, long long length, long long inner) {
  using A = Sum<T>;
  auto slope = [](A g, A y, A total) WARPCELL_INLINED { return is_log ? g - exp_for<T>(y) * total : y * (g - total); };
#ifdef WARPCELL_SERIAL
  each_columns(outer, length, inner, [=](long long at, int count) WARPCELL_INLINED {
    A total[kTogether] = {};
    for (long long i = at; i < at + length * inner; i += inner)
      for (int r = 0; r < count; r++) total[r] += A(widen<T>(g[i + r])) * (is_log ? A(1) : A(widen<T>(y[i + r])));
    for (long long i = at; i < at + length * inner; i += inner)
      for (int r = 0; r < count; r++) out[i + r] = narrow<T>(slope(widen<T>(g[i + r]), widen<T>(y[i + r]), total[r]));
  });
#else
  const int steps = int(length);
  T above[kMostOfColumn / most][most], kept[kMostOfColumn / most][most];
  each_column<most>(outer, length, inner, [&](int k, long long at) {
#pragma unroll
    for (int i = 0; i < most; i++)
      if (i < steps) above[k][i] = g[at + i * inner], kept[k][i] = y[at + i * inner];
  });
  each_column<most>(outer, length, inner, [&](int k, long long at) {
    A total = A(0);
#pragma unroll
    for (int i = 0; i < most; i++)
      if (i < steps) total += A(widen<T>(above[k][i])) * (is_log ? A(1) : A(widen<T>(kept[k][i])));
#pragma unroll
    for (int i = 0; i < most; i++)
      if (i < steps) out[at + i * inner] = narrow<T>(slope(widen<T>(above[k][i]), widen<T>(kept[k][i]), total));
  });
#endif
}
