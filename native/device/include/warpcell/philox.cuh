// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011): a counter and a
// key into four random words. Any thread can make any number, so the same numbers come out on every device and in every
// order.
#pragma once

namespace warpcell {

struct Words {
  unsigned word[4];
};

__device__ inline unsigned high_product(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a * b) >> 32);
}

__device__ __forceinline__ Words philox(unsigned long long counter, unsigned long long stream,
                                        unsigned long long seed) {
  Words x = {{(unsigned)counter, (unsigned)(counter >> 32), (unsigned)stream, (unsigned)(stream >> 32)}};
  unsigned key0 = (unsigned)seed, key1 = (unsigned)(seed >> 32);
  for (int round = 0; round < 10; round++) {
    const unsigned m0 = 0xD2511F53u, m1 = 0xCD9E8D57u;
    Words next = {{high_product(m1, x.word[2]) ^ x.word[1] ^ key0, m1 * x.word[2],
                   high_product(m0, x.word[0]) ^ x.word[3] ^ key1, m0 * x.word[0]}};
    x = next;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return x;
}

// 53 random bits as a number of [0, 1).
__device__ inline double unit(unsigned high, unsigned low) {
#ifdef WARPCELL_SERIAL
  // The words as the last bits of 2^52 + word: not every processor converts vectors of 64-bit integers.
  const double base = 4503599627370496.0;
  const unsigned long long base_bits = 0x4330000000000000ull;
  double first = __longlong_as_double((long long)(base_bits | high)) - base,
         second = __longlong_as_double((long long)(base_bits | low >> 11)) - base;
  return first * (1.0 / 4294967296.0) + second * (1.0 / 9007199254740992.0);
#else
  unsigned long long bits = ((unsigned long long)high << 32 | low) >> 11;
  return (double)bits * (1.0 / 9007199254740992.0);
#endif
}

}  // namespace warpcell
