// Writing along an axis as methods: elements scattered, and rows added, copied and filled.
import { TensorError } from "../errors.ts";
import type { DeviceArray } from "../memory/array.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { checkedAxis, formatShape, type Window } from "../memory/shape.ts";
import { apply, applyInto } from "../ops/core/apply.ts";
import { putsAlong } from "../ops/index/axis.ts";
import { sameShape } from "../ops/kernels/map.ts";
import { positionsOf } from "../ops/index/positions.ts";
import type { PutMode } from "../ops/index/rows.ts";
import {
  anything,
  axis,
  define,
  flag,
  install,
  number,
  oneOf,
  operand,
  scalarOrTensor,
  tensor,
  type FunctionOf,
} from "./arguments.ts";
import { alongAxis, indicesAlong, indicesOf } from "./index-entries.ts";
import { along, everything, isAlong, leading, permuted, written, type Indices } from "./indexing.ts";
import { fullLike } from "./joining.ts";
import { Tensor } from "./tensor.ts";

type Scalar = number | bigint | boolean;

type Reduction = "mean" | PutMode | "sum" | "multiply" | "amax" | "amin";

/**
 * `reduce`: what becomes of an element that something is written to. "set", when left out: the new one, of several the
 * last; "add", "prod", "mean", "max" or "min" of it and all that come, for which PyTorch also has "sum", "multiply",
 * "amax" and "amin". `includeSelf: false`: of those that come alone.
 */
export interface ScatterOptions {
  readonly reduce?: Reduction;
  readonly includeSelf?: boolean;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * A copy with `source` written at [i, index[i, j, k], k] for axis 1, see {@link ScatterOptions}.
     * @example
     * zeros([4]).scatter(0, [1, 3], tensor([5, 6])); // → tensor([0, 5, 0, 6], shape [4], float32, cpu)
     * zeros([3]).scatter(0, [0, 0, 1], tensor([1, 2, 3]), { reduce: "mean", includeSelf: false });
     * // → tensor([1.5, 3.0, 0.0], shape [3], float32, cpu)
     */
    scatter(axis: number, index: Indices, source: Tensor | Scalar, options?: ScatterOptions): Tensor<D>;
    /**
     * {@link Tensor.scatter} of a source by what becomes of the elements, as PyTorch has it: "sum", "prod", "mean",
     * "amax" or "amin" of an element and all that come, see {@link ScatterOptions}.
     * @example
     * zeros([2]).scatterReduce(0, [0, 1, 1], tensor([1, 2, 3]), "amax"); // → tensor([1, 3], shape [2], float32, cpu)
     */
    scatterReduce(
      axis: number,
      index: Indices,
      source: Tensor,
      reduce: Reduction,
      options?: { readonly includeSelf?: boolean },
    ): Tensor<D>;
    /** {@link Tensor.scatterReduce} in place. */
    scatterReduce_(
      axis: number,
      index: Indices,
      source: Tensor,
      reduce: Reduction,
      options?: { readonly includeSelf?: boolean },
    ): this;
    /** {@link Tensor.scatter} in place. */
    scatter_(axis: number, index: Indices, source: Tensor | Scalar, options?: ScatterOptions): this;
    /**
     * A copy with `source` added at [i, index[i, j, k], k] for axis 1: {@link Tensor.scatter} with `reduce: "add"`.
     * Sums are the same from run to run.
     * @example
     * zeros([2]).scatterAdd(0, [0, 1, 1], tensor([1, 2, 3])); // → tensor([1, 5], shape [2], float32, cpu)
     */
    scatterAdd(axis: number, index: Indices, source: Tensor | Scalar): Tensor<D>;
    /** {@link Tensor.scatterAdd} in place. */
    scatterAdd_(axis: number, index: Indices, source: Tensor | Scalar): this;
    /**
     * A copy in which `alpha` times the rows of `source` are added to those at the indices of a list, along the axis.
     * Sums are the same from run to run. Throws TensorError for an index outside, or shapes that do not fit.
     * @example
     * zeros([2, 2]).indexAdd(0, [1, 1], ones([2, 2])); // → tensor([[0, 0], [2, 2]], shape [2, 2], float32, cpu)
     */
    indexAdd(axis: number, index: Indices, source: Tensor, options?: { readonly alpha?: number }): Tensor<D>;
    /** {@link Tensor.indexAdd} in place. */
    indexAdd_(axis: number, index: Indices, source: Tensor, options?: { readonly alpha?: number }): this;
    /**
     * A copy in which the rows of `source` are joined with those at the indices of a list, along the axis, see
     * {@link ScatterOptions}: as {@link Tensor.scatter} does with elements. Throws TensorError for an index outside, or
     * shapes that do not fit.
     * @example
     * ones([2, 2]).indexReduce(0, [1, 1], tensor([[2, 3], [4, 5]]), { reduce: "prod" });
     * // → tensor([[1, 1], [8, 15]], shape [2, 2], float32, cpu)
     */
    indexReduce(axis: number, index: Indices, source: Tensor, options?: ScatterOptions): Tensor<D>;
    /** {@link Tensor.indexReduce} in place. */
    indexReduce_(axis: number, index: Indices, source: Tensor, options?: ScatterOptions): this;
    /**
     * A copy in which the rows at the indices of a list, along the axis, are those of `source`. Throws TensorError for
     * an index outside, or shapes that do not fit.
     * @example
     * zeros([2, 2]).indexCopy(0, [1], tensor([[5, 6]])); // → tensor([[0, 0], [5, 6]], shape [2, 2], float32, cpu)
     */
    indexCopy(axis: number, index: Indices, source: Tensor): Tensor<D>;
    /** {@link Tensor.indexCopy} in place. */
    indexCopy_(axis: number, index: Indices, source: Tensor): this;
    /**
     * A copy in which every element of the rows at the indices of a list, along the axis, is `value`, a number or a
     * tensor without axes. Throws TensorError for an index outside.
     * @example
     * zeros([2, 2]).indexFill(0, [1], 7); // → tensor([[0, 0], [7, 7]], shape [2, 2], float32, cpu)
     */
    indexFill(axis: number, index: Indices, value: Scalar | Tensor): Tensor<D>;
    /** {@link Tensor.indexFill} in place. */
    indexFill_(axis: number, index: Indices, value: Scalar | Tensor): this;
  }
}

