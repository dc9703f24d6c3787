// Sums, extremes and running totals over the threads of a warp or a block, for cells: right for blocks of any size and
// up to three axes, with warps that are not full, and for any T that can be copied bit by bit. Every thread of the warp
// (of the block) must call them, as for __syncwarp and __syncthreads. 16-bit floats are added in float; the order of
// operations is always the same.
#pragma once

struct __half;
struct __nv_bfloat16;

namespace warpcell {

// The thread's number in its block, as warps count: x first.
__device__ inline int thread_rank() { return int(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)); }
__device__ inline int block_threads() { return int(blockDim.x * blockDim.y * blockDim.z); }
__device__ inline int lane_rank() { return thread_rank() % 32; }
__device__ inline int warp_rank() { return thread_rank() / 32; }
__device__ inline int block_warps() { return (block_threads() + 31) / 32; }
// Threads in this warp: the last one of a block may have fewer than 32.
__device__ inline int warp_threads() {
  int left = block_threads() - warp_rank() * 32;
  return left < 32 ? left : 32;
}

namespace detail {

template <class T>
struct Accumulator {
  using type = T;
};
template <>
struct Accumulator<__half> {
  using type = float;
};
template <>
struct Accumulator<__nv_bfloat16> {
  using type = float;
};
template <class T>
using Accumulated = typename Accumulator<T>::type;

struct Plus {
  template <class T>
  __device__ inline T operator()(T a, T b) const {
    return a + b;
  }
};
// NaN wins.
struct Larger {
  template <class T>
  __device__ inline T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
};
struct Smaller {
  template <class T>
  __device__ inline T operator()(T a, T b) const {
    return a < b || a != a ? a : b;
  }
};

__device__ inline unsigned lanes(int count) { return count == 32 ? 0xffffffffu : (1u << count) - 1; }

// The value of another lane among the first `count`: in words, since shuffles know numbers only.
template <class T>
__device__ inline T from_lane(T value, int lane, int count) {
  constexpr int kWords = (sizeof(T) + 3) / 4;
  unsigned words[kWords] = {};
  memcpy(words, (const void*)&value, sizeof(T));
  for (int word = 0; word < kWords; word++) words[word] = __shfl_sync(lanes(count), words[word], lane);
  memcpy((void*)&value, words, sizeof(T));
  return value;
}

// Over the first `count` lanes, in their order. Lane 0 has the result.
template <class T, class F>
__device__ inline T fold(T value, F f, int lane, int count) {
  for (int step = 1; step < count; step *= 2) {
    T other = from_lane(value, lane + step < count ? lane + step : lane, count);
    if (lane + step < count) value = f(value, other);
  }
  return value;
}

// Each lane's value after those of the lanes before it.
template <class T, class F>
__device__ inline T run(T value, F f, int lane, int count) {
  for (int step = 1; step < count; step *= 2) {
    T other = from_lane(value, lane >= step ? lane - step : lane, count);
    if (lane >= step) value = f(other, value);
  }
  return value;
}

// Room for one T a warp, not constructed.
template <class T>
struct Room {
  alignas(T) unsigned char bytes[32 * sizeof(T)];
  __device__ inline void set(int index, const T& value) {
    memcpy(bytes + index * sizeof(T), (const void*)&value, sizeof(T));
  }
  __device__ inline T get(int index, T value) const {
    memcpy((void*)&value, bytes + index * sizeof(T), sizeof(T));
    return value;
  }
};

// What all warps up to each one make together: of `mine`, the warp's own. A room is written again only behind a barrier
// that its last readers have passed.
template <class T, class F>
struct Warps {
  T before;  // of the warps before this one; warp 0 has none
  T all;
};
template <class T, class F>
__device__ inline Warps<T, F> across_warps(T mine, F f, int lane, int owner) {
  __shared__ Room<T> parts, prefixes;
  int warp = warp_rank(), warps = block_warps();
  if (lane == owner) parts.set(warp, mine);
  __syncthreads();
  // More than one warp: the first is full.
  if (warp == 0) {
    T prefix = run(parts.get(lane < warps ? lane : 0, mine), f, lane, 32);
    if (lane < warps) prefixes.set(lane, prefix);
  }
  __syncthreads();
  return {warp > 0 ? prefixes.get(warp - 1, mine) : mine, prefixes.get(warps - 1, mine)};
}

}  // namespace detail

