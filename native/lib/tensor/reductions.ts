// Reductions as methods: what each takes, and which operation it is.
import { apply } from "../ops/apply.ts";
import type { ReductionName } from "../ops/reductions.ts";
import type { DType } from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { checkedAxis } from "../memory/shape.ts";
import { worded } from "../wording.ts";
import { Tensor } from "./tensor.ts";

/** `axis`: one axis, several, or all (left out); negative ones count from the end. `keepdims`: reduced axes stay, with size 1. */
export interface ReduceOptions {
  readonly axis?: number | readonly number[];
  readonly keepdims?: boolean;
}

/** `ord`: 2 (√Σx²) when left out, 1 (Σ|x|), Infinity and -Infinity (the largest and smallest |x|), 0 (how many are not 0), another p ((Σ|x|^p)^(1/p)), or "fro", which is 2. */
export interface NormOptions extends ReduceOptions {
  readonly ord?: number | "fro";
}

/** `correction` is taken off the count: 1 (of a sample) when left out, 0 for the variance of all there is. */
export interface VarianceOptions extends ReduceOptions {
  readonly correction?: number;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /** Sum over the axes. Floats stay (narrow ones accumulate in float32), integers and bool give int64. */
    sum(options?: ReduceOptions): Tensor;
    /** Mean over the axes; integers give float32. */
    mean(options?: ReduceOptions): Tensor;
    /** Product over the axes. Floats stay, integers and bool give int64. */
    prod(options?: ReduceOptions): Tensor;
    /** Largest element; NaN when there is one. Throws TensorError over no elements. */
    max(options?: ReduceOptions): Tensor<D>;
    /** Smallest element; NaN when there is one. Throws TensorError over no elements. */
    min(options?: ReduceOptions): Tensor<D>;
    /** Position of the largest element among the reduced ones, in row-major order; the first of equal ones, and of NaN the first. Throws TensorError over no elements. */
    argmax(options?: ReduceOptions): Tensor<"int64">;
    /** Position of the smallest element; as {@link Tensor.argmax}. */
    argmin(options?: ReduceOptions): Tensor<"int64">;
    /** Whether any element is not 0; NaN counts as not 0. */
    any(options?: ReduceOptions): Tensor<"bool">;
    /** Whether no element is 0. */
    all(options?: ReduceOptions): Tensor<"bool">;
    /** log Σe^x, without overflow. Throws TensorError for integers. */
    logsumexp(options?: ReduceOptions): Tensor<D>;
    /** Norm of the elements as a vector, see {@link NormOptions}. Throws TensorError for integers. */
    norm(options?: NormOptions): Tensor<D>;
    /** Variance, see {@link VarianceOptions}; NaN where no more elements than the correction. Throws TensorError for integers. */
    var(options?: VarianceOptions): Tensor<D>;
    /** Standard deviation: the root of {@link Tensor.var}. */
    std(options?: VarianceOptions): Tensor<D>;
  }
}

/** The axes of a reduction, sorted and from the front. Throws TensorError. */
export function reductionOf({ shape }: Tensor, options: ReduceOptions): { axes: number[]; keepdims: boolean } {
  if (typeof options !== "object" || options === null)
    throw new TensorError(
      "OPTIONS",
      `Options are an object, such as { axis: 0, keepdims: true }, but got ${worded(options)}.`,
    );
  const { axis, keepdims = false } = options;
  const rank = shape.length;
  const list: readonly number[] =
    axis === undefined ? [...Array(rank).keys()] : Array.isArray(axis) ? (axis as readonly number[]) : [axis as number];
  return { axes: [...new Set(list.map((each) => checkedAxis(each, rank)))].sort((a, b) => a - b), keepdims };
}

function normed(x: Tensor, options: NormOptions): Tensor {
  const { ord = 2 } = options;
  if (ord === 2 || ord === "fro") return apply("norm", [x], reductionOf(x, options)) as Tensor;
  if (typeof ord !== "number" || Number.isNaN(ord))
    throw new TensorError("OPTIONS", `norm takes a number or "fro" as ord but got ${worded(ord)}.`);
  // Refused in the words of the norm, not of what it is made of.
  if (!x.dtype.includes("float"))
    throw new TensorError("DTYPE", `norm takes floats but got ${x.dtype}: convert it, e.g. with .to("float32").`);
  if (ord === 0) return x.ne(0).sum(options).to(x.dtype);
  const magnitudes = x.abs();
  if (ord === Infinity) return magnitudes.max(options);
  if (ord === -Infinity) return magnitudes.min(options);
  return ord === 1
    ? magnitudes.sum(options)
    : magnitudes
        .pow(ord)
        .sum(options)
        .pow(1 / ord);
}

function spreadOf(name: "variance" | "std") {
  return function (this: Tensor, options: VarianceOptions = {}): Tensor {
    const reduction = reductionOf(this, options);
    const { correction = 1 } = options;
    if (!Number.isFinite(correction))
      throw new TensorError(
        "OPTIONS",
        `${name === "std" ? "std" : "var"} takes a number as correction but got ${worded(correction)}.`,
      );
    return apply(name, [this], { ...reduction, correction }) as Tensor;
  };
}

const simple = [
  "sum",
  "mean",
  "prod",
  "max",
  "min",
  "argmax",
  "argmin",
  "any",
  "all",
  "logsumexp",
] as const satisfies readonly ReductionName[];
const methods: Record<string, (this: Tensor, options?: never) => Tensor> = {
  ...Object.fromEntries(
    simple.map((name) => [
      name,
      function (this: Tensor, options: ReduceOptions = {}) {
        return apply(name, [this], reductionOf(this, options)) as Tensor;
      },
    ]),
  ),
  norm(options: NormOptions = {}) {
    return normed(this, options);
  },
  var: spreadOf("variance"),
  std: spreadOf("std"),
};
for (const [name, value] of Object.entries(methods))
  Object.defineProperty(Tensor.prototype, name, { value, writable: true, configurable: true });
