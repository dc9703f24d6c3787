// <thrust/random.h> for both halves of a program: linear congruential engines, and what they are spread over.
#pragma once
#include "tuples.cuh"

namespace warpcell_thrust {
namespace random {

// x becomes a x + c modulo m. (C++ standard, [rand.eng.lcong].)
template <class T, T A, T C, T M>
class linear_congruential_engine {
 public:
  using result_type = T;
  static constexpr T min = C == 0 ? 1 : 0;
  static constexpr T max = M - 1;
  static constexpr T default_seed = 1;
  __host__ __device__ explicit linear_congruential_engine(T value = default_seed) { seed(value); }
  __host__ __device__ void seed(T value = default_seed) { x_ = C % M == 0 && value % M == 0 ? 1 : value % M; }
  __host__ __device__ T operator()() { return x_ = T((unsigned long long)A * x_ % M + C) % M; }
  // As if it had been called `n` times: squares of the step, as the bits of n say.
  __host__ __device__ void discard(unsigned long long n) {
    unsigned long long a = A, c = C, x = x_;
    for (; n > 0; n >>= 1) {
      if (n & 1) x = (a * x + c) % M;
      c = (a * c + c) % M;
      a = a * a % M;
    }
    x_ = T(x);
  }

 private:
  T x_;
};
using minstd_rand0 = linear_congruential_engine<unsigned, 16807, 0, 2147483647>;
using minstd_rand = linear_congruential_engine<unsigned, 48271, 0, 2147483647>;
using default_random_engine = minstd_rand;

template <class T = double>
class uniform_real_distribution {
 public:
  using result_type = T;
  __host__ __device__ explicit uniform_real_distribution(T a = 0, T b = 1) : a_(a), b_(b) {}
  template <class Engine>
  __host__ __device__ T operator()(Engine& engine) const {
    T unit = T(engine() - Engine::min) / (T(1) + T(Engine::max - Engine::min));
    return unit * (b_ - a_) + a_;
  }

 private:
  T a_, b_;
};
template <class T = int>
class uniform_int_distribution {
 public:
  using result_type = T;
  __host__ __device__ explicit uniform_int_distribution(T a = 0, T b = T(~0u >> 1)) : a_(a), b_(b) {}
  template <class Engine>
  __host__ __device__ T operator()(Engine& engine) const {
    return T(uniform_real_distribution<double>(double(a_), double(b_) + 1)(engine));
  }

 private:
  T a_, b_;
};

}  // namespace random
using namespace random;
}  // namespace warpcell_thrust
