// What a split kernel is written with (split_text.cc of the engine writes it): loops over the threads of a block, and room for what a
// thread keeps from one of them to the next.
#pragma once
#include "export.h"
#include "split_lanes.h"
#include "split_limits.h"

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

template <class T> constexpr __int128 greatest = ((__int128(1) << (sizeof(T) * 8 - 1)) - 1) * (is_signed<T> ? 1 : 2) + !is_signed<T>;

// How many of `threads` threads go through `for (T i = …; i < bound; i += step)` together, of which the first one begins at `first` and the
// last one at `last`: all of them, where they stand side by side, step over each other and no number on the way is too great for its type. Else
// each alone, as the loop is written.
template <class T, class B, class S>
WARPCELL_CPU_FN u32 together(T first, T last, u32 threads, B bound, S step) {
  if constexpr (is_integer<T> && is_integer<B> && is_integer<S> && sizeof(T) >= 4) {
    using Compared = decltype(first + bound);
    const __int128 from = first, end = bound, by = step;
    const __int128 limit = greatest<T> < greatest<Compared> ? greatest<T> : greatest<Compared>;
    const bool is_far = by >= threads || by >= 32, is_compared = is_signed<Compared> || (from >= 0 && end >= 0);
    if (is_far && is_compared && last - from == threads - 1 && end + by + threads <= limit) return threads;
  }
  return 1;
}

// How many of them are in front of the bound, when the first one is.
template <bool inclusive, class T, class B>
WARPCELL_CPU_FN u32 active(T first, B bound, u32 together) {
  const u64 left = u64(bound) - u64(first) + inclusive;
  return together == 1 ? 1 : left < together ? u32(left) : together;
}

template <class T>
WARPCELL_CPU_FN T beside(T first, u32 place) { return first + T(place); }

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

// g++ makes vectors of such loops at -O3 only, and keeps what a thread adds up in a register where the loops inside are written out. It asks the C library where a variable of a thread is in each turn of a loop, so shared memory
// lies on the stack there, which takes a tenth of the time.
#if defined(__clang__)
#define WARPCELL_CPU_SPLIT_SHARED __shared__
#define WARPCELL_CPU_SPLIT_KERNEL static __attribute__((noinline, flatten)) void
#else
#define WARPCELL_CPU_SPLIT_SHARED __attribute__((aligned(16)))
#define WARPCELL_CPU_SPLIT_KERNEL \
  static __attribute__((noinline, flatten, optimize("tree-loop-vectorize", "vect-cost-model=dynamic", "peel-loops"))) void
#endif

// The beginning of a split kernel. The names hide those of the thread, which a compiler cannot keep in registers. They are copied number by
// number: where one is copied whole, clang takes for granted for all kernels of the cell that the arrays of their arguments may overlap it.
#define WARPCELL_CPU_SPLIT_BEGIN                                                                            \
  [[maybe_unused]] const uint3 blockIdx = {::blockIdx.x, ::blockIdx.y, ::blockIdx.z};                       \
  [[maybe_unused]] const uint3 gridDim = {::gridDim.x, ::gridDim.y, ::gridDim.z};                           \
  const uint3 blockDim = {warpcell_cpu_fixed == 0 ? ::blockDim.x : warpcell_cpu_fixed, ::blockDim.y, ::blockDim.z}; \
  const unsigned warpcell_cpu_x = blockDim.x, warpcell_cpu_y = blockDim.y, warpcell_cpu_z = blockDim.z;     \
  if (warpcell_cpu_x == 0 || warpcell_cpu_x > 1024 || warpcell_cpu_y == 0 || warpcell_cpu_y > 1024 ||       \
      warpcell_cpu_z == 0 || (unsigned long long)blockIdx.x * blockDim.x + blockDim.x > 0x7fffffff ||       \
      blockIdx.x * blockDim.x > ::warpcell_cpu::kSplitThreads) /* what g++ sees of the same */              \
    __builtin_unreachable();                                                                                \
  [[maybe_unused]] const unsigned warpcell_cpu_threads = warpcell_cpu_x * warpcell_cpu_y * warpcell_cpu_z;   \
  [[maybe_unused]] const unsigned warpcell_cpu_from = 0, warpcell_cpu_end = warpcell_cpu_x;

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
  WARPCELL_CPU_##order for (unsigned warpcell_cpu_i = warpcell_cpu_from; warpcell_cpu_i < warpcell_cpu_end; warpcell_cpu_i++)
#define WARPCELL_CPU_THREADS(order) WARPCELL_CPU_ROWS WARPCELL_CPU_ROW(order)
#define WARPCELL_CPU_THREAD                                                                             \
  [[maybe_unused]] const uint3 threadIdx = {warpcell_cpu_i, warpcell_cpu_j, warpcell_cpu_k};            \
  [[maybe_unused]] const unsigned long warpcell_cpu_t = (unsigned long)warpcell_cpu_row + warpcell_cpu_i;

// Loops by strides. How many threads of a row go on together, its first and the next of them in `for (auto i = warpcell_cpu_start(first); …)`.
#define WARPCELL_CPU_THREAD_OF_ROW(i) [[maybe_unused]] const uint3 threadIdx = {i, warpcell_cpu_j, warpcell_cpu_k};
#define WARPCELL_CPU_TOGETHER(bound, step)                                                                              \
  const unsigned warpcell_cpu_together = ::warpcell_cpu::together(                                                      \
      warpcell_cpu_start(warpcell_cpu_from), warpcell_cpu_start(warpcell_cpu_end - 1), warpcell_cpu_end - warpcell_cpu_from, bound, step); \
  for (unsigned warpcell_cpu_first = warpcell_cpu_from; warpcell_cpu_first < warpcell_cpu_end; warpcell_cpu_first += warpcell_cpu_together)
#define WARPCELL_CPU_ROUND(inclusive, i, bound, number)                                                                 \
  const unsigned warpcell_cpu_from = warpcell_cpu_first, warpcell_cpu_from_##number = warpcell_cpu_first,               \
                 warpcell_cpu_end = warpcell_cpu_first + ::warpcell_cpu::active<inclusive>(i, bound, warpcell_cpu_together); \
  const auto warpcell_cpu_base_##number = i;
#define WARPCELL_CPU_INDEX(i, number) \
  [[maybe_unused]] auto i = ::warpcell_cpu::beside(warpcell_cpu_base_##number, warpcell_cpu_i - warpcell_cpu_from_##number);

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
