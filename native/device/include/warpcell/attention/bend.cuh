// What a function of the user's makes of scores (lib/nn/score-function.ts); of most calls nothing.
#pragma once

namespace warpcell::attention {

// A function has of(score, batch, head, query, key), slope(…), its derivative by the score, and skips(batch, head,
// query, queries, key, keys): whether no query of a tile looks at a key of it. For tensor cores it says apart from that
// whether a pair of a tile is looked at: sees(batch, head, query, key), and sees_all(…) of a tile as skips has it.
struct Unbent {
  static constexpr bool kIsBent = false;
  __device__ inline bool skips(long long, long long, long long, int, long long, int) const { return false; }
};

}  // namespace warpcell::attention
