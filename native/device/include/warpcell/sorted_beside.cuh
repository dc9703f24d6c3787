// Rows that are sorted side by side, as lanes of vectors, on the CPU.
#pragma once
#include "order.cuh"

namespace warpcell {
// Rows at a time, and the fewest that are worth it; the longest that the caches next to a core have room for.
constexpr int kBeside = 8, kFewBeside = 3, kMostBeside = 1024;
}  // namespace warpcell

#ifdef WARPCELL_SERIAL

namespace warpcell {

// Of four rows an element each: the key, and behind it the position, so that none are equal.
using Items = long long __attribute__((vector_size(32)));

// Calls exchange(i, j), i < j, for pairs whose elements are to be in order, by which any `length` of them are sorted
// (Batcher's merge exchange: Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M).
template <class Exchange>
inline WARPCELL_INLINED void merge_exchange(int length, Exchange exchange) {
  int top = 1;
  while (2 * top < length) top *= 2;
  for (int p = top; p > 0; p /= 2)
    for (int q = top, r = 0, d = p;; d = q - p, q /= 2, r = p) {
      for (int first = r; first < length - d; first += 2 * p)
        for (int i = first; i < first + p && i < length - d; i++) exchange(i, i + d);
      if (q == p) break;
    }
}

// `count` rows of 32-bit keys, kBeside at most, in `scratch`: kBeside cells of 64 bits for each element of one.
template <class T>
inline void sort_few(const T* in, T* values, long long* indices, uint* scratch, int count, int length, int descending) {
  constexpr int kVectors = kBeside * sizeof(long long) / sizeof(Items);
  constexpr uint64 kSign = 1ULL << 63;  // comparisons are of signed numbers
  long long* cells = (long long*)scratch;
  Items(*tile)[kVectors] = (Items(*)[kVectors])scratch;
  for (int r = 0; r < kBeside; r++) {
    const T* x = in + (long long)(r < count ? r : 0) * length;
    for (int i = 0; i < length; i++)
      cells[i * kBeside + r] = (long long)((uint64(sort_key(x[i], descending)) << 32 | uint64(i)) ^ kSign);
  }
  merge_exchange(length, [&](int i, int j) WARPCELL_INLINED {
    for (int v = 0; v < kVectors; v++) {
      const Items a = tile[i][v], b = tile[j][v];
      const auto is_behind = a > b;
      tile[i][v] = is_behind ? b : a;
      tile[j][v] = is_behind ? a : b;
    }
  });
  for (int r = 0; r < count; r++) {
    const T* x = in + (long long)r * length;
    long long* places = indices + (long long)r * length;
    for (int i = 0; i < length; i++) places[i] = (long long)uint(cells[i * kBeside + r]);
    if (values != nullptr)
      for (int i = 0; i < length; i++) values[(long long)r * length + i] = x[places[i]];
  }
}

// Rows `row` … `end` − 1 as above, unless they are too long; returns the first that is left.
template <class T>
inline long long sort_beside(const T* in, T* values, long long* indices, uint* scratch, long long row, long long end,
                             long long length, int descending) {
  if (length > kMostBeside) return row;
  while (end - row >= kFewBeside) {
    const int here = end - row < kBeside ? int(end - row) : kBeside;
    const long long first = row * length;
    sort_few(in + first, values == nullptr ? nullptr : values + first, indices + first, scratch, here, int(length),
             descending);
    row += here;
  }
  return row;
}

}  // namespace warpcell
#endif
