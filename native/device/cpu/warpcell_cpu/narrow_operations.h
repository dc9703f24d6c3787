// Arithmetic, comparisons and functions of a 16-bit float type T and its pair T2: each computes in float and rounds once.
// (CUDA Math API, "Half Arithmetic Functions", "Half2 …", "Bfloat16 …".)
#pragma once
#include "atomics.h"
#include "elementary.h"
#include "integers.h"
#include "narrow_floats.h"

// name, in float: of one argument; of two; compared.
#define WARPCELL_CPU_NARROW_UNARY(X, T)                                                                                           \
  X(T, __hneg, -x) X(T, __habs, fabsf(x)) X(T, hsqrt, sqrtf(x)) X(T, hrsqrt, rsqrtf(x)) X(T, hrcp, 1.0f / x) X(T, hexp, expf(x))  \
  X(T, hexp2, exp2f(x)) X(T, hexp10, exp10f(x)) X(T, hlog, logf(x)) X(T, hlog2, log2f(x)) X(T, hlog10, log10f(x))                 \
  X(T, hsin, sinf(x)) X(T, hcos, cosf(x)) X(T, htanh, tanhf(x)) X(T, hfloor, floorf(x)) X(T, hceil, ceilf(x))                     \
  X(T, htrunc, truncf(x)) X(T, hrint, rintf(x))
#define WARPCELL_CPU_NARROW_BINARY(X, T)                                                                                          \
  X(T, __hadd, a + b) X(T, __hsub, a - b) X(T, __hmul, a * b) X(T, __hdiv, a / b) X(T, __hmax, max(a, b)) X(T, __hmin, min(a, b)) \
  X(T, __hadd_rn, a + b) X(T, __hsub_rn, a - b) X(T, __hmul_rn, a * b) X(T, __hadd_sat, __saturatef(a + b))                       \
  X(T, __hsub_sat, __saturatef(a - b)) X(T, __hmul_sat, __saturatef(a * b))
#define WARPCELL_CPU_NARROW_COMPARE(X, T)                                                                                         \
  X(T, __heq, a == b) X(T, __hne, a < b || a > b) X(T, __hlt, a < b) X(T, __hle, a <= b) X(T, __hgt, a > b) X(T, __hge, a >= b)   \
  X(T, __hequ, !(a < b || a > b)) X(T, __hneu, a != b) X(T, __hltu, !(a >= b)) X(T, __hleu, !(a > b)) X(T, __hgtu, !(a <= b))     \
  X(T, __hgeu, !(a < b))

#define WARPCELL_CPU_NARROW_UNARY_FUNCTION(T, name, expression)                                                                   \
  WARPCELL_CPU_FN T name(T argument) { const float x = argument; return T(float(expression)); }                                   \
  WARPCELL_CPU_FN T##2 WARPCELL_CPU_PAIRED(name)(T##2 v) { return {name(v.x), name(v.y)}; }
#define WARPCELL_CPU_NARROW_BINARY_FUNCTION(T, name, expression)                                                                  \
  WARPCELL_CPU_FN T name(T left, T right) { const float a = left, b = right; return T(float(expression)); }                       \
  WARPCELL_CPU_FN T##2 WARPCELL_CPU_PAIRED(name)(T##2 v, T##2 w) { return {name(v.x, w.x), name(v.y, w.y)}; }
#define WARPCELL_CPU_NARROW_COMPARISON(T, name, expression)                                                                       \
  WARPCELL_CPU_FN bool name(T left, T right) { const float a = left, b = right; return expression; }                              \
  WARPCELL_CPU_FN bool WARPCELL_CPU_BOTH(name)(T##2 v, T##2 w) { return name(v.x, w.x) && name(v.y, w.y); }                       \
  WARPCELL_CPU_FN T##2 WARPCELL_CPU_PAIRED(name)(T##2 v, T##2 w) {                                                                \
    return {T(name(v.x, w.x) ? 1.0f : 0.0f), T(name(v.y, w.y) ? 1.0f : 0.0f)};                                                    \
  }

