// What attention with a function of scores is made of, beside the text of the function (lib/nn/score-text.ts).
#pragma once
#include "../rare_functors.cuh"
#include "bend.cuh"
#include "problem.cuh"

namespace warpcell::attention {

// Element `index` of `size`, from the end where it is negative; outside, where there is none, not a number, and 0 of
// what has none.
template <class W, class T>
__device__ inline W taken(const T* from, long long index, long long size, long long step) {
  const long long at = index < 0 ? index + size : index;
  if (at >= 0 && at < size) return widen(from[at * step]);
  if constexpr (same<W, float> || same<W, double>) return W(0) / W(0);
  return W(0);
}

// Which blocks of queries look at which blocks of keys.
struct BlockLayout {
  const bool* sees;
  long long batch, head, row, column;  // steps, 0 where it is broadcast
  long long queries, keys;             // of a block

  // A GPU divides numbers of 64 bits slowly.
  static __device__ inline long long over(long long x, long long size) {
    return ((x | size) >> 32) == 0 ? (long long)(unsigned(x) / unsigned(size)) : x / size;
  }
  // Whether no query of a tile looks at a key of it.
  __device__ inline bool skips(long long b, long long h, long long query, int count, long long key, int others) const {
    const long long end_row = over(query + count - 1, queries), end_column = over(key + others - 1, keys);
    for (long long i = over(query, queries); i <= end_row; i++)
      for (long long j = over(key, keys); j <= end_column; j++)
        if (sees[b * batch + h * head + i * row + j * column]) return false;
    return true;
  }
  // Whether the tile lies in one block that is looked at.
  __device__ inline bool sees_all(long long b, long long h, long long query, int count, long long key,
                                  int others) const {
    return over(query, queries) == over(query + count - 1, queries) &&
           over(key, keys) == over(key + others - 1, keys) && sees_pair(b, h, query, key);
  }
  __device__ inline bool sees_pair(long long b, long long h, long long query, long long key) const {
    return sees[b * batch + h * head + over(query, queries) * row + over(key, keys) * column];
  }
};

}  // namespace warpcell::attention
