// What a proof is written with: a split kernel (split.h) that looks at its accesses as it makes them, and says whether it doubts that all of
// them are right. It decides nothing else: a launch that leaves a doubt is run again from the start and checked exactly. (proof_text.cc of the
// engine writes the calls.)
#pragma once
// Without what checked.h makes of the indices.
#pragma push_macro("threadIdx")
#undef threadIdx
#pragma push_macro("blockIdx")
#undef blockIdx
#pragma push_macro("blockDim")
#undef blockDim
#pragma push_macro("gridDim")
#undef gridDim
#include "split.h"
#pragma pop_macro("threadIdx")
#pragma pop_macro("blockIdx")
#pragma pop_macro("blockDim")
#pragma pop_macro("gridDim")

namespace warpcell_cpu {
namespace proof {

// What the engine says of a parameter that points to a tensor; of others it has no bytes.
struct Argument {
  u64 bytes;
  u32* owners;  // of each element of a tensor that is written: who uses it
  u32 element;  // bytes
  u32 is_unreadable;  // some of it has not been written
};
struct Table {
  u32 doubt;
  u32 shared;  // dynamic, bytes
  const Argument* arguments;
};

// A doubt that nobody has yet is handed to the engine when a block ends.
struct Doubt {
  Table* table;
  u32 value = 0;
  inline __attribute__((always_inline)) ~Doubt() {
    if (value != 0) *static_cast<volatile u32*>(&table->doubt) = 1;
  }
};

// Who stands for all threads, where something is done once for them.
struct Once {};

#define WARPCELL_CPU_PROOF_FN WARPCELL_CPU_FN __attribute__((no_sanitize("thread"), no_sanitize("undefined")))

// An array of any rank as the row of its elements. An index outside of its own dimension is in doubt, and becomes 0.
template <class T>
struct Array {
  using Element = T;
  static constexpr u64 count = 1;
  WARPCELL_CPU_PROOF_FN void place(u64&, u32&) {}
};
template <class T, unsigned long N>
struct Array<T[N]> {
  using Element = typename Array<T>::Element;
  static constexpr u64 count = N * Array<T>::count;
  template <class I, class... More>
  WARPCELL_CPU_PROOF_FN void place(u64& at, u32& bad, I index, More... more) {
    const bool is_in = u64(index) < N;
    bad |= !is_in;
    at += (is_in ? u64(index) : 0) * Array<T>::count;
    Array<T>::place(at, bad, more...);
  }
};

// What each thread keeps, of which clang need not know how many there are: it would look at each index (-fsanitize=bounds, whatever a
// function says), and make no vectors.
template <class T>
WARPCELL_CPU_PROOF_FN T* lanes(T* first) {
#if defined(__clang__)
  __asm__("" : "+r"(first));
#endif
  return first;
}

// Constant memory, and arrays of a thread's own: only their bounds matter.
template <class A, class... I>
WARPCELL_CPU_PROOF_FN auto& element(A& array, u32& bad, I... indices) {
  u64 at = 0;
  Array<A>::place(at, bad, indices...);
  return reinterpret_cast<typename Array<A>::Element*>(&array)[at];
}

// Who was at an element of shared memory, and since how many barriers: a thread, many of them, or atomic functions. 0: nobody.
constexpr u32 kEpoch = 1 << 11, kAtomics = 1024, kMany = 1025;

// Beside an array of shared memory. `Reads`: who has read is remembered, as some part of the kernel reads and writes between two barriers.
// Where a part only reads, it is enough that no part writes before the next one.
template <class A, u64 Count, bool Reads>
struct Shared {
  using Element = A;
  u32 written[Count];
  u32 read[Reads ? Count : 1];
  u32 read_since = 0;
  u64 count = Count;

