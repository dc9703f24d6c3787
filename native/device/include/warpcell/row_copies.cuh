// Copies of rows that are mostly short, on the CPU: a call of a library takes longer than such a row.
#pragma once
#include "numbers.cuh"

namespace warpcell {

// Elements that lie side by side on both sides, which do not overlap.
template <class T>
inline WARPCELL_INLINED void copy_row(T* to, const T* from, long long count) {
  struct Sixteen {
    long long words[2];
  };
  constexpr long long kEach = sizeof(T) < sizeof(Sixteen) ? sizeof(Sixteen) / sizeof(T) : 1, kMost = 512 / sizeof(T);
  if (count > kMost) {
    __builtin_memcpy(to, from, (unsigned long)count * sizeof(T));
    return;
  }
  if (count < kEach) {
#pragma clang loop vectorize(disable)
    for (long long i = 0; i < count; i++) to[i] = from[i];
    return;
  }
  auto copy = [=](long long at) WARPCELL_INLINED {
    Sixteen words;
    __builtin_memcpy(&words, from + at, sizeof words);
    __builtin_memcpy(to + at, &words, sizeof words);
  };
#pragma clang loop vectorize(disable)
  for (long long i = 0; i + kEach <= count; i += kEach) copy(i);
  // What is left goes once more with some that have gone before.
  if (count % kEach != 0) copy(count - kEach);
}

}  // namespace warpcell
