// How functors are written: of one operand or two, in the type that elements compute in.
#pragma once
#include "math.cuh"
#include "numbers.cuh"

namespace warpcell {

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

}  // namespace warpcell
