// What is known of many numbers, joined of what is known of parts of them: by a thread, by a block, over blocks.
#pragma once
#include <warpcell/batches.cuh>
#include <warpcell/numbers.cuh>

namespace warpcell {

// How many numbers, their mean, and the sum of the squares of what they are off it.
template <class A>
struct Moments {
  A count, mean, squares;
};
// Chan, Golub and LeVeque, 1979.
template <class A>
__device__ inline Moments<A> joined(const Moments<A>& a, const Moments<A>& b) {
  if (b.count == A(0)) return a;
  if (a.count == A(0)) return b;
  const A count = a.count + b.count, off = b.mean - a.mean, share = b.count / count;
  return {count, a.mean + off * share, a.squares + b.squares + off * off * a.count * share};
}
// Of numbers of which `count` sums are known less `base`.
template <class A>
__device__ inline Moments<A> moments_of(A count, A base, A sum, A squares) {
  if (count == A(0)) return {A(0), A(0), A(0)};
  const A mean = sum / count, rest = squares - sum * mean;
  return {count, base + mean, rest > A(0) ? rest : A(0)};
}

template <class A>
struct Two {
  A first, second;
};
template <class A>
__device__ inline Two<A> joined(const Two<A>& a, const Two<A>& b) {
  return {a.first + b.first, a.second + b.second};
}

// The joined parts of one channel.
template <class S>
__device__ inline S all_parts(const S* parts, int count) {
  S all = S();
  for (int part = 0; part < count; part++) all = joined(all, parts[part]);
  return all;
}

#ifdef WARPCELL_SERIAL
constexpr int kSums = 16;
// The sums of f(i) for i < count, two at a time.
template <class A, class F>
inline WARPCELL_INLINED Two<A> sums_of(int count, F f) {
  A first[kSums] = {}, second[kSums] = {};
  int i = 0;
  for (; i + kSums <= count; i += kSums)
    for (int k = 0; k < kSums; k++) {
      const Two<A> each = f(i + k);
      first[k] += each.first;
      second[k] += each.second;
    }
  for (int k = 0; i < count; i++, k++) {
    const Two<A> each = f(i);
    first[k] += each.first;
    second[k] += each.second;
  }
  for (int width = kSums / 2; width > 0; width /= 2)
    for (int k = 0; k < width; k++) first[k] += first[k + width], second[k] += second[k + width];
  return {first[0], second[0]};
}
#else
template <class A>
__device__ inline Moments<A> from_lane(const Moments<A>& mine, int apart) {
  return {__shfl_xor_sync(0xffffffffu, mine.count, apart), __shfl_xor_sync(0xffffffffu, mine.mean, apart),
          __shfl_xor_sync(0xffffffffu, mine.squares, apart)};
}
template <class A>
__device__ inline Two<A> from_lane(const Two<A>& mine, int apart) {
  return {__shfl_xor_sync(0xffffffffu, mine.first, apart), __shfl_xor_sync(0xffffffffu, mine.second, apart)};
}
template <class S>
__device__ inline S warp_joined(S mine) {
  for (int apart = 16; apart > 0; apart /= 2) mine = joined(mine, from_lane(mine, apart));
  return mine;
}
// All threads' joined, for all of them; of the threads there are a multiple of 32.
template <class S>
__device__ inline S block_joined(S mine) {
  __shared__ S all[32];
  mine = warp_joined(mine);
  __syncthreads();
  if (threadIdx.x % 32 == 0) all[threadIdx.x / 32] = mine;
  __syncthreads();
  return warp_joined(threadIdx.x % 32 < blockDim.x / 32 ? all[threadIdx.x % 32] : S());
}
// The same of the parts of a channel.
template <class S>
__device__ inline S block_parts(const S* parts, int count) {
  S mine = S();
  for (int part = threadIdx.x; part < count; part += blockDim.x) mine = joined(mine, parts[part]);
  return block_joined(mine);
}
#endif

}  // namespace warpcell
