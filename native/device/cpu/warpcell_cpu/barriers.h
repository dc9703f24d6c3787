// __syncthreads and its kin: parks the running thread until every thread of the block that has not exited has come.
// (Programming Guide, "Synchronization Functions".)
#pragma once
#include "indices.h"
#include "switch.h"

namespace warpcell_cpu {

// `vote` counts towards the barrier's generation.
WARPCELL_CPU_FN void barrier(u32 line, u32 vote) {
  const uint3 saved = threadIdx;
  Block* const b = block;
  detached = 1;
  b->votes += vote;
  if (__builtin_expect(b->in_order, 1)) {
    const u32 thread = b->current;
    u32 next = thread + 1;
    if (next == b->threads) {
      next = 0;
      b->voted = b->votes;
      b->votes = 0;
    }
    b->current = next;
    Slot* const from = &b->slot[thread];
    Slot* const to = &b->slot[next];
    from->line = line;
    prefetch(to + 1);
    switch_to(from, to);
  } else {
    const u32 thread = linear_thread();
    Slot* const to = warpcell_cpu_barrier(thread, line);
    Slot* const from = &b->slot[thread];
    if (to != from) switch_to(from, to);
  }
  threadIdx = saved;
  detached = 1;
}

WARPCELL_CPU_FN void yield(u32 line) {
  const uint3 saved = threadIdx;
  detached = 1;
  const u32 thread = linear_thread();
  Slot* const to = warpcell_cpu_yield(thread, line);
  Slot* const from = &block->slot[thread];
  if (to != from) switch_to(from, to);
  threadIdx = saved;
  detached = 1;
}

static __thread u32 fences;

// A thread that spins on a flag between two fences lets the others of its block run, now and then: nearly every other fence is passed once.
WARPCELL_CPU_FN void fenced(u32 line) {
  if (__builtin_expect(++fences % 64 == 0, 0)) yield(line);
}

}  // namespace warpcell_cpu

WARPCELL_CPU_FN void __syncthreads(unsigned line = __builtin_LINE()) { warpcell_cpu::barrier(line, 0); }

WARPCELL_CPU_FN int __syncthreads_count(int predicate, unsigned line = __builtin_LINE()) {
  warpcell_cpu::barrier(line, predicate != 0);
  return int(warpcell_cpu::block->voted);
}

WARPCELL_CPU_FN int __syncthreads_or(int predicate, unsigned line = __builtin_LINE()) { return __syncthreads_count(predicate, line) != 0; }

WARPCELL_CPU_FN int __syncthreads_and(int predicate, unsigned line = __builtin_LINE()) { return __syncthreads_count(!predicate, line) == 0; }

WARPCELL_CPU_FN void __nanosleep(unsigned, unsigned line = __builtin_LINE()) { warpcell_cpu::yield(line); }
#define X(name, fence)                                                                                                             \
  WARPCELL_CPU_FN void name(unsigned line = __builtin_LINE()) {                                                                    \
    fence(__ATOMIC_SEQ_CST);                                                                                                       \
    warpcell_cpu::fenced(line);                                                                                                    \
  }
X(__threadfence, __atomic_thread_fence) X(__threadfence_system, __atomic_thread_fence) X(__threadfence_block, __atomic_signal_fence)
#undef X
