// How a checked cell's kernels are called: each thread of a block by itself, so that only what the cell says is
// watched. (The cell is compiled with -fsanitize=thread, whose calls go to the executor.) It comes before the cell.
#pragma once
#include <warpcell_cpu/cuda.h>

// Most arrays of shared memory end before the next one begins, so that one that is left by a pointer is noticed.
#undef __shared__
#define __shared__ static __thread __attribute__((aligned(128)))

#define WARPCELL_CPU_UNWATCHED __attribute__((no_sanitize("thread"), no_sanitize("undefined")))

namespace warpcell_cpu {

template <auto K>
struct Checked;

template <class... A, void (*K)(A...)>
struct Checked<K> {
  static constexpr Layout<A...> layout{};

  template <u32... I>
  static WARPCELL_CPU_UNWATCHED void blocks(Run* run, Indices<I...>) {
    // Not known to the compiler, which would make the kernel a part of this function.
    void (*volatile kernel)(A...) = K;
    [[maybe_unused]] const unsigned char* const arguments = run->arguments;
    const u32 grid_x = run->geometry->grid[0], grid_y = run->geometry->grid[1];
    const u32 size_x = run->geometry->block[0], size_y = run->geometry->block[1], size_z = run->geometry->block[2];
    detached = 0;
    block = run->block;
    dynamic_shared = run->shared;
    gridDim = {grid_x, grid_y, run->geometry->grid[2]};
    blockDim = {size_x, size_y, size_z};
    const u64 end = run->end;
    u32 x = run->thread % size_x, y = run->thread / size_x % size_y, z = run->thread / size_x / size_y;
    for (u64 index = run->first; index < end; index++, z = 0) {
      run->current = index;
      blockIdx = {u32(index % grid_x), u32(index / grid_x % grid_y), u32(index / grid_x / grid_y)};
      for (; z < size_z; z++, y = 0) {
        for (; y < size_y; y++, x = 0) {
          for (; x < size_x; x++) {
            threadIdx = {x, y, z};
            kernel(*reinterpret_cast<const A*>(arguments + layout.offset[I])...);
            if (detached) return;
          }
        }
      }
    }
  }

  static WARPCELL_CPU_UNWATCHED void entry(Run* run) { blocks(run, typename MakeIndices<sizeof...(A)>::type()); }
};

}  // namespace warpcell_cpu

template <auto K, warpcell_cpu::u32 Bound>
constexpr warpcell_cpu_kernel warpcell_cpu_checked_description = {
    warpcell_cpu::kVersion,
    warpcell_cpu::Checked<K>::layout.count,
    warpcell_cpu::Checked<K>::layout.offset,
    warpcell_cpu::Checked<K>::layout.size,
    warpcell_cpu::Checked<K>::layout.bytes,
    Bound < warpcell_cpu::kMaxThreads ? Bound : warpcell_cpu::kMaxThreads,
    &warpcell_cpu::touch,
    &warpcell_cpu::Checked<K>::entry,
};

// Where the calling core keeps its thread's index, its block's index, and whether the thread has a stack of its own.
extern "C" __attribute__((__visibility__("default"), __used__)) WARPCELL_CPU_UNWATCHED inline void warpcell_cpu_places(
    void** places) {
  places[0] = &threadIdx;
  places[1] = &warpcell_cpu::detached;
}

// Where a thread is, and that it waits, is nothing to watch. Loads that the compiler does not see are not told of; they
// name what they load, so that one is enough.
namespace warpcell_cpu {

WARPCELL_CPU_FN u32 unwatched(const u32& place) {
  u32 value;
#if defined(__x86_64__)
  __asm__("movl %1, %0" : "=r"(value) : "m"(place));
#else
  __asm__("ldr %w0, %1" : "=r"(value) : "Q"(place));
#endif
  return value;
}
WARPCELL_CPU_FN uint3 unwatched(const uint3& place) {
  return {unwatched(place.x), unwatched(place.y), unwatched(place.z)};
}

static WARPCELL_CPU_UNWATCHED __attribute__((noinline, unused)) void wait_for_block(unsigned line = __builtin_LINE()) {
  barrier(line, 0);
}

}  // namespace warpcell_cpu

#if !defined(WARPCELL_CPU_OWN_INDICES)  // the cell declares none of these
#define threadIdx (::warpcell_cpu::unwatched(::threadIdx))
#define blockIdx (::warpcell_cpu::unwatched(::blockIdx))
#define blockDim (::warpcell_cpu::unwatched(::blockDim))
#define gridDim (::warpcell_cpu::unwatched(::gridDim))
#endif
#define __syncthreads ::warpcell_cpu::wait_for_block

// What stands in front of each statement where lines are counted.
extern "C" void warpcell_cpu_ran(unsigned statement, const char* file, unsigned line);

#undef WARPCELL_CPU_EXPORT
#define WARPCELL_CPU_EXPORT(number, bound, ...)                   \
  extern "C" __attribute__((__visibility__("default"), __used__)) \
  const warpcell_cpu_kernel warpcell_cpu_kernel_##number = warpcell_cpu_checked_description<(&__VA_ARGS__), bound>;
