// Reductions as methods and functions: what each takes, and which operation it is.
import { apply } from "../ops/core/apply.ts";
import { wholeNames, type WholeName, type WholeResult } from "../ops/reduce/reductions.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import type { FloatOf, SumOf } from "../memory/promotion.ts";
import { TensorError } from "../errors.ts";
import { checkedAxis } from "../memory/shape.ts";
import { listed } from "../wording.ts";
import { axes, define, dtype, either, flag, install, number, oneOf, type FunctionOf } from "./arguments.ts";
import { Tensor } from "./tensor.ts";

/** One axis or several; negative ones count from the end. */
export type Axes = number | readonly number[];

/**
 * `axis`: one axis, several, or all (left out); negative ones count from the end. `keepdims`: reduced axes stay, with
 * size 1. `dim` and `keepdim` are PyTorch's names for them.
 */
export interface ReduceOptions {
  readonly axis?: Axes;
  readonly keepdims?: boolean;
  readonly dim?: Axes;
  readonly keepdim?: boolean;
}

/** `dtype`: what the elements become before they are added or multiplied, and the dtype of the result. */
export interface TotalOptions<E extends DType = DType> extends ReduceOptions {
  readonly dtype?: E;
}

/**
 * `ord`: 2 (√Σx²) when left out, 1 (Σ|x|), Infinity and -Infinity (the largest and smallest |x|), 0 (how many are not
 * 0), another p ((Σ|x|^p)^(1/p)), or "fro", which is 2.
 */
export interface NormOptions<E extends DType = DType> extends ReduceOptions {
  readonly ord?: number | "fro";
  readonly p?: number | "fro";
  readonly dtype?: E;
}

/**
 * `correction` is taken off the count: 1 (of a sample) when left out, 0 for the variance of all there is. NumPy calls
 * it `ddof`; PyTorch's `unbiased: false` is 0.
 */
export interface VarianceOptions extends ReduceOptions {
  readonly correction?: number;
  readonly ddof?: number;
  readonly unbiased?: boolean;
}

/** What takes axes and nothing else: scripts/declarations.mjs writes the declarations, as elementwise.ts says. */
type Whole<D extends DType> = {
  [Name in WholeName]: (axis?: Axes | ReduceOptions, keepdims?: boolean) => Tensor<WholeResult<Name, D>>;
};
export interface ReductionMethods<D extends DType> extends Whole<D> {}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * The sum Σx over all axes or those named. Floats stay (narrow ones are added in float32), uint64 too; other
     * integers and bool give int64. `dtype` names another. Throws TensorError for an axis that is not there.
     * @example
     * const x = tensor([[1, 2], [3, 4]]);
     * x.sum(); // → tensor(10, shape [], float32, cpu)
     * x.sum(0); // → tensor([4, 6], shape [2], float32, cpu)
     * x.sum({ axis: 1, keepdims: true }); // → tensor([[3], [7]], shape [2, 1], float32, cpu)
     */
    sum<E extends DType = SumOf<D>>(axis?: Axes | TotalOptions<E>, keepdims?: boolean): Tensor<E>;
    /**
     * The mean Σx/n over all axes or those named; integers and bool give float32. `dtype` names another. NaN over no
     * elements.
     * @example
     * tensor([[1, 2], [3, 4]]).mean(-1); // → tensor([1.5, 3.5], shape [2], float32, cpu)
     */
    mean<E extends DType = FloatOf<D>>(axis?: Axes | TotalOptions<E>, keepdims?: boolean): Tensor<E>;
    /**
     * The product Πx over all axes or those named. Floats and uint64 stay, other integers and bool give int64. `dtype`
     * names another.
     * @example
     * tensor([[1, 2], [3, 4]]).prod(); // → tensor(24, shape [], float32, cpu)
     */
    prod<E extends DType = SumOf<D>>(axis?: Axes | TotalOptions<E>, keepdims?: boolean): Tensor<E>;
    /**
     * The norm of the elements as one vector, over all axes or those named: √Σx², or another by `ord`, see {@link
     * NormOptions}. Throws TensorError for integers.
     * @example
     * tensor([3, 4]).norm(); // → tensor(5, shape [], float32, cpu)
     * tensor([3, -4]).norm({ ord: 1 }); // → tensor(7, shape [], float32, cpu)
     */
    norm<E extends DType = D>(options?: number | "fro" | NormOptions<E>, axis?: Axes, keepdims?: boolean): Tensor<E>;
    /**
     * The variance: Σ(x − mean)²/(n − correction), see {@link VarianceOptions}; NaN where there are no more elements
     * than the correction. Throws TensorError for integers.
     * @example
     * tensor([1, 2, 3, 4]).var(); // → tensor(1.66667, shape [], float32, cpu)
     * tensor([1, 2, 3, 4]).var({ correction: 0 }); // → tensor(1.25, shape [], float32, cpu)
     */
    var(axis?: Axes | VarianceOptions, keepdims?: boolean): Tensor<D>;
    /**
     * The standard deviation: the root of {@link Tensor.var}, with the same options. Throws TensorError for integers.
     * @example
     * tensor([1, 2, 3, 4]).std(); // → tensor(1.29099, shape [], float32, cpu)
     */
    std(axis?: Axes | VarianceOptions, keepdims?: boolean): Tensor<D>;
  }
}

type Total<E extends DType> = Axes | TotalOptions<E>;

/** What all reductions take. */
export const reduceOptions = { axis: axes, keepdims: flag };
export const bareReduction = ["axis", "keepdims"] as const;

