// CUDA's SIMD video instructions: two numbers of 16 bits or four of 8 in one register. (CUDA Math API, "SIMD Intrinsics", "Integer Intrinsics".)
#pragma once
#include "elementary.h"

namespace warpcell_cpu {

// Parts of a register: of type P, whose values are computed with as int.
template <class P, class Compute>
WARPCELL_CPU_FN u32 packed(u32 a, u32 b, Compute compute) {
  constexpr u32 bits = 8 * sizeof(P), mask = (1u << bits) - 1;
  u32 result = 0;
  for (u32 at = 0; at < 32; at += bits) result |= (u32(compute(int(P(a >> at & mask)), int(P(b >> at & mask)))) & mask) << at;
  return result;
}
template <class P, class Compute>
WARPCELL_CPU_FN u32 summed(u32 a, u32 b, Compute compute) {
  constexpr u32 bits = 8 * sizeof(P), mask = (1u << bits) - 1;
  u32 sum = 0;
  for (u32 at = 0; at < 32; at += bits) sum += u32(compute(int(P(a >> at & mask)), int(P(b >> at & mask))));
  return sum;
}
template <class P>
WARPCELL_CPU_FN int saturated(int x) {
  constexpr int bits = 8 * sizeof(P), least = P(-1) < P(0) ? -(1 << (bits - 1)) : 0, most = least + (1 << bits) - 1;
  return x < least ? least : x > most ? most : x;
}
WARPCELL_CPU_FN int distance(int a, int b) { return a < b ? b - a : a - b; }

}  // namespace warpcell_cpu

// Templates, so that a cell's compiler looks into those only that the cell uses.
#define WARPCELL_CPU_PACKED_FN template <int = 0> WARPCELL_CPU_FN

#define WARPCELL_CPU_PACKED(name, part, expression)                                                                       \
  WARPCELL_CPU_PACKED_FN unsigned name(unsigned left, unsigned right) {                                                          \
    using P = part;                                                                                                       \
    return warpcell_cpu::packed<P>(left, right, []([[maybe_unused]] int a, [[maybe_unused]] int b) { return expression; }); \
  }
#define WARPCELL_CPU_PACKED_ONE(name, part, expression)                                                                   \
  WARPCELL_CPU_PACKED_FN unsigned name(unsigned left) {                                                                          \
    using P = part;                                                                                                       \
    return warpcell_cpu::packed<P>(left, 0, [](int a, int) { return expression; });                                       \
  }
#define WARPCELL_CPU_SUMMED(name, part)                                                                                   \
  WARPCELL_CPU_PACKED_FN unsigned name(unsigned left, unsigned right) { return warpcell_cpu::summed<part>(left, right, warpcell_cpu::distance); }
