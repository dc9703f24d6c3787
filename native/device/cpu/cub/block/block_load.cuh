// <cub/block/block_load.cuh> for a cell: the threads of a block read elements that follow one another, some each.
#pragma once
#include "../../warpcell_cpu/collectives.h"

namespace cub {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};

// A thread's elements follow one another, or are `Stride` apart. Those behind the first `valid` stay as they are, or become `other`.
template <class T, int N, class From>
WARPCELL_CPU_FN void LoadDirectBlocked(int rank, From from, T (&items)[N], int valid = 0x7fffffff) {
  for (int i = 0; i < N; i++)
    if (rank * N + i < valid) items[i] = from[rank * N + i];
}
template <class T, int N, class From, class Other>
WARPCELL_CPU_FN void LoadDirectBlocked(int rank, From from, T (&items)[N], int valid, Other other) {
  for (int i = 0; i < N; i++) items[i] = rank * N + i < valid ? T(from[rank * N + i]) : T(other);
}
template <int Stride, class T, int N, class From>
WARPCELL_CPU_FN void LoadDirectStriped(int rank, From from, T (&items)[N], int valid = 0x7fffffff) {
  for (int i = 0; i < N; i++)
    if (rank + i * Stride < valid) items[i] = from[rank + i * Stride];
}
template <int Stride, class T, int N, class From, class Other>
WARPCELL_CPU_FN void LoadDirectStriped(int rank, From from, T (&items)[N], int valid, Other other) {
  for (int i = 0; i < N; i++) items[i] = rank + i * Stride < valid ? T(from[rank + i * Stride]) : T(other);
}
template <class T, int N, class From>
WARPCELL_CPU_FN void LoadDirectWarpStriped(int rank, From from, T (&items)[N], int valid = 0x7fffffff) {
  const int first = rank / 32 * 32 * N + rank % 32;
  for (int i = 0; i < N; i++)
    if (first + 32 * i < valid) items[i] = from[first + 32 * i];
}

template <class T, int X, int N, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int = 0>
class BlockLoad {
 public:
  struct TempStorage { char none; };
  BlockLoad() = default;
  WARPCELL_CPU_MEMBER explicit BlockLoad(TempStorage&) {}
  template <class From, class... Rest>
  WARPCELL_CPU_MEMBER void Load(From from, T (&items)[N], Rest... rest) {
    const int rank = int(warpcell_cpu::linear_thread());
    if constexpr (Algorithm == BLOCK_LOAD_STRIPED) LoadDirectStriped<X * Y * Z>(rank, from, items, rest...);
    else LoadDirectBlocked(rank, from, items, rest...);
  }
};

}  // namespace cub
