// <cub/block/block_store.cuh> for a cell: the threads of a block write elements that follow one another, some each.
#pragma once
#include "../../warpcell_cpu/collectives.h"

namespace cub {

enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <class T, int N, class To>
WARPCELL_CPU_FN void StoreDirectBlocked(int rank, To to, T (&items)[N], int valid = 0x7fffffff) {
  for (int i = 0; i < N; i++)
    if (rank * N + i < valid) to[rank * N + i] = items[i];
}
template <int Stride, class T, int N, class To>
WARPCELL_CPU_FN void StoreDirectStriped(int rank, To to, T (&items)[N], int valid = 0x7fffffff) {
  for (int i = 0; i < N; i++)
    if (rank + i * Stride < valid) to[rank + i * Stride] = items[i];
}
template <class T, int N, class To>
WARPCELL_CPU_FN void StoreDirectWarpStriped(int rank, To to, T (&items)[N], int valid = 0x7fffffff) {
  const int first = rank / 32 * 32 * N + rank % 32;
  for (int i = 0; i < N; i++)
    if (first + 32 * i < valid) to[first + 32 * i] = items[i];
}

template <class T, int X, int N, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int = 0>
class BlockStore {
 public:
  struct TempStorage { char none; };
  BlockStore() = default;
  WARPCELL_CPU_MEMBER explicit BlockStore(TempStorage&) {}
  template <class To>
  WARPCELL_CPU_MEMBER void Store(To to, T (&items)[N], int valid = 0x7fffffff) {
    const int rank = int(warpcell_cpu::linear_thread());
    if constexpr (Algorithm == BLOCK_STORE_STRIPED) StoreDirectStriped<X * Y * Z>(rank, to, items, valid);
    else StoreDirectBlocked(rank, to, items, valid);
  }
};

}  // namespace cub
