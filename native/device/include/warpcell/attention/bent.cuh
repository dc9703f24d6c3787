// What attention with a function of scores is made of, beside the text of the function (lib/nn/score-text.ts).
#pragma once
#include "../functors.cuh"
#include "generic_shapes.cuh"

namespace warpcell::attention {

// Element `index` of `size`, from the end where it is negative; outside, where there is none, not a number, and 0 of
// what has none.
template <class W, class T>
__device__ inline W taken(const T* from, long long index, long long size, long long step) {
  const long long at = index < 0 ? index + size : index;
  if (at >= 0 && at < size) return widen(from[at * step]);
  if constexpr (same<W, float> || same<W, double>) return W(0) / W(0);
  return W(0);
}

}  // namespace warpcell::attention