// f over the threads of this warp, in their order; every thread gets the result. f is associative, such as [](float a,
// float b) { return a * b; }.
template <class T, class F>
__device__ inline T warp_reduce(T value, F f) {
  int count = warp_threads();
  return detail::from_lane(detail::fold(value, f, lane_rank(), count), 0, count);
}
template <class T, class F>
__device__ inline T block_reduce(T value, F f) {
  if (block_threads() <= 32) return warp_reduce(value, f);
  int lane = lane_rank();
  return detail::across_warps(detail::fold(value, f, lane, warp_threads()), f, lane, 0).all;
}

// f over this thread and all before it in the warp.
template <class T, class F>
__device__ inline T warp_inclusive_scan(T value, F f) {
  return detail::run(value, f, lane_rank(), warp_threads());
}
// f over all threads before this one; the first gets `identity`.
template <class T, class F>
__device__ inline T warp_exclusive_scan(T value, F f, T identity) {
  int lane = lane_rank(), count = warp_threads();
  T before = detail::from_lane(detail::run(value, f, lane, count), lane > 0 ? lane - 1 : 0, count);
  return lane > 0 ? before : identity;
}

template <class T, class F>
__device__ inline T block_inclusive_scan(T value, F f) {
  int lane = lane_rank();
  T running = warp_inclusive_scan(value, f);
  if (block_threads() <= 32) return running;
  auto warps = detail::across_warps(running, f, lane, warp_threads() - 1);
  return warp_rank() > 0 ? f(warps.before, running) : running;
}
// `all` becomes f over the whole block.
template <class T, class F>
__device__ inline T block_exclusive_scan(T value, F f, T identity, T& all) {
  int lane = lane_rank(), count = warp_threads();
  T running = detail::run(value, f, lane, count);
  T before = detail::from_lane(running, lane > 0 ? lane - 1 : 0, count);
  if (block_threads() <= 32) {
    all = detail::from_lane(running, count - 1, count);
    return lane > 0 ? before : identity;
  }
  auto warps = detail::across_warps(running, f, lane, count - 1);
  all = warps.all;
  if (warp_rank() == 0) return lane > 0 ? before : identity;
  return lane > 0 ? f(warps.before, before) : warps.before;
}
template <class T, class F>
__device__ inline T block_exclusive_scan(T value, F f, T identity) {
  T all = identity;
  return block_exclusive_scan(value, f, identity, all);
}

template <class T>
__device__ inline T warp_sum(T value) {
  return T(warp_reduce(detail::Accumulated<T>(value), detail::Plus()));
}
template <class T>
__device__ inline T warp_max(T value) {
  return T(warp_reduce(detail::Accumulated<T>(value), detail::Larger()));
}
template <class T>
__device__ inline T warp_min(T value) {
  return T(warp_reduce(detail::Accumulated<T>(value), detail::Smaller()));
}
template <class T>
__device__ inline T block_sum(T value) {
  return T(block_reduce(detail::Accumulated<T>(value), detail::Plus()));
}
template <class T>
__device__ inline T block_max(T value) {
  return T(block_reduce(detail::Accumulated<T>(value), detail::Larger()));
}
template <class T>
__device__ inline T block_min(T value) {
  return T(block_reduce(detail::Accumulated<T>(value), detail::Smaller()));
}
template <class T>
__device__ inline T warp_inclusive_sum(T value) {
  return T(warp_inclusive_scan(detail::Accumulated<T>(value), detail::Plus()));
}
template <class T>
__device__ inline T warp_exclusive_sum(T value) {
  return T(warp_exclusive_scan(detail::Accumulated<T>(value), detail::Plus(), detail::Accumulated<T>(0)));
}
template <class T>
__device__ inline T block_inclusive_sum(T value) {
  return T(block_inclusive_scan(detail::Accumulated<T>(value), detail::Plus()));
}
template <class T>
__device__ inline T block_exclusive_sum(T value) {
  return T(block_exclusive_scan(detail::Accumulated<T>(value), detail::Plus(), detail::Accumulated<T>(0)));
}
template <class T>
__device__ inline T block_exclusive_sum(T value, T& all) {
  detail::Accumulated<T> total(0);
  T before = T(block_exclusive_scan(detail::Accumulated<T>(value), detail::Plus(), detail::Accumulated<T>(0), total));
  all = T(total);
  return before;
}

}  // namespace warpcell
