// One result per index from one, two or three operands of one dtype: kernels over the functors of functors.cuh.
#include <warpcell/functors.cuh>
#include <warpcell/map.cuh>

using namespace warpcell;

// Operations that are short enough for every element of a thread's vectors; in float64 a function never is.
template <class Op>
constexpr bool is_short = false;
template <class Op>
constexpr bool is_arithmetic = false;
#define ARITHMETIC(Op)                \
  template <>                         \
  constexpr bool is_short<Op> = true; \
  template <>                         \
  constexpr bool is_arithmetic<Op> = true
#define SHORT(Op) \
  template <>     \
  constexpr bool is_short<Op> = true
ARITHMETIC(Add);
ARITHMETIC(Sub);
ARITHMETIC(Mul);
ARITHMETIC(Div);
ARITHMETIC(Maximum);
ARITHMETIC(Minimum);
ARITHMETIC(Copysign);
ARITHMETIC(Eq);
ARITHMETIC(Ne);
ARITHMETIC(Lt);
ARITHMETIC(Le);
ARITHMETIC(Gt);
ARITHMETIC(Ge);
ARITHMETIC(LogicalAnd);
ARITHMETIC(LogicalOr);
ARITHMETIC(LogicalXor);
ARITHMETIC(BitwiseAnd);
ARITHMETIC(BitwiseOr);
ARITHMETIC(BitwiseXor);
ARITHMETIC(BitwiseLeftShift);
ARITHMETIC(BitwiseRightShift);
ARITHMETIC(Heaviside);
ARITHMETIC(Signbit);
ARITHMETIC(Same);
ARITHMETIC(Neg);
ARITHMETIC(Abs);
ARITHMETIC(Sign);
ARITHMETIC(Square);
ARITHMETIC(LogicalNot);
ARITHMETIC(BitwiseNot);
ARITHMETIC(Isnan);
ARITHMETIC(Isinf);
ARITHMETIC(Isfinite);
ARITHMETIC(Floor);
ARITHMETIC(Ceil);
ARITHMETIC(Round);
ARITHMETIC(Trunc);
ARITHMETIC(Frac);
ARITHMETIC(Relu);
ARITHMETIC(Relu6);
ARITHMETIC(ReluGradient);
ARITHMETIC(SigmoidGradient);
ARITHMETIC(TanhGradient);
ARITHMETIC(Clamp);
ARITHMETIC(LeakyRelu);
ARITHMETIC(Prelu);
ARITHMETIC(Threshold);
ARITHMETIC(Softshrink);
ARITHMETIC(Hardshrink);
SHORT(Reciprocal);
SHORT(Sqrt);
SHORT(Rsqrt);
SHORT(Exp);
SHORT(Log);
SHORT(Tanh);
SHORT(Sigmoid);
SHORT(Silu);
SHORT(Gelu);
SHORT(GeluTanh);
SHORT(SiluGradient);
SHORT(GeluGradient);
SHORT(GeluTanhGradient);
SHORT(Gated);
SHORT(Sin);
SHORT(Cos);
SHORT(Pow);
template <class Op, class T>
constexpr bool light = same<Wide<T>, double> ? is_arithmetic<Op> : is_short<Op>;

