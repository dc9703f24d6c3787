// What a split kernel is written with (split_text.cc of the engine writes it): loops over the threads of a block, and room for what a
// thread keeps from one of them to the next.
#pragma once
#include "export.h"

namespace warpcell_cpu {

// A variable of each thread of a block. `Share`: how many of these one kernel has; together they fit on a stack of 16 MiB.
template <class T, u32 Share>
union PerThread {
  static_assert(__is_trivially_copyable(T), "A variable that is kept is copied as bytes.");
  static_assert(sizeof(T) * Share <= 8192, "The variables that are kept take too much of a stack.");
  T lane[kMaxThreads];
  PerThread() {}
  ~PerThread() {}
};

template <class T>
WARPCELL_CPU_FN void keep(T& to, const T& from) { __builtin_memcpy(&to, &from, sizeof from); }

WARPCELL_CPU_FN bool any(const bool* alive, u32 threads) {
  bool some = false;
  for (u32 i = 0; i < threads; i++) some |= alive[i];
  return some;
}

// Atomic functions on shared memory: one core alone reaches it, and no other thread runs in between.
namespace alone {
template <class T> struct Same { using type = T; };
#define WARPCELL_CPU_ALONE(name, expression)                                   \
  template <class T>                                                           \
  WARPCELL_CPU_FN T name(T* address, typename Same<T>::type value) {           \
    const T old = *address;                                                    \
    *address = expression;                                                     \
    return old;                                                                \
  }
WARPCELL_CPU_ALONE(atomicAdd, old + value) WARPCELL_CPU_ALONE(atomicSub, old - value)
WARPCELL_CPU_ALONE(atomicMin, old < value ? old : value) WARPCELL_CPU_ALONE(atomicMax, old > value ? old : value)
WARPCELL_CPU_ALONE(atomicAnd, old & value) WARPCELL_CPU_ALONE(atomicOr, old | value) WARPCELL_CPU_ALONE(atomicXor, old ^ value)
#undef WARPCELL_CPU_ALONE
}  // namespace alone

template <auto K>
struct SplitLaunch;

template <class... A, void (*K)(A...)>
struct SplitLaunch<K> {
  static constexpr Layout<A...> layout{};

  template <u32... I>
  static void blocks(Run* run, Indices<I...>) {
    [[maybe_unused]] const unsigned char* const arguments = run->arguments;
    const u32* const grid = run->geometry->grid;
    const u32* const size = run->geometry->block;
    detached = 0;
    block = run->block;
    dynamic_shared = run->shared;
    gridDim = {grid[0], grid[1], grid[2]};
    blockDim = {size[0], size[1], size[2]};
    threadIdx = {0, 0, 0};
    for (u64 index = run->first; index < run->end; index++) {
      run->current = index;
      blockIdx = {u32(index % grid[0]), u32(index / grid[0] % grid[1]), u32(index / grid[0] / grid[1])};
      K(*reinterpret_cast<const A*>(arguments + layout.offset[I])...);
    }
  }

  static void entry(Run* run) { blocks(run, typename MakeIndices<sizeof...(A)>::type()); }
};

}  // namespace warpcell_cpu

// g++ makes vectors of such loops at -O3 only.
#if defined(__clang__)
#define WARPCELL_CPU_SPLIT_KERNEL static __attribute__((noinline, flatten)) void
#else
#define WARPCELL_CPU_SPLIT_KERNEL \
  static __attribute__((noinline, flatten, optimize("tree-loop-vectorize", "vect-cost-model=dynamic"))) void
#endif

// The beginning of a split kernel. The names hide those of the thread, which a compiler cannot keep in registers.
#define WARPCELL_CPU_SPLIT_BEGIN                                                                            \
  [[maybe_unused]] const uint3 blockIdx = ::blockIdx, gridDim = ::gridDim;                                  \
  const uint3 blockDim = {warpcell_cpu_fixed == 0 ? ::blockDim.x : warpcell_cpu_fixed, ::blockDim.y, ::blockDim.z}; \
  const unsigned warpcell_cpu_x = blockDim.x, warpcell_cpu_y = blockDim.y, warpcell_cpu_z = blockDim.z;     \
  if (warpcell_cpu_x == 0 || warpcell_cpu_x > 1024 || warpcell_cpu_y == 0 || warpcell_cpu_y > 1024 ||       \
      warpcell_cpu_z == 0 || (unsigned long long)blockIdx.x * blockDim.x + blockDim.x > 0x7fffffff)         \
    __builtin_unreachable();                                                                                \
  [[maybe_unused]] const unsigned warpcell_cpu_threads = warpcell_cpu_x * warpcell_cpu_y * warpcell_cpu_z;

