// What elementwise operations compute: all functors, for kernels whose text is made when it is wanted. The others
// include the file of those that they use, so that few are compiled again when one changes.
#pragma once
#include "functors/activations.cuh"
#include "functors/arithmetic.cuh"
#include "functors/bessel.cuh"
#include "functors/comparisons.cuh"
#include "functors/functions.cuh"
#include "functors/pairwise.cuh"
#include "functors/rare.cuh"

namespace warpcell {

struct Where {
  template <class W>
  static __device__ inline W of(int condition, W x, W y) {
    return condition ? x : y;
  }
};

}  // namespace warpcell
