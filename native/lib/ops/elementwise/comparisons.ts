// Comparisons, logic and bits of two tensors, or a tensor and a number, element by element.
import { elementwiseIn } from "./elementwise.ts";

const { binary } = elementwiseIn("comparisons");

const none = { result: "bool" } as const;

export const comparisonRows = {
  /**
   * True where a = b; NaN equals nothing.
   * @example
   * tensor([1, 2]).eq(tensor([1, 3])); // → tensor([true, false], shape [2], bool, cpu)
   */
  eq: binary("eq", "Eq", "comparable", none),
  /**
   * True where a ≠ b; NaN differs from everything.
   * @example
   * tensor([1, 2]).ne(2); // → tensor([true, false], shape [2], bool, cpu)
   */
  ne: binary("ne", "Ne", "comparable", none),
  /**
   * True where a < b.
   * @example
   * tensor([1, 2]).lt(2); // → tensor([true, false], shape [2], bool, cpu)
   */
  lt: binary("lt", "Lt", "comparable", { ...none, swapped: "Gt" }),
  /**
   * True where a ≤ b.
   * @example
   * tensor([1, 2, 3]).le(2); // → tensor([true, true, false], shape [3], bool, cpu)
   */
  le: binary("le", "Le", "comparable", { ...none, swapped: "Ge" }),
  /**
   * True where a > b.
   * @example
   * tensor([1, 2]).gt(1); // → tensor([false, true], shape [2], bool, cpu)
   */
  gt: binary("gt", "Gt", "comparable", { ...none, swapped: "Lt" }),
  /**
   * True where a ≥ b.
   * @example
   * tensor([1, 2, 3]).ge(2); // → tensor([false, true, true], shape [3], bool, cpu)
   */
  ge: binary("ge", "Ge", "comparable", { ...none, swapped: "Le" }),
  /**
   * True where neither is 0.
   * @example
   * tensor([0, 1, 2]).logicalAnd(tensor([1, 0, 3])); // → tensor([false, false, true], shape [3], bool, cpu)
   */
  logicalAnd: binary("logicalAnd", "LogicalAnd", "logical", none),
  /**
   * True where not both are 0.
   * @example
   * tensor([0, 0, 2]).logicalOr(tensor([1, 0, 0])); // → tensor([true, false, true], shape [3], bool, cpu)
   */
  logicalOr: binary("logicalOr", "LogicalOr", "logical", none),
  /**
   * True where exactly one is 0.
   * @example
   * tensor([0, 1, 2]).logicalXor(tensor([1, 0, 3])); // → tensor([true, true, false], shape [3], bool, cpu)
   */
  logicalXor: binary("logicalXor", "LogicalXor", "logical", none),
  /**
   * The bits that both have: a & b; of bools whether both are true. Floats throw TensorError.
   * @example
   * tensor([12, 10], { dtype: "int32" }).bitwiseAnd(6); // → tensor([4, 2], shape [2], int32, cpu)
   */
  bitwiseAnd: binary("bitwiseAnd", "BitwiseAnd", "integer"),
  /**
   * The bits that either has: a | b; of bools whether either is true. Floats throw TensorError.
   * @example
   * tensor([12, 10], { dtype: "int32" }).bitwiseOr(6); // → tensor([14, 14], shape [2], int32, cpu)
   */
  bitwiseOr: binary("bitwiseOr", "BitwiseOr", "integer"),
  /**
   * The bits that exactly one has: a ^ b; of bools whether they differ. Floats throw TensorError.
   * @example
   * tensor([12, 10], { dtype: "int32" }).bitwiseXor(6); // → tensor([10, 12], shape [2], int32, cpu)
   */
  bitwiseXor: binary("bitwiseXor", "BitwiseXor", "integer"),
  /**
   * a · 2^b, in the bits that a has: a << b. Floats throw TensorError.
   * @example
   * tensor([1, 3], { dtype: "int32" }).bitwiseLeftShift(2); // → tensor([4, 12], shape [2], int32, cpu)
   */
  bitwiseLeftShift: binary("bitwiseLeftShift", "BitwiseLeftShift", "whole", { swapped: "" }),
  /**
   * a / 2^b, rounded towards −∞: a >> b. Floats throw TensorError.
   * @example
   * tensor([16, -5], { dtype: "int32" }).bitwiseRightShift(1); // → tensor([8, -3], shape [2], int32, cpu)
   */
  bitwiseRightShift: binary("bitwiseRightShift", "BitwiseRightShift", "whole", { swapped: "" }),
} as const;
