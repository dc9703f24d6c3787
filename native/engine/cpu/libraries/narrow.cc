// Without branches, so that the compiler makes vectors of each loop, for the processor that it runs on.
#include "narrow.h"

#include <cstring>

#if defined(__x86_64__) && !defined(__clang__)
#define FOR_THIS_PROCESSOR __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#else
#define FOR_THIS_PROCESSOR
#endif

namespace warpcell::cpu {
namespace {

inline uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float float_of(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

constexpr uint32_t kSign = 0x80000000, kInfinity = 0x7f800000;
constexpr uint32_t kHalfInfinity = 0x7c00, kHalfNan = 0x7e00;
constexpr uint32_t kLeastNormalHalf = 0x38800000;    // 2⁻¹⁴ as float32
constexpr uint32_t kFirstInfiniteHalf = 0x47800000;  // 2¹⁶
constexpr int kMantissas = 13;                       // bits that float32 has more
constexpr uint32_t kBiases = 112u << 23;             // between the exponents

}  // namespace

FOR_THIS_PROCESSOR void widen(const Bfloat16* from, float* to, int64_t count) {
  for (int64_t i = 0; i < count; i++) to[i] = float_of(uint32_t(from[i].bits) << 16);
}

FOR_THIS_PROCESSOR void narrow(const float* from, Bfloat16* to, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    uint32_t bits = bits_of(from[i]);
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    to[i].bits = uint16_t((bits & ~kSign) > kInfinity ? bits >> 16 | 0x40 : rounded);
  }
}

// Multiplying moves the exponent, of subnormal numbers too.
FOR_THIS_PROCESSOR void widen(const Float16* from, float* to, int64_t count) {
  const float scale = float_of((127u + 112) << 23);
  for (int64_t i = 0; i < count; i++) {
    uint32_t half = from[i].bits, magnitude = (half & 0x7fff) << kMantissas;
    uint32_t bits = bits_of(float_of(magnitude) * scale);
    bits |= magnitude >= kHalfInfinity << kMantissas ? kInfinity : 0;
    to[i] = float_of(bits | (half & 0x8000) << 16);
  }
}

// Adding a half rounds what becomes subnormal where its last bit is.
FOR_THIS_PROCESSOR void narrow(const float* from, Float16* to, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    uint32_t bits = bits_of(from[i]), magnitude = bits & ~kSign;
    uint32_t normal = (magnitude + 0xfff + (magnitude >> kMantissas & 1) - kBiases) >> kMantissas;
    uint32_t subnormal = bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f);
    uint32_t half = magnitude < kLeastNormalHalf ? subnormal : normal;
    half = magnitude >= kFirstInfiniteHalf ? kHalfInfinity : half;
    half = magnitude > kInfinity ? kHalfNan : half;
    to[i].bits = uint16_t(half | (bits & kSign) >> 16);
  }
}

}  // namespace warpcell::cpu
