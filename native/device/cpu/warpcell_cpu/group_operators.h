// What reductions and scans of groups combine with: plus, less, greater and the operations on bits, each with what it leaves unchanged.
#pragma once
#include "lane_groups.h"

namespace warpcell_cpu {

template <class T> struct Ends { static constexpr T least = T(), greatest = T(); };
#define WARPCELL_CPU_ENDS(type, low, high) template <> struct Ends<type> { static constexpr type least = low, greatest = high; };
WARPCELL_CPU_ENDS(int, INT_MIN, INT_MAX) WARPCELL_CPU_ENDS(unsigned, 0, UINT_MAX) WARPCELL_CPU_ENDS(long, LONG_MIN, LONG_MAX)
WARPCELL_CPU_ENDS(unsigned long, 0, ULONG_MAX) WARPCELL_CPU_ENDS(long long, LLONG_MIN, LLONG_MAX) WARPCELL_CPU_ENDS(unsigned long long, 0, ULLONG_MAX)
WARPCELL_CPU_ENDS(float, -FLT_MAX, FLT_MAX) WARPCELL_CPU_ENDS(double, -DBL_MAX, DBL_MAX)
#undef WARPCELL_CPU_ENDS

}  // namespace warpcell_cpu

namespace cooperative_groups {

#define WARPCELL_CPU_REDUCTION(name, expression, neutral)                                             \
  template <class T>                                                                                  \
  struct name {                                                                                       \
    WARPCELL_CPU_MEMBER T operator()(T a, T b) const { return expression; }                           \
    static WARPCELL_CPU_MEMBER T warpcell_cpu_neutral() { return neutral; }                           \
  };
WARPCELL_CPU_REDUCTION(plus, a + b, T())
WARPCELL_CPU_REDUCTION(less, b < a ? b : a, warpcell_cpu::Ends<T>::greatest)
WARPCELL_CPU_REDUCTION(greater, a < b ? b : a, warpcell_cpu::Ends<T>::least)
WARPCELL_CPU_REDUCTION(bit_and, a & b, T(~T()))
WARPCELL_CPU_REDUCTION(bit_or, a | b, T())
WARPCELL_CPU_REDUCTION(bit_xor, a ^ b, T())
#undef WARPCELL_CPU_REDUCTION

// Of any other operation: what a value begins with.
template <class T, class Operation>
WARPCELL_CPU_FN auto warpcell_cpu_neutral_of(const Operation& operation, int) -> decltype(operation.warpcell_cpu_neutral()) { return operation.warpcell_cpu_neutral(); }
template <class T, class Operation>
WARPCELL_CPU_FN T warpcell_cpu_neutral_of(const Operation&, long) { return T(); }

// Combines `value` with what an atomic holds; returns what it held.
template <class Atomic, class T, class Operation>
WARPCELL_CPU_FN T warpcell_cpu_update(Atomic& target, T value, Operation operation) {
  auto before = target.load();
  while (!target.compare_exchange_weak(before, operation(T(before), value))) {}
  return T(before);
}

}  // namespace cooperative_groups
