// Makes a kernel callable: turns a function that describes one thread into an entry that runs blocks of threads, with its arguments read from one packed buffer
// (each at its natural alignment, as cuLaunchKernel lays them out).
#pragma once
#include "indices.h"

namespace warpcell_cpu {

template <u32... I>
struct Indices {};
template <u32 N, u32... I>
struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <u32... I>
struct MakeIndices<0, I...> { using type = Indices<I...>; };

template <class... A>
struct Layout {
  static constexpr u32 count = sizeof...(A);
  u32 offset[count + 1] = {};
  u32 size[count + 1] = {};
  u32 bytes = 0;
  constexpr Layout() {
    const u32 sizes[] = {u32(sizeof(A))..., 0}, alignments[] = {u32(alignof(A))..., 1};
    for (u32 i = 0; i < count; i++) {
      bytes = (bytes + alignments[i] - 1) / alignments[i] * alignments[i];
      offset[i] = bytes;
      size[i] = sizes[i];
      bytes += sizes[i];
    }
  }
};

static __thread char touched;

// Makes the core's copy of the cell's thread variables, shared memory among them. The first access does that in the C library, which
// uses any register; but clang (19 at least) takes for granted that xmm16 and above survive __tls_get_addr, so no kernel may be the first.
static __attribute__((noinline)) void touch() { asm volatile("" : : "r"(&touched)); }

template <auto K>
struct Launch;

template <class... A, void (*K)(A...)>
struct Launch<K> {
  static constexpr Layout<A...> layout{};

  // Runs threads in order until one that has been parked has ended. A kernel without barriers is a plain loop here, which compilers
  // vectorise. (A pragma that calls the iterations independent would be wrong: a thread's local array is one place for all of them.)
  WARPCELL_CPU_FN void blocks(Run* run, A... arguments) {
    const u32 grid_x = run->geometry->grid[0], grid_y = run->geometry->grid[1];
    const u32 size_x = run->geometry->block[0], size_y = run->geometry->block[1], size_z = run->geometry->block[2];
    if (size_x == 0 || size_x > kMaxThreads || size_y == 0 || size_y > kMaxThreads || size_z == 0) __builtin_unreachable();
    detached = 0;
    block = run->block;
    dynamic_shared = run->shared;
    gridDim = {grid_x, grid_y, run->geometry->grid[2]};
    blockDim = {size_x, size_y, size_z};

    u64 index = run->first;
    const u64 end = run->end;
    u32 block_x = u32(index % grid_x), block_y = u32(index / grid_x % grid_y), block_z = u32(index / grid_x / grid_y);
    u32 x = run->thread % size_x, y = run->thread / size_x % size_y, z = run->thread / size_x / size_y;
    for (; index < end; index++) {
      if (u64(block_x) * size_x + size_x > 0x7fffffff) __builtin_unreachable();
      run->current = index;
      blockIdx = {block_x, block_y, block_z};
      for (; z < size_z; z++, y = 0) {
        for (; y < size_y; y++, x = 0) {
          threadIdx.z = z;
          threadIdx.y = y;
          for (u32 i = x; i < size_x; i++) {
            threadIdx.x = i;
            WARPCELL_CPU_INLINE_CALL K(arguments...);
            if (detached) return;
          }
        }
      }
      x = y = z = 0;
      if (++block_x == grid_x) {
        block_x = 0;
        if (++block_y == grid_y) {
          block_y = 0;
          block_z++;
        }
      }
    }
  }

  template <u32... I>
  static __attribute__((flatten)) void unpack(Run* run, Indices<I...>) {
    [[maybe_unused]] const unsigned char* const arguments = run->arguments;
    blocks(run, *reinterpret_cast<const A*>(arguments + layout.offset[I])...);
  }

  static void entry(Run* run) { unpack(run, typename MakeIndices<sizeof...(A)>::type()); }
};

}  // namespace warpcell_cpu

using warpcell_cpu_kernel = warpcell_cpu::Kernel;

template <auto K, warpcell_cpu::u32 Bound>
constexpr warpcell_cpu_kernel warpcell_cpu_description = {
    warpcell_cpu::kVersion,
    warpcell_cpu::Launch<K>::layout.count,
    warpcell_cpu::Launch<K>::layout.offset,
    warpcell_cpu::Launch<K>::layout.size,
    warpcell_cpu::Launch<K>::layout.bytes,
    Bound < warpcell_cpu::kMaxThreads ? Bound : warpcell_cpu::kMaxThreads,
    &warpcell_cpu::touch,
    &warpcell_cpu::Launch<K>::entry,
};

// One exported description per kernel; `bound` is the most threads of a block, in parentheses; the expression may hold commas. It comes after the cell's own macros, so no name in it may be
// one that a cell would define: `count`, `size`.
#define WARPCELL_CPU_EXPORT(number, bound, ...) \
  extern "C" __attribute__((__visibility__("default"), __used__)) const warpcell_cpu_kernel warpcell_cpu_kernel_##number = warpcell_cpu_description<(&__VA_ARGS__), bound>;
