// <cub/block/block_reduce.cuh> for a cell: the first thread of a block gets what all threads bring together.
#pragma once
#include "../../warpcell_cpu/collectives.h"

namespace cub {

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int = 0>
class BlockReduce {
 public:
  using TempStorage = warpcell_cpu::Room<T, X * Y * Z>;
  WARPCELL_CPU_MEMBER explicit BlockReduce(TempStorage& storage, unsigned line = __builtin_LINE()) : room_(storage), block_{line} {}
  WARPCELL_CPU_MEMBER BlockReduce(unsigned line = __builtin_LINE()) : room_(warpcell_cpu::private_storage<T, TempStorage>()), block_{line} {}

  template <class Operation>
  WARPCELL_CPU_MEMBER T Reduce(T value, Operation operation, int valid) {
    const int rank = block_.rank();
    room_[rank] = value;
    block_.meet();
    if (rank != 0) return value;
    return warpcell_cpu::folded<T>(room_, 0, valid < X * Y * Z ? valid : X * Y * Z, operation);
  }
  template <class Operation>
  WARPCELL_CPU_MEMBER T Reduce(T value, Operation operation) { return Reduce(value, operation, X * Y * Z); }
  template <int N, class Operation>
  WARPCELL_CPU_MEMBER T Reduce(T (&values)[N], Operation operation) { return Reduce(warpcell_cpu::folded<T>(values, 0, N, operation), operation); }
  WARPCELL_CPU_MEMBER T Sum(T value) { return Reduce(value, cub::Sum()); }
  WARPCELL_CPU_MEMBER T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
  template <int N>
  WARPCELL_CPU_MEMBER T Sum(T (&values)[N]) { return Reduce(values, cub::Sum()); }

 private:
  TempStorage& room_;
  warpcell_cpu::WholeBlock<X * Y * Z> block_;
};

}  // namespace cub
