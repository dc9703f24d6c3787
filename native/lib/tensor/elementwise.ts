// The methods that derive from the table of operations, and their forms in place: declared one by one, since of a type
// that is mapped from the rows no editor shows the sentences. Their code is made in methods.ts; a test compares names,
// dtypes and sentences with the rows.
import type { DType } from "../memory/dtype.ts";
import type { FloatOf } from "../memory/promotion.ts";
import type { CommonOf } from "./methods.ts";
import type { Tensor } from "./tensor.ts";

type Operand = Tensor | number | bigint | boolean;

/** Each gives a new tensor. */
export interface ElementwiseMethods<D extends DType> {
  /** −x. Integers wrap around. */
  neg(): Tensor<D>;
  /** |x|. */
  abs(): Tensor<D>;
  /** x itself, as a copy. */
  positive(): Tensor<D>;
  /** −1, 0 or 1; NaN for NaN. */
  sign(): Tensor<D>;
  /** Whether the sign is −, also that of −0 and NaN. */
  signbit(): Tensor<"bool">;
  /** x². */
  square(): Tensor<D>;
  /** 1/x. */
  reciprocal(): Tensor<FloatOf<D>>;
  /** e^x. */
  exp(): Tensor<FloatOf<D>>;
  /** 2^x. */
  exp2(): Tensor<FloatOf<D>>;
  /** e^x − 1, accurate near 0. */
  expm1(): Tensor<FloatOf<D>>;
  /** Natural logarithm. */
  log(): Tensor<FloatOf<D>>;
  /** Logarithm to base 2. */
  log2(): Tensor<FloatOf<D>>;
  /** Logarithm to base 10. */
  log10(): Tensor<FloatOf<D>>;
  /** log(1 + x), accurate near 0. */
  log1p(): Tensor<FloatOf<D>>;
  /** √x. */
  sqrt(): Tensor<FloatOf<D>>;
  /** 1/√x. */
  rsqrt(): Tensor<FloatOf<D>>;
  /** Cube root. */
  cbrt(): Tensor<FloatOf<D>>;
  /** Sine, of radians. */
  sin(): Tensor<FloatOf<D>>;
  /** Cosine, of radians. */
  cos(): Tensor<FloatOf<D>>;
  /** Tangent, of radians. */
  tan(): Tensor<FloatOf<D>>;
  /** sin(πx)/(πx), and 1 at 0. */
  sinc(): Tensor<FloatOf<D>>;
  /** Arc sine, in radians. */
  asin(): Tensor<FloatOf<D>>;
  /** Arc cosine, in radians. */
  acos(): Tensor<FloatOf<D>>;
  /** Arc tangent, in radians. */
  atan(): Tensor<FloatOf<D>>;
  /** Hyperbolic sine. */
  sinh(): Tensor<FloatOf<D>>;
  /** Hyperbolic cosine. */
  cosh(): Tensor<FloatOf<D>>;
  /** Hyperbolic tangent. */
  tanh(): Tensor<FloatOf<D>>;
  /** Inverse hyperbolic sine. */
  asinh(): Tensor<FloatOf<D>>;
  /** Inverse hyperbolic cosine; NaN below 1. */
  acosh(): Tensor<FloatOf<D>>;
  /** Inverse hyperbolic tangent; NaN beyond ±1. */
  atanh(): Tensor<FloatOf<D>>;
  /** The error function. */
  erf(): Tensor<FloatOf<D>>;
  /** 1 − erf(x), accurate for large x. */
  erfc(): Tensor<FloatOf<D>>;
  /** The inverse of {@link erf}. */
  erfinv(): Tensor<FloatOf<D>>;
  /** log |Γ(x)|. */
  lgamma(): Tensor<FloatOf<D>>;
  /** The largest integer that is not above x. */
  floor(): Tensor<D>;
  /** The smallest integer that is not below x. */
  ceil(): Tensor<D>;
  /** To the nearest integer, ties to even. */
  round(): Tensor<D>;
  /** Towards zero. */
  trunc(): Tensor<D>;
  /** x − trunc(x). */
  frac(): Tensor<FloatOf<D>>;
  /** True where x is NaN. */
  isnan(): Tensor<"bool">;
  /** True where x is ∞ or −∞. */
  isinf(): Tensor<"bool">;
  /** True where x is neither infinite nor NaN. */
  isfinite(): Tensor<"bool">;
  /** True where x is 0. */
  logicalNot(): Tensor<"bool">;
  /** ~x; of bools the opposite. */
  bitwiseNot(): Tensor<D>;
  /** max(x, 0). */
  relu(): Tensor<D>;
  /** max(x, 0), at most 6. */
  relu6(): Tensor<FloatOf<D>>;
  /** 1/(1 + e^−x). */
  sigmoid(): Tensor<FloatOf<D>>;
  /** log(sigmoid(x)). */
  logSigmoid(): Tensor<FloatOf<D>>;
  /** x · sigmoid(x). */
  silu(): Tensor<FloatOf<D>>;
  /** x/(1 + |x|). */
  softsign(): Tensor<FloatOf<D>>;
  /** 0 below −3, 1 above 3, x/6 + ½ between. */
  hardsigmoid(): Tensor<FloatOf<D>>;
  /** x · hardsigmoid(x). */
  hardswish(): Tensor<FloatOf<D>>;
  /** log(1 + e^x). */
  softplus(): Tensor<FloatOf<D>>;
  /** x · tanh(softplus(x)). */
  mish(): Tensor<FloatOf<D>>;
  /** x − tanh(x). */
  tanhshrink(): Tensor<FloatOf<D>>;
  /** 1.0507… · x where x > 0, else 1.0507… · 1.6733… · (e^x − 1). */
  selu(): Tensor<FloatOf<D>>;
  /** a + b. Integers wrap around. */
  add<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /** a − b. */
  sub<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /** a · b. */
  mul<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /** True division: integers give float32. */
  div<O extends Operand>(other: O): Tensor<FloatOf<CommonOf<D, O>>>;
  /** Division rounded towards −∞; by 0 an integer gives 0. */
  floorDivide<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /** What {@link floorDivide} leaves: it has the divisor's sign. */
  remainder<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /** What division rounded towards zero leaves: it has the dividend's sign. */
  fmod<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /** a^b. Integers to a negative power give 0, or ±1. */
  pow<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /** The larger one; NaN where either is. */
  maximum<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /** The smaller one; NaN where either is. */
  minimum<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /** The angle of (b, a), in radians. */
  atan2<O extends Operand>(other: O): Tensor<FloatOf<CommonOf<D, O>>>;
  /** √(a² + b²), without overflow between. */
  hypot<O extends Operand>(other: O): Tensor<FloatOf<CommonOf<D, O>>>;
  /** |a| with the sign of b. */
  copysign<O extends Operand>(other: O): Tensor<FloatOf<CommonOf<D, O>>>;
  /** log(e^a + e^b), without overflow. */
  logaddexp<O extends Operand>(other: O): Tensor<FloatOf<CommonOf<D, O>>>;
  /** log₂(2^a + 2^b), without overflow. */
  logaddexp2<O extends Operand>(other: O): Tensor<FloatOf<CommonOf<D, O>>>;
  /** 0 where a is below 0, 1 where it is above, b where it is 0; NaN where it is NaN. */
  heaviside<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /** a · log b, which is 0 where a is, unless b is NaN. */
  xlogy<O extends Operand>(other: O): Tensor<FloatOf<CommonOf<D, O>>>;
  /** The next number from a towards b that the dtype has; of float32 and float64. */
  nextafter<O extends Operand>(other: O): Tensor<FloatOf<CommonOf<D, O>>>;
  /** True where a = b; NaN equals nothing. */
  eq(other: Operand): Tensor<"bool">;
  /** True where a ≠ b. */
  ne(other: Operand): Tensor<"bool">;
  /** True where a < b. */
  lt(other: Operand): Tensor<"bool">;
  /** True where a ≤ b. */
  le(other: Operand): Tensor<"bool">;
  /** True where a > b. */
  gt(other: Operand): Tensor<"bool">;
  /** True where a ≥ b. */
  ge(other: Operand): Tensor<"bool">;
  /** True where neither is 0. */
  logicalAnd(other: Operand): Tensor<"bool">;
  /** True where not both are 0. */
  logicalOr(other: Operand): Tensor<"bool">;
  /** True where exactly one is 0. */
  logicalXor(other: Operand): Tensor<"bool">;
  /** The bits that both have; of bools whether both are true. */
  bitwiseAnd<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /** The bits that either has; of bools whether either is true. */
  bitwiseOr<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /** The bits that exactly one has; of bools whether they differ. */
  bitwiseXor<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /** a · 2^b, in the bits that a has. */
  bitwiseLeftShift<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /** a / 2^b, rounded towards −∞. */
  bitwiseRightShift<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
}

