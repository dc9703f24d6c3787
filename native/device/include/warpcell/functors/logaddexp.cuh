// Logarithms of sums of powers, which sums along axes are made of, too.
#pragma once
#include "functor.cuh"

// In loops that are to become vectors, as in math.cuh.
#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)
#endif

namespace warpcell {

struct Logaddexp {
  template <class W>
  static __device__ inline W of(W x, W y) {
    W most = x >= y ? x : y, least = x >= y ? y : x;
    if (x != x || y != y) return x + y;
    return most == least && most - most != W(0) ? most : most + fn::log1p(fn::exp(least - most));
  }
#ifndef WARPCELL_SERIAL
  static __device__ inline float brief(float x, float y) { return float_math::brief_logaddexp(x, y); }
#endif
};
struct Logaddexp2 {
  template <class W>
  static __device__ inline W of(W x, W y) {
    W most = x >= y ? x : y, least = x >= y ? y : x;
    if (x != x || y != y) return x + y;
    return most == least && most - most != W(0) ? most
                                                : most + W(1.4426950408889634074) * fn::log1p(fn::exp2(least - most));
  }
};

}  // namespace warpcell

#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute pop
#endif
