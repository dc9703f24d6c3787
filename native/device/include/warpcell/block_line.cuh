// The row of line.cuh on a GPU: read once, 16 bytes a load, and kept in registers where it fits; a longer one is read
// by every pass.
#pragma once
#include "map.cuh"
#include "math.cuh"

namespace warpcell {

__device__ inline float other_lane(float value, int mask) { return __shfl_xor_sync(0xffffffffu, value, mask); }
__device__ inline double other_lane(double value, int mask) { return __shfl_xor_sync(0xffffffffu, value, mask); }
template <class A>
__device__ inline Two<A> other_lane(Two<A> value, int mask) {
  return {other_lane(value.first, mask), other_lane(value.second, mask)};
}

struct Plus {
  template <class A>
  static __device__ inline A join(A a, A b) {
    return a + b;
  }
  template <class A>
  static __device__ inline Two<A> join(Two<A> a, Two<A> b) {
    return {a.first + b.first, a.second + b.second};
  }
};
struct Larger {
  template <class A>
  static __device__ inline A join(A a, A b) {
    return a > b ? a : b;
  }
};

template <class Join, class A>
__device__ inline A across_warp(A value) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) value = Join::join(value, other_lane(value, mask));
  return value;
}
// The values of all threads joined, in each of them. Calls take turns with two places in shared memory (`turn`), so
// that one barrier is enough.
template <class Join, class A>
__device__ inline A across_block(A value, A none, int& turn) {
  __shared__ alignas(16) char memory[2][32 * sizeof(A)];
  value = across_warp<Join>(value);
  int warps = blockDim.x / 32, lane = threadIdx.x % 32;
  if (warps == 1) return value;
  A* values = (A*)memory[turn];
  turn ^= 1;
  if (lane == 0) values[threadIdx.x / 32] = value;
  __syncthreads();
  return across_warp<Join>(lane < warps ? values[lane] : none);
}

// What an operand has at one pack of W elements, of which `[e]` is one.
template <class T, int W, bool is_paired = sizeof(T) == 2 && W == 8>
struct PackPart {
  Pack<T, W> pack;
  __device__ inline Wide<T> operator[](int e) const { return widen<T>(pack.element[e]); }
};
// Of 16 bits two stay in a register, where each would have one of its own.
template <class T>
struct PackPart<T, 8, true> {
  uint4 words;
  __device__ inline float operator[](int e) const {
    const uint word = e < 2 ? words.x : e < 4 ? words.y : e < 6 ? words.z : words.w;
    return e % 2 == 0 ? low_float<T>(word) : high_float<T>(word);
  }
};
template <class T, int W>
__device__ inline PackPart<T, W> part_at(const T* row, long long at) {
  return ((const PackPart<T, W>*)row)[at];
}
struct OnePart {
  __device__ inline float operator[](int) const { return 1; }
};
struct IndexPart {
  long long first;
  __device__ inline long long operator[](int e) const { return first + e; }
};
template <class A>
struct ValuePart {
  const A* values;
  __device__ inline A operator[](int e) const { return values[e]; }
};

// A row of which each thread has at most K packs. `part(k, at)`: an operand's elements of the thread's pack k, which is
// pack `at` of the row.
template <class T, int W>
struct Streamed {
  const T* first;
  __device__ inline PackPart<T, W> part(int, long long at) const { return part_at<T, W>(first, at); }
};
struct Ones {
  __device__ inline OnePart part(int, long long) const { return {}; }
};
template <int W>
struct Indices {
  __device__ inline IndexPart part(int, long long at) const { return {at * W}; }
};
template <class T, int W, int K>
struct Kept {
  PackPart<T, W> packs[K];
  __device__ inline PackPart<T, W> part(int k, long long) const { return packs[k]; }
};
template <class A, int W, int K>
struct Values {
  A values[K * W];
  __device__ inline ValuePart<A> part(int k, long long) const { return {values + k * W}; }
};

template <int W, class F, class... Parts>
__device__ inline void visit(F f, const Parts&... parts) {
#pragma unroll
  for (int e = 0; e < W; e++) f(parts[e]...);
}
template <int W, class Out, class F, class... Parts>
__device__ inline void put_pack(Out* out, long long at, F f, const Parts&... parts) {
  Pack<Out, W> result;
#pragma unroll
  for (int e = 0; e < W; e++) result.element[e] = narrow<Out>(f(parts[e]...));
  ((Pack<Out, W>*)out)[at] = result;
}

// K packs a thread, in registers: no index into what is kept is known only at run time. Blocks of at most `threads`
// threads.
template <int W, int K, int threads>
struct KeptLine {
  static constexpr int most_threads = threads;
  long long length;
  mutable int turn = 0;
  __device__ inline explicit KeptLine(long long length, long long) : length(length) {}

