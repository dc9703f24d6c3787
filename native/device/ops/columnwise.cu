// Functions of short columns of [outer, length, inner], and their gradients: softmax along an axis before the last.
#include <warpcell/softmax.cuh>

using namespace warpcell;

// `length` is at most kMostOfColumn: a thread of a GPU has its columns in registers, kMostOfColumn elements, and
// neighbouring threads read and write neighbours, in packs where columns begin at packs.
constexpr int kMostOfColumn = 32, kFewOfColumn = 8, kLeastOfColumn = 4;

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
// Where the columns of this thread begin, kMostOfColumn / `most` of them: `beside` neighbours at a time.
template <class T, int most>
struct ThreadColumns {
  static constexpr int widest = kPackBytes / sizeof(T), count = kMostOfColumn / most,
                       beside = count < widest ? count : widest;
  using Elements = T[count][most];
  long long first[count], step;  // below 0: there is none
  int length;
  bool has_packs;

  // `places`: of all arrays, whose bits tell whether every one begins at a pack.
  __device__ inline ThreadColumns(unsigned long long places, long long outer, long long length, long long inner)
      : step(inner),
        length(int(length)),
        has_packs(beside > 1 && inner % beside == 0 && places % (beside * sizeof(T)) == 0) {
    const long long columns = outer * inner, block = (long long)blockIdx.x * count * blockDim.x;
#pragma unroll
    for (int k = 0; k < count; k++) {
      const int pack = (k / beside * blockDim.x + threadIdx.x) * beside + k % beside;
      const long long column = block + (has_packs ? pack : int(k * blockDim.x + threadIdx.x));
      const long long o = columns >> 31 == 0 ? (long long)(unsigned(column) / unsigned(inner)) : column / inner;
      first[k] = column < columns ? column + o * (length - 1) * inner : -1;
    }
  }
  __device__ inline void load(const T* x, Elements& element) const {
#pragma unroll
    for (int i = 0; i < most; i++) {
      if (i >= length) continue;
      if (beside > 1 && has_packs) {
#pragma unroll
        for (int k = 0; k < count; k += beside) {
          if (first[k] < 0) continue;
          const Pack<T, beside> pack = *(const Pack<T, beside>*)(x + first[k] + i * step);
#pragma unroll
          for (int e = 0; e < beside; e++) element[k + e][i] = pack.element[e];
        }
      } else {
#pragma unroll
        for (int k = 0; k < count; k++)
          if (first[k] >= 0) element[k][i] = x[first[k] + i * step];
      }
    }
  }
  __device__ inline void store(T* y, const Elements& element) const {
#pragma unroll
    for (int i = 0; i < most; i++) {
      if (i >= length) continue;
      if (beside > 1 && has_packs) {
#pragma unroll
        for (int k = 0; k < count; k += beside) {
          if (first[k] < 0) continue;
          Pack<T, beside> pack;
#pragma unroll
          for (int e = 0; e < beside; e++) pack.element[e] = element[k + e][i];
          *(Pack<T, beside>*)(y + first[k] + i * step) = pack;
        }
      } else {
#pragma unroll
        for (int k = 0; k < count; k++)
          if (first[k] >= 0) y[first[k] + i * step] = element[k][i];
      }
    }
  }
};
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
  const ThreadColumns<T, most> mine((unsigned long long)x | (unsigned long long)y, outer, length, inner);
  const int steps = mine.length;
  typename ThreadColumns<T, most>::Elements element;
  mine.load(x, element);
#pragma unroll
  for (int k = 0; k < mine.count; k++) {
    T(&column)[most] = element[k];
    A top = -A(1) / A(0), sum = A(0);
#pragma unroll
    for (int i = 0; i < most; i++)
      if (i < steps && widen<T>(column[i]) > top) top = widen<T>(column[i]);
#pragma unroll
    for (int i = 0; i < most; i++)
      if (i < steps) sum += exp_for<T>(A(widen<T>(column[i])) - top);
    const A by = is_log ? fn::log(sum) : A(1) / sum;
#pragma unroll
    for (int i = 0; i < most; i++) {
      if (i >= steps) continue;
      const A less = A(widen<T>(column[i])) - top;
      column[i] = narrow<T>(is_log ? less - by : exp_for<T>(less) * by);
    }
  }
  mine.store(y, element);
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
  const ThreadColumns<T, most> mine((unsigned long long)g | (unsigned long long)y | (unsigned long long)out, outer,
                                    length, inner);
  const int steps = mine.length;
  typename ThreadColumns<T, most>::Elements above, element;
  mine.load(g, above);
  mine.load(y, element);
#pragma unroll
  for (int k = 0; k < mine.count; k++) {
    A total = A(0);
#pragma unroll
    for (int i = 0; i < most; i++)
      if (i < steps) total += A(widen<T>(above[k][i])) * (is_log ? A(1) : A(widen<T>(element[k][i])));
#pragma unroll
    for (int i = 0; i < most; i++)
      if (i < steps) element[k][i] = narrow<T>(slope(widen<T>(above[k][i]), widen<T>(element[k][i]), total));
  }
  mine.store(out, element);
#endif
}