  WARPCELL_CPU_PROOF_FN void forget(u32* of, u64 count) { __builtin_memset(of, 0, count * sizeof(u32)); }
  explicit Shared(u64 used) : count(used) {
    forget(written, used);
    if (Reads) forget(read, used);
  }
  inline __attribute__((always_inline, no_sanitize("thread"), no_sanitize("undefined"))) void enter(u64 at, u32 mine, u32 epoch, u32& bad) {
    const u32 writer = written[at];
    bad |= u32(writer >= epoch) & u32(writer != mine);
    if constexpr (Reads) {
      const u32 reader = read[at];
      bad |= u32(reader >= epoch) & u32(reader != mine);
    }
    written[at] = mine;
  }
};
constexpr u64 kMostDynamic = 227 << 10;

template <class A, bool Reads>
struct Static : Shared<typename Array<A>::Element, Array<A>::count, Reads> {
  explicit Static(const Table*) : Shared<typename Array<A>::Element, Array<A>::count, Reads>(Array<A>::count) {}
  template <class... I>
  WARPCELL_CPU_PROOF_FN u64 place(const Static&, u32& bad, I... indices) {
    u64 at = 0;
    Array<A>::place(at, bad, indices...);
    return at;
  }
};
template <class T, bool Reads>
struct Static<T[], Reads> : Shared<T, kMostDynamic / sizeof(T), Reads> {
  explicit Static(const Table* table) : Shared<T, kMostDynamic / sizeof(T), Reads>(table->shared / sizeof(T)) {}
  template <class I>
  WARPCELL_CPU_PROOF_FN u64 place(const Static& shared, u32& bad, I index) {
    const bool is_in = u64(index) < shared.count;
    bad |= !is_in;
    return is_in ? u64(index) : 0;
  }
};

template <bool Stamps, class A, bool Reads, class... I>
WARPCELL_CPU_PROOF_FN auto read(Static<A, Reads>& shared, A& array, u32 epoch, u32 me, u32& bad, I... indices) {
  using Element = typename Static<A, Reads>::Element;
  const u64 at = Static<A, Reads>::place(shared, bad, indices...);
  const u32 writer = shared.written[at], mine = epoch | me;
  bad |= u32(writer == 0) | (u32(writer >= epoch) & u32(writer != mine));
  if constexpr (Stamps) {
    const u32 reader = shared.read[at];
    shared.read[at] = reader < epoch || reader == mine ? mine : epoch | kMany;
  }
  return reinterpret_cast<const Element*>(&array)[at];
}
template <bool Stamps, class A, bool Reads, class... I>
WARPCELL_CPU_PROOF_FN auto read(Static<A, Reads>& shared, A& array, u32 epoch, Once, u32& bad, I... indices) {
  using Element = typename Static<A, Reads>::Element;
  const u64 at = Static<A, Reads>::place(shared, bad, indices...);
  bad |= u32(shared.written[at] == 0) | u32(shared.written[at] >= epoch);
  shared.read_since = epoch;
  return reinterpret_cast<const Element*>(&array)[at];
}
// To be assigned to; `updates`: read as well.
template <bool Updates, class A, bool Reads, class... I>
WARPCELL_CPU_PROOF_FN auto& write(Static<A, Reads>& shared, A& array, u32 epoch, u32 me, u32& bad, I... indices) {
  using Element = typename Static<A, Reads>::Element;
  const u64 at = Static<A, Reads>::place(shared, bad, indices...);
  if (Updates) bad |= shared.written[at] == 0;
  shared.enter(at, epoch | me, epoch, bad);
  return reinterpret_cast<Element*>(&array)[at];
}
template <class A, bool Reads, class... I>
WARPCELL_CPU_PROOF_FN auto& atomic(Static<A, Reads>& shared, A& array, u32 epoch, u32, u32& bad, I... indices) {
  return write<true>(shared, array, epoch, kAtomics, bad, indices...);
}

// A tensor. Where the kernel writes it, each element is one thread's alone, or that of atomic functions, for the whole launch.
constexpr u32 kWritten = 1u << 31, kOfAtomics = kWritten - 1;

template <class T, bool Writes>
struct Tensor {
  T* data;
  u64 count;
  u32* owners;
  u32 unreadable, first;
  alignas(T) unsigned char sink[sizeof(T)];

