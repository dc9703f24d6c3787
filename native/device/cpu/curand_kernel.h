// <curand_kernel.h> for a cell: XORWOW, Philox4_32_10 and MRG32k3a, and what is drawn from them: uniform, normal, log-normal and Poisson numbers.
// (cuRAND Library, "Device API".) The words are those of cuRAND; numbers made of them by logarithms and sines differ in the last places.
#pragma once
#include "warpcell_cpu/random_mrg32k3a.h"
#include "warpcell_cpu/random_philox.h"
#include "warpcell_cpu/random_xorwow.h"

namespace warpcell_cpu {

constexpr float kWordsInverse = 0x1p-32f, kTwoPi = 6.2831855f;
enum RandomFlag : int { kNoExtra, kExtraNormal, kExtraLogNormal };

// Of (0, 1].
WARPCELL_CPU_FN float uniform_of(u32 x) { return ::fmaf(float(x), kWordsInverse, kWordsInverse / 2); }
WARPCELL_CPU_FN double uniform_of(u32 x, u32 y) { return double(u64(x) ^ u64(y) << 21) * 0x1p-53 + 0x1p-54; }

// Two normal numbers of two uniform ones (Box and Muller, 1958); the angle in radians, or in halves of a turn.
WARPCELL_CPU_FN float2 normals(float u, float angle) {
  const float s = sqrtf(-2.0f * logf(u));
  float2 result;
  sincosf(angle, &result.x, &result.y);
  return {result.x * s, result.y * s};
}
WARPCELL_CPU_FN double2 normals_double(double u, double halves) {
  const double s = sqrt(-2.0 * log(u));
  double2 result;
  sincospi(halves, &result.x, &result.y);
  return {result.x * s, result.y * s};
}

template <class State>
WARPCELL_CPU_FN float2 two_normals(State* state) {
  const u32 x = curand(state), y = curand(state);
  constexpr float scale = kWordsInverse * kTwoPi;
  return normals(uniform_of(x), ::fmaf(float(y), scale, scale / 2));
}
WARPCELL_CPU_FN double2 two_normals_of(const uint4& x) {
  return normals_double(uniform_of(x.x, x.y), double(u64(x.z) ^ u64(x.w) << 21) * 0x1p-52 + 0x1p-53);
}
WARPCELL_CPU_FN uint4 four_words(curandStatePhilox4_32_10* state) { return curand4(state); }
template <class State>
WARPCELL_CPU_FN uint4 four_words(State* state) {
  const u32 x = curand(state), y = curand(state), z = curand(state), w = curand(state);
  return {x, y, z, w};
}
template <class State>
WARPCELL_CPU_FN double2 two_normals_double(State* state) { return two_normals_of(four_words(state)); }

}  // namespace warpcell_cpu

WARPCELL_CPU_FN float curand_uniform(curandStateXORWOW_t* state) { return warpcell_cpu::uniform_of(curand(state)); }
WARPCELL_CPU_FN float curand_uniform(curandStatePhilox4_32_10_t* state) { return warpcell_cpu::uniform_of(curand(state)); }
WARPCELL_CPU_FN double curand_uniform_double(curandStateXORWOW_t* state) {
  const unsigned x = curand(state), y = curand(state);
  return warpcell_cpu::uniform_of(x, y);
}
// cuRAND makes Philox's of one word.
WARPCELL_CPU_FN double curand_uniform_double(curandStatePhilox4_32_10_t* state) { return double(curand(state)) * 0x1p-32 + 0x1p-33; }
WARPCELL_CPU_FN double curand_uniform_double(curandStateMRG32k3a_t* state) { return curand_MRG32k3a(state) * 2.3283065498378288e-10; }
WARPCELL_CPU_FN float curand_uniform(curandStateMRG32k3a_t* state) { return float(curand_uniform_double(state)); }

namespace warpcell_cpu {

WARPCELL_CPU_FN float2 two_normals(curandStateMRG32k3a* state) {
  const float x = curand_uniform(state), y = curand_uniform(state) * kTwoPi;
  return normals(x, y);
}
WARPCELL_CPU_FN double2 two_normals_double(curandStateMRG32k3a* state) {
  const double x = curand_uniform_double(state), y = curand_uniform_double(state) * 2.0;
  return normals_double(x, y);
}

}  // namespace warpcell_cpu

// Of two normal numbers the second is kept for the next call.
#define WARPCELL_CPU_RANDOM_KEPT(name, type, flag, extra, which, parameters, draw, shape)                                           \
  template <class State>                                                                                                            \
  WARPCELL_CPU_FN type name parameters {                                                                                            \
    if (state->flag == warpcell_cpu::which) {                                                                                       \
      state->flag = warpcell_cpu::kNoExtra;                                                                                         \
      return state->extra;                                                                                                          \
    }                                                                                                                               \
    const auto two = warpcell_cpu::draw(state);                                                                                     \
    state->flag = warpcell_cpu::which;                                                                                              \
    state->extra = shape(two.y);                                                                                                    \
    return shape(two.x);                                                                                                            \
  }                                                                                                                                 \
  template <class State>                                                                                                            \
  WARPCELL_CPU_FN auto name##2 parameters->decltype(warpcell_cpu::draw(state)) {                                                    \
    const auto two = warpcell_cpu::draw(state);                                                                                     \
    return {shape(two.x), shape(two.y)};                                                                                            \
  }