/** Each writes its result over the tensor's elements, in their dtype, and returns the tensor. */
export interface InPlaceMethods<D extends DType> {
  /** In place: −x. Integers wrap around. */
  neg_(): Tensor<D>;
  /** In place: |x|. */
  abs_(): Tensor<D>;
  /** In place: x itself, as a copy. */
  positive_(): Tensor<D>;
  /** In place: −1, 0 or 1; NaN for NaN. */
  sign_(): Tensor<D>;
  /** In place: x². */
  square_(): Tensor<D>;
  /** In place: 1/x. */
  reciprocal_(): Tensor<D>;
  /** In place: e^x. */
  exp_(): Tensor<D>;
  /** In place: 2^x. */
  exp2_(): Tensor<D>;
  /** In place: e^x − 1, accurate near 0. */
  expm1_(): Tensor<D>;
  /** In place: natural logarithm. */
  log_(): Tensor<D>;
  /** In place: logarithm to base 2. */
  log2_(): Tensor<D>;
  /** In place: logarithm to base 10. */
  log10_(): Tensor<D>;
  /** In place: log(1 + x), accurate near 0. */
  log1p_(): Tensor<D>;
  /** In place: √x. */
  sqrt_(): Tensor<D>;
  /** In place: 1/√x. */
  rsqrt_(): Tensor<D>;
  /** In place: cube root. */
  cbrt_(): Tensor<D>;
  /** In place: sine, of radians. */
  sin_(): Tensor<D>;
  /** In place: cosine, of radians. */
  cos_(): Tensor<D>;
  /** In place: tangent, of radians. */
  tan_(): Tensor<D>;
  /** In place: sin(πx)/(πx), and 1 at 0. */
  sinc_(): Tensor<D>;
  /** In place: arc sine, in radians. */
  asin_(): Tensor<D>;
  /** In place: arc cosine, in radians. */
  acos_(): Tensor<D>;
  /** In place: arc tangent, in radians. */
  atan_(): Tensor<D>;
  /** In place: hyperbolic sine. */
  sinh_(): Tensor<D>;
  /** In place: hyperbolic cosine. */
  cosh_(): Tensor<D>;
  /** In place: hyperbolic tangent. */
  tanh_(): Tensor<D>;
  /** In place: inverse hyperbolic sine. */
  asinh_(): Tensor<D>;
  /** In place: inverse hyperbolic cosine; NaN below 1. */
  acosh_(): Tensor<D>;
  /** In place: inverse hyperbolic tangent; NaN beyond ±1. */
  atanh_(): Tensor<D>;
  /** In place: the error function. */
  erf_(): Tensor<D>;
  /** In place: 1 − erf(x), accurate for large x. */
  erfc_(): Tensor<D>;
  /** In place: the inverse of {@link erf}. */
  erfinv_(): Tensor<D>;
  /** In place: log |Γ(x)|. */
  lgamma_(): Tensor<D>;
  /** In place: the largest integer that is not above x. */
  floor_(): Tensor<D>;
  /** In place: the smallest integer that is not below x. */
  ceil_(): Tensor<D>;
  /** In place: to the nearest integer, ties to even. */
  round_(): Tensor<D>;
  /** In place: towards zero. */
  trunc_(): Tensor<D>;
  /** In place: x − trunc(x). */
  frac_(): Tensor<D>;
  /** In place: ~x; of bools the opposite. */
  bitwiseNot_(): Tensor<D>;
  /** In place: max(x, 0). */
  relu_(): Tensor<D>;
  /** In place: max(x, 0), at most 6. */
  relu6_(): Tensor<D>;
  /** In place: 1/(1 + e^−x). */
  sigmoid_(): Tensor<D>;
  /** In place: log(sigmoid(x)). */
  logSigmoid_(): Tensor<D>;
  /** In place: x · sigmoid(x). */
  silu_(): Tensor<D>;
  /** In place: x/(1 + |x|). */
  softsign_(): Tensor<D>;
  /** In place: 0 below −3, 1 above 3, x/6 + ½ between. */
  hardsigmoid_(): Tensor<D>;
  /** In place: x · hardsigmoid(x). */
  hardswish_(): Tensor<D>;
  /** In place: log(1 + e^x). */
  softplus_(): Tensor<D>;
  /** In place: x · tanh(softplus(x)). */
  mish_(): Tensor<D>;
  /** In place: x − tanh(x). */
  tanhshrink_(): Tensor<D>;
  /** In place: 1.0507… · x where x > 0, else 1.0507… · 1.6733… · (e^x − 1). */
  selu_(): Tensor<D>;
  /** In place: a + b. Integers wrap around. */
  add_(other: Operand): Tensor<D>;
  /** In place: a − b. */
  sub_(other: Operand): Tensor<D>;
  /** In place: a · b. */
  mul_(other: Operand): Tensor<D>;
  /** In place: true division: integers give float32. */
  div_(other: Operand): Tensor<D>;
  /** In place: division rounded towards −∞; by 0 an integer gives 0. */
  floorDivide_(other: Operand): Tensor<D>;
  /** In place: what {@link floorDivide} leaves: it has the divisor's sign. */
  remainder_(other: Operand): Tensor<D>;
  /** In place: what division rounded towards zero leaves: it has the dividend's sign. */
  fmod_(other: Operand): Tensor<D>;
  /** In place: a^b. Integers to a negative power give 0, or ±1. */
  pow_(other: Operand): Tensor<D>;
  /** In place: the larger one; NaN where either is. */
  maximum_(other: Operand): Tensor<D>;
  /** In place: the smaller one; NaN where either is. */
  minimum_(other: Operand): Tensor<D>;
  /** In place: the angle of (b, a), in radians. */
  atan2_(other: Operand): Tensor<D>;
  /** In place: √(a² + b²), without overflow between. */
  hypot_(other: Operand): Tensor<D>;
  /** In place: |a| with the sign of b. */
  copysign_(other: Operand): Tensor<D>;
  /** In place: log(e^a + e^b), without overflow. */
  logaddexp_(other: Operand): Tensor<D>;
  /** In place: log₂(2^a + 2^b), without overflow. */
  logaddexp2_(other: Operand): Tensor<D>;
  /** In place: 0 where a is below 0, 1 where it is above, b where it is 0; NaN where it is NaN. */
  heaviside_(other: Operand): Tensor<D>;
  /** In place: a · log b, which is 0 where a is, unless b is NaN. */
  xlogy_(other: Operand): Tensor<D>;
  /** In place: the next number from a towards b that the dtype has; of float32 and float64. */
  nextafter_(other: Operand): Tensor<D>;
  /** In place: the bits that both have; of bools whether both are true. */
  bitwiseAnd_(other: Operand): Tensor<D>;
  /** In place: the bits that either has; of bools whether either is true. */
  bitwiseOr_(other: Operand): Tensor<D>;
  /** In place: the bits that exactly one has; of bools whether they differ. */
  bitwiseXor_(other: Operand): Tensor<D>;
  /** In place: a · 2^b, in the bits that a has. */
  bitwiseLeftShift_(other: Operand): Tensor<D>;
  /** In place: a / 2^b, rounded towards −∞. */
  bitwiseRightShift_(other: Operand): Tensor<D>;
}