type Apply = (
  x: Tensor,
  positions: DeviceArray,
  values: DeviceArray,
  attributes: { window: Window; lead: number; mode: PutMode; isUnique: boolean },
) => Tensor;
const copied: Apply = (x, positions, values, attributes) => apply("put", [x, positions, values], attributes) as Tensor;
const replaced: Apply = (x, positions, values, attributes) => {
  applyInto("put", x, [x, positions, values], attributes);
  return x;
};

function scattered(
  x: Tensor,
  axis: number,
  given: Indices,
  source: Tensor | Scalar,
  mode: PutMode,
  run: Apply,
  use: string,
): Tensor {
  const at = checkedAxis(axis, x.shape.length);
  const list = indicesOf(given, x, use);
  const { indices } = list;
  if (
    source instanceof Tensor &&
    (source.shape.length !== indices.shape.length || indices.shape.some((size, each) => size > source.shape[each]!))
  ) {
    throw new TensorError(
      "SHAPE",
      `${use} takes a source at least as large as the indices, ${formatShape(indices.shape)}, but got ${formatShape(source.shape)}.`,
    );
  }
  const part =
    source instanceof Tensor && !sameShape(source.shape, indices.shape)
      ? source.slice(...indices.shape.map((size) => [0, size] as const))
      : source;
  if (run === copied && isAlong(x, at, indices) && putsAlong(x, indices, at, mode))
    return apply("putAxis", [x, indicesAlong(x, at, list), written(x, part, indices.shape, use)], {
      axis: at,
      mode,
    }) as Tensor;
  return run(x, along(x, at, list, use), written(x, part, indices.shape, use), {
    window: everything,
    lead: x.shape.length,
    mode,
    isUnique: false,
  });
}

/** A list of indices along an axis, as positions over it. */
function listed(x: Tensor, axis: number, index: Indices, use: string): DeviceArray<"int64"> {
  const given = indicesOf(index, x, use);
  const { indices } = given;
  if (indices.shape.length > 1)
    throw new TensorError("SHAPE", `${use} takes a list of indices but got shape ${formatShape(indices.shape)}.`);
  return positionsOf(x.execution, [indices.size], [{ ...alongAxis(x, axis, given), stride: 1 }]);
}

