// Eight elements of a mask at a time, on the CPU: which are true is a byte, and what that stands for is in a table.
#pragma once
#include "numbers.cuh"

#ifdef WARPCELL_SERIAL

namespace warpcell {

constexpr int kEight = 8;
// A bit for each of eight elements that is true.
inline uint eight_bits(const bool* mask) {
  constexpr uint64 kLow = 0x7f7f7f7f7f7f7f7fULL, kOnes = 0x0101010101010101ULL;
  uint64 word;
  __builtin_memcpy(&word, mask, sizeof word);
  return uint(((((word & kLow) + kLow) | word) >> 7 & kOnes) * 0x0102040810204080ULL >> 56);
}
// Which of the eight are true, by their bits: one after the other.
struct Eights {
  uchar places[1 << kEight][kEight];
  constexpr Eights() : places() {
    for (int bits = 0; bits < 1 << kEight; bits++)
      for (int place = 0, found = 0; place < kEight; place++)
        if (bits >> place & 1) places[bits][found++] = uchar(place);
  }
};
constexpr Eights kEights;

}  // namespace warpcell
#endif