  Tensor(T* pointer, const Argument& argument, u32 threads_before, u32& bad)
      : data(pointer), count(argument.bytes / sizeof(T)), owners(argument.owners), unreadable(argument.is_unreadable),
        first(threads_before + 1) {
    const bool is_other = u64(pointer) % alignof(T) != 0 || (Writes && (owners == nullptr || argument.element != sizeof(T)));
    if (!is_other || count == 0) return;
    count = 0;
    bad = 1;
  }
  // Answers whether somebody else uses it.
  inline __attribute__((always_inline, no_sanitize("thread"), no_sanitize("undefined"))) u32 enter(u64 at, u32 who, u32 writes) {
    u32* const owner = owners + at;
    const u32 known = *static_cast<volatile u32*>(owner);
    if ((known & ~kWritten) != who) {
      const u32 before = __atomic_exchange_n(owner, who | writes, __ATOMIC_RELAXED) & ~kWritten;
      return before != 0 && before != who;
    }
    if ((known & writes) != writes) *static_cast<volatile u32*>(owner) = who | writes;
    return 0;
  }
};

template <class T> struct Plain { using type = T; };
template <class T> struct Plain<const T> { using type = T; };

template <bool, class T, class P, class I>
WARPCELL_CPU_PROOF_FN auto read(Tensor<T, false>& tensor, P&, u32, Once, u32& bad, I index) {
  typename Plain<T>::type value{};
  const bool is_in = u64(index) < tensor.count;
  bad |= u32(!is_in) | tensor.unreadable;
  if (is_in) value = tensor.data[u64(index)];
  return value;
}
template <bool Stamps, class T, class P, class I>
WARPCELL_CPU_PROOF_FN auto read(Tensor<T, false>& tensor, P& pointer, u32 epoch, u32, u32& bad, I index) {
  return read<Stamps>(tensor, pointer, epoch, Once{}, bad, index);
}
template <bool Updates, class T, class P, class I>
WARPCELL_CPU_PROOF_FN T& write(Tensor<T, true>& tensor, P&, u32, u32 me, u32& bad, I index) {
  const bool is_in = u64(index) < tensor.count;
  bad |= u32(!is_in);
  if (Updates) bad |= tensor.unreadable;
  if (!is_in) return *reinterpret_cast<T*>(tensor.sink);
  bad |= tensor.enter(u64(index), tensor.first + me, kWritten);
  return tensor.data[u64(index)];
}
template <bool, class T, class P, class I>
WARPCELL_CPU_PROOF_FN T read(Tensor<T, true>& tensor, P&, u32, u32 me, u32& bad, I index) {
  T value{};
  const bool is_in = u64(index) < tensor.count;
  bad |= u32(!is_in) | tensor.unreadable;
  if (!is_in) return value;
  bad |= tensor.enter(u64(index), tensor.first + me, 0);
  value = tensor.data[u64(index)];
  return value;
}
template <class T, class P, class I>
WARPCELL_CPU_PROOF_FN T& atomic(Tensor<T, true>& tensor, P& pointer, u32 epoch, u32, u32& bad, I index) {
  return write<true>(tensor, pointer, epoch, kOfAtomics - tensor.first, bad, index);
}
// What is done once for all threads touches what is written by nobody.
template <bool, class T, class P, class I>
WARPCELL_CPU_PROOF_FN T read(Tensor<T, true>&, P&, u32, Once, u32& bad, I) {
  bad = 1;
  return T{};
}

}  // namespace proof
}  // namespace warpcell_cpu

extern "C" __attribute__((__visibility__("default"), __used__)) warpcell_cpu::proof::Table* warpcell_cpu_proof_table;
warpcell_cpu::proof::Table* warpcell_cpu_proof_table = nullptr;

#undef WARPCELL_CPU_SPLIT_SHARED
#undef WARPCELL_CPU_SPLIT_KERNEL
#define WARPCELL_CPU_SPLIT_SHARED __attribute__((aligned(64)))
#define WARPCELL_CPU_PROOF_ATTRIBUTES \
  noinline, flatten, no_sanitize("thread"), no_sanitize("bounds"), no_sanitize("alignment")
#if defined(__clang__)
#define WARPCELL_CPU_SPLIT_KERNEL static __attribute__((WARPCELL_CPU_PROOF_ATTRIBUTES)) void
#define WARPCELL_CPU_PROVEN _Pragma("clang loop vectorize(enable) interleave_count(1)")
#else
#define WARPCELL_CPU_SPLIT_KERNEL \
  static __attribute__((WARPCELL_CPU_PROOF_ATTRIBUTES, optimize("O2", "tree-loop-vectorize", "vect-cost-model=dynamic", "peel-loops"))) void
#define WARPCELL_CPU_PROVEN
#endif