function rowsWritten(
  x: Tensor,
  axis: number,
  given: Indices,
  source: Tensor | Scalar,
  mode: PutMode,
  run: Apply,
  use: string,
): Tensor {
  const at = checkedAxis(axis, x.shape.length);
  const positions = listed(x, at, given, use);
  const shape = x.shape.map((size, each) => (each === at ? positions.size : size));
  const window = leading(at, x.shape.length);
  const values = permuted(written(x, source, shape, use), window.axes);
  return run(x, positions, values, { window, lead: 1, mode, isUnique: false });
}

const reductions = oneOf("set", "add", "prod", "mean", "max", "min", "sum", "multiply", "amax", "amin");
const scatterOptions = { reduce: reductions, includeSelf: flag };

/** PyTorch's other names. */
const otherNames: Partial<Record<Reduction, PutMode>> = { sum: "add", multiply: "prod", amax: "max", amin: "min" };
const modeOf = (reduce: Reduction = "set") => (otherNames[reduce] ?? reduce) as PutMode | "mean";

/** What changes nothing that is joined with it. */
const neutral: Record<Exclude<PutMode, "set">, (dtype: DType) => Scalar> = {
  add: () => 0,
  prod: () => 1,
  max: (dtype) => factsOf(dtype).range?.[0] ?? -Infinity,
  min: (dtype) => factsOf(dtype).range?.[1] ?? Infinity,
};

/** How elements or rows are written, and what the function is called. */
type Write = typeof scattered;

/** The tensor joined with what is written to it; the mean is of integers rounded down. */
function joined(
  write: Write,
  x: Tensor,
  axis: number,
  index: Indices,
  source: Tensor | Scalar,
  { reduce: named, includeSelf = true }: ScatterOptions,
  use: string,
): Tensor {
  const reduce = modeOf(named);
  const written = (to: Tensor, what: Tensor | Scalar, mode: PutMode) => write(to, axis, index, what, mode, copied, use);
  const started = (mode: PutMode) => (includeSelf || mode === "set" ? x : written(x, neutral[mode](x.dtype), "set"));
  if (reduce !== "mean") return written(started(reduce), source, reduce);
  const own = includeSelf ? fullLike(x, 1) : written(fullLike(x, 1), 0, "set");
  const [total, count] = [written(started("add"), source, "add"), written(own, 1, "add")];
  return factsOf(x.dtype).kind === "float" ? total.div(count) : total.floorDivide(count);
}

/** {@link Tensor.scatter} as a function. */
export const scatter: FunctionOf<"scatter"> = define(
  "scatter",
  {
    required: { axis, index: anything, source: operand },
    options: scatterOptions,
    withoutAxes: "own",
    otherwise: "Points are drawn by plot.scatter(x).",
  },
  (x, { axis, index, source, ...options }) => joined(scattered, x, axis, index as Indices, source, options, "scatter"),
);

const scatter_: FunctionOf<"scatter_"> = define(
  "scatter_",
  { required: { axis, index: anything, source: operand }, options: scatterOptions, withoutAxes: "own" },
  (x, { axis, index: places, source, ...options }) => {
    const index = places as Indices;
    const { includeSelf = true } = options;
    const reduce = modeOf(options.reduce);
    if (reduce !== "mean" && (includeSelf || reduce === "set"))
      return scattered(x, axis, index, source, reduce, replaced, "scatter_");
    return x.copy_(joined(scattered, x, axis, index, source, options, "scatter_"));
  },
);

const reducing = {
  required: { axis, index: anything, source: tensor, reduce: reductions },
  options: { includeSelf: flag },
  withoutAxes: "own",
} as const;

/** {@link Tensor.scatterReduce} as a function. */
export const scatterReduce: FunctionOf<"scatterReduce"> = define(
  "scatterReduce",
  reducing,
  (x, { axis, index, source, ...options }) =>
    joined(scattered, x, axis, index as Indices, source, options, "scatterReduce"),
);

const scatterReduce_: FunctionOf<"scatterReduce_"> = define(
  "scatterReduce_",
  reducing,
  (x, { axis, index, source, ...options }) =>
    x.copy_(joined(scattered, x, axis, index as Indices, source, options, "scatterReduce_")),
);

