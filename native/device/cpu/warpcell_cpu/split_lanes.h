// Shuffles and votes of whole warps in a split kernel: each thread has laid down its value in front of them, and takes what the others did.
#pragma once
#include "lane_sources.h"
#include "warps.h"

namespace warpcell_cpu {

template <class T> T plain(T value);  // the type of a value

template <class T>
WARPCELL_CPU_FN void lay(unsigned char* place, u64 thread, T value) {
  static_assert(sizeof(T) <= 8, "A warp intrinsic exchanges types of at most 8 bytes. Exchange the parts of a larger one.");
  __builtin_memcpy(place + thread * sizeof(T), &value, sizeof(T));
}
template <class T>
WARPCELL_CPU_FN T laid(const unsigned char* place, u64 thread) {
  T value;
  __builtin_memcpy(&value, place + thread * sizeof(T), sizeof(T));
  return value;
}

// The warp of a thread. `there`: who laid down a value, where some had ended.
struct Laid {
  const unsigned char* place;
  const bool* there;
  u64 thread;
  u32 threads;

  inline __attribute__((always_inline)) u32 lane() const { return u32(thread % kLanes); }
  inline __attribute__((always_inline)) u64 at(u32 lane) const { return thread / kLanes * kLanes + lane; }
  inline __attribute__((always_inline)) bool has(u32 lane) const { return at(lane) < threads && (there == nullptr || there[at(lane)]); }
};

template <u32 operation, class T>
WARPCELL_CPU_FN T shuffled(const Laid& warp, u32 argument, u32 width) {
  const u32 from = lane_source(operation, warp.lane(), argument, width) % kLanes;
  return laid<T>(warp.place, warp.has(from) ? warp.at(from) : warp.thread);
}

// The lanes of which `holds` is true.
template <class Holds>
WARPCELL_CPU_FN u32 lanes_where(const Laid& warp, Holds holds) {
  u32 mask = 0;
  for (u32 lane = 0; lane < kLanes; lane++) mask |= u32(warp.has(lane) && holds(warp.at(lane))) << lane;
  return mask;
}

template <class T, class Combine>
WARPCELL_CPU_FN T reduced(const Laid& warp, Combine combine) {
  const u32 own = warp.lane();
  T all = laid<T>(warp.place, warp.thread);
  for (u32 lane = 0; lane < kLanes; lane++) {
    if (lane != own && warp.has(lane)) all = combine(all, laid<T>(warp.place, warp.at(lane)));
  }
  return all;
}

namespace lanes {
#define WARPCELL_CPU_LAID_SHUFFLE(name, argument_type, operation)                              \
  template <class T> WARPCELL_CPU_FN T name(Laid warp, argument_type argument, int width = 32) { \
    return shuffled<operation, T>(warp, u32(argument), u32(width));                            \
  }
WARPCELL_CPU_LAID_SHUFFLE(__shfl_sync, int, kShuffleIndex) WARPCELL_CPU_LAID_SHUFFLE(__shfl_up_sync, unsigned, kShuffleUp)
WARPCELL_CPU_LAID_SHUFFLE(__shfl_down_sync, unsigned, kShuffleDown) WARPCELL_CPU_LAID_SHUFFLE(__shfl_xor_sync, int, kShuffleXor)
#undef WARPCELL_CPU_LAID_SHUFFLE

template <class T> WARPCELL_CPU_FN unsigned __ballot_sync(Laid warp) {
  return lanes_where(warp, [&](u64 at) { return laid<T>(warp.place, at) != 0; });
}
template <class T> WARPCELL_CPU_FN int __any_sync(Laid warp) { return __ballot_sync<T>(warp) != 0; }
template <class T> WARPCELL_CPU_FN int __all_sync(Laid warp) {
  return lanes_where(warp, [&](u64 at) { return laid<T>(warp.place, at) == 0; }) == 0;
}
template <class T> WARPCELL_CPU_FN unsigned __match_any_sync(Laid warp) {
  const u64 own = to_bits(laid<T>(warp.place, warp.thread));
  return lanes_where(warp, [&](u64 at) { return to_bits(laid<T>(warp.place, at)) == own; });
}

#define WARPCELL_CPU_LAID_REDUCE(name, expression)                               \
  template <class T> WARPCELL_CPU_FN T name(Laid warp) {                         \
    return reduced<T>(warp, [](T a, T b) { return T(expression); });             \
  }
WARPCELL_CPU_LAID_REDUCE(__reduce_add_sync, unsigned(a) + unsigned(b))
WARPCELL_CPU_LAID_REDUCE(__reduce_min_sync, a < b ? a : b) WARPCELL_CPU_LAID_REDUCE(__reduce_max_sync, a > b ? a : b)
WARPCELL_CPU_LAID_REDUCE(__reduce_and_sync, a & b) WARPCELL_CPU_LAID_REDUCE(__reduce_or_sync, a | b)
WARPCELL_CPU_LAID_REDUCE(__reduce_xor_sync, a ^ b)
#undef WARPCELL_CPU_LAID_REDUCE
}  // namespace lanes

}  // namespace warpcell_cpu