/** The axes of a reduction, sorted and from the front; a tensor without axes has axis 0 and −1. Throws TensorError. */
export function reductionOf(
  { shape }: Tensor,
  { axis, keepdims = false }: { readonly axis?: Axes; readonly keepdims?: boolean },
): { axes: number[]; keepdims: boolean } {
  const rank = shape.length;
  if (axis === undefined) return { axes: [...Array(rank).keys()], keepdims };
  const list = (Array.isArray(axis) ? (axis as readonly number[]) : [axis as number]).map((each) =>
    checkedAxis(each, Math.max(1, rank)),
  );
  if (new Set(list).size !== list.length)
    throw new TensorError("AXIS", `Each axis is reduced once, but ${listed(axis)} names one twice.`);
  return { axes: rank === 0 ? [] : list.sort((a, b) => a - b), keepdims };
}

/** Those that take axes and nothing else: what each says stands at its row. */
export const wholeReductions = Object.fromEntries(
  wholeNames.map((name) => [
    name,
    define(name, { options: reduceOptions, bare: bareReduction }, (x, given) =>
      apply(name, [x], reductionOf(x, given)),
    ),
  ]),
) as { [Name in WholeName]: FunctionOf<Name> };

const total = <F extends (x: never, ...args: never[]) => unknown>(name: "sum" | "mean" | "prod"): F =>
  define(name, { options: { ...reduceOptions, dtype }, bare: bareReduction }, (x, { dtype: wanted, ...given }) => {
    if (wanted === undefined) return apply(name, [x], reductionOf(x, given));
    return (apply(name, [x.to(wanted)], reductionOf(x, given)) as Tensor).to(wanted);
  });

const spread = <F extends (x: never, ...args: never[]) => unknown>(name: "var" | "std"): F =>
  define(
    name,
    {
      options: { ...reduceOptions, correction: number },
      bare: bareReduction,
      aliases: { ddof: "correction", unbiased: (value) => ({ correction: value === false ? 0 : 1 }) },
    },
    (x, { correction = 1, ...given }) =>
      apply(name === "var" ? "variance" : "std", [x], { ...reductionOf(x, given), correction }),
  );

/** {@link Tensor.sum} as a function. */
export const sum: <D extends DType, E extends DType = SumOf<D>>(
  x: Tensor<D>,
  axis?: Total<E>,
  keepdims?: boolean,
) => Tensor<E> = total("sum");
/** {@link Tensor.mean} as a function. */
export const mean: <D extends DType, E extends DType = FloatOf<D>>(
  x: Tensor<D>,
  axis?: Total<E>,
  keepdims?: boolean,
) => Tensor<E> = total("mean");
/** {@link Tensor.prod} as a function. */
export const prod: <D extends DType, E extends DType = SumOf<D>>(
  x: Tensor<D>,
  axis?: Total<E>,
  keepdims?: boolean,
) => Tensor<E> = total("prod");
/** {@link Tensor.var} as a function. `var` is a word of JavaScript's. */
export const variance: FunctionOf<"var"> = spread("var");
/** {@link Tensor.std} as a function. */
export const std: FunctionOf<"std"> = spread("std");

/** {@link Tensor.norm} as a function. */
export const norm: <D extends DType, E extends DType = D>(
  x: Tensor<D>,
  options?: number | "fro" | NormOptions<E>,
  axis?: Axes,
  keepdims?: boolean,
) => Tensor<E> = define(
  "norm",
  {
    options: { ord: either(number, oneOf("fro", "nuc")), ...reduceOptions, dtype },
    bare: ["ord", "axis", "keepdims"],
    aliases: { p: "ord" },
  },
  (of, { ord = 2, dtype: wanted, ...given }) => {
    if (ord === "nuc")
      throw new TensorError("OPTIONS", 'norm adds up elements: write linalg.norm(x, "nuc") for singular values.');
    const x = wanted === undefined ? of : (of.to(wanted) as Tensor);
    if (ord === 2 || ord === "fro") return apply("norm", [x], reductionOf(x, given));
    // Refused in the words of the norm, not of what it is made of.
    if (!x.dtype.includes("float") && factsOf(x.dtype).kind !== "complex")
      throw new TensorError("DTYPE", `norm takes floats but got ${x.dtype}: convert it, e.g. with .to("float32").`);
    const magnitudes = x.abs();
    if (ord === 0) return magnitudes.ne(0).sum(given).to(magnitudes.dtype);
    if (ord === Infinity) return magnitudes.max(given);
    if (ord === -Infinity) return magnitudes.min(given);
    if (ord === 1) return magnitudes.sum(given);
    // Powers of 16 bits would overflow between.
    return factsOf(x.dtype).bytes > 2
      ? powerNorm(magnitudes, ord, given)
      : powerNorm(magnitudes.to("float32"), ord, given).to(x.dtype);
  },
);

/** (Σm^p)^(1/p), whose slope is 0 where it is 0 and in elements that are 0, as PyTorch's: powers have none there. */
function powerNorm(magnitudes: Tensor, p: number, given: ReduceOptions): Tensor {
  const some = magnitudes.ne(0);
  const powers =
    p < 1
      ? magnitudes
          .where(some, 1)
          .pow(p)
          .where(some, p > 0 ? 0 : Infinity)
      : magnitudes.pow(p);
  const sums = powers.sum(given);
  const isSome = sums.ne(0);
  return sums
    .where(isSome, 1)
    .pow(1 / p)
    .where(isSome, 0) as Tensor;
}

install(Tensor.prototype, {
  sum,
  mean,
  prod,
  ...wholeReductions,
  norm,
  var: variance,
  std,
});
