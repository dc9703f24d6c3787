// Discrete Fourier transforms as functions ask for them: dtypes, sizes along axes and norms, checked in the same words.
import { factsOf, type DType } from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { checkedAxis, formatShape, sizeOf } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import type { Transform } from "../ops/fourier/fourier.ts";
import { listed } from "../wording.ts";
import type { Tensor } from "./tensor.ts";

/** The name of a factor: see {@link TransformOptions}. */
export type Norm = "backward" | "ortho" | "forward";
export const norms = ["backward", "ortho", "forward"] as const;

/** What a function is: its name for messages, its transform, and for which direction its norm is. */
export interface TransformKind {
  readonly name: string;
  readonly kind: Transform["kind"];
  /** The exponent's sign is +. */
  readonly isInverse: boolean;
  /** "backward" divides by the length. */
  readonly isBack: boolean;
}

/** What transforms compute in: integers and bool become float32. Throws TensorError for 16 and 8 bits. */
function partsOf({ name }: TransformKind, { dtype }: Tensor): "float32" | "float64" {
  const { kind, parts, isStorage } = factsOf(dtype);
  if (parts !== undefined) return parts as "float32" | "float64";
  if (dtype === "float32" || dtype === "float64") return dtype;
  if (kind === "int" || kind === "bool") return "float32";
  throw new TensorError(
    "DTYPE",
    `${name} computes in float32 and float64, complex64 and complex128, but got ${isStorage ? `${dtype}, which only stores numbers` : dtype}: convert it with .to("float32").`,
  );
}

/** What is transformed, in a dtype that its kind takes. */
function operandOf(of: TransformKind, x: Tensor): Tensor {
  const parts = partsOf(of, x);
  const isComplex = factsOf(x.dtype).kind === "complex";
  if (of.kind === "r2c") {
    if (isComplex)
      throw new TensorError(
        "DTYPE",
        `${of.name} takes real numbers but got ${x.dtype}: use fft.${of.isBack ? "ifft" : "fft"}, or take x.real.`,
      );
    return x.to(parts);
  }
  return isComplex ? x : x.to(parts === "float64" ? "complex128" : "complex64");
}

/** The axis with `size` elements: its first ones, or all with zeros behind. */
function resized(x: Tensor, axis: number, size: number): Tensor {
  const own = x.shape[axis]!;
  if (own === size) return x;
  if (own > size) return x.slice(...Array<null>(axis).fill(null), [0, size]);
  const behind = x.shape.map((_, at) => (at === axis ? size - own : 0));
  return apply("padConstant", [x], { before: x.shape.map(() => 0), after: behind, value: 0 }) as Tensor;
}

function factorOf(norm: Norm, points: number, isBack: boolean): number {
  if (norm === "ortho") return 1 / Math.sqrt(points);
  return (norm === "backward") === isBack ? 1 / points : 1;
}

/**
 * The transform of `x` over `axes`, the last of which is that of real numbers, with the sizes that are given (of the
 * real numbers, where there are any).
 */
export function transformed(
  of: TransformKind,
  x: Tensor,
  given: readonly number[],
  sizes: readonly number[] | undefined,
  norm: Norm = "backward",
): Tensor {
  const { name, kind, isInverse, isBack } = of;
  const operand = operandOf(of, x);
  if (x.shape.length === 0)
    throw new TensorError("SHAPE", `${name} takes a tensor of at least one axis but got shape [].`);
  const axes = given.map((axis) => checkedAxis(axis, x.shape.length));
  if (new Set(axes).size < axes.length)
    throw new TensorError("AXIS", `${name} takes different axes but got ${listed(given)}.`);
  if (sizes !== undefined && sizes.length !== axes.length)
    throw new TensorError(
      "SHAPE",
      `${name} takes a size for each axis but got ${listed(sizes)} for the axes ${listed(given)}.`,
    );
  const last = axes.length - 1;
  const wanted = axes.map((axis, at) => {
    const own = x.shape[axis]!;
    return sizes?.[at] ?? (kind === "c2r" && at === last ? 2 * (own - 1) : own);
  });
  wanted.forEach((size, at) => {
    if (size < 1 || x.shape[axes[at]!] === 0)
      throw new TensorError(
        "SHAPE",
        `${name} takes at least one point along axis ${given[at]} but got ${sizes === undefined ? `shape ${formatShape(x.shape)}` : `the size ${size} for shape ${formatShape(x.shape)}`}.`,
      );
  });
  const length = wanted[last]!;
  const source = axes.reduce(
    (result, axis, at) =>
      resized(result, axis, kind === "c2r" && at === last ? Math.floor(length / 2) + 1 : wanted[at]!),
    operand,
  );
  const scale = factorOf(norm, sizeOf(wanted), isBack);
  return apply("fourier", [source], { kind, axes, isInverse, scale, inside: 1, length }) as Tensor;
}

/** The dtype of the parts of what a transform of dtype `D` gives. */
export type PartsOf<D extends DType> = D extends "float64" | "complex128" ? "float64" : "float32";
