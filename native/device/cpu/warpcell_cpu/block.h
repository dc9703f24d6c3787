// What a cell's code and the executor share while a block runs: where its threads are parked and what its warps exchange. `engine/cpu` includes this file too, so
// it needs no other header.
#pragma once

namespace warpcell_cpu {

using u32 = unsigned int;
using u64 = unsigned long long;

constexpr u32 kVersion = 2;
constexpr u32 kMaxThreads = 1024;
constexpr u32 kLanes = 32;
constexpr u32 kFullMask = 0xffffffffu;

// A parked thread: enough to go on with it (switch.h), and the source line where it waits.
struct Slot {
  void* stack;
  void* frame;
  void* resume;
  u32 line;
  u32 unused;
};

// What the lanes of a warp have laid down for the collective they are in. `code` is operation | width << 8.
struct Warp {
  u32 code;
  u32 unused[3];
  u64 value[kLanes];
  u32 argument[kLanes];
};

struct Block {
  u32 in_order;         // 1: threads below `current` wait at the next barrier, those above are ready, none has exited
  u32 threads;
  u32 current;          // linear index of the running thread, once it has been parked
  u32 votes;            // of __syncthreads_count and its kin, in this generation of the barrier
  u32 voted;            // the votes of the generation that was released last
  u32 unused;
  Warp* warp_in_order;  // the same for the lanes of the running warp, all 32 of them in collectives of the whole warp
  Slot slot[kMaxThreads + 1];
  u64 result[kMaxThreads];
  Warp warp[kMaxThreads / kLanes];
};

struct Geometry {
  u32 grid[3];
  u32 block[3];
};

// One call of a kernel's entry: the blocks [first, end), starting with `thread` of the first. The entry keeps `current` up to date, and
// returns after the last block, or as soon as a thread that has been parked has ended.
struct Run {
  u64 first;
  u64 end;
  u64 current;
  u32 thread;
  u32 unused;
  const Geometry* geometry;
  const unsigned char* arguments;
  unsigned char* shared;
  Block* block;
};

// What a cell's shared object exports for each kernel.
struct Kernel {
  u32 version;
  u32 parameters;
  const u32* offsets;
  const u32* sizes;
  u32 argument_bytes;
  u32 max_threads;      // of a block: what __launch_bounds__ says
  void (*prepare)();    // called on a core before `entry`, whenever cells may have been loaded since
  void (*entry)(Run*);
};

// What it exports for each variable that is asked for.
struct Variable {
  void* address;
  u64 bytes;
};

enum Operation : u32 {
  kShuffleIndex, kShuffleUp, kShuffleDown, kShuffleXor, kBallot, kSync, kMatchAny, kMatchAll,
  kReduceAdd, kReduceMinSigned, kReduceMaxSigned, kReduceMin, kReduceMax, kReduceAnd, kReduceOr, kReduceXor,
};

}  // namespace warpcell_cpu

// The executor, as cells call it. Each of the first four parks `thread` and answers with the one to run next (maybe the same).
extern "C" {
warpcell_cpu::Slot* warpcell_cpu_barrier(unsigned thread, unsigned line) noexcept;
warpcell_cpu::Slot* warpcell_cpu_warp(unsigned thread, unsigned code, unsigned mask, unsigned long long value, unsigned argument, unsigned line) noexcept;
warpcell_cpu::Slot* warpcell_cpu_active(unsigned thread, unsigned site, unsigned line) noexcept;
warpcell_cpu::Slot* warpcell_cpu_yield(unsigned thread, unsigned line) noexcept;
// Waits until a thread of every block of the cooperative launch has come; called by every thread of the block, between two barriers.
void warpcell_cpu_grid(unsigned line) noexcept;
int warpcell_cpu_is_cooperative() noexcept;
// Computes the result of a collective for every lane of `lanes`.
void warpcell_cpu_collect(warpcell_cpu::Block* block, unsigned warp, unsigned lanes, unsigned code) noexcept;
int warpcell_cpu_printf(const char* format, ...);
[[noreturn]] void warpcell_cpu_trap(const unsigned* block, const unsigned* thread) noexcept;
[[noreturn]] void warpcell_cpu_assert(const char* condition, const char* file, unsigned line, const unsigned* block, const unsigned* thread) noexcept;
}
