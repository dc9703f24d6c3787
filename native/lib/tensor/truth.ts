// What JavaScript answers of a tensor as an object, where cells mean its elements: each is an error that says what to
// write.
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { Tensor } from "./tensor.ts";

/**
 * Throws TensorError for a tensor that a cell asks for its truth. `isCall`: what an operation has returned, which is
 * never missing; what a name holds may be asked for being there, unless it is one flag.
 */
export function refuseTruth(value: unknown, isCall: boolean): void {
  if (!(value instanceof Tensor) || (!isCall && (value.dtype !== "bool" || value.ndim > 0))) return;
  throw new TensorError(
    "OPERATOR",
    value.size === 1
      ? "A tensor is true in a condition, whatever it holds: write .item() behind it, as in if (x.sum().gt(5).item())."
      : `A tensor is true in a condition, whatever it holds: write if (x.gt(5).any().item()) or if (x.gt(5).all().item()) for whether some or all of its elements are; this one has shape ${formatShape(value.shape)}. For && and || of elements write x.logicalAnd(y) and x.logicalOr(y), for ! x.logicalNot().`,
  );
}

/** Throws TensorError for two tensors that a cell compares by == or !=. */
export function refuseEquality(left: unknown, right: unknown, operator: "==" | "!="): void {
  if (!(left instanceof Tensor && right instanceof Tensor)) return;
  const method = operator === "==" ? "eq" : "ne";
  throw new TensorError(
    "OPERATOR",
    `JavaScript's ${operator} does not compare what tensors hold: write x.${method}(y) for each element, ${operator === "==" ? "" : "!"}x.arrayEqual(y) for whether all are equal, and x ${operator}= y for whether both are one tensor.`,
  );
}
