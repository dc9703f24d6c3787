// 16-bit floats as bits: turns float and double into the bits of a half or a bfloat16, rounded once to nearest even, and back.
// (IEEE 754-2019, 3.6; CUDA Math API, "Half Precision Conversion", "Bfloat16 Precision Conversion".)
#pragma once
#include "elementary.h"
#include "warps.h"

namespace warpcell_cpu {

// The float whose rounding to 16 bits is x's: cut off, with the last bit set when anything was lost (rounding to odd).
WARPCELL_CPU_FN float to_odd(double x) {
  const float nearest = float(x);
  const double back = double(nearest);
  if (back == x || x != x) return nearest;
  u32 bits = u32(to_bits(nearest));
  if ((back < 0 ? -back : back) > (x < 0 ? -x : x)) bits--;
  return from_bits<float>(bits | 1);
}

struct HalfBits {
#if defined(__F16C__) && defined(__FLT16_MANT_DIG__)
  WARPCELL_CPU_FN unsigned short of(float x) { return (unsigned short)to_bits(_Float16(x)); }
  WARPCELL_CPU_FN float value(unsigned short bits) { return float(from_bits<_Float16>(bits)); }
#else
  WARPCELL_CPU_FN unsigned short of(float x) {
    const u32 all = u32(to_bits(x)), sign = all >> 16 & 0x8000;
    u32 bits = all & 0x7fffffff;
    if (bits > 0x7f800000) return (unsigned short)(sign | 0x7e00 | (bits >> 13 & 0x3ff));
    if (bits >= 0x47800000) return (unsigned short)(sign | 0x7c00);                                          // 65536 and above
    if (bits < 0x38800000) return (unsigned short)(sign | (to_bits(from_bits<float>(bits) + 0.5f) - 0x3f000000));   // below 2^-14: the sum rounds
    bits += 0xfff + (bits >> 13 & 1);
    return (unsigned short)(sign | (bits - 0x38000000) >> 13);
  }
  WARPCELL_CPU_FN float value(unsigned short bits) {
    const u32 sign = u32(bits & 0x8000) << 16, rest = u32(bits & 0x7fff) << 13;
    if (rest >= 0x0f800000) return from_bits<float>(sign | 0x70000000 | rest);
    const float scaled = from_bits<float>(rest) * 0x1p112f;                                                  // exact, subnormal or not
    return from_bits<float>(sign | to_bits(scaled));
  }
#endif
};

struct Bfloat16Bits {
  WARPCELL_CPU_FN unsigned short of(float x) {
    const u32 bits = u32(to_bits(x));
    if (x != x) return (unsigned short)0x7fff;
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
  WARPCELL_CPU_FN float value(unsigned short bits) { return from_bits<float>(u64(bits) << 16); }
};

}  // namespace warpcell_cpu

#define WARPCELL_CPU_MEMBER inline __attribute__((always_inline))

// The types: T and the pair T2. CUDA converts any number to T, and T to float, without being asked. (They are declared after a cell's own
// macros, and `#define N 1024` is common: only names that no cell defines.)
#define WARPCELL_CPU_NARROW_TYPE(T, T2, Bits)                                                                                     \
  struct T {                                                                                                                      \
    unsigned short bits;                                                                                                          \
    T() = default;                                                                                                                \
    WARPCELL_CPU_MEMBER T(float x) : bits(Bits::of(x)) {}                                                                         \
    WARPCELL_CPU_MEMBER T(double x) : bits(Bits::of(warpcell_cpu::to_odd(x))) {}                                                  \
    template <class Integer_, class = typename warpcell_cpu::EnableIf<warpcell_cpu::is_integer<Integer_>, void>::type>            \
    WARPCELL_CPU_MEMBER T(Integer_ x) : T(double(x)) {}                                                                           \
    WARPCELL_CPU_MEMBER operator float() const { return Bits::value(bits); }                                                      \
  };                                                                                                                              \
  struct alignas(4) T2 {                                                                                                          \
    T x, y;                                                                                                                       \
    T2() = default;                                                                                                               \
    WARPCELL_CPU_MEMBER T2(T x, T y) : x(x), y(y) {}                                                                              \
  };
