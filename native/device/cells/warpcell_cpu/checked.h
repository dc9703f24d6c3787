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

namespace warpcell_cpu {
// Threads below the running one wait at the next barrier and those above are ready, as Block::in_order says it where
// nobody watches.
static __thread int waits_in_order;
}  // namespace warpcell_cpu

// The last of them has come.
extern "C" void warpcell_cpu_all_wait(unsigned line) noexcept;

// Where the calling core keeps its thread's index, whether the thread has a stack of its own, and whether threads wait
// in order.
extern "C" __attribute__((__visibility__("default"), __used__)) WARPCELL_CPU_UNWATCHED inline void warpcell_cpu_places(
    void** places) {
  places[0] = &threadIdx;
  places[1] = &warpcell_cpu::detached;
  places[2] = &warpcell_cpu::waits_in_order;
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
  if (!waits_in_order) return barrier(line, 0);
  const uint3 saved = ::threadIdx;
  Block* const b = block;
  const u32 thread = b->current;
  u32 next = thread + 1;
  if (next == b->threads) {
    warpcell_cpu_all_wait(line);
    b->voted = b->votes;
    b->votes = 0;
    next = 0;
  }
  b->current = next;
  b->slot[thread].line = line;
  prefetch(&b->slot[next] + 1);
  switch_to(&b->slot[thread], &b->slot[next]);
  ::threadIdx = saved;
  detached = 1;
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

#ifdef WARPCELL_CPU_TELLS

// Whether the thread is the one that is followed; and what a variable of it holds, as bits. `index`: of a part, else
// -1.
extern "C" bool warpcell_cpu_steps(unsigned statement, const char* file, unsigned line, const char* function);
extern "C" void warpcell_cpu_tell(const char* name, int index, char kind, unsigned bytes, unsigned long long bits,
                                  bool is_set);

namespace warpcell_cpu {

#define WARPCELL_CPU_TELLING WARPCELL_CPU_UNWATCHED __attribute__((always_inline)) inline

template <class... T>
using Nothing = void;

// What has no parts that are known is not told.
template <class T, class = void, class = void>
struct Teller {
  static constexpr bool is_plain = false;
  static WARPCELL_CPU_TELLING void tell(const char*, int, const T&, bool) {}
};

#define WARPCELL_CPU_TELL(type, kind, bits)                                                              \
  template <>                                                                                            \
  struct Teller<type> {                                                                                  \
    static constexpr bool is_plain = true;                                                               \
    static WARPCELL_CPU_TELLING void tell(const char* name, int index, const type& value, bool is_set) { \
      warpcell_cpu_tell(name, index, kind, sizeof(type), bits, is_set);                                  \
    }                                                                                                    \
  };
WARPCELL_CPU_TELL(bool, 'b', (unsigned long long)value)
WARPCELL_CPU_TELL(char, 'i', (unsigned long long)(long long)value)
WARPCELL_CPU_TELL(signed char, 'i', (unsigned long long)(long long)value)
WARPCELL_CPU_TELL(unsigned char, 'u', value)
WARPCELL_CPU_TELL(short, 'i', (unsigned long long)(long long)value)
WARPCELL_CPU_TELL(unsigned short, 'u', value)
WARPCELL_CPU_TELL(int, 'i', (unsigned long long)(long long)value)
WARPCELL_CPU_TELL(unsigned, 'u', value)
WARPCELL_CPU_TELL(long, 'i', (unsigned long long)value)
WARPCELL_CPU_TELL(unsigned long, 'u', value)
WARPCELL_CPU_TELL(long long, 'i', (unsigned long long)value)
WARPCELL_CPU_TELL(unsigned long long, 'u', value)
WARPCELL_CPU_TELL(float, 'f', __builtin_bit_cast(unsigned, value))
WARPCELL_CPU_TELL(double, 'd', __builtin_bit_cast(unsigned long long, value))
#undef WARPCELL_CPU_TELL

template <class T>
struct Teller<T*> {
  static constexpr bool is_plain = true;
  static WARPCELL_CPU_TELLING void tell(const char* name, int index, T* const& value, bool is_set) {
    warpcell_cpu_tell(name, index, 'p', sizeof value, (unsigned long long)value, is_set);
  }
};
template <class T>
struct Teller<const T> : Teller<T> {};
template <class T>
struct Teller<volatile T> {
  static constexpr bool is_plain = false;
  static WARPCELL_CPU_TELLING void tell(const char* name, int index, const volatile T& value, bool is_set) {
    if constexpr (Teller<T>::is_plain) Teller<T>::tell(name, index, T(value), is_set);
  }
};

constexpr u32 kMostTold = 16;  // elements of an array

template <class T, unsigned long N>
struct Teller<T[N]> {
  static constexpr bool is_plain = false;
  static WARPCELL_CPU_TELLING void tell(const char* name, int index, const T (&values)[N], bool is_set) {
    if constexpr (Teller<T>::is_plain)
      for (u32 i = 0; index < 0 && i < N && i < kMostTold; i++) Teller<T>::tell(name, int(i), values[i], is_set);
  }
};
// Numbers of 16 bits, which are floats for all that look at them.
template <class T>
struct Teller<T, Nothing<decltype(static_cast<float>(*static_cast<const T*>(nullptr)))>,
              typename EnableIf<__is_class(T) && sizeof(T) == 2, void>::type> {
  static constexpr bool is_plain = true;
  static WARPCELL_CPU_TELLING void tell(const char* name, int index, const T& value, bool is_set) {
    Teller<float>::tell(name, index, static_cast<float>(value), is_set);
  }
};
// float2, uchar4, dim3 …: what has these parts and no other.
template <class T, class = void>
constexpr bool has_z = false;
template <class T>
constexpr bool has_z<T, Nothing<decltype(&T::z)>> = true;
template <class T, class = void>
constexpr bool has_w = false;
template <class T>
constexpr bool has_w<T, Nothing<decltype(&T::w)>> = true;
template <class T>
struct Teller<T, Nothing<decltype(&T::x), decltype(&T::y)>> {
  static constexpr bool is_plain = false;
  static WARPCELL_CPU_TELLING void tell(const char* name, int index, const T& value, bool is_set) {
    using Part = decltype(T::x);
    constexpr u32 parts = 2 + has_z<T> + has_w<T>;
    if constexpr (Teller<Part>::is_plain && sizeof(T) == parts * sizeof(Part)) {
      auto* part = reinterpret_cast<const Part*>(&value);
      for (u32 i = 0; index < 0 && i < parts; i++) Teller<Part>::tell(name, int(i), part[i], is_set);
    }
  }
};

template <class T>
WARPCELL_CPU_TELLING void tell(const char* name, const T& value) {
  Teller<T>::tell(name, -1, value, true);
}
// Of what was declared without a value.
template <class T>
WARPCELL_CPU_TELLING void tell_if_set(const char* name, const T& value) {
  Teller<T>::tell(name, -1, value, false);
}

#undef WARPCELL_CPU_TELLING

}  // namespace warpcell_cpu

#endif

#undef WARPCELL_CPU_EXPORT
#define WARPCELL_CPU_EXPORT(number, bound, ...)                   \
  extern "C" __attribute__((__visibility__("default"), __used__)) \
  const warpcell_cpu_kernel warpcell_cpu_kernel_##number = warpcell_cpu_checked_description<(&__VA_ARGS__), bound>;
