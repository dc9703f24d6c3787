// The activations that gates and losses are made of, too.
#pragma once
#include "functor.cuh"

// In loops that are to become vectors, as in math.cuh.
#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)
#endif

namespace warpcell {

// e^-|x| never overflows.
struct Sigmoid {
  template <class W>
  static __device__ inline W of(W x) {
#ifdef WARPCELL_SERIAL
    if constexpr (same<W, float>) return float_math::sigmoid(x);
#endif
    const W small = fn::exp(-fn::fabs(x)), part = inverse(W(1) + small);
    return fn::pick(x >= W(0), part, small * part);
  }
  template <class W>
  static __device__ inline W inverse(W x) {
#ifndef WARPCELL_SERIAL
    if constexpr (same<W, float>) return brief_reciprocal(x);
#endif
    return W(1) / x;
  }
#ifndef WARPCELL_SERIAL
  static __device__ inline float brief(float x) {
    float small = __expf(-fn::fabs(x)), part = brief_reciprocal(1.0f + small);
    return x >= 0.0f ? part : small * part;
  }
#endif
};
SHORT(Sigmoid);
UNARY_BRIEF(Tanh, fn::tanh(x), float_math::brief_tanh(x));
SHORT(Tanh);

}  // namespace warpcell

#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute pop
#endif
