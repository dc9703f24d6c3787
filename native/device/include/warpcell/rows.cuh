// States of reductions along a row (reduction.cuh): one after the other in lanes on a CPU, by the threads of a warp or
// block on a GPU.
#pragma once
#include "reduction.cuh"
#include "vectors.cuh"

namespace warpcell {

// Elements that are added to lanes before the lanes are joined, on the CPU.
constexpr int kChunk = 4096;

// Joins states pairwise: roundings grow with the logarithm of their count.
template <class Op>
struct Cascade {
  typename Op::State levels[40];
  unsigned long long filled = 0;
  __device__ inline void push(typename Op::State state) {
    int level = 0;
    for (; filled >> level & 1; level++) {
      Op::merge(levels[level], state);
      state = levels[level];
    }
    levels[level] = state;
    filled += 1;  // a carry goes up to this level
  }
  __device__ inline typename Op::State total() {
    typename Op::State state = Op::start();
    for (int level = 0; filled >> level != 0; level++) {
      if (!(filled >> level & 1)) continue;
      Op::merge(levels[level], state);
      state = levels[level];
    }
    return state;
  }
};

#ifdef WARPCELL_SERIAL
// Of at(0), …, at(length − 1), in two passes that are plain sums: no division for each element. Relative to the first
// one, so that large numbers near each other stay finite.
template <class A, class At>
inline WARPCELL_INLINED Moments<A> moments(At at, long long length) {
  const A origin = A(at(0)), count = A(length);
  A sums[kLanes] = {}, rests[kLanes] = {}, squares[kLanes] = {};
  auto each = [&](auto join) WARPCELL_INLINED {
    long long i = 0;
    for (; i + kLanes <= length; i += kLanes) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
      for (int k = 0; k < kLanes; k++) join(k, A(at(i + k)) - origin);
    }
    for (int k = 0; i < length; i++, k++) join(k, A(at(i)) - origin);
  };
  auto total = [](A(&lanes)[kLanes]) {
    for (int width = kLanes / 2; width > 0; width /= 2)
      for (int k = 0; k < width; k++) lanes[k] += lanes[k + width];
    return lanes[0];
  };
  each([&](int k, A d) WARPCELL_INLINED { sums[k] += d; });
  const A mean = total(sums) / count;
  each([&](int k, A d) WARPCELL_INLINED {
    rests[k] += d - mean;
    squares[k] += (d - mean) * (d - mean);
  });
  const A left = total(rests) / count, found = total(squares) - left * left * count;
  return {count, origin + mean + left, found > A(0) || found != found ? found : A(0)};
}

// How elements join where one after the other would be no vectors: at most kChunk of them, so that each pass after the
// first finds them in the cache.
template <class Op>
struct Chunk {
  static constexpr bool is_special = false;
};
template <class T>
struct Chunk<VarOf<T>> {
  static constexpr bool is_special = true;
  template <class At>
  static inline WARPCELL_INLINED Moments<Sum<T>> of(At at, long long length, long long) {
    return moments<Sum<T>>(at, length);
  }
};
template <class T>
struct Chunk<StdOf<T>> : Chunk<VarOf<T>> {};

// NaN, where there is one, is the largest and the smallest.
template <class Op>
struct ChunkOfExtremes {
  static constexpr bool is_special = true;
  template <class At>
  static inline WARPCELL_INLINED typename Op::State of(At at, long long length, long long) {
    const auto found = joined<Op>(at, length);
    if constexpr (minds_nan<Op>) return found.has_nan ? Op::start() - Op::start() : found.state;
    return found.state;
  }
};
template <class T>
struct Chunk<MaxOf<T>> : ChunkOfExtremes<MaxOf<T>> {};
template <class T>
struct Chunk<MinOf<T>> : ChunkOfExtremes<MinOf<T>> {};

// Bits join in any order: a plain loop is vectors.
template <class Op>
struct ChunkOfBits {
  static constexpr bool is_special = true;
  template <class At>
  static WARPCELL_INLINED inline int of(At at, long long length, long long index) {
    int state = Op::start();
    for (long long i = 0; i < length; i++) Op::add(state, at(i), index);
    return state;
  }
};
template <class T>
struct Chunk<AnyOf<T>> : ChunkOfBits<AnyOf<T>> {};
template <class T>
struct Chunk<AllOf<T>> : ChunkOfBits<AllOf<T>> {};

// One e^x for each element, relative to the largest.
template <class T>
struct Chunk<LogSumExpOf<T>> {
  static constexpr bool is_special = true;
  using Op = LogSumExpOf<T>;
  using A = Sum<T>;
  template <class At>
  static inline WARPCELL_INLINED Exponentials<A> of(At at, long long length, long long) {
    A lanes[kLanes];
    auto each = [&](auto join) WARPCELL_INLINED {
      long long i = 0;
      for (; i + kLanes <= length; i += kLanes) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
        for (int k = 0; k < kLanes; k++) join(k, A(at(i + k)));
      }
      for (int k = 0; i < length; i++, k++) join(k, A(at(i)));
    };
    for (int k = 0; k < kLanes; k++) lanes[k] = Least<A>::value();
    each([&](int k, A x) WARPCELL_INLINED { lanes[k] = x > lanes[k] ? x : lanes[k]; });
    A most = lanes[0];
    for (int k = 1; k < kLanes; k++) most = lanes[k] > most ? lanes[k] : most;
    if (most - most != A(0)) {
      // Infinities, or nothing that is ordered.
      Exponentials<A> state = Op::start();
      for (long long i = 0; i < length; i++) Op::add(state, at(i), i);
      return state;
    }
    for (int k = 0; k < kLanes; k++) lanes[k] = A(0);
    each([&](int k, A x) WARPCELL_INLINED { lanes[k] += fn::exp(x - most); });
    for (int width = kLanes / 2; width > 0; width /= 2)
      for (int k = 0; k < width; k++) lanes[k] += lanes[k + width];
    return {most, lanes[0]};
  }
};

