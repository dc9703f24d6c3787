// What a GPU's instructions do where C++ leaves it open: conversions of floats to integers saturate, shifts by the width or more give 0 or the sign.
// (PTX ISA, "cvt", "shl", "shr".) arithmetic_text.cc of the engine writes these names into a cell. Comes before every other header.
#pragma once

#pragma push_macro("WARPCELL_CPU_FN")
#undef WARPCELL_CPU_FN
#define WARPCELL_CPU_FN static inline __attribute__((always_inline, unused))

namespace warpcell_cpu {

using u32 = unsigned int;

WARPCELL_CPU_FN void yield(u32 line);

static __thread u32 spun;

// In the condition of a loop: a thread that waits for another one of its block lets it run, now and then.
WARPCELL_CPU_FN bool spins(u32 line = __builtin_LINE()) {
  if (__builtin_expect(++spun % 64 == 0, 0)) yield(line);
  return true;
}

template <class A, class B> constexpr bool are_same = false;
template <class A> constexpr bool are_same<A, A> = true;
template <class T> constexpr bool is_float = are_same<T, float> || are_same<T, double>;
template <class T> constexpr bool is_whole = false;
#define WARPCELL_CPU_WHOLE(type) template <> constexpr bool is_whole<type> = true; template <> constexpr bool is_whole<unsigned type> = true;
WARPCELL_CPU_WHOLE(char) WARPCELL_CPU_WHOLE(short) WARPCELL_CPU_WHOLE(int) WARPCELL_CPU_WHOLE(long) WARPCELL_CPU_WHOLE(long long)
#undef WARPCELL_CPU_WHOLE
template <> constexpr bool is_whole<signed char> = true;
template <class T> constexpr bool shifts = is_whole<T> || are_same<T, bool> || __is_enum(T);
template <bool condition> struct When {};
template <> struct When<true> { using type = void; };

template <class I> constexpr bool is_signed = I(-1) < I(0);

// A type of less than 32 bits has the low bits of the conversion to 32. NaN: 0, or the top bit alone, as PTX says it.
template <class I, class F>
WARPCELL_CPU_FN constexpr I truncated(F x) {
  if constexpr (!is_float<F> || !is_whole<I>) {
    return I(x);
  } else if constexpr (sizeof(I) < 4) {
    if constexpr (is_signed<I>) return I(truncated<int>(x));
    else return I(truncated<unsigned>(x));
  } else {
    constexpr u32 bits = 8 * sizeof(I);
    constexpr I top = I(I(1) << (bits - 1));
    constexpr I nan = bits == 64 || are_same<F, double> ? top : I(0);
    constexpr F half = F(1ull << (bits - 1));
    if constexpr (is_signed<I>) return x < half ? (x >= -half ? I(x) : top) : x != x ? nan : I(~top);
    else return x < 2 * half ? (x > F(-1) ? I(x) : I(0)) : x != x ? nan : I(~I(0));
  }
}

// `(int)x` is written as `(int)(As<int>)x`; for a type that is no integer, As is that type.
template <class I>
struct Truncated {
  I value;
  template <class T>
  __attribute__((always_inline)) constexpr Truncated(T x) : value(I()) {
    if constexpr (is_float<T>) value = truncated<I>(x);
    else value = (I)x;
  }
  __attribute__((always_inline)) constexpr operator I() const { return value; }
};
template <class T, bool = is_whole<T>>
struct Conversion { using type = T; };
template <class T>
struct Conversion<T, true> { using type = Truncated<T>; };
template <class T>
using As = typename Conversion<T>::type;

// A float on its way into an integer that the text does not name: `byte = truncating(x)`.
template <class F>
struct Truncating {
  F value;
  template <class T, class = typename When<is_float<T> || shifts<T>>::type>
  __attribute__((always_inline)) constexpr operator T() const { return truncated<T>(value); }
};
template <class T>
WARPCELL_CPU_FN constexpr auto truncating(T x) {
  if constexpr (is_float<T>) return Truncating<T>{x};
  else return x;
}

// `byte += x` is written as `byte += warpcell_cpu_truncated += x`.
struct Truncation {};
#define WARPCELL_CPU_COMPOUND(op, name)                                                                    \
  template <class F> struct name { F value; };                                                             \
  template <class F> WARPCELL_CPU_FN constexpr name<F> operator op##=(Truncation, F x) { return {x}; }     \
  template <class T, class F>                                                                              \
  WARPCELL_CPU_FN constexpr T& operator op##=(T& target, name<F> x) {                                      \
    target = truncating(target op x.value);                                                                \
    return target;                                                                                         \
  }
