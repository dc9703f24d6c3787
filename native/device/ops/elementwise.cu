// One result per index from one, two or three operands of one dtype: kernels over the functors of functors.cuh and
// rare_functors.cuh.
#include <warpcell/map.cuh>
#include <warpcell/rare_functors.cuh>

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
ARITHMETIC(Fmax);
ARITHMETIC(Fmin);
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
ARITHMETIC(Lerp);
ARITHMETIC(Hardsigmoid);
ARITHMETIC(Hardswish);
ARITHMETIC(LeakyRelu);
ARITHMETIC(Prelu);
ARITHMETIC(Threshold);
ARITHMETIC(Softshrink);
ARITHMETIC(Hardshrink);
SHORT(Reciprocal);
SHORT(Sqrt);
SHORT(Rsqrt);
SHORT(Exp);
SHORT(Exp2);
SHORT(Log);
SHORT(Log2);
SHORT(Log10);
SHORT(Asin);
SHORT(Acos);
SHORT(Atan);
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
// Those with a form for results of 16 bits, which is always short, and those that have one for usual operands alone.
template <class Op>
constexpr bool has_brief = false;
template <class Op>
constexpr bool has_usual = false;
#define USUAL(Op) \
  template <>     \
  constexpr bool has_usual<Op> = true
USUAL(Sin);
USUAL(Cos);
USUAL(Tan);
USUAL(Pow);
USUAL(Fmod);
USUAL(Remainder);
USUAL(Hypot);
#define BRIEF(Op) \
  template <>     \
  constexpr bool has_brief<Op> = true
BRIEF(Exp);
BRIEF(Expm1);
BRIEF(Log1p);
BRIEF(Sinh);
BRIEF(Cosh);
BRIEF(Tanh);
BRIEF(Erf);
BRIEF(Erfc);
BRIEF(Sigmoid);
BRIEF(LogSigmoid);
BRIEF(Silu);
BRIEF(SiluGradient);
BRIEF(Softplus);
BRIEF(Mish);
BRIEF(Gelu);
BRIEF(GeluGradient);
BRIEF(GeluTanh);
BRIEF(GeluTanhGradient);
BRIEF(Gated);
BRIEF(Tanhshrink);
BRIEF(Selu);
BRIEF(Elu);
BRIEF(Celu);
BRIEF(Rsqrt);
BRIEF(Hardsigmoid);
BRIEF(Hardswish);
BRIEF(Logaddexp);
template <class T>
constexpr bool is_sixteen = same<Wide<T>, float> && sizeof(T) == 2;
template <class Op, class T>
constexpr bool light =
    same<Wide<T>, double> ? is_arithmetic<Op> : is_short<Op> || (is_sixteen<T> && (has_brief<Op> || has_usual<Op>));

// `arrange(f, x…)` calls f with the numbers that operands' elements are, and with others.
#ifdef WARPCELL_SERIAL
template <class Op>
constexpr bool has_near = false;
template <>
constexpr bool has_near<Sin> = true;
template <>
constexpr bool has_near<Cos> = true;
template <>
constexpr bool has_near<Tan> = true;
template <>
constexpr bool has_near<FloorDivide> = true;
template <>
constexpr bool has_near<Remainder> = true;
template <>
constexpr bool has_near<Fmod> = true;
template <>
constexpr bool has_near<Lgamma> = true;
template <class Op, class T>
constexpr bool in_stretches = is_held<T> || (has_near<Op> && same<Wide<T>, float>);

