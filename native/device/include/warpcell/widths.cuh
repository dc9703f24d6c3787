// How many neighbours a thread of a GPU brings at a time, by where they lie.
#pragma once
#include <warpcell/batches.cuh>

namespace warpcell {

template <int width, class T, int N>
__device__ inline bool are_aligned(const T* const (&from)[N]) {
  unsigned long long all = 0;
  for (int n = 0; n < N; n++) all |= (unsigned long long)from[n];
  return all % (sizeof(T) * width) == 0;
}

template <int W>
struct Width {
  static constexpr int value = W;
};
// Calls f with as many neighbours of runs of `elements` as lie in whole packs: of 16 bytes, of half as many, or one.
template <class T, int N, class F>
__device__ inline void with_width(long long elements, const T* const (&from)[N], F f) {
  constexpr int W = kPackBytes / sizeof(T);
  if (elements % W == 0 && are_aligned<W>(from)) return f(Width<W>());
  if constexpr (W > 2) {
    if (elements % (W / 2) == 0 && are_aligned<W / 2>(from)) return f(Width<W / 2>());
  }
  f(Width<1>());
}

}  // namespace warpcell
