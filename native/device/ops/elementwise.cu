// One result per index from one, two or three operands of one dtype: kernels over the functors of functors.cuh.
#include <warpcell/functors.cuh>
#include <warpcell/map.cuh>

using namespace warpcell;

// Operations that are short enough for every element of a thread's vectors; in float64 a function never is.
template <class Op> constexpr bool is_short = false;
template <class Op> constexpr bool is_arithmetic = false;
#define ARITHMETIC(Op) template <> constexpr bool is_short<Op> = true; template <> constexpr bool is_arithmetic<Op> = true
#define SHORT(Op) template <> constexpr bool is_short<Op> = true
ARITHMETIC(Add); ARITHMETIC(Sub); ARITHMETIC(Mul); ARITHMETIC(Div); ARITHMETIC(Maximum); ARITHMETIC(Minimum); ARITHMETIC(Copysign);
ARITHMETIC(Eq); ARITHMETIC(Ne); ARITHMETIC(Lt); ARITHMETIC(Le); ARITHMETIC(Gt); ARITHMETIC(Ge); ARITHMETIC(LogicalAnd); ARITHMETIC(LogicalOr); ARITHMETIC(LogicalXor);
ARITHMETIC(BitwiseAnd); ARITHMETIC(BitwiseOr); ARITHMETIC(BitwiseXor); ARITHMETIC(Same); ARITHMETIC(Neg); ARITHMETIC(Abs); ARITHMETIC(Sign); ARITHMETIC(Square);
ARITHMETIC(LogicalNot); ARITHMETIC(BitwiseNot); ARITHMETIC(Isnan); ARITHMETIC(Isinf); ARITHMETIC(Isfinite); ARITHMETIC(Floor); ARITHMETIC(Ceil); ARITHMETIC(Round);
ARITHMETIC(Trunc); ARITHMETIC(Frac); ARITHMETIC(Relu); ARITHMETIC(Relu6); ARITHMETIC(ReluGradient); ARITHMETIC(SigmoidGradient); ARITHMETIC(TanhGradient); ARITHMETIC(Clamp); ARITHMETIC(LeakyRelu); ARITHMETIC(Prelu);
ARITHMETIC(Threshold); ARITHMETIC(Softshrink); ARITHMETIC(Hardshrink);
SHORT(Reciprocal); SHORT(Sqrt); SHORT(Rsqrt); SHORT(Exp); SHORT(Log); SHORT(Tanh); SHORT(Sigmoid); SHORT(Silu); SHORT(Gelu); SHORT(GeluTanh); SHORT(SiluGradient);
SHORT(GeluGradient); SHORT(GeluTanhGradient); SHORT(Gated);
template <class Op, class T> constexpr bool light = same<Wide<T>, double> ? is_arithmetic<Op> : is_short<Op>;

template <class Op, class T, class Out> __global__ void unary(const T* a, Out* out, long long count) {
  map<light<Op, T>>(count, out, [](T x) { return narrow<Out>(Op::of(widen<T>(x))); }, a);
}
template <class Op, class T, class Out> __global__ void binary(const T* a, const T* b, Out* out, long long count) {
  map<light<Op, T>>(count, out, [](T x, T y) { return narrow<Out>(Op::of(widen<T>(x), widen<T>(y))); }, a, b);
}
template <class Op, class T, class Out> __global__ void binary_strided(Layout<3> layout, const T* a, const T* b, Out* out, long long count) {
  map_strided<light<Op, T>>(layout, count, out, [](T x, T y) { return narrow<Out>(Op::of(widen<T>(x), widen<T>(y))); }, a, b);
}
// With a number on the right, or on the left.
template <class Op, class T, class Out> __global__ void binary_number(const T* a, Wide<T> b, Out* out, long long count) {
  map<light<Op, T>>(count, out, [b](T x) { return narrow<Out>(Op::of(widen<T>(x), b)); }, a);
}
template <class Op, class T, class Out> __global__ void number_binary(Wide<T> a, const T* b, Out* out, long long count) {
  map<light<Op, T>>(count, out, [a](T y) { return narrow<Out>(Op::of(a, widen<T>(y))); }, b);
}

template <class Op, class T, class Out> __global__ void with_numbers(const T* a, Wide<T> first, Wide<T> second, Out* out, long long count) {
  map<light<Op, T>>(count, out, [first, second](T x) { return narrow<Out>(Op::of(widen<T>(x), first, second)); }, a);
}

