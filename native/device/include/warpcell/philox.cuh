// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011): a counter and a key into four random words. Any thread
// can make any number, so the same numbers come out on every device and in every order.
#pragma once

namespace warpcell {

struct Words { unsigned word[4]; };

__device__ inline unsigned high_product(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }

__device__ inline Words philox(unsigned long long counter, unsigned long long stream, unsigned long long seed) {
  Words x = {{(unsigned)counter, (unsigned)(counter >> 32), (unsigned)stream, (unsigned)(stream >> 32)}};
  unsigned key0 = (unsigned)seed, key1 = (unsigned)(seed >> 32);
  for (int round = 0; round < 10; round++) {
    const unsigned m0 = 0xD2511F53u, m1 = 0xCD9E8D57u;
    Words next = {{high_product(m1, x.word[2]) ^ x.word[1] ^ key0, m1 * x.word[2], high_product(m0, x.word[0]) ^ x.word[3] ^ key1, m0 * x.word[0]}};
    x = next;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return x;
}

// 53 random bits as a number of [0, 1).
__device__ inline double unit(unsigned high, unsigned low) {
  unsigned long long bits = ((unsigned long long)high << 32 | low) >> 11;
  return (double)bits * (1.0 / 9007199254740992.0);
}

}  // namespace warpcell