// CUDA's name for the pair's function: __hadd2 of __hadd, h2sqrt of hsqrt.
#define WARPCELL_CPU_PAIRED(name) WARPCELL_CPU_PAIRED_##name
#define WARPCELL_CPU_PAIRED___hneg __hneg2
#define WARPCELL_CPU_PAIRED___habs __habs2
#define WARPCELL_CPU_PAIRED_hsqrt h2sqrt
#define WARPCELL_CPU_PAIRED_hrsqrt h2rsqrt
#define WARPCELL_CPU_PAIRED_hrcp h2rcp
#define WARPCELL_CPU_PAIRED_hexp h2exp
#define WARPCELL_CPU_PAIRED_hexp2 h2exp2
#define WARPCELL_CPU_PAIRED_hexp10 h2exp10
#define WARPCELL_CPU_PAIRED_hlog h2log
#define WARPCELL_CPU_PAIRED_hlog2 h2log2
#define WARPCELL_CPU_PAIRED_hlog10 h2log10
#define WARPCELL_CPU_PAIRED_hsin h2sin
#define WARPCELL_CPU_PAIRED_hcos h2cos
#define WARPCELL_CPU_PAIRED_htanh h2tanh
#define WARPCELL_CPU_PAIRED_hfloor h2floor
#define WARPCELL_CPU_PAIRED_hceil h2ceil
#define WARPCELL_CPU_PAIRED_htrunc h2trunc
#define WARPCELL_CPU_PAIRED_hrint h2rint
#define WARPCELL_CPU_PAIRED___hadd __hadd2
#define WARPCELL_CPU_PAIRED___hsub __hsub2
#define WARPCELL_CPU_PAIRED___hmul __hmul2
#define WARPCELL_CPU_PAIRED___hdiv __h2div
#define WARPCELL_CPU_PAIRED___hmax __hmax2
#define WARPCELL_CPU_PAIRED___hmin __hmin2
#define WARPCELL_CPU_PAIRED___hadd_rn __hadd2_rn
#define WARPCELL_CPU_PAIRED___hsub_rn __hsub2_rn
#define WARPCELL_CPU_PAIRED___hmul_rn __hmul2_rn
#define WARPCELL_CPU_PAIRED___hadd_sat __hadd2_sat
#define WARPCELL_CPU_PAIRED___hsub_sat __hsub2_sat
#define WARPCELL_CPU_PAIRED___hmul_sat __hmul2_sat
#define WARPCELL_CPU_PAIRED___heq __heq2
#define WARPCELL_CPU_PAIRED___hne __hne2
#define WARPCELL_CPU_PAIRED___hlt __hlt2
#define WARPCELL_CPU_PAIRED___hle __hle2
#define WARPCELL_CPU_PAIRED___hgt __hgt2
#define WARPCELL_CPU_PAIRED___hge __hge2
#define WARPCELL_CPU_PAIRED___hequ __hequ2
#define WARPCELL_CPU_PAIRED___hneu __hneu2
#define WARPCELL_CPU_PAIRED___hltu __hltu2
#define WARPCELL_CPU_PAIRED___hleu __hleu2
#define WARPCELL_CPU_PAIRED___hgtu __hgtu2
#define WARPCELL_CPU_PAIRED___hgeu __hgeu2

// And of what holds for both halves of a pair: __hbeq2 of __heq.
#define WARPCELL_CPU_BOTH(name) WARPCELL_CPU_BOTH_##name
#define WARPCELL_CPU_BOTH___heq __hbeq2
#define WARPCELL_CPU_BOTH___hne __hbne2
#define WARPCELL_CPU_BOTH___hlt __hblt2
#define WARPCELL_CPU_BOTH___hle __hble2
#define WARPCELL_CPU_BOTH___hgt __hbgt2
#define WARPCELL_CPU_BOTH___hge __hbge2
#define WARPCELL_CPU_BOTH___hequ __hbequ2
#define WARPCELL_CPU_BOTH___hneu __hbneu2
#define WARPCELL_CPU_BOTH___hltu __hbltu2
#define WARPCELL_CPU_BOTH___hleu __hbleu2
#define WARPCELL_CPU_BOTH___hgtu __hbgtu2
#define WARPCELL_CPU_BOTH___hgeu __hbgeu2

#define WARPCELL_CPU_NARROW_OPERATOR(T, op, name)                                                                                 \
  WARPCELL_CPU_FN T operator op(T a, T b) { return name(a, b); }                                                                  \
  WARPCELL_CPU_FN T& operator op##=(T& a, T b) { return a = name(a, b); }                                                         \
  WARPCELL_CPU_FN T##2 operator op(T##2 a, T##2 b) { return {name(a.x, b.x), name(a.y, b.y)}; }                                   \
  WARPCELL_CPU_FN T##2& operator op##=(T##2& a, T##2 b) { return a = a op b; }
