// Which dtype operands of several dtypes are computed in: the smallest that holds both; a float stays what it is beside
// integers; numbers are weak.
import { factsOf, type ComplexDType, type DType, type IfKnown } from "./dtype.ts";
import { TensorError } from "../errors.ts";

const signed: Partial<Record<number, DType>> = { 1: "int8", 2: "int16", 4: "int32", 8: "int64" };
const isUnsigned = (dtype: DType) => dtype.startsWith("uint");

/**
 * The dtype of a result of operands `a` and `b`. Throws TensorError for dtypes that only store, and for int64 beside
 * uint64, which no integer holds.
 */
export function promoted(a: DType, b: DType): DType {
  if (a === b) return a;
  const [left, right] = [factsOf(a), factsOf(b)];
  if (left.kind === "complex" || right.kind === "complex") {
    const parts = promoted(left.parts ?? floatOf(a), right.parts ?? floatOf(b));
    return parts === "float64" ? "complex128" : "complex64";
  }
  if (left.isStorage || right.isStorage) {
    const storage = left.isStorage ? a : b;
    throw new TensorError(
      "DTYPE",
      `${storage} only stores numbers and does not mix with ${left.isStorage ? b : a}: convert it first, e.g. with .to("float32").`,
    );
  }
  if (left.kind !== right.kind) {
    const rank = { bool: 0, int: 1, float: 2, complex: 3 } as const;
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

/**
 * The dtype that a tensor of `dtype` and a number are computed in: the tensor's, unless the number is of a higher kind.
 */
export function promotedWith(dtype: DType, value: number | bigint | boolean): DType {
  const { kind } = factsOf(dtype);
  if (kind === "float" || kind === "complex" || typeof value === "boolean") return dtype;
  if (typeof value === "number" && !Number.isInteger(value)) return "float32";
  return kind === "bool" ? "int64" : dtype;
}

/** The float dtype that an integer or bool operand of a float function becomes. */
export function floatOf(dtype: DType): DType {
  const { kind } = factsOf(dtype);
  return kind === "float" || kind === "complex" ? dtype : "float32";
}

/** Floats that compute. */
export type FloatDType = "float32" | "float64" | "float16" | "bfloat16";
/** The dtype of a float function of elements of dtype `D`: integers and bool become float32. */
export type FloatOf<D extends DType> = D extends FloatDType | ComplexDType ? D : "float32";
/** The dtype of sums and products: floats and uint64 stay, other integers and bool give int64. */
export type SumOf<D extends DType> = D extends FloatDType | ComplexDType | "uint64" ? D : "int64";

// The same rules for the checker.

/** The dtypes whose numbers a dtype holds as well: beside them it stays what it is. */
interface Holding {
  float32: "float16" | "bfloat16" | Integer | "bool";
  float64: "float32" | "float16" | "bfloat16" | Integer | "bool";
  float16: Integer | "bool";
  bfloat16: Integer | "bool";
  float8_e4m3: never;
  float8_e5m2: never;
  complex64: Exclude<FloatDType, "float64"> | Integer | "bool";
  complex128: "complex64" | FloatDType | Integer | "bool";
  int8: "bool";
  uint8: "bool";
  int16: "int8" | "uint8" | "bool";
  uint16: "uint8" | "bool";
  int32: "int16" | "int8" | "uint16" | "uint8" | "bool";
  uint32: "uint16" | "uint8" | "bool";
  int64: Exclude<Integer, "int64" | "uint64"> | "bool";
  uint64: "uint32" | "uint16" | "uint8" | "bool";
  bool: never;
}
type Integer = "int8" | "uint8" | "int16" | "uint16" | "int32" | "uint32" | "int64" | "uint64";

/** Of two that do not hold each other. */
type Above<A extends DType, B extends DType> = [A | B] extends ["complex64" | "float64"]
  ? "complex128"
  : [A | B] extends ["float16" | "bfloat16"]
    ? "float32"
    : [A | B] extends ["uint8" | "int8"]
      ? "int16"
      : [A | B] extends ["uint16" | "int8" | "int16"]
        ? "int32"
        : [A | B] extends ["uint32" | "int8" | "int16" | "int32"]
          ? "int64"
          : never;

/** The dtype in which elements of two dtypes are computed together; `never` for dtypes that do not go together. */
export type Promoted<A extends DType, B extends DType> = IfKnown<
  A | B,
  A extends DType
    ? B extends DType
      ? A extends B
        ? A
        : B extends Holding[A]
          ? A
          : A extends Holding[B]
            ? B
            : Above<A, B>
      : never
    : never
>;

/**
 * The dtype in which elements of a dtype are computed with a number, which is weak: a whole number keeps it, a fraction
 * makes integers float32. Whether a number is whole is known of one that stands there, such as 1 or 0.5.
 */
export type PromotedWith<D extends DType, N extends number | bigint | boolean> = IfKnown<
  D,
  D extends `${string}float${string}` | ComplexDType
    ? D
    : N extends boolean
      ? D
      : N extends bigint
        ? Whole<D>
        : `${N}` extends `${bigint}`
          ? Whole<D>
          : number extends N
            ? Whole<D> | "float32"
            : "float32"
>;
type Whole<D extends DType> = D extends "bool" ? "int64" : D;