// A stretch, or where it is not in_stretches any length: out[i] = arrange(Op, x[i]…).
template <class Op, class T, class Out, class Arrange, class... X>
inline WARPCELL_INLINED void compute_widened(Out* out, long long length, Arrange arrange, const X&... x) {
  auto of = [](auto... y) WARPCELL_INLINED { return Op::of(y...); };
  auto each = [&](long long i) WARPCELL_INLINED { return arrange(of, x[i]...); };
  if constexpr (has_near<Op> && same<Wide<T>, float>) {
    // As vectors for near arguments, which nearly all are; the others are worked out once more, one by one.
    auto near = [](auto... y) WARPCELL_INLINED { return Op::near(y...); };
    auto admits = [](auto... y) WARPCELL_INLINED { return Op::is_near(y...); };
    alignas(kLineBytes) float values[kStretchLength];
    int far = 0;
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (long long i = 0; i < length; i++) {
      values[i] = arrange(near, x[i]...);
      far |= !arrange(admits, x[i]...);
    }
    if (far)
      for (long long i = 0; i < length; i++)
        if (!arrange(admits, x[i]...)) values[i] = each(i);
    put_stretch(out, length, [&](long long i) WARPCELL_INLINED { return values[i]; });
  } else {
    put_stretch(out, length, each);
  }
}
// Stands in a kernel once, however its operands lie.
template <class Op, class T, class Out, class Arrange, class... In>
__attribute__((noinline, flatten)) void compute(Out* out, long long length, Arrange arrange, const In*... in) {
  compute_widened<Op, T>(out, length, arrange, Widened<In>(in, length)...);
}
template <class Op, class T, class Out, class Arrange, class... In>
inline void each_flat(long long count, Out* out, Arrange arrange, const In*... in) {
  if (!in_stretches<Op, T> && !is_streamed(count, out, in...)) {
    Span span = block_span(count);
    return compute<Op, T>(out + span.begin, span.end - span.begin, arrange, in + span.begin...);
  }
  map_stretches(
      count, out, [arrange](Out* to, long long length, const In*... x) { compute<Op, T>(to, length, arrange, x...); },
      in...);
}
template <class Op, class T, class Out, class Arrange>
inline void each_row(const Plane& plane, long long count, Out* out, Arrange arrange, const T* in) {
  if (plane.step == 1 && (plane.row == plane.length || plane.length >= count))
    return each_flat<Op, T>(count, out, arrange, in);
  Span span = block_span(count);
  gather_stretches(
      span.begin, span.end, Placed<Out>(out, {count, count, 1}),
      [arrange](Out* to, long long length, const T* x) { compute<Op, T>(to, length, arrange, x); },
      Source<T>(in, plane));
}
template <class Op, class T, class Out, int N, class Arrange, class... In>
inline void each_strided(const Layout<N>& layout, long long count, Out* out, Arrange arrange, const In*... in) {
  gather_stretches(
      layout, count, out,
      [arrange](Out* to, long long length, const In*... x) { compute<Op, T>(to, length, arrange, x...); }, in...);
}
#else
template <class Op>
constexpr bool has_near = same<Op, Sin> || same<Op, Cos>;
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
// narrow(Op(x…)) of elements.
template <class Op, class T, class Out, class Arrange>
__device__ inline auto function(Arrange arrange) {
  if constexpr ((is_sixteen<T> && has_usual<Op>) || (same<T, float> && (has_near<Op> || same<Op, Pow>))) {
    auto usual = [arrange](bool& is_usual, auto... elements) {
      return narrow<Out>(arrange([&](auto... x) { return usually<Op, T>(is_usual, x...); }, widen<T>(elements)...));
    };
    auto rare = [arrange](auto... elements) {
      return narrow<Out>(arrange([](auto... x) { return rarely<Op>(x...); }, widen<T>(elements)...));
    };
    return Mostly<decltype(usual), decltype(rare)>{usual, rare};
  } else if constexpr (is_sixteen<T> && has_brief<Op>) {
    return [arrange](auto... elements) {
      return narrow<Out>(arrange([](auto... x) { return Op::brief(x...); }, widen<T>(elements)...));
    };
  } else {
    return [arrange](auto... elements) {
      return narrow<Out>(arrange([](auto... x) { return Op::of(x...); }, widen<T>(elements)...));
    };
  }
}
template <class Op, class T, class Out, class Arrange, class... In>
__device__ inline void each_flat(long long count, Out* out, Arrange arrange, const In*... in) {
  map<light<Op, T> >(count, out, function<Op, T, Out>(arrange), in...);
}
template <class Op, class T, class Out, class Arrange>
__device__ inline void each_row(const Plane& plane, long long count, Out* out, Arrange arrange, const T* in) {
  batched_rows<light<Op, T> >(plane, count, out, function<Op, T, Out>(arrange), in);
}
template <class Op, class T, class Out, int N, class Arrange, class... In>
__device__ inline void each_strided(const Layout<N>& layout, long long count, Out* out, Arrange arrange,
                                    const In*... in) {
  map_strided<light<Op, T> >(layout, count, out, function<Op, T, Out>(arrange), in...);
}
#endif

template <class Op, class T, class Out>
__global__ void unary(const T* a, Plane rows, Out* out, long long count) {
  each_row<Op, T>(rows, count, out, [](auto f, Wide<T> x) WARPCELL_INLINED { return f(x); }, a);
}
template <class Op, class T, class Out>
__global__ void binary(const T* a, const T* b, Out* out, long long count) {
  each_flat<Op, T>(count, out, [](auto f, Wide<T> x, Wide<T> y) WARPCELL_INLINED { return f(x, y); }, a, b);
}
template <class Op, class T, class Out>
__global__ void binary_strided(Layout<3> layout, const T* a, const T* b, Out* out, long long count) {
  each_strided<Op, T>(layout, count, out, [](auto f, Wide<T> x, Wide<T> y) WARPCELL_INLINED { return f(x, y); }, a, b);
}
// With a number on the right, or on the left.
template <class Op, class T, class Out>
__global__ void binary_number(const T* a, Plane rows, Wide<T> b, Out* out, long long count) {
  each_row<Op, T>(rows, count, out, [b](auto f, Wide<T> x) WARPCELL_INLINED { return f(x, b); }, a);
}
template <class Op, class T, class Out>
__global__ void number_binary(Wide<T> a, const T* b, Plane rows, Out* out, long long count) {
  each_row<Op, T>(rows, count, out, [a](auto f, Wide<T> y) WARPCELL_INLINED { return f(a, y); }, b);
}

template <class Op, class T, class Out>
__global__ void with_numbers(const T* a, Plane rows, Wide<T> first, Wide<T> second, Out* out, long long count) {
  each_row<Op, T>(
      rows, count, out, [first, second](auto f, Wide<T> x) WARPCELL_INLINED { return f(x, first, second); }, a);
}

template <class Op, class T, class Out>
__global__ void pair_number(const T* a, const T* b, Wide<T> c, Out* out, long long count) {
  each_flat<Op, T>(count, out, [c](auto f, Wide<T> x, Wide<T> y) WARPCELL_INLINED { return f(x, y, c); }, a, b);
}
template <class Op, class T, class Out>
__global__ void pair_number_strided(Layout<3> layout, const T* a, const T* b, Wide<T> c, Out* out, long long count) {
  each_strided<Op, T>(
      layout, count, out, [c](auto f, Wide<T> x, Wide<T> y) WARPCELL_INLINED { return f(x, y, c); }, a, b);
}
template <class Op, class T, class Out>
__global__ void ternary_strided(Layout<4> layout, const T* a, const T* b, const T* c, Out* out, long long count) {
  each_strided<Op, T>(
      layout, count, out, [](auto f, Wide<T> x, Wide<T> y, Wide<T> z) WARPCELL_INLINED { return f(x, y, z); }, a, b, c);
}
