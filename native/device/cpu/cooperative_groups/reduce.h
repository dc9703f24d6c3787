// <cooperative_groups/reduce.h> for a cell: every thread of a group of lanes gets the sum, least or greatest of what its threads bring.
#pragma once
#include "../warpcell_cpu/group_operators.h"

namespace cooperative_groups {

// In the order of ranks: associative operations need not commute. A tile of a power of two meets in pairs.
template <class Group, class T, class Operation>
WARPCELL_CPU_FN T reduce(const Group& group, T value, Operation operation, unsigned line = __builtin_LINE()) {
  const unsigned size = group.size(), rank = group.thread_rank();
  for (unsigned distance = 1; distance < size; distance *= 2) {
    const T other = group.shfl_down(value, distance, line);
    if (rank + distance < size) value = operation(value, other);
  }
  return group.shfl(value, 0, line);
}
template <unsigned N, class Parent, class T, class Operation>
WARPCELL_CPU_FN T reduce(const thread_block_tile<N, Parent>& tile, T value, Operation operation, unsigned line = __builtin_LINE()) {
  for (unsigned distance = N / 2; distance > 0; distance /= 2) value = operation(value, tile.shfl_xor(value, int(distance), line));
  return value;
}

// The group's result joins what is at `target`, a cuda::atomic, or is stored there.
template <class Group, class Atomic, class T, class Operation>
WARPCELL_CPU_FN void reduce_update_async(const Group& group, Atomic& target, T value, Operation operation, unsigned line = __builtin_LINE()) {
  const T all = reduce(group, value, operation, line);
  if (group.thread_rank() == 0) warpcell_cpu_update(target, all, operation);
}
template <class Group, class T, class Operation>
WARPCELL_CPU_FN void reduce_store_async(const Group& group, T* target, T value, Operation operation, unsigned line = __builtin_LINE()) {
  const T all = reduce(group, value, operation, line);
  if (group.thread_rank() == 0) *target = all;
}
template <class Group, class Atomic, class T, class Operation>
WARPCELL_CPU_FN void reduce_store_async(const Group& group, Atomic& target, T value, Operation operation, unsigned line = __builtin_LINE()) {
  const T all = reduce(group, value, operation, line);
  if (group.thread_rank() == 0) target.store(all);
}

}  // namespace cooperative_groups
