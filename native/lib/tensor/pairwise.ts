// The methods that derive from the table of operations on two tensors, or a tensor and a number: as elementwise.ts.
import type { DType } from "../memory/dtype.ts";
import type { FloatOf } from "../memory/promotion.ts";
import type { CommonOf } from "./methods.ts";
import type { Tensor } from "./tensor.ts";

type Operand = Tensor | number | bigint | boolean;

/** Each gives a new tensor of the shape that both have together. */
export interface PairwiseMethods<D extends DType> {
  /**
   * The sum: a + b. Integers wrap around.
   * @example
   * tensor([1, 2]).add(tensor([10, 20])); // → tensor([11, 22], shape [2], float32, cpu)
   * tensor([1, 2]).add(0.5); // → tensor([1.5, 2.5], shape [2], float32, cpu)
   */
  add<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /**
   * The difference: a − b. Integers wrap around.
   * @example
   * tensor([5, 7]).sub(2); // → tensor([3, 5], shape [2], float32, cpu)
   */
  sub<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /**
   * The product of elements: a · b. Integers wrap around; matrices multiply by {@link Tensor.matmul}.
   * @example
   * tensor([2, 3]).mul(tensor([10, 100])); // → tensor([20, 300], shape [2], float32, cpu)
   */
  mul<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /**
   * The quotient: a / b, also of integers.
   * @example
   * tensor([7, 8]).div(2); // → tensor([3.5, 4.0], shape [2], float32, cpu)
   */
  div<O extends Operand>(other: O): Tensor<FloatOf<CommonOf<D, O>>>;
  /**
   * The quotient rounded towards −∞; by 0 an integer gives 0.
   * @example
   * tensor([7, -7]).floorDivide(2); // → tensor([3, -4], shape [2], float32, cpu)
   */
  floorDivide<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /**
   * What {@link Tensor.floorDivide} leaves: it has the divisor's sign, as Python's %.
   * @example
   * tensor([7, -7]).remainder(3); // → tensor([1, 2], shape [2], float32, cpu)
   */
  remainder<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /**
   * What division rounded towards zero leaves: it has the dividend's sign, as % of JavaScript and C.
   * @example
   * tensor([7, -7]).fmod(3); // → tensor([1, -1], shape [2], float32, cpu)
   */
  fmod<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /**
   * The power: a^b. Integers to a negative power give 0, or ±1.
   * @example
   * tensor([2, 3]).pow(2); // → tensor([4, 9], shape [2], float32, cpu)
   */
  pow<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /**
   * The larger of two elements; NaN where either is.
   * @example
   * tensor([1, 5]).maximum(tensor([4, 2])); // → tensor([4, 5], shape [2], float32, cpu)
   */
  maximum<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /**
   * The smaller of two elements; NaN where either is.
   * @example
   * tensor([1, 5]).minimum(3); // → tensor([1, 3], shape [2], float32, cpu)
   */
  minimum<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /**
   * The larger of two elements; where one is NaN the other. Of equal elements all of the gradient goes to the first.
   * @example
   * tensor([1, NaN]).fmax(tensor([4, 2])); // → tensor([4, 2], shape [2], float32, cpu)
   */
  fmax<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /**
   * The smaller of two elements; where one is NaN the other. Of equal elements all of the gradient goes to the first.
   * @example
   * tensor([1, NaN]).fmin(3); // → tensor([1, 3], shape [2], float32, cpu)
   */
  fmin<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /**
   * The angle of the point (b, a) in radians, from −π to π.
   * @example
   * tensor([1, -1]).atan2(tensor([1, -1])); // → tensor([0.785398, -2.356190], shape [2], float32, cpu)
   */
  atan2<O extends Operand>(other: O): Tensor<FloatOf<CommonOf<D, O>>>;
  /**
   * The length of (a, b): √(a² + b²), without overflow between.
   * @example
   * tensor([3, 5]).hypot(tensor([4, 12])); // → tensor([5, 13], shape [2], float32, cpu)
   */
  hypot<O extends Operand>(other: O): Tensor<FloatOf<CommonOf<D, O>>>;
  /**
   * |a| with the sign of b.
   * @example
   * tensor([1, -2]).copysign(-1); // → tensor([-1, -2], shape [2], float32, cpu)
   */
  copysign<O extends Operand>(other: O): Tensor<FloatOf<CommonOf<D, O>>>;
  /**
   * The logarithm of a sum of exponentials: log(e^a + e^b), without overflow.
   * @example
   * tensor([0, 1000]).logaddexp(tensor([0, 1000]));
   * // → tensor([0.693147, 1000.690000], shape [2], float32, cpu)
   */
  logaddexp<O extends Operand>(other: O): Tensor<FloatOf<CommonOf<D, O>>>;
  /**
   * The same to base 2: log₂(2^a + 2^b), without overflow.
   * @example
   * tensor([0, 3]).logaddexp2(tensor([0, 3])); // → tensor([1, 4], shape [2], float32, cpu)
   */
  logaddexp2<O extends Operand>(other: O): Tensor<FloatOf<CommonOf<D, O>>>;
  /**
   * The step function: 0 where a is below 0, 1 where it is above, b where it is 0; NaN where it is NaN.
   * @example
   * tensor([-2, 0, 3]).heaviside(0.5); // → tensor([0.0, 0.5, 1.0], shape [3], float32, cpu)
   */
  heaviside<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /**
   * a · log b, which is 0 where a is 0, unless b is NaN.
   * @example
   * tensor([0, 2]).xlogy(tensor([0, Math.E])); // → tensor([0, 2], shape [2], float32, cpu)
   */
  xlogy<O extends Operand>(other: O): Tensor<FloatOf<CommonOf<D, O>>>;
  /**
   * a · 2^b, rounded once: right where 2^b alone would overflow. 16-bit floats throw TensorError.
   * @example
   * tensor([1, 3]).ldexp(tensor([4, -1], { dtype: "int32" })); // → tensor([16.0,  1.5], shape [2], float32, cpu)
   */
  ldexp<O extends Operand>(other: O): Tensor<FloatOf<CommonOf<D, O>>>;
  /**
   * Hurwitz' zeta function ζ(a, b) = Σ 1/(b + k)^a over all k ≥ 0, of a > 1: ∞ at a = 1 and at b = 0, −1, −2, …, NaN
   * for a smaller a, and for b < 0 unless a is a whole number. It has a gradient in b only.
   * @example
   * tensor([2, 4]).zeta(1); // → tensor([1.64493, 1.08232], shape [2], float32, cpu)
   */
  zeta<O extends Operand>(other: O): Tensor<FloatOf<CommonOf<D, O>>>;
  /**
   * The next number from a towards b that the dtype has; of float32 and float64.
   * @example
   * tensor([1]).nextafter(2).sub(1); // → tensor([1.19209e-07], shape [1], float32, cpu)
   */
  nextafter<O extends Operand>(other: O): Tensor<FloatOf<CommonOf<D, O>>>;
  /**
   * The greatest common divisor of integers: the greatest whole number that divides both, 0 of 0 and 0. Floats throw
   * TensorError.
   * @example
   * tensor([12, -18], { dtype: "int32" }).gcd(8); // → tensor([4, 2], shape [2], int32, cpu)
   */
  gcd<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /**
   * The least common multiple of integers, 0 where either is 0. It wraps around. Floats throw TensorError.
   * @example
   * tensor([4, 0], { dtype: "int32" }).lcm(6); // → tensor([12, 0], shape [2], int32, cpu)
   */
  lcm<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /**
   * True where a = b; NaN equals nothing.
   * @example
   * tensor([1, 2]).eq(tensor([1, 3])); // → tensor([true, false], shape [2], bool, cpu)
   */
  eq(other: Operand): Tensor<"bool">;
  /**
   * True where a ≠ b; NaN differs from everything.
   * @example
   * tensor([1, 2]).ne(2); // → tensor([true, false], shape [2], bool, cpu)
   */
  ne(other: Operand): Tensor<"bool">;
  /**
   * True where a < b.
   * @example
   * tensor([1, 2]).lt(2); // → tensor([true, false], shape [2], bool, cpu)
   */
  lt(other: Operand): Tensor<"bool">;
  /**
   * True where a ≤ b.
   * @example
   * tensor([1, 2, 3]).le(2); // → tensor([true, true, false], shape [3], bool, cpu)
   */
  le(other: Operand): Tensor<"bool">;
  /**
   * True where a > b.
   * @example
   * tensor([1, 2]).gt(1); // → tensor([false, true], shape [2], bool, cpu)
   */
  gt(other: Operand): Tensor<"bool">;
  /**
   * True where a ≥ b.
   * @example
   * tensor([1, 2, 3]).ge(2); // → tensor([false, true, true], shape [3], bool, cpu)
   */
  ge(other: Operand): Tensor<"bool">;
  /**
   * True where neither is 0.
   * @example
   * tensor([0, 1, 2]).logicalAnd(tensor([1, 0, 3])); // → tensor([false, false, true], shape [3], bool, cpu)
   */
  logicalAnd(other: Operand): Tensor<"bool">;
  /**
   * True where not both are 0.
   * @example
   * tensor([0, 0, 2]).logicalOr(tensor([1, 0, 0])); // → tensor([true, false, true], shape [3], bool, cpu)
   */
  logicalOr(other: Operand): Tensor<"bool">;
  /**
   * True where exactly one is 0.
   * @example
   * tensor([0, 1, 2]).logicalXor(tensor([1, 0, 3])); // → tensor([true, true, false], shape [3], bool, cpu)
   */
  logicalXor(other: Operand): Tensor<"bool">;
  /**
   * The bits that both have: a & b; of bools whether both are true. Floats throw TensorError.
   * @example
   * tensor([12, 10], { dtype: "int32" }).bitwiseAnd(6); // → tensor([4, 2], shape [2], int32, cpu)
   */
  bitwiseAnd<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /**
   * The bits that either has: a | b; of bools whether either is true. Floats throw TensorError.
   * @example
   * tensor([12, 10], { dtype: "int32" }).bitwiseOr(6); // → tensor([14, 14], shape [2], int32, cpu)
   */
  bitwiseOr<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /**
   * The bits that exactly one has: a ^ b; of bools whether they differ. Floats throw TensorError.
   * @example
   * tensor([12, 10], { dtype: "int32" }).bitwiseXor(6); // → tensor([10, 12], shape [2], int32, cpu)
   */
  bitwiseXor<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /**
   * a · 2^b, in the bits that a has: a << b. Floats throw TensorError.
   * @example
   * tensor([1, 3], { dtype: "int32" }).bitwiseLeftShift(2); // → tensor([4, 12], shape [2], int32, cpu)
   */
  bitwiseLeftShift<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
  /**
   * a / 2^b, rounded towards −∞: a >> b. Floats throw TensorError.
   * @example
   * tensor([16, -5], { dtype: "int32" }).bitwiseRightShift(1); // → tensor([8, -3], shape [2], int32, cpu)
   */
  bitwiseRightShift<O extends Operand>(other: O): Tensor<CommonOf<D, O>>;
}
