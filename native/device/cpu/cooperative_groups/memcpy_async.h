// <cooperative_groups/memcpy_async.h> for a cell: the threads of a group copy together; the copy is done when they have waited for it.
#pragma once
#include "../warpcell_cpu/copies.h"
#include "../warpcell_cpu/lane_groups.h"

namespace cooperative_groups {

template <class Group, class To, class From, class Size>
WARPCELL_CPU_FN void memcpy_async(const Group& group, To* to, const From* from, const Size& bytes) {
  warpcell_cpu::copy_together(group.thread_rank(), group.size(), to, from, size_t(bytes));
}
// Counts are those of elements; the shorter one holds.
template <class Group, class T, class ToCount, class FromCount>
WARPCELL_CPU_FN void memcpy_async(const Group& group, T* to, const ToCount& to_count, const T* from, const FromCount& from_count) {
  const size_t count = size_t(to_count) < size_t(from_count) ? size_t(to_count) : size_t(from_count);
  warpcell_cpu::copy_together(group.thread_rank(), group.size(), to, from, count * sizeof(T));
}

template <class Group>
WARPCELL_CPU_FN void wait(const Group& group, unsigned line = __builtin_LINE()) { group.sync(line); }
template <unsigned stages, class Group>
WARPCELL_CPU_FN void wait_prior(const Group& group, unsigned line = __builtin_LINE()) { group.sync(line); }

}  // namespace cooperative_groups