  template <class T>
  __device__ inline Kept<T, W, K> keep(const T* row) const {
    Kept<T, W, K> kept;
    int packs = int(length / W);
#pragma unroll
    for (int k = 0; k < K; k++) {
      int at = k * blockDim.x + threadIdx.x;
      if (at < packs) kept.packs[k] = part_at<T, W>(row, at);
    }
    return kept;
  }
  template <class T>
  __device__ inline Streamed<T, W> stream(const T* row) const {
    return {row};
  }
  __device__ inline Indices<W> indices() const { return {}; }
  template <class F, class... Operands>
  __device__ inline void each(F f, const Operands&... operands) const {
    int packs = int(length / W);
#pragma unroll
    for (int k = 0; k < K; k++) {
      int at = k * blockDim.x + threadIdx.x;
      if (at < packs) visit<W>(f, operands.part(k, at)...);
    }
  }
  template <class A, class F, class... Operands>
  __device__ inline A sum(F f, const Operands&... operands) const {
    A total = A(0);
    each([&](auto... values) { total += f(values...); }, operands...);
    return across_block<Plus>(total, A(0), turn);
  }
  template <class A, class F, class G, class... Operands>
  __device__ inline Two<A> sums(F f, G g, const Operands&... operands) const {
    Two<A> total = {A(0), A(0)};
    each(
        [&](auto... values) {
          total.first += f(values...);
          total.second += g(values...);
        },
        operands...);
    return across_block<Plus>(total, Two<A>{A(0), A(0)}, turn);
  }
  template <class A, class Operand>
  __device__ inline A most(const Operand& operand) const {
    A none = -A(1) / A(0), most = none;
    each([&](A x) { most = x > most ? x : most; }, operand);
    return across_block<Larger>(most, none, turn);
  }
  template <class Out, class F, class... Operands>
  __device__ inline void store(Out* out, F f, const Operands&... operands) const {
    int packs = int(length / W);
#pragma unroll
    for (int k = 0; k < K; k++) {
      int at = k * blockDim.x + threadIdx.x;
      if (at < packs) put_pack<W>(out, at, f, operands.part(k, at)...);
    }
  }
  // A sum per element over the rows of this block, written to `sums` at the end.
  template <class A>
  struct Totals {
    Values<A, W, K> kept;
    A* sums;
    template <class F, class... Operands>
    __device__ inline void add(const KeptLine& line, F f, const Operands&... operands) {
      int packs = int(line.length / W);
#pragma unroll
      for (int k = 0; k < K; k++) {
        int at = k * blockDim.x + threadIdx.x, first = k * W;
        if (at < packs)
          visit<W>([&](auto... values) { kept.values[first++] += f(values...); }, operands.part(k, at)...);
      }
    }
    __device__ inline void finish(const KeptLine& line) {
      line.each([&](long long at, A total) { sums[at] = total; }, line.indices(), kept);
    }
  };
  template <class A>
  __device__ inline Totals<A> totals(A* sums) const {
    Totals<A> totals;
#pragma unroll
    for (int i = 0; i < K * W; i++) totals.kept.values[i] = A(0);
    totals.sums = sums;
    return totals;
  }
};

// A row of any length.
template <int W>
struct LongLine {
  static constexpr int most_threads = 1024;
  long long length;
  mutable int turn = 0;
  __device__ inline explicit LongLine(long long length, long long) : length(length) {}

  template <class T>
  __device__ inline Streamed<T, W> keep(const T* row) const {
    return {row};
  }
  template <class T>
  __device__ inline Streamed<T, W> stream(const T* row) const {
    return {row};
  }
  __device__ inline Indices<W> indices() const { return {}; }
  template <class F, class... Operands>
  __device__ inline void each(F f, const Operands&... operands) const {
    long long packs = length / W;
#pragma unroll 4
    for (long long at = threadIdx.x; at < packs; at += blockDim.x) visit<W>(f, operands.part(0, at)...);
  }
  template <class A, class F, class... Operands>
  __device__ inline A sum(F f, const Operands&... operands) const {
    // Four sums side by side, so that roundings do not pile up along one.
    A sums[4] = {A(0), A(0), A(0), A(0)};
    each(
        [&](auto... values) {
          A sum = sums[0] + f(values...);
          sums[0] = sums[1], sums[1] = sums[2], sums[2] = sums[3], sums[3] = sum;
        },
        operands...);
    return across_block<Plus>((sums[0] + sums[1]) + (sums[2] + sums[3]), A(0), turn);
  }
  template <class A, class F, class G, class... Operands>
  __device__ inline Two<A> sums(F f, G g, const Operands&... operands) const {
    return {sum<A>(f, operands...), sum<A>(g, operands...)};
  }
  template <class A, class Operand>
  __device__ inline A most(const Operand& operand) const {
    A none = -A(1) / A(0), most = none;
    each([&](A x) { most = x > most ? x : most; }, operand);
    return across_block<Larger>(most, none, turn);
  }
  template <class Out, class F, class... Operands>
  __device__ inline void store(Out* out, F f, const Operands&... operands) const {
    long long packs = length / W;
    for (long long at = threadIdx.x; at < packs; at += blockDim.x) put_pack<W>(out, at, f, operands.part(0, at)...);
  }
  // Each thread has its own elements, in `sums`.
  template <class A>
  struct Totals {
    A* sums;
    template <class F, class... Operands>
    __device__ inline void add(const LongLine& line, F f, const Operands&... operands) {
      line.each([&](long long at, auto... values) { sums[at] += f(values...); }, line.indices(), operands...);
    }
    __device__ inline void finish(const LongLine&) {}
  };
  template <class A>
  __device__ inline Totals<A> totals(A* sums) const {
    each([&](long long at) { sums[at] = A(0); }, indices());
    return {sums};
  }
};

// The lines that kernels are compiled for: in packs of 16 bytes, `each` elements a thread, or one by one, where a row
// does not start at a multiple of 16 bytes.
template <class T, int each, int threads>
using Packed = KeptLine<16 / int(sizeof(T)), each* int(sizeof(T)) / 16, threads>;
template <class T>
using PackedLong = LongLine<16 / int(sizeof(T))>;
template <class T, int each>
using Single = KeptLine<1, each, 1024>;
template <class T>
using SingleLong = LongLine<1>;

// The rows of this block.
__device__ inline Rows block_rows(long long rows) { return {(long long)blockIdx.x, rows, (long long)gridDim.x}; }
__device__ inline bool is_first_thread() { return threadIdx.x == 0; }

}  // namespace warpcell
