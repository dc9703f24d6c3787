// The methods that derive from the table of operations on one tensor: declared one by one, since of a type that is
// mapped from the rows no editor shows the sentences. Their code is made in methods.ts; a test compares names and dtypes
// with the rows.
import type { DType } from "../memory/dtype.ts";
import type { FloatOf } from "../memory/promotion.ts";
import type { Tensor } from "./tensor.ts";

/** Each gives a new tensor. */
export interface ElementwiseMethods<D extends DType> {
  /**
   * The negative: −x. Integers wrap around.
   * @example
   * tensor([1, -2]).neg(); // → tensor([-1, 2], shape [2], float32, cpu)
   */
  neg(): Tensor<D>;
  /**
   * The absolute value: |x|.
   * @example
   * tensor([-1.5, 2]).abs(); // → tensor([1.5, 2.0], shape [2], float32, cpu)
   */
  abs(): Tensor<D>;
  /**
   * x itself, as a copy: +x.
   * @example
   * tensor([-1, 2]).positive(); // → tensor([-1, 2], shape [2], float32, cpu)
   */
  positive(): Tensor<D>;
  /**
   * The sign: −1, 0 or 1; NaN for NaN.
   * @example
   * tensor([-3, 0, 5]).sign(); // → tensor([-1, 0, 1], shape [3], float32, cpu)
   */
  sign(): Tensor<D>;
  /**
   * Whether the sign is −, including that of −0 and NaN.
   * @example
   * tensor([-0, 0, -1]).signbit(); // → tensor([true, false, true], shape [3], bool, cpu)
   */
  signbit(): Tensor<"bool">;
  /**
   * The square: x².
   * @example
   * tensor([3, -4]).square(); // → tensor([9, 16], shape [2], float32, cpu)
   */
  square(): Tensor<D>;
  /**
   * The reciprocal: 1/x, which is ∞ for 0.
   * @example
   * tensor([2, 4]).reciprocal(); // → tensor([0.50, 0.25], shape [2], float32, cpu)
   */
  reciprocal(): Tensor<FloatOf<D>>;
  /**
   * The exponential function: e^x.
   * @example
   * tensor([0, 1]).exp(); // → tensor([1.00000, 2.71828], shape [2], float32, cpu)
   */
  exp(): Tensor<FloatOf<D>>;
  /**
   * The power of two: 2^x.
   * @example
   * tensor([3, 0.5]).exp2(); // → tensor([8.00000, 1.41421], shape [2], float32, cpu)
   */
  exp2(): Tensor<FloatOf<D>>;
  /**
   * e^x − 1, accurate near 0.
   * @example
   * tensor([0, 1e-8], { dtype: "float64" }).expm1(); // → tensor([0e+00, 1e-08], shape [2], float64, cpu)
   */
  expm1(): Tensor<FloatOf<D>>;
  /**
   * The natural logarithm: log x; −∞ for 0, NaN below.
   * @example
   * tensor([1, Math.E]).log(); // → tensor([0, 1], shape [2], float32, cpu)
   */
  log(): Tensor<FloatOf<D>>;
  /**
   * The logarithm to base 2; −∞ for 0, NaN below.
   * @example
   * tensor([1, 8]).log2(); // → tensor([0, 3], shape [2], float32, cpu)
   */
  log2(): Tensor<FloatOf<D>>;
  /**
   * The logarithm to base 10; −∞ for 0, NaN below.
   * @example
   * tensor([0.01, 1000]).log10(); // → tensor([-2, 3], shape [2], float32, cpu)
   */
  log10(): Tensor<FloatOf<D>>;
  /**
   * log(1 + x), accurate near 0; NaN below −1.
   * @example
   * tensor([0, 1e-8], { dtype: "float64" }).log1p(); // → tensor([0e+00, 1e-08], shape [2], float64, cpu)
   */
  log1p(): Tensor<FloatOf<D>>;
  /**
   * The square root: √x; NaN below 0.
   * @example
   * tensor([4, 2]).sqrt(); // → tensor([2.00000, 1.41421], shape [2], float32, cpu)
   */
  sqrt(): Tensor<FloatOf<D>>;
  /**
   * The reciprocal of the square root: 1/√x.
   * @example
   * tensor([4, 0.25]).rsqrt(); // → tensor([0.5, 2.0], shape [2], float32, cpu)
   */
  rsqrt(): Tensor<FloatOf<D>>;
  /**
   * The cube root: ∛x, also of negative numbers.
   * @example
   * tensor([27, -8]).cbrt(); // → tensor([3, -2], shape [2], float32, cpu)
   */
  cbrt(): Tensor<FloatOf<D>>;
  /**
   * The sine of radians: sin x.
   * @example
   * tensor([0, Math.PI / 6]).sin(); // → tensor([0.0, 0.5], shape [2], float32, cpu)
   */
  sin(): Tensor<FloatOf<D>>;
  /**
   * The cosine of radians: cos x.
   * @example
   * tensor([0, Math.PI / 3]).cos(); // → tensor([1.0, 0.5], shape [2], float32, cpu)
   */
  cos(): Tensor<FloatOf<D>>;
  /**
   * The tangent of radians: tan x.
   * @example
   * tensor([0, 1]).tan(); // → tensor([0.00000, 1.55741], shape [2], float32, cpu)
   */
  tan(): Tensor<FloatOf<D>>;
  /**
   * sin(πx)/(πx), and 1 at 0.
   * @example
   * tensor([0, 0.5]).sinc(); // → tensor([1.00000, 0.63662], shape [2], float32, cpu)
   */
  sinc(): Tensor<FloatOf<D>>;
  /**
   * The arc sine in radians, from −π/2 to π/2; NaN beyond ±1.
   * @example
   * tensor([0, 1]).asin(); // → tensor([0.0000, 1.5708], shape [2], float32, cpu)
   */
  asin(): Tensor<FloatOf<D>>;
  /**
   * The arc cosine in radians, from 0 to π; NaN beyond ±1.
   * @example
   * tensor([1, 0]).acos(); // → tensor([0.0000, 1.5708], shape [2], float32, cpu)
   */
  acos(): Tensor<FloatOf<D>>;
  /**
   * The arc tangent in radians, from −π/2 to π/2.
   * @example
   * tensor([0, 1]).atan(); // → tensor([0.000000, 0.785398], shape [2], float32, cpu)
   */
  atan(): Tensor<FloatOf<D>>;
  /**
   * The hyperbolic sine: (e^x − e^−x)/2.
   * @example
   * tensor([0, 1]).sinh(); // → tensor([0.0000, 1.1752], shape [2], float32, cpu)
   */
  sinh(): Tensor<FloatOf<D>>;
  /**
   * The hyperbolic cosine: (e^x + e^−x)/2.
   * @example
   * tensor([0, 1]).cosh(); // → tensor([1.00000, 1.54308], shape [2], float32, cpu)
   */
  cosh(): Tensor<FloatOf<D>>;
  /**
   * The hyperbolic tangent: (e^x − e^−x)/(e^x + e^−x).
   * @example
   * tensor([0, 1]).tanh(); // → tensor([0.000000, 0.761594], shape [2], float32, cpu)
   */
  tanh(): Tensor<FloatOf<D>>;
  /**
   * The inverse hyperbolic sine: log(x + √(x² + 1)).
   * @example
   * tensor([0, 1]).asinh(); // → tensor([0.000000, 0.881374], shape [2], float32, cpu)
   */
  asinh(): Tensor<FloatOf<D>>;
  /**
   * The inverse hyperbolic cosine: log(x + √(x² − 1)); NaN below 1.
   * @example
   * tensor([1, 2]).acosh(); // → tensor([0.00000, 1.31696], shape [2], float32, cpu)
   */
  acosh(): Tensor<FloatOf<D>>;
  /**
   * The inverse hyperbolic tangent: ½ log((1 + x)/(1 − x)); NaN beyond ±1.
   * @example
   * tensor([0, 0.5]).atanh(); // → tensor([0.000000, 0.549306], shape [2], float32, cpu)
   */
  atanh(): Tensor<FloatOf<D>>;
  /**
   * The error function: 2/√π ∫₀ˣ e^(−t²) dt.
   * @example
   * tensor([0, 1]).erf(); // → tensor([0.000000, 0.842701], shape [2], float32, cpu)
   */
  erf(): Tensor<FloatOf<D>>;
  /**
   * 1 − erf(x), accurate for large x.
   * @example
   * tensor([0, 3]).erfc(); // → tensor([1.00000e+00, 2.20905e-05], shape [2], float32, cpu)
   */
  erfc(): Tensor<FloatOf<D>>;
  /**
   * The scaled complement of the error function, e^(x²) · erfc(x), which is a number where erfc(x) is 0.
   * @example
   * tensor([0, 100]).erfcx(); // → tensor([1.000000, 0.005642], shape [2], float32, cpu)
   */
  erfcx(): Tensor<FloatOf<D>>;
  /**
   * Φ(x) = ½ erfc(−x/√2), the share of the normal distribution below x.
   * @example
   * tensor([0, 1]).ndtr(); // → tensor([0.500000, 0.841345], shape [2], float32, cpu)
   */
  ndtr(): Tensor<FloatOf<D>>;
  /**
   * log Φ(x), the logarithm of {@link Tensor.ndtr}, also where that is 0.
   * @example
   * tensor([0, -20]).logNdtr(); // → tensor([  -0.693147, -203.917000], shape [2], float32, cpu)
   */
  logNdtr(): Tensor<FloatOf<D>>;
  /**
   * The inverse of {@link Tensor.erf}; ±∞ at ±1, NaN beyond.
   * @example
   * tensor([0, 0.5]).erfinv(); // → tensor([0.000000, 0.476936], shape [2], float32, cpu)
   */
  erfinv(): Tensor<FloatOf<D>>;
  /**
   * The logarithm of the gamma function: log |Γ(x)|.
   * @example
   * tensor([1, 5]).lgamma(); // → tensor([0.00000, 3.17805], shape [2], float32, cpu)
   */
  lgamma(): Tensor<FloatOf<D>>;
  /**
   * ψ(x) = Γ′(x)/Γ(x), the slope of {@link Tensor.lgamma}; NaN at 0, −1, −2, …, where Γ has poles.
   * @example
   * tensor([1, 2]).digamma(); // → tensor([-0.577216,  0.422784], shape [2], float32, cpu)
   */
  digamma(): Tensor<FloatOf<D>>;
  /**
   * The modified Bessel function of the first kind and order 0: I₀(x) = Σ (x²/4)ᵏ/(k!)².
   * @example
   * tensor([0, 1]).i0(); // → tensor([1.00000, 1.26607], shape [2], float32, cpu)
   */
  i0(): Tensor<FloatOf<D>>;
  /**
   * e^−|x| I₀(x), which does not overflow.
   * @example
   * tensor([0, 100]).i0e(); // → tensor([1.000000, 0.039944], shape [2], float32, cpu)
   */
  i0e(): Tensor<FloatOf<D>>;
  /**
   * The modified Bessel function of the first kind and order 1, the slope of {@link Tensor.i0}.
   * @example
   * tensor([0, 1]).i1(); // → tensor([0.000000, 0.565159], shape [2], float32, cpu)
   */
  i1(): Tensor<FloatOf<D>>;
  /**
   * e^−|x| I₁(x), which does not overflow.
   * @example
   * tensor([0, 100]).i1e(); // → tensor([0.000000, 0.039744], shape [2], float32, cpu)
   */
  i1e(): Tensor<FloatOf<D>>;
  /**
   * The largest integer that is not above x.
   * @example
   * tensor([1.7, -1.2]).floor(); // → tensor([1, -2], shape [2], float32, cpu)
   */
  floor(): Tensor<D>;
  /**
   * The smallest integer that is not below x.
   * @example
   * tensor([1.2, -1.7]).ceil(); // → tensor([2, -1], shape [2], float32, cpu)
   */
  ceil(): Tensor<D>;
  /**
   * The nearest integer; of two equally near, the even one.
   * @example
   * tensor([0.5, 1.5, 2.6]).round(); // → tensor([0, 2, 3], shape [3], float32, cpu)
   */
  round(): Tensor<D>;
  /**
   * The integer part, rounded towards zero.
   * @example
   * tensor([1.7, -1.7]).trunc(); // → tensor([1, -1], shape [2], float32, cpu)
   */
  trunc(): Tensor<D>;
  /**
   * What {@link Tensor.trunc} takes away, with the sign of x: x − trunc(x).
   * @example
   * tensor([1.75, -1.75]).frac(); // → tensor([0.75, -0.75], shape [2], float32, cpu)
   */
  frac(): Tensor<FloatOf<D>>;
  /**
   * True where x is NaN.
   * @example
   * tensor([1, NaN]).isnan(); // → tensor([false, true], shape [2], bool, cpu)
   */
  isnan(): Tensor<"bool">;
  /**
   * True where x is ∞ or −∞.
   * @example
   * tensor([1, -Infinity, NaN]).isinf(); // → tensor([false, true, false], shape [3], bool, cpu)
   */
  isinf(): Tensor<"bool">;
  /**
   * True where x is neither infinite nor NaN.
   * @example
   * tensor([1, Infinity, NaN]).isfinite(); // → tensor([true, false, false], shape [3], bool, cpu)
   */
  isfinite(): Tensor<"bool">;
  /**
   * True where x is 0.
   * @example
   * tensor([0, 2]).logicalNot(); // → tensor([true, false], shape [2], bool, cpu)
   */
  logicalNot(): Tensor<"bool">;
  /**
   * The opposite of every bit: ~x; of bools the opposite. Floats throw TensorError.
   * @example
   * tensor([0, 5], { dtype: "int32" }).bitwiseNot(); // → tensor([-1, -6], shape [2], int32, cpu)
   */
  bitwiseNot(): Tensor<D>;
  /**
   * The rectified linear unit: max(x, 0).
   * @example
   * tensor([-1, 2]).relu(); // → tensor([0, 2], shape [2], float32, cpu)
   */
  relu(): Tensor<D>;
  /**
   * The rectified linear unit, at most 6: min(max(x, 0), 6).
   * @example
   * tensor([-1, 2, 9]).relu6(); // → tensor([0, 2, 6], shape [3], float32, cpu)
   */
  relu6(): Tensor<D>;
  /**
   * The logistic function: 1/(1 + e^−x).
   * @example
   * tensor([0, 2]).sigmoid(); // → tensor([0.500000, 0.880797], shape [2], float32, cpu)
   */
  sigmoid(): Tensor<FloatOf<D>>;
  /**
   * The logarithm of the logistic function, without overflow: log(1/(1 + e^−x)).
   * @example
   * tensor([0, -100]).logSigmoid(); // → tensor([-0.693147, -100.000000], shape [2], float32, cpu)
   */
  logSigmoid(): Tensor<FloatOf<D>>;
  /**
   * The sigmoid linear unit (swish): x/(1 + e^−x).
   * @example
   * tensor([-1, 0, 1]).silu(); // → tensor([-0.268941, 0.000000, 0.731059], shape [3], float32, cpu)
   */
  silu(): Tensor<FloatOf<D>>;
  /**
   * x/(1 + |x|), between −1 and 1.
   * @example
   * tensor([-1, 3]).softsign(); // → tensor([-0.50, 0.75], shape [2], float32, cpu)
   */
  softsign(): Tensor<FloatOf<D>>;
  /**
   * 0 below −3, 1 above 3, x/6 + ½ between.
   * @example
   * tensor([-4, 0, 1.5]).hardsigmoid(); // → tensor([0.00, 0.50, 0.75], shape [3], float32, cpu)
   */
  hardsigmoid(): Tensor<FloatOf<D>>;
  /**
   * x · hardsigmoid(x).
   * @example
   * tensor([-4, 1, 3]).hardswish(); // → tensor([0.000000, 0.666667, 3.000000], shape [3], float32, cpu)
   */
  hardswish(): Tensor<FloatOf<D>>;
  /**
   * A smooth {@link Tensor.relu}: log(1 + e^x), without overflow.
   * @example
   * tensor([0, 100]).softplus(); // → tensor([0.693147, 100.000000], shape [2], float32, cpu)
   */
  softplus(): Tensor<FloatOf<D>>;
  /**
   * x · tanh(softplus(x)).
   * @example
   * tensor([-1, 0, 1]).mish(); // → tensor([-0.303401, 0.000000, 0.865098], shape [3], float32, cpu)
   */
  mish(): Tensor<FloatOf<D>>;
  /**
   * x − tanh(x).
   * @example
   * tensor([0, 2]).tanhshrink(); // → tensor([0.00000, 1.03597], shape [2], float32, cpu)
   */
  tanhshrink(): Tensor<FloatOf<D>>;
  /**
   * The scaled exponential unit: 1.0507… · x where x > 0, else 1.0507… · 1.6733… · (e^x − 1).
   * @example
   * tensor([-1, 1]).selu(); // → tensor([-1.11133, 1.05070], shape [2], float32, cpu)
   */
  selu(): Tensor<FloatOf<D>>;
}
