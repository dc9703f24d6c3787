// Which dtype operands of several dtypes are computed in: the smallest that holds both; a float stays what it is beside integers; numbers are weak.
import { factsOf, type DType } from "./dtype.ts";
import { TensorError } from "../errors.ts";

const signed: Partial<Record<number, DType>> = { 1: "int8", 2: "int16", 4: "int32", 8: "int64" };
const isUnsigned = (dtype: DType) => dtype.startsWith("uint");

/** The dtype of a result of operands `a` and `b`. Throws TensorError for dtypes that only store, and for int64 beside uint64, which no integer holds. */
export function promoted(a: DType, b: DType): DType {
  if (a === b) return a;
  const [left, right] = [factsOf(a), factsOf(b)];
  if (left.isStorage || right.isStorage) {
    const storage = left.isStorage ? a : b;
    throw new TensorError(
      "DTYPE",
      `${storage} only stores numbers and does not mix with ${left.isStorage ? b : a}: convert it first, e.g. with .to("float32").`,
    );
  }
  if (left.kind !== right.kind) {
    const rank = { bool: 0, int: 1, float: 2 } as const;
    return rank[left.kind] > rank[right.kind] ? a : b;
  }
  if (left.kind === "float") return left.bytes === right.bytes ? "float32" : left.bytes > right.bytes ? a : b;
  if (isUnsigned(a) === isUnsigned(b)) return left.bytes > right.bytes ? a : b;
  const [u, s] = isUnsigned(a) ? [left, right] : [right, left];
  const holding = signed[Math.max(u.bytes * 2, s.bytes)];
  if (holding === undefined)
    throw new TensorError(
      "DTYPE",
      `No integer holds all of ${a} and ${b}: convert one, e.g. with .to("${isUnsigned(a) ? b : a}").`,
    );
  return holding;
}

/** The dtype that a tensor of `dtype` and a number are computed in: the tensor's, unless the number is of a higher kind. */
export function promotedWith(dtype: DType, value: number | bigint | boolean): DType {
  const { kind } = factsOf(dtype);
  if (kind === "float" || typeof value === "boolean") return dtype;
  if (typeof value === "number" && !Number.isInteger(value)) return "float32";
  return kind === "bool" ? "int64" : dtype;
}

/** The float dtype that an integer or bool operand of a float function becomes. */
export function floatOf(dtype: DType): DType {
  return factsOf(dtype).kind === "float" ? dtype : "float32";
}
