// What a function of the user's makes of scores (lib/nn/score-function.ts); of most calls nothing.
#pragma once

namespace warpcell::attention {

// A function has of(score, batch, head, query, key), and slope(…), its derivative by the score.
struct Unbent {
  static constexpr bool kIsBent = false;
};

}  // namespace warpcell::attention