#if defined(__clang__)
#define WARPCELL_CPU_INDEPENDENT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#else
#define WARPCELL_CPU_INDEPENDENT _Pragma("GCC ivdep")
#endif
#define WARPCELL_CPU_ORDERED

// Loops over the threads of the block, over its rows, over a row's threads. INDEPENDENT: no thread's part writes what another one's reads or
// writes.
#define WARPCELL_CPU_ROWS                                                                                        \
  for (unsigned warpcell_cpu_k = 0, warpcell_cpu_row = 0; warpcell_cpu_k < warpcell_cpu_z; warpcell_cpu_k++)     \
    for (unsigned warpcell_cpu_j = 0; warpcell_cpu_j < warpcell_cpu_y; warpcell_cpu_j++, warpcell_cpu_row += warpcell_cpu_x)
#define WARPCELL_CPU_ROW(order) \
  WARPCELL_CPU_##order for (unsigned warpcell_cpu_i = 0; warpcell_cpu_i < warpcell_cpu_x; warpcell_cpu_i++)
#define WARPCELL_CPU_THREADS(order) WARPCELL_CPU_ROWS WARPCELL_CPU_ROW(order)
#define WARPCELL_CPU_THREAD                                                                             \
  [[maybe_unused]] const uint3 threadIdx = {warpcell_cpu_i, warpcell_cpu_j, warpcell_cpu_k};            \
  [[maybe_unused]] const unsigned long warpcell_cpu_t = (unsigned long)warpcell_cpu_row + warpcell_cpu_i;

#define WARPCELL_CPU_SPLIT(number, ...)                                                                     \
  extern "C" __attribute__((__visibility__("default"), __used__)) void warpcell_cpu_split_##number(warpcell_cpu::Run* run) { \
    warpcell_cpu::SplitLaunch<(&__VA_ARGS__)>::entry(run);                                                  \
  }
// The same, for rows of 16, of 32 and of any number of threads.
#define WARPCELL_CPU_SPLIT_ROWS(number, of_16, of_32, of_any)                                               \
  extern "C" __attribute__((__visibility__("default"), __used__)) void warpcell_cpu_split_##number(warpcell_cpu::Run* run) { \
    const unsigned row = run->geometry->block[0];                                                           \
    if (row == 16) warpcell_cpu::SplitLaunch<(&WARPCELL_CPU_LIST of_16)>::entry(run);                       \
    else if (row == 32) warpcell_cpu::SplitLaunch<(&WARPCELL_CPU_LIST of_32)>::entry(run);                  \
    else warpcell_cpu::SplitLaunch<(&WARPCELL_CPU_LIST of_any)>::entry(run);                                \
  }
#define WARPCELL_CPU_LIST(...) __VA_ARGS__

// Warnings are about the kernel as it stands in the cell.
#if defined(__clang__)
#define WARPCELL_CPU_QUIET_BEGIN _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Weverything\"")
#define WARPCELL_CPU_QUIET_END _Pragma("clang diagnostic pop")
#else
#define WARPCELL_CPU_QUIET_BEGIN                                                                                        \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wall\"") _Pragma("GCC diagnostic ignored \"-Wfloat-conversion\"") \
  _Pragma("GCC diagnostic ignored \"-Wframe-larger-than=\"") _Pragma("GCC diagnostic ignored \"-Wuninitialized\"")       \
  _Pragma("GCC diagnostic ignored \"-Wmaybe-uninitialized\"") _Pragma("GCC diagnostic ignored \"-Wunused-variable\"")    \
  _Pragma("GCC diagnostic ignored \"-Wunused-but-set-variable\"") _Pragma("GCC diagnostic ignored \"-Wformat\"")         \
  _Pragma("GCC diagnostic ignored \"-Wparentheses\"") _Pragma("GCC diagnostic ignored \"-Warray-bounds\"")               \
  _Pragma("GCC diagnostic ignored \"-Wsequence-point\"") _Pragma("GCC diagnostic ignored \"-Wunused-value\"")
#define WARPCELL_CPU_QUIET_END _Pragma("GCC diagnostic pop")
#endif