#ifdef WARPCELL_SERIAL
template <class Op>
constexpr bool has_near = same<Op, Sin> || same<Op, Cos> || same<Op, Tan>;
// Stretches of near arguments only, which are nearly all, as vectors; the others one by one.
template <class Op, class T>
inline void map_near(const T* a, T* out, long long count) {
  constexpr long long kStretch = 512;
  Span span = block_span(count);
  for (long long first = span.begin; first < span.end; first += kStretch) {
    const long long length = span.end - first < kStretch ? span.end - first : kStretch;
    const T* x = a + first;
    T* y = out + first;
    int far = 0;
    for (long long i = 0; i < length; i++) far |= !Op::is_near(widen<T>(x[i]));
    if (far) {
      for (long long i = 0; i < length; i++) y[i] = narrow<T>(Op::of(widen<T>(x[i])));
    } else {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
      for (long long i = 0; i < length; i++) y[i] = narrow<T>(Op::near(widen<T>(x[i])));
    }
  }
}
// narrow(Op(x…)), where `arrange(f, element…)` calls f with the operands.
template <class Op, class T, class Out, class Arrange>
__device__ inline auto function(Arrange arrange) {
  return
      [arrange](auto... elements) { return narrow<Out>(arrange([](auto... x) { return Op::of(x...); }, elements...)); };
}
#else
template <class Op>
constexpr bool has_near = same<Op, Sin> || same<Op, Cos>;
// What a result of 16 bits does not show need not be worked out; those of has_near and the power have such a form, too.
template <class Op>
constexpr bool has_brief = same<Op, Gelu> || same<Op, GeluGradient> || same<Op, Sigmoid> || same<Op, Silu>;
// Compiled once, for operands that are rare.
template <class Op, class... X>
__device__ __noinline__ float rarely(X... x) {
  return Op::of(x...);
}
template <class Op, class T, class... X>
__device__ inline float usually(bool& is_usual, X... x) {
  if constexpr (sizeof(T) == 2) {
    return Op::brief(is_usual, x...);
  } else if constexpr (has_near<Op>) {
    is_usual = is_usual && Op::is_near(x...);
    return Op::near(x...);
  } else {
    return float_math::usual_pow(is_usual, x...);
  }
}
// narrow(Op(x…)), where `arrange(f, element…)` calls f with the operands.
template <class Op, class T, class Out, class Arrange>
__device__ inline auto function(Arrange arrange) {
  if constexpr (same<Wide<T>, float> && (has_near<Op> || same<Op, Pow>)) {
    auto usual = [arrange](bool& is_usual, auto... elements) {
      return narrow<Out>(arrange([&](auto... x) { return usually<Op, T>(is_usual, x...); }, elements...));
    };
    auto rare = [arrange](auto... elements) {
      return narrow<Out>(arrange([](auto... x) { return rarely<Op>(x...); }, elements...));
    };
    return Mostly<decltype(usual), decltype(rare)>{usual, rare};
  } else if constexpr (has_brief<Op> && same<Wide<T>, float> && sizeof(T) == 2) {
    return [arrange](auto... elements) {
      return narrow<Out>(arrange([](auto... x) { return Op::brief(x...); }, elements...));
    };
  } else {
    return [arrange](auto... elements) {
      return narrow<Out>(arrange([](auto... x) { return Op::of(x...); }, elements...));
    };
  }
}
#endif

template <class Op, class T, class Out>
__global__ void unary(const T* a, Out* out, long long count) {
#ifdef WARPCELL_SERIAL
  if constexpr (has_near<Op> && same<Wide<T>, float>) return map_near<Op>(a, out, count);
#endif
  map<light<Op, T>>(count, out, function<Op, T, Out>([](auto f, T x) { return f(widen<T>(x)); }), a);
}
template <class Op, class T, class Out>
__global__ void binary(const T* a, const T* b, Out* out, long long count) {
  map<light<Op, T>>(count, out, function<Op, T, Out>([](auto f, T x, T y) { return f(widen<T>(x), widen<T>(y)); }), a,
                    b);
}
template <class Op, class T, class Out>
__global__ void binary_strided(Layout<3> layout, const T* a, const T* b, Out* out, long long count) {
  map_strided<light<Op, T>>(layout, count, out,
                            function<Op, T, Out>([](auto f, T x, T y) { return f(widen<T>(x), widen<T>(y)); }), a, b);
}
// With a number on the right, or on the left.
template <class Op, class T, class Out>
__global__ void binary_number(const T* a, Wide<T> b, Out* out, long long count) {
  map<light<Op, T>>(count, out, function<Op, T, Out>([b](auto f, T x) { return f(widen<T>(x), b); }), a);
}
template <class Op, class T, class Out>
__global__ void number_binary(Wide<T> a, const T* b, Out* out, long long count) {
  map<light<Op, T>>(count, out, function<Op, T, Out>([a](auto f, T y) { return f(a, widen<T>(y)); }), b);
}

template <class Op, class T, class Out>
__global__ void with_numbers(const T* a, Wide<T> first, Wide<T> second, Out* out, long long count) {
  map<light<Op, T>>(count, out, [first, second](T x) { return narrow<Out>(Op::of(widen<T>(x), first, second)); }, a);
}