// The state of kChunk elements at most, and not fewer than kLanes.
template <class Op, class At>
inline WARPCELL_INLINED typename Op::State chunk(At at, long long length, long long index) {
  if constexpr (Chunk<Op>::is_special) {
    return Chunk<Op>::of(at, length, index);
  } else if constexpr (Lane<Op>::is_known) {
    return typename Op::State(joined<Op>(at, length).state);
  } else {
    typename Op::State lanes[kLanes];
    for (int k = 0; k < kLanes; k++) lanes[k] = Op::start();
    long long i = 0;
    for (; i + kLanes <= length; i += kLanes) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
      for (int k = 0; k < kLanes; k++) Op::add(lanes[k], at(i + k), index + i + k);
    }
    for (int k = 0; i < length; i++, k++) Op::add(lanes[k], at(i), index + i);
    for (int width = kLanes / 2; width > 0; width /= 2)
      for (int k = 0; k < width; k++) Op::merge(lanes[k], lanes[k + width]);
    return lanes[0];
  }
}

// The place of the largest (smallest), of kLanes elements or more: the first chunk that has it is found first, by
// extremes alone, and then where in it.
template <class Op, class At>
inline WARPCELL_INLINED typename Op::State first_extreme(At at, long long length, long long index) {
  using Extreme = typename Places<Op>::Extreme;
  using W = typename Extreme::State;
  W best = Extreme::start();
  bool has_nan = false;
  long long i = 0, end = length;
  for (long long first = 0; first < length && !has_nan; first += kChunk) {
    const long long steps = length - first < kChunk ? length - first : kChunk;
    const auto found = joined<Extreme>([=](long long i) WARPCELL_INLINED { return at(first + i); }, steps);
    has_nan = found.has_nan;
    if (first > 0 && !has_nan && !(Places<Op>::largest ? found.state > best : found.state < best)) continue;
    best = found.state;
    i = first;
    end = first + steps;
  }
  for (; i + kLanes <= end; i += kLanes) {
    Marks<W> found = {};
    each_vector<W>([&](int k) WARPCELL_INLINED { return at(i + k); },
                   [&](int, const Vector<W>& x) WARPCELL_INLINED { found |= has_nan ? x != x : x == best; });
    if (is_any(found)) break;
  }
  while (has_nan ? !(at(i) != at(i)) : at(i) != best) i++;
  return {at(i), index + i};
}

// The state of at(0), …, at(length − 1), on the CPU; `index` is what the first counts as.
template <class Op, class At>
inline WARPCELL_INLINED typename Op::State line(At at, long long length, long long index) {
  if (length < kLanes) {
    typename Op::State state = Op::start();
    for (long long i = 0; i < length; i++) Op::add(state, at(i), index + i);
    return state;
  }
  if constexpr (Places<Op>::is_one) return first_extreme<Op>(at, length, index);
  if (length <= kChunk) return chunk<Op>(at, length, index);
  Cascade<Op> cascade;
  for (long long first = 0; first < length; first += kChunk) {
    const long long steps = length - first < kChunk ? length - first : kChunk;
    cascade.push(chunk<Op>([=](long long i) { return at(first + i); }, steps, index + first));
  }
  return cascade.total();
}

#else
template <class State>
__device__ inline State shuffled_down(State state, int delta) {
  State other;
  constexpr int kWords = sizeof(State) / 4;
#pragma unroll
  for (int w = 0; w < kWords; w++)
    ((unsigned*)&other)[w] = __shfl_down_sync(0xffffffffu, ((const unsigned*)&state)[w], delta);
  return other;
}

// The state of all threads of a block, in thread 0. `blockDim.x` is a multiple of 32.
template <class Op>
__device__ inline typename Op::State block_total(typename Op::State state) {
  using State = typename Op::State;
  __shared__ __align__(16) char memory[32 * sizeof(State)];
  State* states = (State*)memory;
#pragma unroll
  for (int delta = 16; delta > 0; delta /= 2) Op::merge(state, shuffled_down(state, delta));
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  if (warps == 1) return state;
  if (lane == 0) states[warp] = state;
  __syncthreads();
  if (warp == 0) {
    state = lane < warps ? states[lane] : Op::start();
#pragma unroll
    for (int delta = 16; delta > 0; delta /= 2) Op::merge(state, shuffled_down(state, delta));
  }
  return state;
}

#endif

}  // namespace warpcell
