// <thrust/functional.h> for both halves of a program: operators as objects, and expressions of placeholders.
#pragma once
#include "tuples.cuh"

namespace warpcell_thrust {

template <class Argument, class Result>
struct unary_function {
  using argument_type = Argument;
  using result_type = Result;
};
template <class First, class Second, class Result>
struct binary_function {
  using first_argument_type = First;
  using second_argument_type = Second;
  using result_type = Result;
};

// clang-format off
#define WARPCELL_BINARY(name, result, ...) \
  template <class T = void> struct name : binary_function<T, T, result> { \
    __host__ __device__ constexpr result operator()(const T& a, const T& b) const { return __VA_ARGS__; } }; \
  template <> struct name<void> { \
    template <class A, class B> __host__ __device__ constexpr auto operator()(const A& a, const B& b) const { \
      return __VA_ARGS__; } };
#define WARPCELL_UNARY(name, result, ...) \
  template <class T = void> struct name : unary_function<T, result> { \
    __host__ __device__ constexpr result operator()(const T& a) const { return __VA_ARGS__; } }; \
  template <> struct name<void> { \
    template <class A> __host__ __device__ constexpr auto operator()(const A& a) const { return __VA_ARGS__; } };
// clang-format on
WARPCELL_BINARY(plus, T, a + b)
WARPCELL_BINARY(minus, T, a - b)
WARPCELL_BINARY(multiplies, T, a* b)
WARPCELL_BINARY(divides, T, a / b)
WARPCELL_BINARY(modulus, T, a % b)
WARPCELL_BINARY(bit_and, T, a& b)
WARPCELL_BINARY(bit_or, T, a | b)
WARPCELL_BINARY(bit_xor, T, a ^ b)
WARPCELL_BINARY(maximum, T, a < b ? b : a)
WARPCELL_BINARY(minimum, T, b < a ? b : a)
WARPCELL_BINARY(equal_to, bool, a == b)
WARPCELL_BINARY(not_equal_to, bool, a != b)
WARPCELL_BINARY(less, bool, a < b)
WARPCELL_BINARY(less_equal, bool, a <= b)
WARPCELL_BINARY(greater, bool, a > b)
WARPCELL_BINARY(greater_equal, bool, a >= b)
WARPCELL_BINARY(logical_and, bool, a&& b)
WARPCELL_BINARY(logical_or, bool, a || b)
WARPCELL_BINARY(project1st, T, ((void)b, a))
WARPCELL_BINARY(project2nd, T, ((void)a, b))
WARPCELL_UNARY(negate, T, -a)
WARPCELL_UNARY(square, T, a* a)
WARPCELL_UNARY(logical_not, bool, !a)
WARPCELL_UNARY(identity, T, a)
#undef WARPCELL_BINARY
#undef WARPCELL_UNARY

// The parts of a tuple as arguments.
template <class F>
struct zip_function {
  F f;
  template <class... Ts>
  __host__ __device__ auto operator()(const tuple<Ts...>& values) const {
    return from(values);
  }

 private:
  template <class... Given>
  __host__ __device__ auto from(const tuple<>&, const Given&... given) const {
    F own = f;
    return own(given...);
  }
  template <class T, class... Rest, class... Given>
  __host__ __device__ auto from(const tuple<T, Rest...>& values, const Given&... given) const {
    return from(values.tail, given..., values.head);
  }
};
template <class F>
__host__ __device__ zip_function<F> make_zip_function(F f) {
  return {f};
}
template <class F>
struct unary_negate {
  F f;
  template <class T>
  __host__ __device__ bool operator()(const T& value) const {
    F own = f;
    return !own(value);
  }
};
template <class F>
__host__ __device__ unary_negate<F> not1(F f) {
  return {f};
}
template <class F>
__host__ __device__ unary_negate<F> not_fn(F f) {
  return {f};
}

template <class T>
__host__ __device__ constexpr T max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T>
__host__ __device__ constexpr T min(const T& a, const T& b) {
  return b < a ? b : a;
}

namespace placeholders {

// An expression that has yet to be given its arguments.
template <class E>
struct Expression {
  E e;
  template <class A>
  __host__ __device__ constexpr auto operator()(const A& a) const {
    return e.of(a, a);
  }
  template <class A, class B>
  __host__ __device__ constexpr auto operator()(const A& a, const B& b) const {
    return e.of(a, b);
  }
};
struct First {
  template <class A, class B>
  __host__ __device__ constexpr A of(const A& a, const B&) const {
    return a;
  }
};
struct Second {
  template <class A, class B>
  __host__ __device__ constexpr B of(const A&, const B& b) const {
    return b;
  }
};
template <class T>
struct Value {
  T value;
  template <class A, class B>
  __host__ __device__ constexpr T of(const A&, const B&) const {
    return value;
  }
};
template <class Op, class L, class R>
struct Joined {
  L l;
  R r;
  template <class A, class B>
  __host__ __device__ constexpr auto of(const A& a, const B& b) const {
    return Op()(l.of(a, b), r.of(a, b));
  }
};
template <class Op, class L>
struct Changed {
  L l;
  template <class A, class B>
  __host__ __device__ constexpr auto of(const A& a, const B& b) const {
    return Op()(l.of(a, b));
  }
};

// clang-format off
#define WARPCELL_OPERATOR(sign, op) \
  template <class L, class R> __host__ __device__ constexpr auto operator sign(Expression<L> l, Expression<R> r) { \
    return Expression<Joined<op<>, L, R>>{{l.e, r.e}}; } \
  template <class L, class T> __host__ __device__ constexpr auto operator sign(Expression<L> l, const T& r) { \
    return Expression<Joined<op<>, L, Value<T>>>{{l.e, {r}}}; } \
  template <class T, class R> __host__ __device__ constexpr auto operator sign(const T& l, Expression<R> r) { \
    return Expression<Joined<op<>, Value<T>, R>>{{{l}, r.e}}; }
// clang-format on
WARPCELL_OPERATOR(+, plus)
WARPCELL_OPERATOR(-, minus)
WARPCELL_OPERATOR(*, multiplies)
WARPCELL_OPERATOR(/, divides)
WARPCELL_OPERATOR(%, modulus)
WARPCELL_OPERATOR(&, bit_and)
WARPCELL_OPERATOR(|, bit_or)
WARPCELL_OPERATOR(^, bit_xor)
WARPCELL_OPERATOR(==, equal_to)
WARPCELL_OPERATOR(!=, not_equal_to)
WARPCELL_OPERATOR(<, less)
WARPCELL_OPERATOR(<=, less_equal)
WARPCELL_OPERATOR(>, greater)
WARPCELL_OPERATOR(>=, greater_equal)
WARPCELL_OPERATOR(&&, logical_and)
WARPCELL_OPERATOR(||, logical_or)
#undef WARPCELL_OPERATOR
template <class E>
__host__ __device__ constexpr auto operator-(Expression<E> e) {
  return Expression<Changed<negate<>, E>>{{e.e}};
}
template <class E>
__host__ __device__ constexpr auto operator!(Expression<E> e) {
  return Expression<Changed<logical_not<>, E>>{{e.e}};
}

static constexpr Expression<First> _1{};
static constexpr Expression<Second> _2{};

}  // namespace placeholders
}  // namespace warpcell_thrust
