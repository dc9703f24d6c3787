// Warp intrinsics: shuffles, votes, matches and reductions, as one collective that the last lane to arrive computes for all.
// (Programming Guide, "Warp Shuffle Functions", "Warp Vote Functions", "Warp Match Functions", "Warp Reduce Functions".)
#pragma once
#include "indices.h"
#include "switch.h"

namespace warpcell_cpu {

WARPCELL_CPU_FN u64 collective(u32 operation, u32 mask, u64 value, u32 argument, u32 width, u32 line) {
  const uint3 saved = threadIdx;
  Block* const b = block;
  Warp* const warp = b->warp_in_order;
  const u32 code = operation | width << 8;
  detached = 1;
  u32 thread = b->current;
  const u32 lane = thread % kLanes;
  if (__builtin_expect(warp && mask == kFullMask && (lane == 0 || warp->code == code), 1)) {
    Slot* const from = &b->slot[thread];
    Slot* to = from + 1;
    u32 next = thread + 1;
    warp->value[lane] = value;
    warp->argument[lane] = argument;
    if (lane == 0) {
      warp->code = code;
    } else if (lane == kLanes - 1) {
      warpcell_cpu_collect(b, thread / kLanes, mask, code);
      to = from - lane;
      next = thread - lane;
    }
    b->current = next;
    from->line = line;
    prefetch(to + 1);
    switch_to(from, to);
  } else {
    thread = linear_thread();
    Slot* const to = warpcell_cpu_warp(thread, code, mask, value, argument, line);
    Slot* const from = &b->slot[thread];
    if (to != from) switch_to(from, to);
  }
  threadIdx = saved;
  detached = 1;
  return b->result[b->current];
}

WARPCELL_CPU_FN u32 active(u32 site, u32 line) {
  const uint3 saved = threadIdx;
  detached = 1;
  const u32 thread = linear_thread();
  Slot* const to = warpcell_cpu_active(thread, site, line);
  Slot* const from = &block->slot[thread];
  if (to != from) switch_to(from, to);
  threadIdx = saved;
  detached = 1;
  return u32(block->result[block->current]);
}

// As large as T, where a word is: g++ makes no vectors of a loop that copies into a part of one.
template <unsigned long size> struct Word { using type = u64; };
template <> struct Word<1> { using type = unsigned char; };
template <> struct Word<2> { using type = unsigned short; };
template <> struct Word<4> { using type = u32; };

template <class T>
WARPCELL_CPU_FN u64 to_bits(T value) {
  static_assert(sizeof(T) <= 8, "A warp intrinsic exchanges types of at most 8 bytes. Exchange the parts of a larger one.");
  typename Word<sizeof(T)>::type bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <class T>
WARPCELL_CPU_FN T from_bits(u64 bits) {
  const typename Word<sizeof(T)>::type word = (typename Word<sizeof(T)>::type)bits;
  T value;
  __builtin_memcpy(&value, &word, sizeof(T));
  return value;
}

}  // namespace warpcell_cpu

#define WARPCELL_CPU_SHUFFLE(name, argument_type, operation)                                                                      \
  template <class T>                                                                                                              \
  WARPCELL_CPU_FN T name(unsigned mask, T value, argument_type argument, int width = 32, unsigned line = __builtin_LINE()) {      \
    using namespace warpcell_cpu;                                                                                                 \
    return from_bits<T>(collective(operation, mask, to_bits(value), u32(argument), u32(width), line));                            \
  }
WARPCELL_CPU_SHUFFLE(__shfl_sync, int, kShuffleIndex)
WARPCELL_CPU_SHUFFLE(__shfl_up_sync, unsigned, kShuffleUp)
WARPCELL_CPU_SHUFFLE(__shfl_down_sync, unsigned, kShuffleDown)
WARPCELL_CPU_SHUFFLE(__shfl_xor_sync, int, kShuffleXor)
#undef WARPCELL_CPU_SHUFFLE

WARPCELL_CPU_FN unsigned __ballot_sync(unsigned mask, int predicate, unsigned line = __builtin_LINE()) {
  return unsigned(warpcell_cpu::collective(warpcell_cpu::kBallot, mask, predicate != 0, 0, 32, line));
}
WARPCELL_CPU_FN int __any_sync(unsigned mask, int predicate, unsigned line = __builtin_LINE()) { return __ballot_sync(mask, predicate, line) != 0; }
WARPCELL_CPU_FN int __all_sync(unsigned mask, int predicate, unsigned line = __builtin_LINE()) { return __ballot_sync(mask, !predicate, line) == 0; }
WARPCELL_CPU_FN void __syncwarp(unsigned mask = 0xffffffffu, unsigned line = __builtin_LINE()) {
  warpcell_cpu::collective(warpcell_cpu::kSync, mask, 0, 0, 32, line);
}

template <class T>
WARPCELL_CPU_FN unsigned __match_any_sync(unsigned mask, T value, unsigned line = __builtin_LINE()) {
  return unsigned(warpcell_cpu::collective(warpcell_cpu::kMatchAny, mask, warpcell_cpu::to_bits(value), 0, 32, line));
}
template <class T>
WARPCELL_CPU_FN unsigned __match_all_sync(unsigned mask, T value, int* same, unsigned line = __builtin_LINE()) {
  const unsigned lanes = unsigned(warpcell_cpu::collective(warpcell_cpu::kMatchAll, mask, warpcell_cpu::to_bits(value), 0, 32, line));
  *same = lanes != 0;
  return lanes;
}

#define WARPCELL_CPU_REDUCE(name, type, operation)                                                        \
  WARPCELL_CPU_FN type name(unsigned mask, type value, unsigned line = __builtin_LINE()) {                \
    using namespace warpcell_cpu;                                                                         \
    return type(u32(collective(operation, mask, u32(value), 0, 32, line)));                               \
  }
WARPCELL_CPU_REDUCE(__reduce_add_sync, unsigned, kReduceAdd)
WARPCELL_CPU_REDUCE(__reduce_add_sync, int, kReduceAdd)
WARPCELL_CPU_REDUCE(__reduce_min_sync, unsigned, kReduceMin)
WARPCELL_CPU_REDUCE(__reduce_min_sync, int, kReduceMinSigned)
WARPCELL_CPU_REDUCE(__reduce_max_sync, unsigned, kReduceMax)
WARPCELL_CPU_REDUCE(__reduce_max_sync, int, kReduceMaxSigned)
WARPCELL_CPU_REDUCE(__reduce_and_sync, unsigned, kReduceAnd)
WARPCELL_CPU_REDUCE(__reduce_or_sync, unsigned, kReduceOr)
WARPCELL_CPU_REDUCE(__reduce_xor_sync, unsigned, kReduceXor)
#undef WARPCELL_CPU_REDUCE

// A macro, since each place in the source is a group of its own: lanes that are in different branches do not see each other.
#define __activemask() warpcell_cpu::active(__COUNTER__, __LINE__)
