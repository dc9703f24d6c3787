// Digits of keys, eight bits each, and on a GPU the places that keys of a warp or a block get by one digit.
#pragma once
#include "order.cuh"

namespace warpcell {

constexpr int kDigits = 256;

template <class K>
__device__ inline int digit_of(K key, int shift) {
  return int(key >> shift & 255);
}

#ifndef WARPCELL_SERIAL
// The lanes of the warp whose keys have this one's digit: a vote on each of its bits, which takes half the time of
// __match_any_sync.
template <class K>
__device__ inline unsigned peers_of(K key, int shift) {
  uint word = uint(key >> (shift & 32 & 8 * sizeof(K) - 1));
  unsigned peers = 0xffffffffu;
#pragma unroll
  for (int bit = 0; bit < 8; bit++) {
    bool is_set = word >> ((shift & 31) + bit) & 1;
    unsigned votes = __ballot_sync(0xffffffffu, is_set);
    peers &= is_set ? votes : ~votes;
  }
  return peers;
}

// The place of a key among its warp's by one digit: behind those counted so far, of which `counts` has as many for each
// digit, and the lanes before this one. All lanes call it.
template <class K>
__device__ inline uint place_in_warp(uint* counts, K key, int shift) {
  volatile uint* count = counts + digit_of(key, shift);
  const int lane = threadIdx.x % 32;
  unsigned peers = peers_of(key, shift);
  uint place = *count + __popc(peers & ((1u << lane) - 1));
  __syncwarp();
  if (peers >> lane == 1) *count = place + 1;
  __syncwarp();
  return place;
}

// The sum of the values of the threads before this one. The first kDigits threads have one, all of the block call it.
__device__ inline uint sum_before(uint value) {
  __shared__ uint totals[kDigits / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint sum = value;
#pragma unroll
  for (int delta = 1; delta < 32; delta *= 2) {
    uint other = __shfl_up_sync(0xffffffffu, sum, delta);
    if (lane >= delta) sum += other;
  }
  __syncthreads();
  if (lane == 31 && warp < kDigits / 32) totals[warp] = sum;
  __syncthreads();
#pragma unroll
  for (int w = 0; w < kDigits / 32; w++)
    if (w < warp) sum += totals[w];
  return sum - value;
}

// The compiler forgets how a value came about. What it can work out again it would else keep, in registers that there
// are not.
template <class V>
__device__ inline void forget(V& value) {
  if constexpr (sizeof(V) == 4)
    asm volatile("" : "+r"(value));
  else
    asm volatile("" : "+l"(value));
}
#endif

}  // namespace warpcell
