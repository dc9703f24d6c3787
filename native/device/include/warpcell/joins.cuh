// What becomes of elements that are written to one place: their sum or product, or the largest or smallest of them.
#pragma once
#include "numbers.cuh"

namespace warpcell {

// Sums keep what roundings took off (Neumaier, Zeitschrift für Angewandte Mathematik und Mechanik 54, 1974), so that
// their length does not matter; the largest is NaN where one is.
template <class W>
struct AddTo {
  W sum, lost;
  __device__ inline void start(W x) {
    sum = x;
    lost = W(0);
  }
  __device__ inline void add(W x) {
    if constexpr (Number<W>::is_float) {
      W next = sum + x;
      W rest = (sum < W(0) ? -sum : sum) >= (x < W(0) ? -x : x) ? (sum - next) + x : (x - next) + sum;
      sum = next;
      // Beyond the range the rest is NaN, and says nothing.
      if (rest == rest) lost += rest;
    } else {
      sum = W(uint64(sum) + uint64(x));
    }
  }
  __device__ inline W finish() const { return Number<W>::is_float ? sum + lost : sum; }
};
#ifdef WARPCELL_SERIAL
// A processor adds in float64 as fast, and needs no more room.
template <>
struct AddTo<float> {
  double sum;
  inline void start(float x) { sum = x; }
  inline void add(float x) { sum += x; }
  inline float finish() const { return float(sum); }
};
#endif
template <class W>
struct ProdTo {
  W product;
  __device__ inline void start(W x) { product = x; }
  __device__ inline void add(W x) {
    if constexpr (Number<W>::is_float)
      product *= x;
    else
      product = W(uint64(product) * uint64(x));
  }
  __device__ inline W finish() const { return product; }
};
template <class W>
struct MaxTo {
  W best;
  __device__ inline void start(W x) { best = x; }
  __device__ inline void add(W x) { best = best != best ? best : (x <= best ? best : x); }
  __device__ inline W finish() const { return best; }
};
template <class W>
struct MinTo {
  W best;
  __device__ inline void start(W x) { best = x; }
  __device__ inline void add(W x) { best = best != best ? best : (x >= best ? best : x); }
  __device__ inline W finish() const { return best; }
};

}  // namespace warpcell