#define WARPCELL_CPU_NARROW_RELATION(T, op, name)                                                                                 \
  WARPCELL_CPU_FN bool operator op(T a, T b) { return name(a, b); }                                                               \
  WARPCELL_CPU_FN bool operator op(T##2 a, T##2 b) { return name(a.x, b.x) && name(a.y, b.y); }
#define WARPCELL_CPU_NARROW_STEP(T, op, name)                                                                                     \
  WARPCELL_CPU_FN T& operator op(T& a) { return a = name(a, T(1.0f)); }                                                           \
  WARPCELL_CPU_FN T operator op(T& a, int) { const T before = a; op a; return before; }                                           \
  WARPCELL_CPU_FN T##2& operator op(T##2& a) { op a.x; op a.y; return a; }                                                        \
  WARPCELL_CPU_FN T##2 operator op(T##2& a, int) { const T##2 before = a; op a; return before; }

#define WARPCELL_CPU_NARROW_OPERATIONS(T)                                                                                         \
  WARPCELL_CPU_NARROW_UNARY(WARPCELL_CPU_NARROW_UNARY_FUNCTION, T)                                                                \
  WARPCELL_CPU_NARROW_BINARY(WARPCELL_CPU_NARROW_BINARY_FUNCTION, T)                                                              \
  WARPCELL_CPU_NARROW_COMPARE(WARPCELL_CPU_NARROW_COMPARISON, T)                                                                  \
  WARPCELL_CPU_NARROW_OPERATOR(T, +, __hadd) WARPCELL_CPU_NARROW_OPERATOR(T, -, __hsub)                                           \
  WARPCELL_CPU_NARROW_OPERATOR(T, *, __hmul) WARPCELL_CPU_NARROW_OPERATOR(T, /, __hdiv)                                           \
  WARPCELL_CPU_NARROW_RELATION(T, ==, __heq) WARPCELL_CPU_NARROW_RELATION(T, !=, __hneu) WARPCELL_CPU_NARROW_RELATION(T, <, __hlt) \
  WARPCELL_CPU_NARROW_RELATION(T, <=, __hle) WARPCELL_CPU_NARROW_RELATION(T, >, __hgt) WARPCELL_CPU_NARROW_RELATION(T, >=, __hge) \
  WARPCELL_CPU_NARROW_STEP(T, ++, __hadd) WARPCELL_CPU_NARROW_STEP(T, --, __hsub)                                                  \
  WARPCELL_CPU_FN T operator-(T a) { return __hneg(a); }                                                                          \
  WARPCELL_CPU_FN T operator+(T a) { return a; }                                                                                  \
  WARPCELL_CPU_FN T##2 operator-(T##2 a) { return __hneg2(a); }                                                                   \
  WARPCELL_CPU_FN T __hfma(T a, T b, T c) { return T(::fma(double(float(a)), double(float(b)), double(float(c)))); }              \
  WARPCELL_CPU_FN T##2 __hfma2(T##2 a, T##2 b, T##2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }                 \
  WARPCELL_CPU_FN bool __hisnan(T a) { const float x = a; return x != x; }                                                        \
  WARPCELL_CPU_FN int __hisinf(T a) { const float x = a; return x - x == 0 || x != x ? 0 : x < 0 ? -1 : 1; }                      \
  WARPCELL_CPU_FN T atomicAdd(T* address, T value) {                                                                              \
    return warpcell_cpu::exchange_by<T, unsigned short>(address, [value](T old) { return old + value; });                         \
  }                                                                                                                               \
  WARPCELL_CPU_FN T##2 atomicAdd(T##2* address, T##2 value) {                                                                     \
    return warpcell_cpu::exchange_by<T##2, unsigned int>(address, [value](T##2 old) { return old + value; });                     \
  }

// X(the other type's part of the name, the type)
#define WARPCELL_CPU_NARROW_INTEGERS(X, T, name)                                                                                  \
  X(T, name, short, short) X(T, name, ushort, unsigned short) X(T, name, int, int) X(T, name, uint, unsigned) X(T, name, ll, long long) \
  X(T, name, ull, unsigned long long)
#define WARPCELL_CPU_NARROW_FROM_INTEGER(T, name, other, type)                                                                    \
  WARPCELL_CPU_FN T __##other##2##name##_rn(type x) { return T(double(x)); }