/** {@link Tensor.scatterAdd} as a function. */
export const scatterAdd: FunctionOf<"scatterAdd"> = define(
  "scatterAdd",
  { required: { axis, index: anything, source: operand }, withoutAxes: "own" },
  (x, { axis, index: places, source }) => {
    const index = places as Indices;
    return scattered(x, axis, index, source, "add", copied, "scatterAdd");
  },
);

const scatterAdd_: FunctionOf<"scatterAdd_"> = define(
  "scatterAdd_",
  { required: { axis, index: anything, source: operand }, withoutAxes: "own" },
  (x, { axis, index: places, source }) => {
    const index = places as Indices;
    return scattered(x, axis, index, source, "add", replaced, "scatterAdd_");
  },
);

/** {@link Tensor.indexAdd} as a function. */
export const indexAdd: FunctionOf<"indexAdd"> = define(
  "indexAdd",
  { required: { axis, index: anything, source: tensor }, options: { alpha: number }, withoutAxes: "own" },
  (x, { axis, index: places, source, alpha = 1 }) => {
    const index = places as Indices;
    return rowsWritten(x, axis, index, alpha === 1 ? source : source.mul(alpha), "add", copied, "indexAdd");
  },
);

const indexAdd_: FunctionOf<"indexAdd_"> = define(
  "indexAdd_",
  { required: { axis, index: anything, source: tensor }, options: { alpha: number }, withoutAxes: "own" },
  (x, { axis, index: places, source, alpha = 1 }) => {
    const index = places as Indices;
    return rowsWritten(x, axis, index, alpha === 1 ? source : source.mul(alpha), "add", replaced, "indexAdd_");
  },
);

/** {@link Tensor.indexReduce} as a function. */
export const indexReduce: FunctionOf<"indexReduce"> = define(
  "indexReduce",
  { required: { axis, index: anything, source: tensor }, options: scatterOptions, withoutAxes: "own" },
  (x, { axis, index, source, ...options }) =>
    joined(rowsWritten, x, axis, index as Indices, source, options, "indexReduce"),
);

const indexReduce_: FunctionOf<"indexReduce_"> = define(
  "indexReduce_",
  { required: { axis, index: anything, source: tensor }, options: scatterOptions, withoutAxes: "own" },
  (x, { axis, index, source, ...options }) =>
    x.copy_(joined(rowsWritten, x, axis, index as Indices, source, options, "indexReduce_")),
);

/** {@link Tensor.indexCopy} as a function. */
export const indexCopy: FunctionOf<"indexCopy"> = define(
  "indexCopy",
  { required: { axis, index: anything, source: tensor }, withoutAxes: "own" },
  (x, { axis, index: places, source }) => {
    const index = places as Indices;
    return rowsWritten(x, axis, index, source, "set", copied, "indexCopy");
  },
);

const indexCopy_: FunctionOf<"indexCopy_"> = define(
  "indexCopy_",
  { required: { axis, index: anything, source: tensor }, withoutAxes: "own" },
  (x, { axis, index: places, source }) => {
    const index = places as Indices;
    return rowsWritten(x, axis, index, source, "set", replaced, "indexCopy_");
  },
);

/** {@link Tensor.indexFill} as a function. */
export const indexFill: FunctionOf<"indexFill"> = define(
  "indexFill",
  { required: { axis, index: anything, value: scalarOrTensor }, withoutAxes: "own" },
  (x, { axis, index: places, value }) => {
    const index = places as Indices;
    return rowsWritten(x, axis, index, value, "set", copied, "indexFill");
  },
);

const indexFill_: FunctionOf<"indexFill_"> = define(
  "indexFill_",
  { required: { axis, index: anything, value: scalarOrTensor }, withoutAxes: "own" },
  (x, { axis, index: places, value }) => {
    const index = places as Indices;
    return rowsWritten(x, axis, index, value, "set", replaced, "indexFill_");
  },
);

install(Tensor.prototype, {
  scatter,
  scatter_,
  scatterReduce,
  scatterReduce_,
  scatterAdd,
  scatterAdd_,
  indexAdd,
  indexAdd_,
  indexReduce,
  indexReduce_,
  indexCopy,
  indexCopy_,
  indexFill,
  indexFill_,
});
