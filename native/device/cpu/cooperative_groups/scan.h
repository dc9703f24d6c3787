// <cooperative_groups/scan.h> for a cell: every thread of a group of lanes gets what the threads up to it, or before it, bring together.
#pragma once
#include "../warpcell_cpu/group_operators.h"

namespace cooperative_groups {

template <class Group, class T, class Operation>
WARPCELL_CPU_FN T inclusive_scan(const Group& group, T value, Operation operation, unsigned line = __builtin_LINE()) {
  const unsigned size = group.size(), rank = group.thread_rank();
  for (unsigned distance = 1; distance < size; distance *= 2) {
    const T other = group.shfl_up(value, distance, line);
    if (rank >= distance) value = operation(other, value);
  }
  return value;
}
template <class Group, class T>
WARPCELL_CPU_FN T inclusive_scan(const Group& group, T value, unsigned line = __builtin_LINE()) { return inclusive_scan(group, value, plus<T>(), line); }

// The first thread gets what the operation leaves unchanged.
template <class Group, class T, class Operation>
WARPCELL_CPU_FN T exclusive_scan(const Group& group, T value, Operation operation, unsigned line = __builtin_LINE()) {
  const T before = group.shfl_up(inclusive_scan(group, value, operation, line), 1, line);
  return group.thread_rank() == 0 ? warpcell_cpu_neutral_of<T>(operation, 0) : before;
}
template <class Group, class T>
WARPCELL_CPU_FN T exclusive_scan(const Group& group, T value, unsigned line = __builtin_LINE()) { return exclusive_scan(group, value, plus<T>(), line); }

// What was at `target`, a cuda::atomic, comes before the whole group; afterwards it holds all.
template <class Group, class Atomic, class T, class Operation>
WARPCELL_CPU_FN T inclusive_scan_update(const Group& group, Atomic& target, T value, Operation operation, unsigned line = __builtin_LINE()) {
  const T until = inclusive_scan(group, value, operation, line);
  T before = T();
  if (group.thread_rank() == group.size() - 1) before = warpcell_cpu_update(target, until, operation);
  return operation(group.shfl(before, int(group.size() - 1), line), until);
}
template <class Group, class Atomic, class T>
WARPCELL_CPU_FN T inclusive_scan_update(const Group& group, Atomic& target, T value, unsigned line = __builtin_LINE()) {
  return inclusive_scan_update(group, target, value, plus<T>(), line);
}
template <class Group, class Atomic, class T, class Operation>
WARPCELL_CPU_FN T exclusive_scan_update(const Group& group, Atomic& target, T value, Operation operation, unsigned line = __builtin_LINE()) {
  const T until = inclusive_scan(group, value, operation, line), others = group.shfl_up(until, 1, line);
  T before = T();
  if (group.thread_rank() == group.size() - 1) before = warpcell_cpu_update(target, until, operation);
  before = group.shfl(before, int(group.size() - 1), line);
  return group.thread_rank() == 0 ? before : operation(before, others);
}
template <class Group, class Atomic, class T>
WARPCELL_CPU_FN T exclusive_scan_update(const Group& group, Atomic& target, T value, unsigned line = __builtin_LINE()) {
  return exclusive_scan_update(group, target, value, plus<T>(), line);
}

}  // namespace cooperative_groups
