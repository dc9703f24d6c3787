// Atomic functions for every pair of function and type that CUDA has, with their _block and _system forms.
// (Programming Guide, "Atomic Functions".) All are relaxed, as on a GPU.
#pragma once
#include "barriers.h"
#include "warps.h"

namespace warpcell_cpu {

// Replaces *address by change(*address); returns what was there.
template <class T, class Bits, class Change>
WARPCELL_CPU_FN T exchange_by(T* address, Change change) {
  static_assert(sizeof(T) == sizeof(Bits));
  Bits* const place = reinterpret_cast<Bits*>(address);
  Bits old = __atomic_load_n(place, __ATOMIC_RELAXED);
  for (;;) {
    const T before = from_bits<T>(u64(old));
    const Bits after = Bits(to_bits(T(change(before))));
    if (__atomic_compare_exchange_n(place, &old, after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return before;
  }
}

// A thread that spins on a lock fails here again and again: it lets the others of its block run. (Threads of a block share one core.)
// So does one that only reads, by an exchange of equal values.
template <class T>
WARPCELL_CPU_FN T compare_and_swap(T* address, T expected, T desired, u32 line) {
  const T wanted = expected;
  __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  if (__builtin_expect(expected != wanted || desired == wanted, 0)) yield(line);
  return expected;
}

// The same for a lock that is taken with atomicExch: an exchange that changes nothing may be a spin.
template <class T, class Bits>
WARPCELL_CPU_FN T swap(T* address, T value, u32 line) {
  const Bits desired = Bits(to_bits(value));
  const Bits before = __atomic_exchange_n(reinterpret_cast<Bits*>(address), desired, __ATOMIC_SEQ_CST);
  if (__builtin_expect(before == desired, 0)) yield(line);
  return from_bits<T>(u64(before));
}

}  // namespace warpcell_cpu

// X(suffix of the name)
#define WARPCELL_CPU_SCOPES(X) X() X(_block) X(_system)

// `atomicAdd(flag, 0)` and its kin, which change nothing whatever is there, are how a spinning thread reads.
#define WARPCELL_CPU_FETCH(name, builtin, type, neutral)                                                                         \
  WARPCELL_CPU_FN type name(type* address, type value, unsigned line = __builtin_LINE()) {                                       \
    if (__builtin_constant_p(value) && value == static_cast<type>(neutral)) warpcell_cpu::yield(line);                    \
    return builtin(address, value, __ATOMIC_RELAXED);                                                                            \
  }

#define WARPCELL_CPU_BY(name, type, bits, expression)                                                                            \
  WARPCELL_CPU_FN type name(type* address, type value) {                                                                         \
    return warpcell_cpu::exchange_by<type, bits>(address, [value](type old) { return expression; });                             \
  }

#define WARPCELL_CPU_SWAP(name, type, bits)                                                                                      \
  WARPCELL_CPU_FN type name(type* address, type value, unsigned line = __builtin_LINE()) {                                       \
    return warpcell_cpu::swap<type, bits>(address, value, line);                                                                 \
  }

#define WARPCELL_CPU_CAS(name, type)                                                                                             \
  WARPCELL_CPU_FN type name(type* address, type expected, type desired, unsigned line = __builtin_LINE()) {                      \
    return warpcell_cpu::compare_and_swap<type>(address, expected, desired, line);                                               \
  }

#define WARPCELL_CPU_ATOMICS(scope)                                                                                              \
  WARPCELL_CPU_FETCH(atomicAdd##scope, __atomic_fetch_add, int, 0)                                                                \
  WARPCELL_CPU_FETCH(atomicAdd##scope, __atomic_fetch_add, unsigned int, 0)                                                       \
  WARPCELL_CPU_FETCH(atomicAdd##scope, __atomic_fetch_add, unsigned long long, 0)                                                 \
  WARPCELL_CPU_BY(atomicAdd##scope, float, unsigned int, old + value)                                                            \
  WARPCELL_CPU_BY(atomicAdd##scope, double, unsigned long long, old + value)                                                     \
  WARPCELL_CPU_FETCH(atomicSub##scope, __atomic_fetch_sub, int, 0)                                                                \
  WARPCELL_CPU_FETCH(atomicSub##scope, __atomic_fetch_sub, unsigned int, 0)                                                       \
  WARPCELL_CPU_BY(atomicMin##scope, int, unsigned int, old < value ? old : value)                                                \
  WARPCELL_CPU_BY(atomicMin##scope, unsigned int, unsigned int, old < value ? old : value)                                       \
  WARPCELL_CPU_BY(atomicMin##scope, long long, unsigned long long, old < value ? old : value)                                    \
  WARPCELL_CPU_BY(atomicMin##scope, unsigned long long, unsigned long long, old < value ? old : value)                           \
  WARPCELL_CPU_BY(atomicMax##scope, int, unsigned int, old > value ? old : value)                                                \
  WARPCELL_CPU_BY(atomicMax##scope, unsigned int, unsigned int, old > value ? old : value)                                       \
  WARPCELL_CPU_BY(atomicMax##scope, long long, unsigned long long, old > value ? old : value)                                    \
  WARPCELL_CPU_BY(atomicMax##scope, unsigned long long, unsigned long long, old > value ? old : value)                           \
  WARPCELL_CPU_BY(atomicInc##scope, unsigned int, unsigned int, old >= value ? 0 : old + 1)                                      \
  WARPCELL_CPU_BY(atomicDec##scope, unsigned int, unsigned int, old == 0 || old > value ? value : old - 1)                       \
  WARPCELL_CPU_FETCH(atomicAnd##scope, __atomic_fetch_and, int, ~0)                                                               \
  WARPCELL_CPU_FETCH(atomicAnd##scope, __atomic_fetch_and, unsigned int, ~0)                                                      \
  WARPCELL_CPU_FETCH(atomicAnd##scope, __atomic_fetch_and, unsigned long long, ~0)                                                \
  WARPCELL_CPU_FETCH(atomicOr##scope, __atomic_fetch_or, int, 0)                                                                  \
  WARPCELL_CPU_FETCH(atomicOr##scope, __atomic_fetch_or, unsigned int, 0)                                                         \
  WARPCELL_CPU_FETCH(atomicOr##scope, __atomic_fetch_or, unsigned long long, 0)                                                   \
  WARPCELL_CPU_FETCH(atomicXor##scope, __atomic_fetch_xor, int, 0)                                                                \
  WARPCELL_CPU_FETCH(atomicXor##scope, __atomic_fetch_xor, unsigned int, 0)                                                       \
  WARPCELL_CPU_FETCH(atomicXor##scope, __atomic_fetch_xor, unsigned long long, 0)                                                 \
  WARPCELL_CPU_SWAP(atomicExch##scope, int, unsigned int)                                                                        \
  WARPCELL_CPU_SWAP(atomicExch##scope, unsigned int, unsigned int)                                                               \
  WARPCELL_CPU_SWAP(atomicExch##scope, unsigned long long, unsigned long long)                                                   \
  WARPCELL_CPU_SWAP(atomicExch##scope, float, unsigned int)                                                                      \
  WARPCELL_CPU_CAS(atomicCAS##scope, int)                                                                                        \
  WARPCELL_CPU_CAS(atomicCAS##scope, unsigned int)                                                                               \
  WARPCELL_CPU_CAS(atomicCAS##scope, unsigned long long)                                                                         \
  WARPCELL_CPU_CAS(atomicCAS##scope, unsigned short)

WARPCELL_CPU_SCOPES(WARPCELL_CPU_ATOMICS)
