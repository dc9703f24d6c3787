// Arrays of a list, over all of which one launch goes: each block has a piece of one of them.
#pragma once
#include "map.cuh"

namespace warpcell {

// Where the arrays of one row begin, which have `count` elements each, and the first block that has a piece of them.
// `slot`: the number of the row among all that there are, of which the list has a part.
template <int P>
struct Row {
  void* arrays[P];
  long long count;
  int begin, slot;
};
// A kernel's arguments have 4096 bytes at most; the rest is for numbers.
constexpr int kListBytes = 3840;
template <int P>
constexpr int kRows = kListBytes / int(sizeof(Row<P>));
template <int P>
struct List {
  Row<P> rows[kRows<P>];
};

// The elements of one row that are this block's.
struct Piece {
  int row;
  long long begin, end;
};
template <int P>
__device__ inline Piece block_piece(const List<P>& list, int rows, long long length) {
  const int block = int(blockIdx.x);
  int low = 0, high = rows;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (list.rows[middle].begin <= block)
      low = middle;
    else
      high = middle;
  }
  const long long begin = (block - list.rows[low].begin) * length, count = list.rows[low].count;
  return {low, begin, begin + length < count ? begin + length : count};
}

// Elements that a thread of a GPU takes at a time, of arrays some of which are sums.
template <class T>
constexpr int kEach = kPackBytes / sizeof(Sum<T>);

// Calls whole(at) for places at which a thread of a GPU has kEach<T> elements, where all addresses in `together`
// (or-ed) allow packs of so many T, and one(at) for all others.
template <class T, class Whole, class One>
__device__ inline void for_packs(const Piece& piece, unsigned long long together, Whole whole, One one) {
  constexpr int W = kEach<T>;
  const bool is_aligned = together % sizeof(Pack<T, W>) == 0;
  for (long long at = piece.begin + (long long)threadIdx.x * W; at < piece.end; at += (long long)blockDim.x * W) {
    if (is_aligned && at + W <= piece.end) {
      whole(at);
      continue;
    }
    for (int e = 0; e < W; e++)
      if (at + e < piece.end) one(at + e);
  }
}

}  // namespace warpcell