WARPCELL_CPU_COMPOUND(+, Added) WARPCELL_CPU_COMPOUND(-, Subtracted) WARPCELL_CPU_COMPOUND(*, Multiplied) WARPCELL_CPU_COMPOUND(/, Divided)
#undef WARPCELL_CPU_COMPOUND

// As a GPU takes it: 32 bits without a sign, so that a negative amount is a large one.
template <class T, class N>
WARPCELL_CPU_FN constexpr auto shifted_left(T x, N amount) {
  const auto value = +x;
  return u32(amount) < 8 * sizeof value ? value << u32(amount) : decltype(+x)(0);
}
template <class T, class N>
WARPCELL_CPU_FN constexpr auto shifted_right(T x, N amount) {
  const auto value = +x;
  constexpr u32 last = 8 * sizeof value - 1;
  return u32(amount) <= last || value < 0 ? value >> (u32(amount) < last ? u32(amount) : last) : decltype(+x)(0);
}

// `x << n` is written as `x <<warpcell_cpu_shift<< n`, which binds the same way; in front of a preprocessor, where an unknown name is 0, it is the same
// number. What is no number keeps its own operator.
struct Shift {};
template <class T> struct Left { T value; };
template <class T> struct WithoutReference { using type = T; };
template <class T> struct WithoutReference<T&> { using type = T; };
template <class T> struct Amount { T value; };
#define WARPCELL_CPU_SHIFT(op, shifted)                                                                       \
  template <class T, class = typename When<shifts<T>>::type>                                                  \
  WARPCELL_CPU_FN constexpr Left<T> operator op(T x, Shift) { return {x}; }                                   \
  template <class T, class = typename When<!shifts<typename WithoutReference<T>::type>>::type, int = 0>       \
  WARPCELL_CPU_FN constexpr Left<T&&> operator op(T&& x, Shift) { return {static_cast<T&&>(x)}; }             \
  template <class T, class N>                                                                                 \
  WARPCELL_CPU_FN constexpr decltype(auto) operator op(Left<T> left, N amount) {                              \
    if constexpr (shifts<T> && shifts<N>) return shifted(left.value, amount);                                 \
    else return static_cast<T&&>(left.value) op amount;                                                       \
  }                                                                                                           \
  template <class N> WARPCELL_CPU_FN constexpr Amount<N> operator op##=(Shift, N amount) { return {amount}; } \
  template <class T, class N>                                                                                 \
  WARPCELL_CPU_FN constexpr T& operator op##=(T& target, Amount<N> amount) {                                  \
    if constexpr (shifts<T> && shifts<N>) target = T(shifted(target, amount.value));                          \
    else target op##= amount.value;                                                                           \
    return target;                                                                                            \
  }
WARPCELL_CPU_SHIFT(<<, shifted_left) WARPCELL_CPU_SHIFT(>>, shifted_right)
#undef WARPCELL_CPU_SHIFT

}  // namespace warpcell_cpu

constexpr warpcell_cpu::Shift warpcell_cpu_shift{};
constexpr warpcell_cpu::Truncation warpcell_cpu_truncated{};

// So that a compiler compares a format with what is printed.
extern "C" int warpcell_cpu_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));

// What the threads of a cell's kernels need of a stack, where that is more than usual.
#if defined(WARPCELL_CPU_STACK)
extern "C" __attribute__((visibility("default"), used)) const unsigned int warpcell_cpu_stack = WARPCELL_CPU_STACK;
#endif

#pragma pop_macro("WARPCELL_CPU_FN")
