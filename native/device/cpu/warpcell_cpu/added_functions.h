// Functions that cells have beside those that the library's kernels use: dot products of bytes, bits that are looked for, overloads for float.
// (CUDA Math API, "Integer Intrinsics", "Single Precision Intrinsics"; Programming Guide, "Atomic Functions".)
#pragma once
#include "atomics.h"
#include "elementary.h"
#include "integers.h"
#include "vectors.h"

// Two numbers of 16 bits with the lower or the upper two bytes.
#define X(name, first, result, word, byte)                                                                                              \
  WARPCELL_CPU_FN result name(result a, result b, result sum) {                                                                         \
    return result(unsigned(sum) + unsigned(int(word(a)) * int(byte(unsigned(b) >> first))) +                                            \
                  unsigned(int(word(unsigned(a) >> 16)) * int(byte(unsigned(b) >> (first + 8)))));                                      \
  }
X(__dp2a_lo, 0, int, short, (signed char)) X(__dp2a_hi, 16, int, short, (signed char))
X(__dp2a_lo, 0, unsigned, (unsigned short), (unsigned char)) X(__dp2a_hi, 16, unsigned, (unsigned short), (unsigned char))
#undef X
#define X(name)                                                                                                                         \
  WARPCELL_CPU_FN int name(short2 a, char4 b, int sum) {                                                                                \
    return name(warpcell_cpu::from_bits<int>(warpcell_cpu::to_bits(a)), warpcell_cpu::from_bits<int>(warpcell_cpu::to_bits(b)), sum);   \
  }                                                                                                                                     \
  WARPCELL_CPU_FN unsigned name(ushort2 a, uchar4 b, unsigned sum) {                                                                    \
    return name(warpcell_cpu::from_bits<unsigned>(warpcell_cpu::to_bits(a)), warpcell_cpu::from_bits<unsigned>(warpcell_cpu::to_bits(b)), sum); \
  }
X(__dp2a_lo) X(__dp2a_hi)
#undef X
WARPCELL_CPU_FN int __dp4a(char4 a, char4 b, int sum) {
  return __dp4a(warpcell_cpu::from_bits<int>(warpcell_cpu::to_bits(a)), warpcell_cpu::from_bits<int>(warpcell_cpu::to_bits(b)), sum);
}
WARPCELL_CPU_FN unsigned __dp4a(uchar4 a, uchar4 b, unsigned sum) {
  return __dp4a(warpcell_cpu::from_bits<unsigned>(warpcell_cpu::to_bits(a)), warpcell_cpu::from_bits<unsigned>(warpcell_cpu::to_bits(b)), sum);
}

// The bit that is set `offset` set bits from `base`, itself counted: above it for 1, 2, …, below it for -1, -2, …; 0: whether it is set.
WARPCELL_CPU_FN unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (base > 31) return 0xffffffffu;
  if (offset == 0) return mask >> base & 1 ? base : 0xffffffffu;
  const int step = offset > 0 ? 1 : -1;
  int left = offset > 0 ? offset : -offset;
  for (int at = int(base); at >= 0 && at < 32; at += step)
    if (mask >> at & 1 && --left == 0) return unsigned(at);
  return 0xffffffffu;
}

WARPCELL_CPU_FN unsigned short __nv_bswap16(unsigned short x) { return __builtin_bswap16(x); }
WARPCELL_CPU_FN unsigned __nv_bswap32(unsigned x) { return __builtin_bswap32(x); }
WARPCELL_CPU_FN unsigned long long __nv_bswap64(unsigned long long x) { return __builtin_bswap64(x); }

#define X(suffix) WARPCELL_CPU_FN float __fmaf_ieee_##suffix(float x, float y, float z) { return __fmaf_##suffix(x, y, z); }
X(rn) X(rz) X(rd) X(ru)
#undef X
#if defined(WARPCELL_CPU_STANDARD_LIBRARY)   // the GNU C library has declared that name (elementary.h)
#define __tanhf warpcell_cpu_fast_tanhf
#endif
WARPCELL_CPU_FN float __tanhf(float x) { return tanhf(x); }
WARPCELL_CPU_FN void sincos(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
WARPCELL_CPU_FN void sincospi(float x, float* sine, float* cosine) { sincospif(x, sine, cosine); }
WARPCELL_CPU_FN void __prof_trigger(int) {}

// Each element by itself.
WARPCELL_CPU_FN float2 atomicAdd(float2* address, float2 value) { return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)}; }
WARPCELL_CPU_FN float4 atomicAdd(float4* address, float4 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y), atomicAdd(&address->z, value.z), atomicAdd(&address->w, value.w)};
}
