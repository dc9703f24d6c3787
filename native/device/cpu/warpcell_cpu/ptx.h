// What inline PTX is made of on a processor: registers that hold any type of their size, shared memory as addresses of 32 bits, bit fields, shuffles.
// ptx_text.cc of the engine writes these names into a cell.
#pragma once
#include "atomics.h"
#include "integers.h"
#include "output.h"
#include "rounding.h"

// The C library's, by a name that its own headers do not declare.
extern "C" int warpcell_cpu_clock_gettime(int clock, void* time) noexcept __asm__("clock_gettime");

namespace warpcell_cpu {
namespace ptx {

using s8 = signed char;
using s64 = long long;
using u64 = unsigned long long;

template <class T> struct WithoutSign { using type = T; };
template <> struct WithoutSign<short> { using type = unsigned short; };
template <> struct WithoutSign<int> { using type = unsigned; };
template <> struct WithoutSign<long> { using type = unsigned long; };
template <> struct WithoutSign<long long> { using type = unsigned long long; };
template <class T> using Unsigned = typename WithoutSign<T>::type;

// A register as T: its bits where it has T's size and is of another kind.
template <class T, class V>
WARPCELL_CPU_FN T get(const V& value) {
  if constexpr (is_integer<T> && __is_enum(V)) return T(value);
  else if constexpr (is_integer<T> == is_integer<V> && is_number<T> && is_number<V>) return T(value);
  else if constexpr (sizeof(T) == sizeof(V)) {
    T result;
    __builtin_memcpy(&result, &value, sizeof(T));
    return result;
  } else if constexpr (is_number<V>) return T(value);
  else return T((unsigned long long)value);
}
template <class D, class V>
WARPCELL_CPU_FN void set(D& target, const V& value) { target = get<D>(value); }

WARPCELL_CPU_FN u32 lane() { return linear_thread() % kLanes; }
WARPCELL_CPU_FN unsigned long long global_timer() {
  struct { long seconds, nanoseconds; } now;
  warpcell_cpu_clock_gettime(0, &now);
  return (unsigned long long)now.seconds * 1000000000ull + (unsigned long long)now.nanoseconds;
}

// Shared memory is a core's own: the block's dynamic part, and variables of the thread around this one.
static __thread char anchor;
constexpr u32 kDynamic = 1u << 30;
WARPCELL_CPU_FN unsigned long long shared_address(unsigned long long address) {
  const unsigned long long dynamic = address - (unsigned long long)dynamic_shared;
  return dynamic < kDynamic ? dynamic : u32(address - (unsigned long long)&anchor + 3ull * kDynamic);
}
template <class T, class V>
WARPCELL_CPU_FN T* shared(const V& address, long offset) {
  const unsigned long long place = get<unsigned long long>(address);
  if (place >> 32 != 0) return reinterpret_cast<T*>(place + offset);   // a generic address, of 64 bits
  return reinterpret_cast<T*>((place < kDynamic ? (unsigned long long)dynamic_shared + place : (unsigned long long)&anchor + place - 3ull * kDynamic) + offset);
}
template <class T, class V>
WARPCELL_CPU_FN T* global(const V& address, long offset) { return reinterpret_cast<T*>(get<unsigned long long>(address) + offset); }

template <class T> WARPCELL_CPU_FN T load(const T* from) { return *from; }
template <class T> WARPCELL_CPU_FN void store(T* to, T value) { *to = value; }
template <class T>
WARPCELL_CPU_FN T fresh(const T* from) {
  T value;
  fenced(__builtin_LINE());
  __atomic_load(from, &value, __ATOMIC_ACQUIRE);
  return value;
}
template <class T> WARPCELL_CPU_FN void publish(T* to, T value) { __atomic_store(to, &value, __ATOMIC_RELEASE); }
WARPCELL_CPU_FN void copy(char* to, const char* from, u32 bytes, u32 read) {
  __builtin_memcpy(to, from, read < bytes ? read : bytes);
  if (read < bytes) __builtin_memset(to + read, 0, bytes - read);
}

WARPCELL_CPU_FN int high(int a, int b) { return __mulhi(a, b); }
WARPCELL_CPU_FN unsigned high(unsigned a, unsigned b) { return __umulhi(a, b); }
WARPCELL_CPU_FN long long high(long long a, long long b) { return __mul64hi(a, b); }
WARPCELL_CPU_FN unsigned long long high(unsigned long long a, unsigned long long b) { return __umul64hi(a, b); }
WARPCELL_CPU_FN bool inverse(bool x) { return !x; }
template <class T> WARPCELL_CPU_FN T inverse(T x) { return T(~x); }
WARPCELL_CPU_FN unsigned reversed(unsigned x) { return __brev(x); }
WARPCELL_CPU_FN unsigned long long reversed(unsigned long long x) { return __brevll(x); }
template <class T> WARPCELL_CPU_FN unsigned popc(T x) { return unsigned(__builtin_popcountll(Unsigned<T>(x))); }
template <class T> WARPCELL_CPU_FN unsigned clz(T x) { return x == 0 ? 8 * sizeof(T) : unsigned(__builtin_clzll(Unsigned<T>(x))) - (64 - 8 * unsigned(sizeof(T))); }
template <class T> WARPCELL_CPU_FN unsigned bfind(T x) {
  const Unsigned<T> bits = x < T(0) ? Unsigned<T>(~x) : Unsigned<T>(x);
  return bits == 0 ? 0xffffffffu : 8 * unsigned(sizeof(T)) - 1 - clz(bits);
}

// `length` bits from `first` on, with the sign of the last of them.
template <class T>
WARPCELL_CPU_FN T field(T x, u32 first, u32 length) {
  constexpr u32 bits = 8 * sizeof(T);
  first &= 255;
  length &= 255;
  const bool is_negative = T(-1) < T(0) && length != 0 && (Unsigned<T>(x) >> (first + length - 1 < bits ? first + length - 1 : bits - 1) & 1) != 0;
  Unsigned<T> result = first < bits ? Unsigned<T>(Unsigned<T>(x) >> first) : 0;
  if (length < bits) result &= Unsigned<T>((Unsigned<T>(1) << length) - 1);
  const u32 kept = first >= bits ? 0 : length < bits - first ? length : bits - first;
  if (is_negative && kept < bits) result |= Unsigned<T>(~Unsigned<T>(0) << kept);
  return T(result);
}
// `length` bits of a in the place of those of b from `first` on.
template <class T>
WARPCELL_CPU_FN T inserted(T a, T b, u32 first, u32 length) {
  constexpr u32 bits = 8 * sizeof(T);
  first &= 255;
  length &= 255;
  if (first >= bits) return b;
  const T mask = T((length >= bits ? ~T(0) : T((T(1) << length) - 1)) << first);
  return T((b & ~mask) | (T(a << first) & mask));
}
WARPCELL_CPU_FN unsigned lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned result = 0;
  for (u32 i = 0; i < 8; i++)
    if (table >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}

template <class T>
WARPCELL_CPU_FN T add_carried(T a, T b, bool takes, unsigned& carry) {
  const Unsigned<T> sum = Unsigned<T>(a) + Unsigned<T>(b), all = sum + (takes ? carry : 0);
  carry = sum < Unsigned<T>(a) || all < sum;
  return T(all);
}
template <class T>
WARPCELL_CPU_FN T subtract_carried(T a, T b, bool takes, unsigned& borrow) {
  const unsigned taken = takes ? borrow : 0;
  const Unsigned<T> rest = Unsigned<T>(a) - Unsigned<T>(b);
  borrow = Unsigned<T>(a) < Unsigned<T>(b) || rest < taken;
  return T(rest - taken);
}

// `ends`: the last lane of a segment in its lower five bits, the bits of a lane's number that all lanes of a segment share from bit 8 on.
WARPCELL_CPU_FN unsigned shuffle(Operation operation, u32 mask, unsigned value, u32 argument, u32 ends, bool& is_inside, u32 line) {
  const u32 own = lane(), shared = ends >> 8 & 31, first = own & shared, last = first | (ends & 31 & ~shared);
  argument &= 31;
  const u32 from = operation == kShuffleUp ? own - argument : operation == kShuffleDown ? own + argument : operation == kShuffleXor ? own ^ argument : first | (argument & ~shared);
  is_inside = operation == kShuffleUp ? int(from) >= int(last) : from <= last;
  return unsigned(collective(kShuffleIndex, mask, value, is_inside ? from : own, 32, line));
}

}  // namespace ptx
}  // namespace warpcell_cpu

WARPCELL_CPU_FN size_t __cvta_generic_to_shared(const void* address) { return warpcell_cpu::ptx::shared_address((unsigned long long)address); }
WARPCELL_CPU_FN size_t __cvta_generic_to_global(const void* address) { return (size_t)address; }
WARPCELL_CPU_FN void* __cvta_shared_to_generic(size_t address) { return warpcell_cpu::ptx::shared<char>((unsigned long long)address, 0); }
WARPCELL_CPU_FN void* __cvta_global_to_generic(size_t address) { return (void*)address; }