#define WARPCELL_CPU_SAME(x) (x)
#define WARPCELL_CPU_EXP(x) exp(mean + stddev * (x))
WARPCELL_CPU_RANDOM_KEPT(curand_normal, float, boxmuller_flag, boxmuller_extra, kExtraNormal, (State* state), two_normals, WARPCELL_CPU_SAME)
WARPCELL_CPU_RANDOM_KEPT(curand_log_normal, float, boxmuller_flag, boxmuller_extra, kExtraLogNormal, (State* state, float mean, float stddev), two_normals, WARPCELL_CPU_EXP)
#define curand_normal_double2 curand_normal2_double
#define curand_log_normal_double2 curand_log_normal2_double
WARPCELL_CPU_RANDOM_KEPT(curand_normal_double, double, boxmuller_flag_double, boxmuller_extra_double, kExtraNormal, (State* state), two_normals_double, WARPCELL_CPU_SAME)
WARPCELL_CPU_RANDOM_KEPT(curand_log_normal_double, double, boxmuller_flag_double, boxmuller_extra_double, kExtraLogNormal, (State* state, double mean, double stddev), two_normals_double, WARPCELL_CPU_EXP)
#undef curand_log_normal_double2
#undef curand_normal_double2
#undef WARPCELL_CPU_EXP
#undef WARPCELL_CPU_SAME
#undef WARPCELL_CPU_RANDOM_KEPT

// Four at once, of Philox.
WARPCELL_CPU_FN float4 curand_uniform4(curandStatePhilox4_32_10_t* state) {
  using warpcell_cpu::uniform_of;
  const uint4 x = curand4(state);
  return {uniform_of(x.x), uniform_of(x.y), uniform_of(x.z), uniform_of(x.w)};
}
WARPCELL_CPU_FN double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return {warpcell_cpu::uniform_of(x.x, x.y), warpcell_cpu::uniform_of(x.z, x.w)};
}
WARPCELL_CPU_FN double4 curand_uniform4_double(curandStatePhilox4_32_10_t* state) {
  const double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
  return {a.x, a.y, b.x, b.y};
}
WARPCELL_CPU_FN float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
  using namespace warpcell_cpu;
  constexpr float scale = kWordsInverse * kTwoPi;
  const uint4 x = curand4(state);
  const float2 a = normals(uniform_of(x.x), ::fmaf(float(x.y), scale, scale / 2)), b = normals(uniform_of(x.z), ::fmaf(float(x.w), scale, scale / 2));
  return {a.x, a.y, b.x, b.y};
}
WARPCELL_CPU_FN double4 curand_normal4_double(curandStatePhilox4_32_10_t* state) {
  const double2 a = warpcell_cpu::two_normals_double(state), b = warpcell_cpu::two_normals_double(state);
  return {a.x, a.y, b.x, b.y};
}
WARPCELL_CPU_FN float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean, float stddev) {
  const float4 x = curand_normal4(state);
  return {expf(mean + stddev * x.x), expf(mean + stddev * x.y), expf(mean + stddev * x.z), expf(mean + stddev * x.w)};
}

// How many events: by products of uniform numbers (Knuth) for few, by transformed rejection (Hörmann, "The transformed rejection method for generating
// Poisson random variables", 1993) from 64 on, where cuRAND inverts an incomplete gamma function, and as a rounded normal number from 4000 on.
template <class State>
WARPCELL_CPU_FN unsigned curand_poisson(State* state, double lambda) {
  if (lambda < 64) {
    unsigned count = 0;
    float product = expf(float(lambda));
    do {
      count++;
      product *= curand_uniform(state);
    } while (product > 1.0f);
    return count - 1;
  }
  if (lambda > 4000) return unsigned(sqrt(lambda) * curand_normal_double(state) + lambda + 0.5);
  const double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b, alpha = 1.1239 + 1.1328 / (b - 3.4), fast = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = curand_uniform_double(state) - 0.5, v = curand_uniform_double(state), side = 0.5 - fabs(u);
    const double k = floor((2 * a / side + b) * u + lambda + 0.43);
    if (side >= 0.07 && v <= fast) return unsigned(k);
    if (k < 0 || (side < 0.013 && v > side)) continue;
    if (log(v * alpha / (a / (side * side) + b)) <= k * log(lambda) - lambda - lgamma(k + 1)) return unsigned(k);
  }
}
WARPCELL_CPU_FN uint4 curand_poisson4(curandStatePhilox4_32_10_t* state, double lambda) {
  const unsigned x = curand_poisson(state, lambda), y = curand_poisson(state, lambda), z = curand_poisson(state, lambda), w = curand_poisson(state, lambda);
  return {x, y, z, w};
}