#define WARPCELL_CPU_NARROW_TO_INTEGER(T, name, other)                                                                            \
  WARPCELL_CPU_FN decltype(__float2##other##_rn(0.0f)) __##name##2##other##_rn(T x) { return __float2##other##_rn(x); }           \
  WARPCELL_CPU_FN decltype(__float2##other##_rz(0.0f)) __##name##2##other##_rz(T x) { return __float2##other##_rz(x); }           \
  WARPCELL_CPU_FN decltype(__float2##other##_rd(0.0f)) __##name##2##other##_rd(T x) { return __float2##other##_rd(x); }           \
  WARPCELL_CPU_FN decltype(__float2##other##_ru(0.0f)) __##name##2##other##_ru(T x) { return __float2##other##_ru(x); }
// To 8 and 16 bits these saturate there, unlike casts.
#define WARPCELL_CPU_NARROW_TO_SMALL(T, name, other, type, suffix, least, most)                                                   \
  WARPCELL_CPU_FN type __##name##2##other##_##suffix(T x) {                                                                       \
    const int whole = __float2int_##suffix(x);                                                                                    \
    return (type)(whole < (least) ? (least) : whole > (most) ? (most) : whole);                                                   \
  }
#define WARPCELL_CPU_NARROW_TO_SHORTS(T, name, suffix)                                                                            \
  WARPCELL_CPU_NARROW_TO_SMALL(T, name, short, short, suffix, -32768, 32767)                                                      \
  WARPCELL_CPU_NARROW_TO_SMALL(T, name, ushort, unsigned short, suffix, 0, 65535)

#define WARPCELL_CPU_NARROW_CONVERSIONS(T, name)                                                                                  \
  WARPCELL_CPU_FN T __float2##name(float x) { return T(x); }                                                                      \
  WARPCELL_CPU_FN T __float2##name##_rn(float x) { return T(x); }                                                                 \
  WARPCELL_CPU_FN T __double2##name(double x) { return T(x); }                                                                    \
  WARPCELL_CPU_FN float __##name##2float(T x) { return x; }                                                                       \
  WARPCELL_CPU_FN T##2 __float2##name##2_rn(float x) { return {T(x), T(x)}; }                                                     \
  WARPCELL_CPU_FN T##2 __floats2##name##2_rn(float x, float y) { return {T(x), T(y)}; }                                           \
  WARPCELL_CPU_FN T##2 __float22##name##2_rn(float2 v) { return {T(v.x), T(v.y)}; }                                               \
  WARPCELL_CPU_FN float2 __##name##22float2(T##2 v) { return {v.x, v.y}; }                                                        \
  WARPCELL_CPU_FN T##2 __##name##2##name##2(T x) { return {x, x}; }                                                               \
  WARPCELL_CPU_FN T##2 __halves2##name##2(T x, T y) { return {x, y}; }                                                            \
  WARPCELL_CPU_FN T##2 make_##name##2(T x, T y) { return {x, y}; }                                                                \
  WARPCELL_CPU_FN T##2 __low2##name##2(T##2 v) { return {v.x, v.x}; }                                                             \
  WARPCELL_CPU_FN T##2 __high2##name##2(T##2 v) { return {v.y, v.y}; }                                                            \
  WARPCELL_CPU_FN T##2 __lows2##name##2(T##2 v, T##2 w) { return {v.x, w.x}; }                                                    \
  WARPCELL_CPU_FN T##2 __highs2##name##2(T##2 v, T##2 w) { return {v.y, w.y}; }                                                   \
  WARPCELL_CPU_FN T##2 __lowhigh2highlow(T##2 v) { return {v.y, v.x}; }                                                           \
  WARPCELL_CPU_FN T __low2##name(T##2 v) { return v.x; }                                                                          \
  WARPCELL_CPU_FN T __high2##name(T##2 v) { return v.y; }                                                                         \
  WARPCELL_CPU_FN float __low2float(T##2 v) { return v.x; }                                                                       \
  WARPCELL_CPU_FN float __high2float(T##2 v) { return v.y; }                                                                      \
  WARPCELL_CPU_FN T __ushort_as_##name(unsigned short bits) { return warpcell_cpu::from_bits<T>(bits); }                          \
  WARPCELL_CPU_FN unsigned short __##name##_as_ushort(T x) { return x.bits; }                                                     \
  WARPCELL_CPU_FN T __short_as_##name(short bits) { return warpcell_cpu::from_bits<T>((unsigned short)bits); }                    \
  WARPCELL_CPU_FN short __##name##_as_short(T x) { return short(x.bits); }                                                        \
  WARPCELL_CPU_NARROW_INTEGERS(WARPCELL_CPU_NARROW_FROM_INTEGER, T, name)                                                         \
  WARPCELL_CPU_NARROW_TO_INTEGER(T, name, int) WARPCELL_CPU_NARROW_TO_INTEGER(T, name, uint)                                      \
  WARPCELL_CPU_NARROW_TO_INTEGER(T, name, ll) WARPCELL_CPU_NARROW_TO_INTEGER(T, name, ull)                                        \
  WARPCELL_CPU_NARROW_TO_SHORTS(T, name, rn) WARPCELL_CPU_NARROW_TO_SHORTS(T, name, rz)                                           \
  WARPCELL_CPU_NARROW_TO_SHORTS(T, name, rd) WARPCELL_CPU_NARROW_TO_SHORTS(T, name, ru)                                           \
  WARPCELL_CPU_NARROW_TO_SMALL(T, name, char, signed char, rz, -128, 127)                                                         \
  WARPCELL_CPU_NARROW_TO_SMALL(T, name, uchar, unsigned char, rz, 0, 255)
