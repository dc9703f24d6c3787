// One row of a matrix as the work of one block: sums and maxima over it, and a result per element. On a GPU the row is read once and kept in registers where it
// fits, 16 bytes a load; on a CPU one thread goes along it, in its cache.
#pragma once
#include "map.cuh"
#include "math.cuh"

namespace warpcell {

struct Rows { long long begin, end, step; };
// Conditions that a template is compiled for.
struct Yes { static constexpr bool value = true; constexpr operator bool() const { return value; } };
struct No { static constexpr bool value = false; constexpr operator bool() const { return value; } };

#ifdef WARPCELL_CPU

// Only then do a loop and what it calls become vectors together.
#define WARPCELL_ALWAYS inline __attribute__((always_inline))

// Sums that lie side by side, for vectors, and elements that are added to them before they are joined.
constexpr int kSideBySide = 64;
constexpr long long kJoined = 8192;

struct Line {
  long long length;
  template <class T> struct Kept {
    const T* first;
    inline Wide<T> operator()(long long at) const { return widen<T>(first[at]); }
  };
  template <class T> inline Kept<T> keep(const T* row) const { return {row}; }
  static inline long long index(long long at) { return at; }
  // Σ f(at).
  template <class A, class F> WARPCELL_ALWAYS A sum(F f) const {
    A total = A(0);
    for (long long first = 0; first < length; first += kJoined) {
      long long end = length - first < kJoined ? length : first + kJoined, i = first;
      A sums[kSideBySide];
      for (int k = 0; k < kSideBySide; k++) sums[k] = A(0);
      for (; i + kSideBySide <= end; i += kSideBySide) {
#pragma GCC ivdep
        for (int k = 0; k < kSideBySide; k++) sums[k] += f(i + k);
      }
      for (int k = 0; i < end; i++, k++) sums[k] += f(i);
      for (int width = kSideBySide / 2; width > 0; width /= 2) for (int k = 0; k < width; k++) sums[k] += sums[k + width];
      total += sums[0];
    }
    return total;
  }
  // The largest f(at); NaN is passed over.
  template <class A, class F> WARPCELL_ALWAYS A most(F f) const {
    A most[kSideBySide];
    for (int k = 0; k < kSideBySide; k++) most[k] = -A(1) / A(0);
    long long i = 0;
    for (; i + kSideBySide <= length; i += kSideBySide) {
#pragma GCC ivdep
      for (int k = 0; k < kSideBySide; k++) {
        A x = f(i + k);
        most[k] = fn::pick(x > most[k], x, most[k]);
      }
    }
    for (int k = 0; i < length; i++, k++) if (f(i) > most[k]) most[k] = f(i);
    for (int k = 1; k < kSideBySide; k++) if (most[k] > most[0]) most[0] = most[k];
    return most[0];
  }
  template <class Out, class F> WARPCELL_ALWAYS void store(Out* out, F f) const {
#pragma GCC ivdep
    for (long long i = 0; i < length; i++) out[i] = narrow<Out>(f(i));
  }
  // A sum per element over the rows of this block, in `sums`.
  template <class A> struct Totals {
    A* sums;
    template <class F> WARPCELL_ALWAYS void add(const Line& line, F f) {
#pragma GCC ivdep
      for (long long i = 0; i < line.length; i++) sums[i] += f(i);
    }
    inline void finish(const Line&) {}
  };
  template <class A> inline Totals<A> totals(A* sums) const {
    for (long long i = 0; i < length; i++) sums[i] = A(0);
    return {sums};
  }
};

template <class T, int K, class Body, class... Pointers> inline void along(long long length, Body body, const Pointers*...) { body(Line{length}); }

// The rows of this block.
inline Rows block_rows(long long rows) {
  long long share = (rows + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * share;
  return {begin, begin + share < rows ? begin + share : rows, 1};
}
inline bool is_first_thread() { return true; }
#undef WARPCELL_ALWAYS

#else

template <class A, class Join> __device__ inline A across_block(A value, Join join) {
  __shared__ A values[32];
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) value = join(value, __shfl_xor_sync(0xffffffffu, value, mask));
  int warps = blockDim.x / 32;
  if (warps == 1) return value;
  __syncthreads();
  if (threadIdx.x % 32 == 0) values[threadIdx.x / 32] = value;
  __syncthreads();
  value = values[0];
  for (int warp = 1; warp < warps; warp++) value = join(value, values[warp]);
  return value;
}

struct Spot { int pack, element; long long at; };

// A row of at most K packs of W elements a thread.
template <int W, int K> struct KeptLine {
  long long length;
  template <class T> struct Kept {
    Pack<T, W> packs[K];
    __device__ inline Wide<T> operator()(const Spot& spot) const { return widen<T>(packs[spot.pack].element[spot.element]); }
  };
  template <class T> __device__ inline Kept<T> keep(const T* row) const {
    Kept<T> kept;
    int packs = int(length / W);
#pragma unroll
    for (int k = 0; k < K; k++) {
      int at = k * blockDim.x + threadIdx.x;
      if (at < packs) kept.packs[k] = ((const Pack<T, W>*)row)[at];
    }
    return kept;
  }
  static __device__ inline long long index(const Spot& spot) { return spot.at; }
  template <class F> __device__ inline void each(F f) const {
    int packs = int(length / W);
#pragma unroll
    for (int k = 0; k < K; k++) {
      int at = k * blockDim.x + threadIdx.x;
      if (at < packs) {
#pragma unroll
        for (int e = 0; e < W; e++) f(Spot{k, e, (long long)at * W + e});
      }
    }
  }
  template <class A, class F> __device__ inline A sum(F f) const {
    A total = A(0);
    each([&](const Spot& spot) { total += f(spot); });
    return across_block(total, [](A a, A b) { return a + b; });
  }
  template <class A, class F> __device__ inline A most(F f) const {
    A most = -A(1) / A(0);
    each([&](const Spot& spot) { A x = f(spot); most = x > most ? x : most; });
    return across_block(most, [](A a, A b) { return a > b ? a : b; });
  }
  template <class Out, class F> __device__ inline void store(Out* out, F f) const {
    int packs = int(length / W);
#pragma unroll
    for (int k = 0; k < K; k++) {
      int at = k * blockDim.x + threadIdx.x;
      if (at < packs) {
        Pack<Out, W> result;
#pragma unroll
        for (int e = 0; e < W; e++) result.element[e] = narrow<Out>(f(Spot{k, e, (long long)at * W + e}));
        ((Pack<Out, W>*)out)[at] = result;
      }
    }
  }
  // A sum per element over the rows of this block, written to `sums` at the end.
  template <class A> struct Totals {
    A kept[K * W];
    A* sums;
    template <class F> __device__ inline void add(const KeptLine& line, F f) {
      line.each([&](const Spot& spot) { kept[spot.pack * W + spot.element] += f(spot); });
    }
    __device__ inline void finish(const KeptLine& line) {
      line.each([&](const Spot& spot) { sums[spot.at] = kept[spot.pack * W + spot.element]; });
    }
  };
  template <class A> __device__ inline Totals<A> totals(A* sums) const {
    Totals<A> totals;
#pragma unroll
    for (int i = 0; i < K * W; i++) totals.kept[i] = A(0);
    totals.sums = sums;
    return totals;
  }
};

// A row of any length, read anew by each pass.
struct LongLine {
  long long length;
  template <class T> struct Kept {
    const T* first;
    __device__ inline Wide<T> operator()(long long at) const { return widen<T>(first[at]); }
  };
  template <class T> __device__ inline Kept<T> keep(const T* row) const { return {row}; }
  static __device__ inline long long index(long long at) { return at; }
  template <class F> __device__ inline void each(F f) const {
    for (long long i = threadIdx.x; i < length; i += blockDim.x) f(i);
  }
  template <class A, class F> __device__ inline A sum(F f) const {
    // Four sums side by side, so that roundings do not pile up along one.
    A sums[4] = {A(0), A(0), A(0), A(0)};
    long long i = threadIdx.x, step = blockDim.x;
    for (; i + 3 * step < length; i += 4 * step) {
#pragma unroll
      for (int k = 0; k < 4; k++) sums[k] += f(i + k * step);
    }
    for (; i < length; i += step) sums[0] += f(i);
    return across_block((sums[0] + sums[1]) + (sums[2] + sums[3]), [](A a, A b) { return a + b; });
  }
  template <class A, class F> __device__ inline A most(F f) const {
    A most = -A(1) / A(0);
    each([&](long long i) { A x = f(i); most = x > most ? x : most; });
    return across_block(most, [](A a, A b) { return a > b ? a : b; });
  }
  template <class Out, class F> __device__ inline void store(Out* out, F f) const {
    each([&](long long i) { out[i] = narrow<Out>(f(i)); });
  }
  // Each thread has its own elements, in `sums`.
  template <class A> struct Totals {
    A* sums;
    template <class F> __device__ inline void add(const LongLine& line, F f) { line.each([&](long long i) { sums[i] += f(i); }); }
    __device__ inline void finish(const LongLine&) {}
  };
  template <class A> __device__ inline Totals<A> totals(A* sums) const {
    each([&](long long i) { sums[i] = A(0); });
    return {sums};
  }
};

// Calls `body` with the line for rows of `length` that start at multiples of it from the pointers; a thread keeps K packs of each.
template <class T, int K, class Body, class... Pointers> __device__ inline void along(long long length, Body body, const Pointers*... pointers) {
  constexpr int W = 16 / sizeof(T);
  bool is_aligned = length % W == 0 && (((unsigned long long)pointers % 16 == 0) && ...);
  if (is_aligned && length <= (long long)W * K * blockDim.x) body(KeptLine<W, K>{length});
  else if (length <= (long long)K * blockDim.x) body(KeptLine<1, K>{length});
  else body(LongLine{length});
}

// The rows of this block.
__device__ inline Rows block_rows(long long rows) { return {(long long)blockIdx.x, rows, (long long)gridDim.x}; }
__device__ inline bool is_first_thread() { return threadIdx.x == 0; }

#endif

}  // namespace warpcell
