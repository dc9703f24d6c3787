// One result per index from one, two or three operands of one dtype: kernels over the functors of functors.cuh.
#include <warpcell/functors.cuh>
#include <warpcell/map.cuh>

using namespace warpcell;

UNARY(Softsign, x - x == x - x ? x / (W(1) + fn::fabs(x)) : x > W(0) ? W(1) : x < W(0) ? W(-1) : x);
UNARY(Hardsigmoid, x != x ? x : x <= W(-3) ? W(0) : x >= W(3) ? W(1) : x / W(6) + W(0.5));
UNARY(Hardswish, x != x ? x : x <= W(-3) ? W(0) : x >= W(3) ? x : x * (x + W(3)) / W(6));
// max(x, 0) + log(1 + e^-|x|): beyond 20 the second term rounds away in float32 already.
UNARY(Softplus, fn::pick(x < W(0), W(0), x) + fn::log1p(fn::exp(-fn::fabs(x))));
UNARY(Mish, fn::pick(x == -W(1) / W(0), W(0), x * fn::tanh(Softplus::of(x))));
// ½x(1 + erf(x/√2)), by erfc where the sum would cancel; −∞ gives its limit, 0.
UNARY(Gelu, fn::pick(x == -W(1) / W(0), W(-0.0), x * fn::normal_share(x)));
// ½x(1 + tanh(c(x + 0.044715x³))), c = √(2/π) (Hendrycks and Gimpel, arXiv 1606.08415).
struct GeluTanh {
  template <class W> static __device__ inline W of(W x) {
    W inner = W(0.79788456080286535588) * (x + W(0.044715) * x * x * x);
    return fn::pick(x == -W(1) / W(0), W(-0.0), W(0.5) * x * (W(1) + fn::tanh(inner)));
  }
};

// Gradients in one pass: x is what came from above, y the operand of the forward function or, where the name says so, its result.
BINARY(ReluGradient, y != y ? y : (y > W(0) ? x : W(0)));
BINARY(SigmoidGradient, x * y * (W(1) - y));
BINARY(TanhGradient, x * (W(1) - y * y));
struct SiluGradient {
  template <class W> static __device__ inline W of(W x, W y) {
    W s = Sigmoid::of(y);
    return x * fn::pick(y == -W(1) / W(0), W(0), fn::pick(y == W(1) / W(0), W(1), s * (W(1) + y * (W(1) - s))));
  }
};
// Φ(y) + yφ(y)
struct GeluGradient {
  template <class W> static __device__ inline W of(W x, W y) {
    W normal = fn::normal_share(y), density = W(0.39894228040143267794) * fn::exp(W(-0.5) * y * y);
    return x * fn::pick(density == W(0), normal, normal + y * density);
  }
};
struct GeluTanhGradient {
  template <class W> static __device__ inline W of(W x, W y) {
    const W c = W(0.79788456080286535588);
    W t = fn::tanh(c * (y + W(0.044715) * y * y * y)), steep = (W(1) - t * t) * c * (W(1) + W(0.134145) * y * y);
    return x * (W(0.5) * (W(1) + t) + fn::pick(t * t == W(1), W(0), W(0.5) * y * steep));
  }
};

// Functions of one operand and two numbers.
struct Clamp { template <class W> static __device__ inline W of(W x, W low, W high) { return x != x ? x : (x < low ? (low < high ? low : high) : (x > high ? high : x)); } };
struct LeakyRelu { template <class W> static __device__ inline W of(W x, W slope, W) { return x >= W(0) ? x : x * slope; } };
struct Elu { template <class W> static __device__ inline W of(W x, W alpha, W) { return fn::pick(x > W(0), x, alpha * fn::expm1(x)); } };

>>>>>>> 6e35047 (ops: softmax, normalisation, cross entropy and dropout as one launch each; float32 functions that become vectors on a CPU)
// Operations that are short enough for every element of a thread's vectors; in float64 a function never is.
template <class Op> constexpr bool is_short = false;
template <class Op> constexpr bool is_arithmetic = false;
#define ARITHMETIC(Op) template <> constexpr bool is_short<Op> = true; template <> constexpr bool is_arithmetic<Op> = true
#define SHORT(Op) template <> constexpr bool is_short<Op> = true
ARITHMETIC(Add); ARITHMETIC(Sub); ARITHMETIC(Mul); ARITHMETIC(Div); ARITHMETIC(Maximum); ARITHMETIC(Minimum); ARITHMETIC(Copysign);
ARITHMETIC(Eq); ARITHMETIC(Ne); ARITHMETIC(Lt); ARITHMETIC(Le); ARITHMETIC(Gt); ARITHMETIC(Ge); ARITHMETIC(LogicalAnd); ARITHMETIC(LogicalOr); ARITHMETIC(LogicalXor);
ARITHMETIC(BitwiseAnd); ARITHMETIC(BitwiseOr); ARITHMETIC(BitwiseXor); ARITHMETIC(Same); ARITHMETIC(Neg); ARITHMETIC(Abs); ARITHMETIC(Sign); ARITHMETIC(Square);
ARITHMETIC(LogicalNot); ARITHMETIC(BitwiseNot); ARITHMETIC(Isnan); ARITHMETIC(Isinf); ARITHMETIC(Isfinite); ARITHMETIC(Floor); ARITHMETIC(Ceil); ARITHMETIC(Round);
ARITHMETIC(Trunc); ARITHMETIC(Frac); ARITHMETIC(Relu); ARITHMETIC(ReluGradient); ARITHMETIC(SigmoidGradient); ARITHMETIC(TanhGradient); ARITHMETIC(Clamp); ARITHMETIC(LeakyRelu);
SHORT(Reciprocal); SHORT(Sqrt); SHORT(Rsqrt); SHORT(Exp); SHORT(Log); SHORT(Tanh); SHORT(Sigmoid); SHORT(Silu); SHORT(Gelu); SHORT(GeluTanh); SHORT(SiluGradient);
SHORT(GeluGradient); SHORT(GeluTanhGradient);
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