#define WARPCELL_CPU_COMPARED(name, n, part, op)                                                                          \
  WARPCELL_CPU_PACKED(__vcmp##name##n, part, a op b ? -1 : 0) WARPCELL_CPU_PACKED(__vset##name##n, part, a op b)

// X(how many, signed part, unsigned part)
#define X(n, S, U)                                                                                                        \
  WARPCELL_CPU_PACKED_ONE(__vabs##n, S, a < 0 ? -a : a) WARPCELL_CPU_PACKED_ONE(__vabsss##n, S, warpcell_cpu::saturated<P>(a < 0 ? -a : a)) \
  WARPCELL_CPU_PACKED_ONE(__vneg##n, S, -a) WARPCELL_CPU_PACKED_ONE(__vnegss##n, S, warpcell_cpu::saturated<P>(-a))       \
  WARPCELL_CPU_PACKED(__vabsdiffs##n, S, warpcell_cpu::distance(a, b)) WARPCELL_CPU_PACKED(__vabsdiffu##n, U, warpcell_cpu::distance(a, b)) \
  WARPCELL_CPU_PACKED(__vadd##n, U, a + b) WARPCELL_CPU_PACKED(__vsub##n, U, a - b)                                       \
  WARPCELL_CPU_PACKED(__vaddss##n, S, warpcell_cpu::saturated<P>(a + b)) WARPCELL_CPU_PACKED(__vaddus##n, U, warpcell_cpu::saturated<P>(a + b)) \
  WARPCELL_CPU_PACKED(__vsubss##n, S, warpcell_cpu::saturated<P>(a - b)) WARPCELL_CPU_PACKED(__vsubus##n, U, warpcell_cpu::saturated<P>(a - b)) \
  WARPCELL_CPU_PACKED(__vavgs##n, S, (a + b + (a + b >= 0)) >> 1) WARPCELL_CPU_PACKED(__vavgu##n, U, (a + b + 1) >> 1)    \
  WARPCELL_CPU_PACKED(__vhaddu##n, U, (a + b) >> 1)                                                                       \
  WARPCELL_CPU_PACKED(__vmaxs##n, S, a < b ? b : a) WARPCELL_CPU_PACKED(__vmaxu##n, U, a < b ? b : a)                     \
  WARPCELL_CPU_PACKED(__vmins##n, S, b < a ? b : a) WARPCELL_CPU_PACKED(__vminu##n, U, b < a ? b : a)                     \
  WARPCELL_CPU_SUMMED(__vsads##n, S) WARPCELL_CPU_SUMMED(__vsadu##n, U)                                                   \
  WARPCELL_CPU_COMPARED(eq, n, U, ==) WARPCELL_CPU_COMPARED(ne, n, U, !=)                                                 \
  WARPCELL_CPU_COMPARED(ges, n, S, >=) WARPCELL_CPU_COMPARED(geu, n, U, >=) WARPCELL_CPU_COMPARED(gts, n, S, >) WARPCELL_CPU_COMPARED(gtu, n, U, >) \
  WARPCELL_CPU_COMPARED(les, n, S, <=) WARPCELL_CPU_COMPARED(leu, n, U, <=) WARPCELL_CPU_COMPARED(lts, n, S, <) WARPCELL_CPU_COMPARED(ltu, n, U, <)
X(2, short, unsigned short) X(4, signed char, unsigned char)
#undef X
#undef WARPCELL_CPU_COMPARED
#undef WARPCELL_CPU_SUMMED
#undef WARPCELL_CPU_PACKED_ONE
#undef WARPCELL_CPU_PACKED

// Three numbers at once: max and min of three, of a sum and a third, cut off at 0 (relu), and of two with which one it is.
#define WARPCELL_CPU_OF_THREE(name, part, expression)                                                                     \
  WARPCELL_CPU_PACKED_FN unsigned name(unsigned left, unsigned middle, unsigned right) {                                         \
    using P = part;                                                                                                       \
    constexpr unsigned bits = 8 * sizeof(P), mask = (1u << bits) - 1;                                                     \
    unsigned result = 0;                                                                                                  \
    for (unsigned at = 0; at < 32; at += bits) {                                                                          \
      const int a = P(left >> at & mask), b = P(middle >> at & mask), c = P(right >> at & mask);                          \
      result |= (unsigned(expression) & mask) << at;                                                                      \
    }                                                                                                                     \
    return result;                                                                                                        \
  }
#define X(most, most_of)                                                                                                  \
  WARPCELL_CPU_OF_THREE(__vi##most##3_s16x2, short, most_of(most_of(a, b), c)) WARPCELL_CPU_OF_THREE(__vi##most##3_u16x2, unsigned short, most_of(most_of(a, b), c)) \
  WARPCELL_CPU_OF_THREE(__vi##most##3_s16x2_relu, short, max(most_of(most_of(a, b), c), 0))                               \
  WARPCELL_CPU_OF_THREE(__viadd##most##_s16x2, short, most_of(int(P(a + b)), c)) WARPCELL_CPU_OF_THREE(__viadd##most##_u16x2, unsigned short, most_of(int(P(a + b)), c)) \
  WARPCELL_CPU_OF_THREE(__viadd##most##_s16x2_relu, short, max(most_of(int(P(a + b)), c), 0))                             \
  WARPCELL_CPU_PACKED_FN unsigned __vi##most##_s16x2_relu(unsigned a, unsigned b) { return __vi##most##3_s16x2_relu(a, b, b); }  \
  WARPCELL_CPU_PACKED_FN int __vi##most##3_s32(int a, int b, int c) { return most_of(most_of(a, b), c); }                        \
  WARPCELL_CPU_PACKED_FN unsigned __vi##most##3_u32(unsigned a, unsigned b, unsigned c) { return most_of(most_of(a, b), c); }    \
  WARPCELL_CPU_PACKED_FN int __vi##most##3_s32_relu(int a, int b, int c) { return max(most_of(most_of(a, b), c), 0); }           \
  WARPCELL_CPU_PACKED_FN int __vi##most##_s32_relu(int a, int b) { return max(most_of(a, b), 0); }                               \
  WARPCELL_CPU_PACKED_FN int __viadd##most##_s32(int a, int b, int c) { return most_of(int(unsigned(a) + unsigned(b)), c); }     \
  WARPCELL_CPU_PACKED_FN unsigned __viadd##most##_u32(unsigned a, unsigned b, unsigned c) { return most_of(a + b, c); }          \
  WARPCELL_CPU_PACKED_FN int __viadd##most##_s32_relu(int a, int b, int c) { return max(most_of(int(unsigned(a) + unsigned(b)), c), 0); }
X(max, max) X(min, min)
#undef X
#undef WARPCELL_CPU_OF_THREE
#define X(most, compares)                                                                                                 \
  WARPCELL_CPU_PACKED_FN int __vib##most##_s32(int a, int b, bool* is_first) { return (*is_first = a compares b) ? a : b; }      \
  WARPCELL_CPU_PACKED_FN unsigned __vib##most##_u32(unsigned a, unsigned b, bool* is_first) { return (*is_first = a compares b) ? a : b; } \
  WARPCELL_CPU_PACKED_FN unsigned __vib##most##_s16x2(unsigned a, unsigned b, bool* high, bool* low) {                           \
    *high = short(a >> 16) compares short(b >> 16);                                                                       \
    *low = short(a) compares short(b);                                                                                    \
    return ((*high ? a : b) & 0xffff0000u) | ((*low ? a : b) & 0xffffu);                                                  \
  }                                                                                                                       \
  WARPCELL_CPU_PACKED_FN unsigned __vib##most##_u16x2(unsigned a, unsigned b, bool* high, bool* low) {                           \
    *high = (a >> 16) compares (b >> 16);                                                                               \
    *low = (a & 0xffffu) compares (b & 0xffffu);                                                                          \
    return ((*high ? a : b) & 0xffff0000u) | ((*low ? a : b) & 0xffffu);                                                  \
  }
X(max, >=) X(min, <=)
#undef X
#undef WARPCELL_CPU_PACKED_FN
