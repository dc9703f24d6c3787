// Copies that many threads make together, and sizes that say how they are aligned (cuda::aligned_size_t).
#pragma once
#include "indices.h"

namespace warpcell_cpu {

// Each thread copies its share, 16 bytes at a time.
WARPCELL_CPU_FN void copy_together(u64 rank, u64 threads, void* to, const void* from, size_t bytes) {
  for (size_t at = rank * 16; at < bytes; at += threads * 16)
    __builtin_memcpy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at, bytes - at < 16 ? bytes - at : 16);
}

}  // namespace warpcell_cpu

namespace cuda {

template <size_t Alignment>
struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
  constexpr operator size_t() const { return value; }
};

}  // namespace cuda
