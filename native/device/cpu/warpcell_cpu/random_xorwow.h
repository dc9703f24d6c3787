// XORWOW (Marsaglia, "Xorshift RNGs", 2003): five words that shift and a counter; jumps ahead by powers of its matrix over the field of two.
#pragma once
#include "elementary.h"
#include "vectors.h"

namespace warpcell_cpu {

constexpr u32 kXorwowWords = 5, kXorwowBits = 32 * kXorwowWords, kXorwowWeyl = 362437;

struct alignas(32) XorwowVector { u32 word[8] = {}; };   // of which five count: a vector register holds it

WARPCELL_CPU_FN u32 xorwow_step(u32* v) {
  const u32 t = v[0] ^ v[0] >> 2;
  v[0] = v[1];
  v[1] = v[2];
  v[2] = v[3];
  v[3] = v[4];
  return v[4] = (v[4] ^ v[4] << 4) ^ (t ^ t << 1);
}

// What each single bit becomes.
struct XorwowMatrix {
  XorwowVector of[kXorwowBits];

  XorwowVector operator()(const XorwowVector& vector) const {
    XorwowVector result;
    for (u32 i = 0; i < kXorwowWords; i++) {
      for (u32 left = vector.word[i]; left != 0; left &= left - 1) {
        const XorwowVector& image = of[32 * i + u32(__builtin_ctz(left))];
        for (u32 k = 0; k < 8; k++) result.word[k] ^= image.word[k];
      }
    }
    return result;
  }
};

// Of 2^k steps, for every k that an offset or a subsequence may ask for.
struct XorwowJumps {
  static constexpr u32 kSubsequence = 67, kCount = kSubsequence + 64;
  XorwowMatrix power[kCount];

  XorwowJumps() {
    for (u32 i = 0; i < kXorwowBits; i++) {
      power[0].of[i].word[i / 32] = 1u << i % 32;
      xorwow_step(power[0].of[i].word);
    }
    for (u32 k = 1; k < kCount; k++)
      for (u32 i = 0; i < kXorwowBits; i++) power[k].of[i] = power[k - 1](power[k - 1].of[i]);
  }
};

// `times` jumps of 2^first steps.
static __attribute__((noinline, unused)) void xorwow_jump(u32* v, u64 times, u32 first) {
  static const XorwowJumps jumps;
  XorwowVector vector;
  for (u32 i = 0; i < kXorwowWords; i++) vector.word[i] = v[i];
  for (u32 k = first; times != 0; times >>= 1, k++)
    if (times & 1) vector = jumps.power[k](vector);
  for (u32 i = 0; i < kXorwowWords; i++) v[i] = vector.word[i];
}

}  // namespace warpcell_cpu

struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
using curandStateXORWOW_t = curandStateXORWOW;
using curandState_t = curandStateXORWOW;
using curandState = curandStateXORWOW;

WARPCELL_CPU_FN unsigned curand(curandStateXORWOW_t* state) {
  const unsigned word = warpcell_cpu::xorwow_step(state->v);
  return word + (state->d += warpcell_cpu::kXorwowWeyl);
}
WARPCELL_CPU_FN void skipahead(unsigned long long count, curandStateXORWOW_t* state) {
  if (count != 0) warpcell_cpu::xorwow_jump(state->v, count, 0);
  state->d += warpcell_cpu::kXorwowWeyl * unsigned(count);
}
WARPCELL_CPU_FN void skipahead_sequence(unsigned long long count, curandStateXORWOW_t* state) {
  if (count != 0) warpcell_cpu::xorwow_jump(state->v, count, warpcell_cpu::XorwowJumps::kSubsequence);
}
// The seed's halves are salted and spread over Marsaglia's first words, as cuRAND does it.
WARPCELL_CPU_FN void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateXORWOW_t* state) {
  const unsigned low = 1099087573u * (unsigned(seed) ^ 0xaad26b49u), high = 2591861531u * (unsigned(seed >> 32) ^ 0xf7dcefddu);
  *state = {6615241u + high + low, {123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high, 5783321u + low}, 0, 0, 0, 0};
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}
