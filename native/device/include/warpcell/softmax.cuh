// What softmax of rows and of columns share: powers of e, and on the CPU lines that are shorter than vectors.
#pragma once
#include "line.cuh"

namespace warpcell {

// e^x for what becomes a T: of 16 bits it shows no error below 2⁻¹², and |x| · 2⁻²⁴ is one for any x that does not give
// 0.
template <class T, class A>
__device__ inline A exp_for(A x) {
#ifndef WARPCELL_SERIAL
  if constexpr (sizeof(T) == 2) return __expf(x);
#endif
  return fn::exp(x);
}

#ifdef WARPCELL_SERIAL
// Rows that are shorter than a few vectors are columns of a tile while they are worked on.
constexpr int kShortLine = 32;
constexpr int kTogether = 64;

// Of `count` lines, kTogether at most, that begin `next` apart; the elements of each are `step` apart.
template <class T, bool is_log>
inline WARPCELL_INLINED void turned_softmax(const T* x, T* y, int count, long long length, long long next,
                                            long long step) {
  using A = Sum<T>;
  A tile[kShortLine][kTogether], most[kTogether], sum[kTogether];
  for (int i = 0; i < length; i++)
    for (int r = 0; r < count; r++) tile[i][r] = widen<T>(x[r * next + i * step]);
  for (int r = 0; r < kTogether; r++) most[r] = -A(1) / A(0), sum[r] = A(0);
  for (int i = 0; i < length; i++)
    for (int r = 0; r < count; r++) most[r] = fn::pick(tile[i][r] > most[r], tile[i][r], most[r]);
  for (int i = 0; i < length; i++)
    for (int r = 0; r < count; r++) {
      const A less = tile[i][r] - most[r], power = fn::exp(less);
      sum[r] += power;
      tile[i][r] = is_log ? less : power;
    }
  for (int r = 0; r < count; r++) sum[r] = is_log ? fn::log(sum[r]) : A(1) / sum[r];
  for (int i = 0; i < length; i++)
    for (int r = 0; r < count; r++)
      y[r * next + i * step] = narrow<T>(is_log ? tile[i][r] - sum[r] : tile[i][r] * sum[r]);
}
#endif

}  // namespace warpcell
