// <cub/block/block_radix_sort.cuh> for a cell: the elements of a block's threads in order, by any of their keys' bits, equal ones as they were.
#pragma once
#include "../../warpcell_cpu/collectives.h"
#include "block_scan.cuh"

namespace warpcell_cpu {

// A key's bits, ordered as unsigned numbers; -0 is 0.
template <class T>
WARPCELL_CPU_FN u64 ordered_bits(T key) {
  constexpr u64 top = u64(1) << (8 * sizeof(T) - 1), all = top | (top - 1);
  const u64 bits = to_bits(key);
  if constexpr (is_integer<T>) {
    return T(-1) < T(0) && sizeof(T) <= 8 && !is_same<T, bool> ? bits ^ top : bits;
  } else {
    if (bits == top) return top;
    return bits & top ? ~bits & all : bits | top;
  }
}

}  // namespace warpcell_cpu

namespace cub {

template <class Key, int X, int N, class Value = NullType, int = 4, bool = true, BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, int = 0, int Y = 1, int Z = 1, int = 0>
class BlockRadixSort {
  static constexpr int kThreads = X * Y * Z, kCount = kThreads * N;

 public:
  struct TempStorage {
    warpcell_cpu::Room<Key, kCount> key;
    warpcell_cpu::Room<Value, kCount> value;
  };
  WARPCELL_CPU_MEMBER explicit BlockRadixSort(TempStorage& storage, unsigned line = __builtin_LINE()) : room_(storage), block_{line} {}
  WARPCELL_CPU_MEMBER BlockRadixSort(unsigned line = __builtin_LINE()) : room_(warpcell_cpu::private_storage<Key, TempStorage>()), block_{line} {}

#define WARPCELL_CPU_SORT(name, descends, is_striped)                                                                               \
  WARPCELL_CPU_MEMBER void name(Key (&keys)[N], int begin = 0, int end = 8 * sizeof(Key)) {                                         \
    sort<descends, is_striped>(keys, static_cast<Value*>(nullptr), begin, end);                                                     \
  }                                                                                                                                 \
  WARPCELL_CPU_MEMBER void name(Key (&keys)[N], Value (&values)[N], int begin = 0, int end = 8 * sizeof(Key)) {                     \
    sort<descends, is_striped>(keys, values, begin, end);                                                                           \
  }
  WARPCELL_CPU_SORT(Sort, false, false) WARPCELL_CPU_SORT(SortDescending, true, false)
  WARPCELL_CPU_SORT(SortBlockedToStriped, false, true) WARPCELL_CPU_SORT(SortDescendingBlockedToStriped, true, true)
#undef WARPCELL_CPU_SORT

 private:
  template <bool descends, bool is_striped>
  WARPCELL_CPU_MEMBER void sort(Key* keys, Value* values, int begin, int end) {
    const int rank = block_.rank();
    for (int i = 0; i < N; i++) {
      room_.key[rank * N + i] = keys[i];
      if (values != nullptr) room_.value[rank * N + i] = values[i];
    }
    block_.meet();
    if (rank == 0) rank_all(descends, begin, end);
    block_.meet();
    for (int i = 0; i < N; i++) {
      const int from = is_striped ? rank + i * kThreads : rank * N + i;
      keys[i] = room_.key[from];
      if (values != nullptr) values[i] = room_.value[from];
    }
  }

  // By 8 bits at a time, the lowest first; each pass keeps the order of equals.
  __attribute__((noinline)) void rank_all(bool descends, int begin, int end) {
    static_assert(kCount <= 65536, "A block sorts at most 65536 elements.");
    unsigned short order[2][kCount], *from = order[0], *to = order[1];   // on this thread's stack: shared memory is dear
    for (int i = 0; i < kCount; i++) from[i] = (unsigned short)i;
    for (int bit = begin; bit < end; bit += 8) {
      const int bits = end - bit < 8 ? end - bit : 8;
      const auto digit = [&](int i) {
        const unsigned low = unsigned(warpcell_cpu::ordered_bits(room_.key[i]) >> bit) & ((1u << bits) - 1);
        return descends ? ((1u << bits) - 1) - low : low;
      };
      unsigned place[257] = {};
      for (int i = 0; i < kCount; i++) place[digit(i) + 1]++;
      for (int i = 1; i < 257; i++) place[i] += place[i - 1];
      for (int i = 0; i < kCount; i++) to[place[digit(from[i])]++] = from[i];
      unsigned short* const other = from;
      from = to;
      to = other;
    }
    // Each to its place, round after round.
    for (int first = 0; first < kCount; first++) {
      if (from[first] == first) continue;
      const Key key = room_.key[first];
      const Value value = room_.value[first];
      int at = first;
      for (int next = from[at]; next != first; next = from[at]) {
        room_.key[at] = room_.key[next];
        room_.value[at] = room_.value[next];
        from[at] = (unsigned short)at;
        at = next;
      }
      room_.key[at] = key;
      room_.value[at] = value;
      from[at] = (unsigned short)at;
    }
  }

  TempStorage& room_;
  warpcell_cpu::WholeBlock<kThreads> block_;
};

}  // namespace cub
