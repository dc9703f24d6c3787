// CUDA's vector types for host code (Programming Guide, "Built-in Vector Types"): float4 and its kin, dim3, and
// make_float4 and its kin.
#pragma once

using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using ulong = unsigned long;

// clang-format off
#define WARPCELL_PROGRAM_VECTOR(name, type, align2, align4) \
  struct name##1 { type x; }; \
  struct alignas(align2) name##2 { type x, y; }; \
  struct name##3 { type x, y, z; }; \
  struct alignas(align4) name##4 { type x, y, z, w; }; \
  static inline constexpr name##1 make_##name##1(type x) { return {x}; } \
  static inline constexpr name##2 make_##name##2(type x, type y) { return {x, y}; } \
  static inline constexpr name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  static inline constexpr name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
// clang-format on

WARPCELL_PROGRAM_VECTOR(char, signed char, 2, 4)
WARPCELL_PROGRAM_VECTOR(uchar, unsigned char, 2, 4)
WARPCELL_PROGRAM_VECTOR(short, short, 4, 8)
WARPCELL_PROGRAM_VECTOR(ushort, unsigned short, 4, 8)
WARPCELL_PROGRAM_VECTOR(int, int, 8, 16)
WARPCELL_PROGRAM_VECTOR(uint, unsigned int, 8, 16)
WARPCELL_PROGRAM_VECTOR(long, long, 16, 16)
WARPCELL_PROGRAM_VECTOR(ulong, unsigned long, 16, 16)
WARPCELL_PROGRAM_VECTOR(longlong, long long, 16, 16)
WARPCELL_PROGRAM_VECTOR(ulonglong, unsigned long long, 16, 16)
WARPCELL_PROGRAM_VECTOR(float, float, 8, 16)
WARPCELL_PROGRAM_VECTOR(double, double, 16, 16)
#undef WARPCELL_PROGRAM_VECTOR

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
