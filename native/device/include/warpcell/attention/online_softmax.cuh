// Softmax of rows that come in parts (Milakov and Gimelshein, arXiv 1805.02867): what is known of a row so far.
#pragma once
#include "tile_scores.cuh"

namespace warpcell::attention {

// By how many powers of 2 scores may exceed what they are taken relative to: so seldom is what has been summed scaled.
constexpr float kSlack = 8;

// One of the two rows that four lanes share in a fragment.
struct OnlineRow {
  float most = unseen();  // what powers are relative to: no score is greater by more than the slack
  float sum = 0;          // of this lane's columns

  // Takes scores in and turns them into powers; by what earlier sums and products are to be scaled. `factor`: what
  // makes logarithms to base 2 of scores.
  template <int columns, class F>
  __device__ float take(F&& score, float factor) {
    // Four of each, since each waits for the one before it.
    constexpr int kChains = 4;
    float now[kChains], sums[kChains];
#pragma unroll
    for (int at = 0; at < columns; at++)
      now[at % kChains] = at < kChains ? score(at) : fmaxf(now[at % kChains], score(at));
    now[0] = fmaxf(fmaxf(now[0], now[1]), fmaxf(now[2], now[3]));
    now[0] = fmaxf(now[0], __shfl_xor_sync(0xffffffffu, now[0], 1));
    now[0] = fmaxf(now[0], __shfl_xor_sync(0xffffffffu, now[0], 2));
    // Of a row that has seen nothing yet the left side is no number, or infinite.
    if ((now[0] - most) * factor <= kSlack) now[0] = most;
    const float shift = now[0] == unseen() ? 0 : now[0] * factor;
    const float kept = now[0] == most ? 1 : instructions::flushed_exp2(most * factor - shift);
    most = now[0];
#pragma unroll
    for (int at = 0; at < columns; at++) {
      score(at) = instructions::flushed_exp2(score(at) * factor - shift);
      sums[at % kChains] = at < kChains ? score(at) : sums[at % kChains] + score(at);
    }
    sum = sum * kept + ((sums[0] + sums[1]) + (sums[2] + sums[3]));
    return kept;
  }
  // Joins the four lanes' sums.
  __device__ void finish() {
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    sum += __shfl_xor_sync(0xffffffffu, sum, 2);
  }
  // 1 / Σ, or 0 for a row that sees nothing.
  __device__ float inverse() const { return sum > 0 ? 1 / sum : sum; }
  __device__ float log_sum(float factor) const { return sum == 0 ? unseen() : most * factor * kLn2 + logf(sum); }
};

}  // namespace warpcell::attention
