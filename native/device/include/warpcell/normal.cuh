// The normal distribution in float32 on a GPU: how much of it is beyond a, and its density there, from one e^(−a²/2).
#pragma once
#include "instructions.cuh"
#include "turns.cuh"

namespace warpcell {

constexpr float kDensity = 0.39894228040143267794f;  // φ(0)

// 1/y to a unit in the last place, for y from 1 on.
__device__ inline float brief_reciprocal(float y) { return instructions::flushed_reciprocal(y); }

// Φ(−a) for a ≥ 0: e^(−a²/2) · t · q(t), where the polynomial is right to 2⁻²⁴·⁹ for all a whose result is above 0.
__device__ inline float normal_tail(float a) {
  const float t = brief_reciprocal(fmaf(0.35f, a, 1.0f));
  const float q = float_math::horner(t, 0.139621308f, 0.139863499f, 0.11982143f, 0.10555184f, -0.0232105347f,
                                     0.159316664f, -0.255835994f, 0.144029284f, -0.0291575118f);
  return exp2f(a * (a * -0.72134752f)) * (t * q);
}

// The same for results of 16 bits, which show no error below 2⁻¹², of an a with 11 bits at most: Φ(−a) = power · (t ·
// q) and φ(a) = power · kDensity, where `power` is 2²⁴ times too large and the others that much too small, so that what
// is short of normal numbers is not lost. The polynomial is right to 2⁻¹⁶·⁸, the power to 2⁻¹⁶.
struct BriefTail {
  float power, share, density;
};
__device__ inline BriefTail brief_tail(float a) {
  constexpr float kScale = 1.0f / 16777216;
  const float t = brief_reciprocal(fmaf(0.3f, a, 1.0f));
  const float q = float_math::horner(t, 0.12007438f * kScale, 0.11374038f * kScale, 0.1442023f * kScale,
                                     -0.01695852f * kScale, 0.21604565f * kScale, -0.077100061f * kScale);
  const float power = instructions::flushed_exp2(fmaf(a * a, -0.72134752f, 24.0f));
  return {power, t * q, kDensity * kScale};
}

// |x|, and 16 for what is beyond: there nothing is left. NaN stays NaN.
__device__ inline float brief_size(float x) {
  return instructions::smaller_or_nan(bits_float(float_bits(x) & 0x7fffffffu), 16.0f);
}

}  // namespace warpcell