// The beginning of a proof. The threads of earlier blocks are numbered before those of this one.
#define WARPCELL_CPU_PROOF_BEGIN                                                                                        \
  ::warpcell_cpu::proof::Table* const warpcell_cpu_table = ::warpcell_cpu_proof_table;                                  \
  if (*static_cast<volatile unsigned*>(&warpcell_cpu_table->doubt) != 0) return;                                        \
  ::warpcell_cpu::proof::Doubt warpcell_cpu_of_block{warpcell_cpu_table};                                               \
  [[maybe_unused]] unsigned &warpcell_cpu_doubt = warpcell_cpu_of_block.value, &warpcell_cpu_bad = warpcell_cpu_doubt;  \
  [[maybe_unused]] const unsigned warpcell_cpu_before =                                                                 \
      (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) * warpcell_cpu_threads;                          \
  [[maybe_unused]] constexpr ::warpcell_cpu::proof::Once warpcell_cpu_me{};                                             \
  [[maybe_unused]] unsigned warpcell_cpu_epoch = ::warpcell_cpu::proof::kEpoch;
#define WARPCELL_CPU_PROOF_TENSOR(name, number, writes)                                                                 \
  ::warpcell_cpu::proof::Tensor<::warpcell_cpu::proof::Pointee<decltype(name)>, writes> warpcell_cpu_proof_##name(      \
      name, warpcell_cpu_table->arguments[number], warpcell_cpu_before, warpcell_cpu_doubt);
#define WARPCELL_CPU_PROOF_SHARED(name, reads)                                                                          \
  ::warpcell_cpu::proof::Static<::warpcell_cpu::proof::Bare<decltype(name)>, reads> warpcell_cpu_proof_##name(warpcell_cpu_table);
// What a thread does between two barriers: shared memory that it only reads is written by nobody then, or else by the thread itself.
#define WARPCELL_CPU_PROOF_READS(name) warpcell_cpu_proof_##name.read_since = warpcell_cpu_epoch;
#define WARPCELL_CPU_PROOF_WRITES(name) warpcell_cpu_doubt |= warpcell_cpu_proof_##name.read_since == warpcell_cpu_epoch;
#define WARPCELL_CPU_PROOF_REGION { unsigned warpcell_cpu_bad = 0;
#define WARPCELL_CPU_PROOF_REGION_END warpcell_cpu_doubt |= warpcell_cpu_bad; }
#define WARPCELL_CPU_PROOF_THREAD [[maybe_unused]] const unsigned warpcell_cpu_me = warpcell_cpu_t;
// All threads have come, and there are not too many barriers to tell them apart.
#define WARPCELL_CPU_PROOF_BARRIER \
  warpcell_cpu_epoch += ::warpcell_cpu::proof::kEpoch; \
  warpcell_cpu_doubt |= warpcell_cpu_epoch < ::warpcell_cpu::proof::kEpoch;
#define WARPCELL_CPU_PROOF_ALL_ALIVE warpcell_cpu_doubt |= !::warpcell_cpu::proof::all(warpcell_cpu_alive, warpcell_cpu_threads);

namespace warpcell_cpu {
namespace proof {
template <class T> struct PointeeOf;
template <class T> struct PointeeOf<T*> { using type = T; };
template <class T> struct PointeeOf<T* const> { using type = T; };
template <class T> struct PointeeOf<T* __restrict__> { using type = T; };
template <class T> struct PointeeOf<T* const __restrict__> { using type = T; };
template <class T> using Pointee = typename PointeeOf<T>::type;
template <class T> struct BareOf { using type = T; };
template <class T> struct BareOf<T&> { using type = T; };
template <class T> using Bare = typename BareOf<T>::type;
WARPCELL_CPU_FN bool all(const bool* alive, u32 threads) {
  u32 count = 0;
  for (u32 i = 0; i < threads; i++) count += alive[i];
  return count == threads;
}
}  // namespace proof
}  // namespace warpcell_cpu

// The proof of a kernel; `uses`: of each parameter whether it is a tensor that is read or written.
#define WARPCELL_CPU_PROOF(number, uses)                                                                    \
  extern "C" __attribute__((__visibility__("default"), __used__)) const char warpcell_cpu_proof_uses_##number[] = uses;
