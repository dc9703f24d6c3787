// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011): a counter and a key into four words.
#pragma once
#include <warpcell/philox.cuh>
#include "vectors.h"

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;   // how many words of the output are used
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;

WARPCELL_CPU_FN uint4 curand_Philox4x32_10(uint4 counter, uint2 key) {
  const warpcell::Words words = warpcell::philox(counter.x | (unsigned long long)counter.y << 32, counter.z | (unsigned long long)counter.w << 32,
                                                 key.x | (unsigned long long)key.y << 32);
  return {words.word[0], words.word[1], words.word[2], words.word[3]};
}

namespace warpcell_cpu {

// The counter has 128 bits, of which a subsequence counts the upper 64.
WARPCELL_CPU_FN void philox_forward(curandStatePhilox4_32_10* state, u64 count) {
  const u64 low = (state->ctr.x | u64(state->ctr.y) << 32), sum = low + count, high = (state->ctr.z | u64(state->ctr.w) << 32) + (sum < low);
  state->ctr = {u32(sum), u32(sum >> 32), u32(high), u32(high >> 32)};
  state->output = curand_Philox4x32_10(state->ctr, state->key);
}

}  // namespace warpcell_cpu

WARPCELL_CPU_FN unsigned curand(curandStatePhilox4_32_10_t* state) {
  const unsigned used = state->STATE, word = used == 0 ? state->output.x : used == 1 ? state->output.y : used == 2 ? state->output.z : state->output.w;
  state->STATE = (used + 1) % 4;
  if (used == 3) warpcell_cpu::philox_forward(state, 1);
  return word;
}
WARPCELL_CPU_FN uint4 curand4(curandStatePhilox4_32_10_t* state) {
  const uint4 a = state->output;
  warpcell_cpu::philox_forward(state, 1);
  const uint4 b = state->output;
  switch (state->STATE) {
    case 0: return a;
    case 1: return {a.y, a.z, a.w, b.x};
    case 2: return {a.z, a.w, b.x, b.y};
    default: return {a.w, b.x, b.y, b.z};
  }
}
WARPCELL_CPU_FN void skipahead(unsigned long long count, curandStatePhilox4_32_10_t* state) {
  const unsigned used = state->STATE + unsigned(count % 4);
  state->STATE = used % 4;
  warpcell_cpu::philox_forward(state, count / 4 + used / 4);
}
WARPCELL_CPU_FN void skipahead_sequence(unsigned long long count, curandStatePhilox4_32_10_t* state) {
  const unsigned long long high = (state->ctr.z | (unsigned long long)state->ctr.w << 32) + count;
  state->ctr.z = unsigned(high);
  state->ctr.w = unsigned(high >> 32);
  state->output = curand_Philox4x32_10(state->ctr, state->key);
}
WARPCELL_CPU_FN void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStatePhilox4_32_10_t* state) {
  *state = {};
  state->key = {unsigned(seed), unsigned(seed >> 32)};
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}
