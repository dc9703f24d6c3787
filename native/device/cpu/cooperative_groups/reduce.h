// <cooperative_groups/reduce.h> for a cell: every thread of a tile gets the sum, least or greatest of what its threads bring.
#pragma once
#include "../warpcell_cpu/groups.h"

namespace cooperative_groups {

#define WARPCELL_CPU_REDUCTION(name, expression)                                    \
  template <class T>                                                                \
  struct name {                                                                     \
    WARPCELL_CPU_MEMBER T operator()(T a, T b) const { return expression; }         \
  };
WARPCELL_CPU_REDUCTION(plus, a + b)
WARPCELL_CPU_REDUCTION(less, b < a ? b : a)
WARPCELL_CPU_REDUCTION(greater, a < b ? b : a)
WARPCELL_CPU_REDUCTION(bit_and, a & b)
WARPCELL_CPU_REDUCTION(bit_or, a | b)
WARPCELL_CPU_REDUCTION(bit_xor, a ^ b)
#undef WARPCELL_CPU_REDUCTION

template <class T, unsigned N, class Parent, class Operation>
WARPCELL_CPU_FN T reduce(const thread_block_tile<N, Parent>& tile, T value, Operation operation, unsigned line = __builtin_LINE()) {
  for (unsigned distance = N / 2; distance > 0; distance /= 2) value = operation(value, tile.shfl_xor(value, distance, line));
  return value;
}

}  // namespace cooperative_groups
