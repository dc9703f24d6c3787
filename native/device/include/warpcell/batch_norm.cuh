// What a channel is normalised by over a batch, for images in rows and with channels last.
#pragma once
#include <warpcell/math.cuh>
#include <warpcell/moments.cuh>

namespace warpcell {

// By what a channel is normalised.
template <class A>
struct Rule {
  A mean, rate, bias;
  template <class T>
  __device__ inline WARPCELL_INLINED T operator()(T value) const {
    return narrow<T>((A(widen<T>(value)) - mean) * rate + bias);
  }
};
template <class T, class A = Sum<T>>
__device__ inline Rule<A> rule_of(int channel, A mean, A variance, double eps, const T* weight, const T* bias) {
  const A rate = A(1) / fn::sqrt(variance + A(eps));
  return {mean, weight == nullptr ? rate : rate * A(widen<T>(weight[channel])),
          bias == nullptr ? A(0) : A(widen<T>(bias[channel]))};
}

// The gradient of x. With r = 1/√(variance + eps), n elements of a channel and the sums of g and of g · (x − mean):
// weight · r · (g − Σg/n − (x − mean) · r² · Σg(x − mean)/n).
template <class A>
struct Slope {
  A mean, rate, less, by;
  template <class T>
  __device__ inline WARPCELL_INLINED T operator()(T above, T value) const {
    return narrow<T>(rate * (A(widen<T>(above)) - less - (A(widen<T>(value)) - mean) * by));
  }
};
template <class T, class A = Sum<T>>
__device__ inline Slope<A> slope_of(int channel, A mean, A variance, double eps, const T* weight, const Two<A>& sums,
                                    A count) {
  const A rate = A(1) / fn::sqrt(variance + A(eps));
  return {mean, weight == nullptr ? rate : rate * A(widen<T>(weight[channel])), sums.first / count,
          sums.second / count * rate * rate};
}
// The gradients of weight and bias, which may be null.
template <class T, class A = Sum<T>>
__device__ inline void put_gradients(int channel, A variance, double eps, const Two<A>& sums, T* weight, T* bias) {
  if (weight != nullptr) weight[channel] = narrow<T>(sums.second / fn::sqrt(variance + A(eps)));
  if (bias != nullptr) bias[channel] = narrow<T>(sums.first);
}
template <class T, class A = Sum<T>>
__device__ inline WARPCELL_INLINED Two<A> both(T above, T value, A mean) {
  const A slope = widen<T>(above);
  return {slope, slope * (A(widen<T>(value)) - mean)};
}

}  // namespace warpcell
