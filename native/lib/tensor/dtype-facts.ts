// What is known of dtypes by themselves: their limits, their kinds, which becomes which, and what several become
// together.
import { TensorError } from "../errors.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { promoted, promotedWith } from "../memory/promotion.ts";
import { worded } from "../wording.ts";
import { anything, dtype, either, free, oneOf, tensor } from "./arguments.ts";
import { Tensor } from "./tensor.ts";

/** A dtype, or the tensor whose it is. */
type Typed = DType | Tensor;
const typed = either(dtype, tensor);
const dtypeOf = (of: Typed): DType => (of instanceof Tensor ? of.dtype : of);

/**
 * What {@link finfo} says: `eps` is the step from 1 to the next number, `smallestNormal` the last of full precision.
 */
export interface FloatLimits {
  readonly dtype: DType;
  readonly bits: number;
  readonly eps: number;
  readonly max: number;
  readonly min: number;
  readonly smallestNormal: number;
}
/** What {@link iinfo} says; limits of int64 and uint64 are bigints. */
export interface IntegerLimits {
  readonly dtype: DType;
  readonly bits: number;
  readonly max: number | bigint;
  readonly min: number | bigint;
}

/** Of floats: bits after the point, exponents of the largest and the smallest normal number. */
const floats: Partial<Record<DType, readonly [mantissa: number, most: number, least: number]>> = {
  float32: [23, 127, -126],
  float64: [52, 1023, -1022],
  float16: [10, 15, -14],
  bfloat16: [7, 127, -126],
  float8_e4m3: [3, 8, -6],
  float8_e5m2: [2, 15, -14],
};

/** The largest number of a float dtype. */
export function largestOf(of: DType): number {
  const [mantissa, most] = floats[of]!;
  // e4m3 has no infinity, and one NaN where its largest number would be.
  return of === "float8_e4m3" ? 448 : (2 - 2 ** -mantissa) * 2 ** most;
}

/**
 * The limits of a float dtype, of the parts of a complex one, or of a tensor's. Throws TensorError for another.
 * @example
 * finfo("float32").eps; // → 1.1920928955078125e-7
 */
export const finfo: (of: Typed) => FloatLimits = free("finfo", { required: { of: typed } }, ({ of }) => {
  const own = dtypeOf(of);
  const named = factsOf(own).parts ?? own;
  const float = floats[named];
  if (float === undefined) throw new TensorError("DTYPE", `finfo takes a dtype of floats but got ${named}: see iinfo.`);
  const max = largestOf(named);
  const [mantissa, , least] = float;
  const bits = 8 * factsOf(named).bytes;
  return { dtype: named, bits, eps: 2 ** -mantissa, max, min: -max, smallestNormal: 2 ** least };
});

/**
 * The limits of an integer dtype, or of a tensor's. Throws TensorError for another.
 * @example
 * iinfo("int8"); // → { dtype: 'int8', bits: 8, max: 127, min: -128 }
 */
export const iinfo: (of: Typed) => IntegerLimits = free("iinfo", { required: { of: typed } }, ({ of }) => {
  const named = dtypeOf(of);
  const { kind, bytes, range } = factsOf(named);
  if (kind !== "int" || range === null)
    throw new TensorError(
      "DTYPE",
      `iinfo takes a dtype of integers but got ${named}${kind === "float" ? ": see finfo" : ""}.`,
    );
  return { dtype: named, bits: 8 * bytes, max: range[1], min: range[0] };
});

/**
 * Whether `to` holds what `from` does, by the rules by which operands become one dtype: then they become `to`.
 * @example
 * canCast("int32", "float64"); // → true
 * canCast("float32", "int64"); // → false
 */
export const canCast: (from: Typed, to: DType) => boolean = free(
  "canCast",
  { required: { from: typed, to: dtype } },
  ({ from, to }) => {
    const own = dtypeOf(from);
    if (own === to) return true;
    if ([own, to].some(onlyStores) || isOpposed(own, to)) return false;
    return promoted(own, to) === to;
  },
);

/** It has no arithmetic of its own. */
const onlyStores = (of: DType): boolean => factsOf(of).isStorage === true && factsOf(of).kind !== "complex";

/** No integer holds both. */
const isOpposed = (a: DType, b: DType): boolean =>
  [a, b].includes("uint64") && [a, b].some((each) => factsOf(each).kind === "int" && !each.startsWith("uint"));

/**
 * The dtype that an operation on these has: tensors and dtypes by promotion, then numbers, which are weak. Throws
 * TensorError for dtypes that do not mix.
 * @example
 * resultType(tensor([1]), "float64"); // → 'float64'
 * resultType("int32", 0.5); // → 'float32'
 */
export function resultType(...operands: readonly (Typed | number | bigint | boolean)[]): DType {
  const isNumber = (each: unknown) => ["number", "bigint", "boolean"].includes(typeof each);
  const strong = operands.filter((each) => !isNumber(each));
  for (const each of strong)
    if (!typed.has(each))
      throw new TensorError("OPERANDS", `resultType takes tensors, dtypes and numbers but got ${worded(each)}.`);
  if (strong.length === 0)
    throw new TensorError("OPERANDS", "resultType takes at least one tensor or dtype but got none.");
  const common = strong.map((each) => dtypeOf(each as Typed)).reduce(promoted);
  return operands.filter(isNumber).reduce<DType>((sum, each) => promotedWith(sum, each as number), common);
}

/** The array API's words for kinds of dtypes. */
const kinds = {
  bool: (of: DType) => factsOf(of).kind === "bool",
  "signed integer": (of: DType) => factsOf(of).kind === "int" && !of.startsWith("uint"),
  "unsigned integer": (of: DType) => factsOf(of).kind === "int" && of.startsWith("uint"),
  integral: (of: DType) => factsOf(of).kind === "int",
  "real floating": (of: DType) => factsOf(of).kind === "float",
  "complex floating": (of: DType) => factsOf(of).kind === "complex",
  numeric: (of: DType) => factsOf(of).kind !== "bool",
} as const;
/**
 * A kind of dtypes: "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating",
 * "numeric".
 */
export type DTypeKind = keyof typeof kinds;
const kindOrDType = either(oneOf(...(Object.keys(kinds) as DTypeKind[])), dtype);

/**
 * Whether a dtype is another one, of a kind such as "signed integer", or any of several such.
 * @example
 * isdtype("int8", "signed integer"); // → true
 */
export const isdtype: (of: DType, kind: DTypeKind | DType | readonly (DTypeKind | DType)[]) => boolean = free(
  "isdtype",
  { required: { of: dtype, kind: anything } },
  ({ of, kind }) =>
    (Array.isArray(kind) ? (kind as unknown[]) : [kind]).some((each) => {
      if (!kindOrDType.has(each))
        throw new TensorError("OPTIONS", `isdtype takes ${kindOrDType.wanted} but got ${worded(each)}.`);
      return each === of || (Object.hasOwn(kinds, each as string) && kinds[each as DTypeKind](of));
    }),
);
