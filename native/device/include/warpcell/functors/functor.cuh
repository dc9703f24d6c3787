// How functors are written: of one operand or two, in the type that elements compute in.
#pragma once
#include "../math.cuh"
#include "../numbers.cuh"

namespace warpcell {

template <class...>
using void_of = void;

// Integers wrap around, as the unsigned arithmetic of C++ does.
template <class W>
struct Unsigned {
  using type = W;
};
template <>
struct Unsigned<int> {
  using type = uint;
};
template <>
struct Unsigned<int64> {
  using type = uint64;
};
template <class W>
using Wrapping = typename Unsigned<W>::type;
template <class W>
constexpr bool is_float = Number<W>::is_float;

#define UNARY(Name, expression)             \
  struct Name {                             \
    template <class W>                      \
    static __device__ inline auto of(W x) { \
      return expression;                    \
    }                                       \
  }
// The same with a form for results of 16 bits on a GPU, which show no error below 2⁻¹². Other forms clear `is_usual` at
// operands that they are not for.
#ifdef WARPCELL_SERIAL
#define UNARY_BRIEF(Name, expression, shorter) UNARY(Name, expression)
#else
#define UNARY_BRIEF(Name, expression, shorter)                        \
  struct Name {                                                       \
    template <class W>                                                \
    static __device__ inline auto of(W x) {                           \
      return expression;                                              \
    }                                                                 \
    static __device__ inline float brief(float x) { return shorter; } \
  }
#endif
#define BINARY(Name, expression)                 \
  struct Name {                                  \
    template <class W>                           \
    static __device__ inline auto of(W x, W y) { \
      return expression;                         \
    }                                            \
  }

// How a GPU spreads an operation over a thread's vectors (elementwise.cuh): all at once where it is short; a function
// of float64 never is, arithmetic always.
template <class Op>
constexpr bool is_short = false;
template <class Op>
constexpr bool is_arithmetic = false;
#define SHORT(Op) \
  template <>     \
  constexpr bool is_short<Op> = true
#define ARITHMETIC(Op)                \
  template <>                         \
  constexpr bool is_short<Op> = true; \
  template <>                         \
  constexpr bool is_arithmetic<Op> = true

// What a functor has beside `of`: `near`, for the operands that `is_near` admits; `brief`, for 16 bits, which takes all
// operands, or first a flag that it clears where one is not usual; `usual`, for float32, which has that flag, too.
template <class F>
constexpr bool takes_flag = false;
template <class... X>
constexpr bool takes_flag<float(bool&, X...)> = true;
template <class Op, class = void>
constexpr bool has_near = false;
template <class Op>
constexpr bool has_near<Op, void_of<decltype(Op::is_near)>> = true;
template <class Op, class = void>
constexpr bool has_brief = false;
template <class Op>
constexpr bool has_brief<Op, void_of<decltype(Op::brief)>> = !takes_flag<decltype(Op::brief)>;
template <class Op, class = void>
constexpr bool has_usual = false;
template <class Op>
constexpr bool has_usual<Op, void_of<decltype(Op::brief)>> = takes_flag<decltype(Op::brief)>;
template <class Op, class = void>
constexpr bool is_usually_short = false;
template <class Op>
constexpr bool is_usually_short<Op, void_of<decltype(Op::usual)>> = true;

}  // namespace warpcell
