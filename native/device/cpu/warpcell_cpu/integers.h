// CUDA's integer intrinsics and its conversions between numbers and their bits.
// (CUDA Math API, "Integer Intrinsics", "Type Casting Intrinsics"; PTX ISA, "cvt".)
#pragma once
#include "arithmetic.h"
#include "elementary.h"
#include "warps.h"

WARPCELL_CPU_FN int __popc(unsigned x) { return __builtin_popcount(x); }
WARPCELL_CPU_FN int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
WARPCELL_CPU_FN int __ffs(int x) { return __builtin_ffs(x); }
WARPCELL_CPU_FN int __ffsll(long long x) { return __builtin_ffsll(x); }
WARPCELL_CPU_FN int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
WARPCELL_CPU_FN int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }

WARPCELL_CPU_FN unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
WARPCELL_CPU_FN unsigned long long __brevll(unsigned long long x) {
  return (unsigned long long)__brev(unsigned(x)) << 32 | __brev(unsigned(x >> 32));
}

// Four bytes out of the eight of y:x, each chosen by 3 bits of the selector; its bit 3 repeats the byte's sign.
WARPCELL_CPU_FN unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = (unsigned long long)y << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; i++) {
    const unsigned choice = selector >> (4 * i) & 15;
    unsigned byte = unsigned(bytes >> (8 * (choice & 7))) & 255;
    if (choice & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}

WARPCELL_CPU_FN int __mul24(int x, int y) { return int(unsigned(x << 8 >> 8) * unsigned(y << 8 >> 8)); }
WARPCELL_CPU_FN unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
WARPCELL_CPU_FN int __mulhi(int x, int y) { return int((long long)x * y >> 32); }
WARPCELL_CPU_FN unsigned __umulhi(unsigned x, unsigned y) { return unsigned((unsigned long long)x * y >> 32); }
__extension__ typedef __int128 warpcell_cpu_int128;
__extension__ typedef unsigned __int128 warpcell_cpu_uint128;
WARPCELL_CPU_FN long long __mul64hi(long long x, long long y) { return (long long)(warpcell_cpu_int128(x) * y >> 64); }
WARPCELL_CPU_FN unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned long long)(warpcell_cpu_uint128(x) * y >> 64);
}
WARPCELL_CPU_FN unsigned __sad(int x, int y, unsigned z) { return z + (x > y ? unsigned(x) - unsigned(y) : unsigned(y) - unsigned(x)); }
WARPCELL_CPU_FN unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x > y ? x - y : y - x); }
WARPCELL_CPU_FN int __hadd(int x, int y) { return int(((long long)x + y) >> 1); }
WARPCELL_CPU_FN int __rhadd(int x, int y) { return int(((long long)x + y + 1) >> 1); }
WARPCELL_CPU_FN unsigned __uhadd(unsigned x, unsigned y) { return unsigned(((unsigned long long)x + y) >> 1); }
WARPCELL_CPU_FN unsigned __urhadd(unsigned x, unsigned y) { return unsigned(((unsigned long long)x + y + 1) >> 1); }

WARPCELL_CPU_FN unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return unsigned((((unsigned long long)high << 32 | low) << (shift & 31)) >> 32);
}
WARPCELL_CPU_FN unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return unsigned(((unsigned long long)high << 32 | low) >> (shift & 31));
}
WARPCELL_CPU_FN unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) { return shift >= 32 ? low : __funnelshift_l(low, high, shift); }
WARPCELL_CPU_FN unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) { return shift >= 32 ? high : __funnelshift_r(low, high, shift); }

WARPCELL_CPU_FN int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; i++) c += int((signed char)(a >> (8 * i))) * int((signed char)(b >> (8 * i)));
  return c;
}
WARPCELL_CPU_FN unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; i++) c += (a >> (8 * i) & 255) * (b >> (8 * i) & 255);
  return c;
}

// Bits of one type as another.
#define X(name, to, from) \
  WARPCELL_CPU_FN to name(from x) { return warpcell_cpu::from_bits<to>(warpcell_cpu::to_bits(x)); }
X(__int_as_float, float, int) X(__float_as_int, int, float) X(__uint_as_float, float, unsigned) X(__float_as_uint, unsigned, float)
X(__longlong_as_double, double, long long) X(__double_as_longlong, long long, double)
#undef X
WARPCELL_CPU_FN double __hiloint2double(int high, int low) {
  return warpcell_cpu::from_bits<double>((unsigned long long)unsigned(high) << 32 | unsigned(low));
}
WARPCELL_CPU_FN int __double2hiint(double x) { return int(warpcell_cpu::to_bits(x) >> 32); }
WARPCELL_CPU_FN int __double2loint(double x) { return int(warpcell_cpu::to_bits(x)); }

// Out of range goes to the nearest end; a NaN to 0, or to the top bit alone where one of both types has 64 bits.
#define X(from, type, suffix, round)                                                                                                \
  WARPCELL_CPU_FN int __##from##2int_##suffix(type x) { return warpcell_cpu::truncated<int>(type(round(double(x)))); }              \
  WARPCELL_CPU_FN unsigned __##from##2uint_##suffix(type x) { return warpcell_cpu::truncated<unsigned>(type(round(double(x)))); }   \
  WARPCELL_CPU_FN long long __##from##2ll_##suffix(type x) { return warpcell_cpu::truncated<long long>(type(round(double(x)))); }   \
  WARPCELL_CPU_FN unsigned long long __##from##2ull_##suffix(type x) {                                                              \
    return warpcell_cpu::truncated<unsigned long long>(type(round(double(x))));                                                     \
  }
X(float, float, rn, rint) X(float, float, rz, trunc) X(float, float, rd, floor) X(float, float, ru, ceil)
X(double, double, rn, rint) X(double, double, rz, trunc) X(double, double, rd, floor) X(double, double, ru, ceil)
#undef X

WARPCELL_CPU_FN float __double2float_rn(double x) { return float(x); }
#define X(name, type)                                                        \
  WARPCELL_CPU_FN float __##name##2float_rn(type x) { return float(x); }     \
  WARPCELL_CPU_FN double __##name##2double_rn(type x) { return double(x); }
X(int, int) X(uint, unsigned) X(ll, long long) X(ull, unsigned long long)
#undef X

// Loads and stores with a hint for the cache.
#define X(name) template <class T> WARPCELL_CPU_FN T name(const T* address) { return *address; }
X(__ldg) X(__ldca) X(__ldcg) X(__ldcs) X(__ldlu) X(__ldcv)
#undef X
#define X(name) template <class T> WARPCELL_CPU_FN void name(T* address, typename warpcell_cpu::EnableIf<true, T>::type value) { *address = value; }
X(__stwb) X(__stcg) X(__stcs) X(__stwt)
#undef X
