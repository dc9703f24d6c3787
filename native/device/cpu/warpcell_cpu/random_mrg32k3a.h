// MRG32k3a (L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators", 1999): two recurrences of order 3,
// their difference; jumps ahead by powers of their matrices.
#pragma once
#include "elementary.h"
#include "vectors.h"

namespace warpcell_cpu {

constexpr u64 kMrgModulus1 = 4294967087u, kMrgModulus2 = 4294944443u;

struct MrgMatrix {
  u64 at[3][3];
};
constexpr MrgMatrix kMrgStep1{{{0, 1, 0}, {0, 0, 1}, {kMrgModulus1 - 810728, 1403580, 0}}};
constexpr MrgMatrix kMrgStep2{{{0, 1, 0}, {0, 0, 1}, {kMrgModulus2 - 1370589, 0, 527612}}};

WARPCELL_CPU_FN MrgMatrix mrg_square(const MrgMatrix& m, u64 modulus) {
  MrgMatrix result;
  for (u32 i = 0; i < 3; i++)
    for (u32 j = 0; j < 3; j++) {
      u64 sum = 0;
      for (u32 k = 0; k < 3; k++) sum = (sum + m.at[i][k] * m.at[k][j] % modulus) % modulus;
      result.at[i][j] = sum;
    }
  return result;
}

// `times` jumps of 2^first steps.
static __attribute__((noinline, unused)) void mrg_jump(unsigned int* state, MrgMatrix matrix, u64 modulus, u64 times, u32 first) {
  for (u32 i = 0; i < first && times != 0; i++) matrix = mrg_square(matrix, modulus);
  for (; times != 0; times >>= 1, matrix = mrg_square(matrix, modulus)) {
    if (!(times & 1)) continue;
    u64 next[3];
    for (u32 i = 0; i < 3; i++) {
      next[i] = 0;
      for (u32 k = 0; k < 3; k++) next[i] = (next[i] + matrix.at[i][k] * state[k] % modulus) % modulus;
    }
    for (u32 i = 0; i < 3; i++) state[i] = u32(next[i]);
  }
}

}  // namespace warpcell_cpu

struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
using curandStateMRG32k3a_t = curandStateMRG32k3a;

// From 1 to the first modulus.
WARPCELL_CPU_FN double curand_MRG32k3a(curandStateMRG32k3a_t* state) {
  using namespace warpcell_cpu;
  unsigned int *a = state->s1, *b = state->s2;
  const u64 p = (1403580ull * a[1] + 810728 * (kMrgModulus1 - a[0])) % kMrgModulus1;
  const u64 q = (527612ull * b[2] + 1370589 * (kMrgModulus2 - b[0])) % kMrgModulus2;
  a[0] = a[1];
  a[1] = a[2];
  a[2] = u32(p);
  b[0] = b[1];
  b[1] = b[2];
  b[2] = u32(q);
  return double(p <= q ? p + kMrgModulus1 - q : p - q);
}
WARPCELL_CPU_FN unsigned curand(curandStateMRG32k3a_t* state) { return unsigned(curand_MRG32k3a(state) * 1.000000048662); }

namespace warpcell_cpu {

WARPCELL_CPU_FN void mrg_forward(curandStateMRG32k3a* state, u64 times, u32 first) {
  mrg_jump(state->s1, kMrgStep1, kMrgModulus1, times, first);
  mrg_jump(state->s2, kMrgStep2, kMrgModulus2, times, first);
}

}  // namespace warpcell_cpu

WARPCELL_CPU_FN void skipahead(unsigned long long count, curandStateMRG32k3a_t* state) { warpcell_cpu::mrg_forward(state, count, 0); }
WARPCELL_CPU_FN void skipahead_subsequence(unsigned long long count, curandStateMRG32k3a_t* state) {
  warpcell_cpu::mrg_forward(state, count & ((1ull << 51) - 1), 76);
}
WARPCELL_CPU_FN void skipahead_sequence(unsigned long long count, curandStateMRG32k3a_t* state) { warpcell_cpu::mrg_forward(state, count, 127); }
// The seed's halves multiply the first words, as cuRAND does it.
WARPCELL_CPU_FN void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateMRG32k3a_t* state) {
  using namespace warpcell_cpu;
  const u64 low = u32(seed) ^ 0x55555555u, high = u32(seed >> 32) ^ 0xaaaaaaaau;
  *state = {{12345, 12345, 12345}, {12345, 12345, 12345}, 0, 0, 0, 0};
  if (seed != 0) {
    const u64 one[3] = {low, high, low}, two[3] = {high, low, high};
    for (u32 i = 0; i < 3; i++) {
      state->s1[i] = u32(one[i] * state->s1[i] % kMrgModulus1);
      state->s2[i] = u32(two[i] * state->s2[i] % kMrgModulus2);
    }
  }
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
}
