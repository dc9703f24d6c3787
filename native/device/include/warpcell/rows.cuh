// States of reductions along a row (reduction.cuh): one after the other in lanes on a CPU, by the threads of a warp or
// block on a GPU.
#pragma once
#include "reduction.cuh"

namespace warpcell {

// States that lie side by side while elements are added: fewer roundings in a row, and vectors for a processor.
constexpr int kLanes = 32;
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

// The largest (smallest) first, then where it is.
template <class T, bool largest>
struct Chunk<ArgOf<T, largest>> {
  static constexpr bool is_special = true;
  using W = Wide<T>;
  template <class At>
  static inline WARPCELL_INLINED Best<W> of(At at, long long length, long long index) {
    const W none = ArgOf<T, largest>::start().value;
    W lanes[kLanes];
    int unordered[kLanes] = {};
    for (int k = 0; k < kLanes; k++) lanes[k] = none;
    auto join = [&](int k, W x) WARPCELL_INLINED {
      lanes[k] = (largest ? x > lanes[k] : x < lanes[k]) ? x : lanes[k];
      unordered[k] |= x != x;
    };
    long long i = 0;
    for (; i + kLanes <= length; i += kLanes) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
      for (int k = 0; k < kLanes; k++) join(k, at(i + k));
    }
    for (int k = 0; i < length; i++, k++) join(k, at(i));
    W best = none;
    int any = 0;
    for (int k = 0; k < kLanes; k++) {
      best = (largest ? lanes[k] > best : lanes[k] < best) ? lanes[k] : best;
      any |= unordered[k];
    }
    for (i = 0; any ? !(at(i) != at(i)) : at(i) != best;) i++;
    return {at(i), index + i};
  }
};

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

// The state of at(0), …, at(length − 1), on the CPU; `index` is what the first counts as.
template <class Op, class At>
inline WARPCELL_INLINED typename Op::State line(At at, long long length, long long index) {
  if (length < kLanes) {
    typename Op::State state = Op::start();
    for (long long i = 0; i < length; i++) Op::add(state, at(i), index + i);
    return state;
  }
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
