// What CUB's collectives share: storage in shared memory that nothing constructs, threads that meet at it, and the operations by name.
// A thread's fiber costs far more than an addition, so one thread does a block's or a warp's whole work, between two barriers.
#pragma once
#include "barriers.h"
#include "elementary.h"
#include "warps.h"

#define WARPCELL_CPU_MEMBER inline __attribute__((always_inline))

namespace warpcell_cpu {

// Room for N of T.
template <class T, int N>
struct Room {
  alignas(T) unsigned char bytes[N * sizeof(T)];
  WARPCELL_CPU_MEMBER T& operator[](int index) { return reinterpret_cast<T*>(bytes)[index]; }
};

// All threads of the block.
template <int Threads>
struct WholeBlock {
  static constexpr int kThreads = Threads;
  u32 line;
  WARPCELL_CPU_MEMBER int rank() const { return int(linear_thread()); }
  WARPCELL_CPU_MEMBER void meet() const { barrier(line, 0); }
};

// Threads of a warp that follow one another: a power of two of them, or the first of each part of that size.
template <int Threads>
struct PartOfWarp {
  static constexpr int kThreads = Threads;
  u32 line;
  WARPCELL_CPU_MEMBER int rank() const { return int(linear_thread() % kLanes) % Threads; }
  WARPCELL_CPU_MEMBER u32 mask() const { return Threads == 32 ? kFullMask : ((1u << Threads % 32) - 1) << (linear_thread() % kLanes / Threads * Threads); }
  WARPCELL_CPU_MEMBER void meet() const { __syncwarp(mask(), line); }
};

template <class T, class Storage>
WARPCELL_CPU_FN Storage& private_storage() {
  static __thread __attribute__((aligned(16))) Storage storage;
  return storage;
}

// The first `count` of `room` as one: in the order of ranks.
template <class T, class Room, class Operation>
WARPCELL_CPU_FN T folded(Room& room, int first, int count, Operation operation) {
  T all = room[first];
  for (int i = first + 1; i < first + count; i++) all = operation(all, room[i]);
  return all;
}

}  // namespace warpcell_cpu

namespace cub {

struct NullType {};

#define WARPCELL_CPU_OPERATION(name, expression)                                                                \
  struct name {                                                                                                 \
    template <class T, class U>                                                                                 \
    WARPCELL_CPU_MEMBER auto operator()(const T& a, const U& b) const { return expression; }                    \
  };
WARPCELL_CPU_OPERATION(Sum, a + b) WARPCELL_CPU_OPERATION(Difference, a - b)
WARPCELL_CPU_OPERATION(Equality, a == b) WARPCELL_CPU_OPERATION(Inequality, a != b)
#undef WARPCELL_CPU_OPERATION
struct Max {
  template <class T>
  WARPCELL_CPU_MEMBER T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
struct Min {
  template <class T>
  WARPCELL_CPU_MEMBER T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};

WARPCELL_CPU_FN unsigned LaneId() { return warpcell_cpu::linear_thread() % 32; }
WARPCELL_CPU_FN unsigned WarpId() { return warpcell_cpu::linear_thread() / 32; }
WARPCELL_CPU_FN int RowMajorTid(int size_x, int size_y, int) { return int(threadIdx.x) + size_x * (int(threadIdx.y) + size_y * int(threadIdx.z)); }

}  // namespace cub
