// Indexing as methods: parts of a tensor read and assigned, rows gathered and scattered along an axis, and elements by
// a mask.
import { TensorError } from "../errors.ts";
import { DeviceArray } from "../memory/array.ts";
import { admits, type DType } from "../memory/dtype.ts";
import { broadcast, checkedAxis, formatShape, stridesOf, type Shape, type Window, windowed } from "../memory/shape.ts";
import { apply, applyInto } from "../ops/apply.ts";
import { putsAlong } from "../ops/axis.ts";
import { fill } from "../ops/copy.ts";
import { sameShape } from "../ops/map.ts";
import { positionsOf } from "../ops/positions.ts";
import { putModes, type PutMode } from "../ops/rows.ts";
import { worded } from "../wording.ts";
import {
  alongAxis,
  indicesAlong,
  indicesOf,
  selected,
  type Given,
  type IndexEntry,
  type Selection,
} from "./index-entries.ts";
import { anything, axis, define, install, number, operand, scalar, tensor, type FunctionOf } from "./arguments.ts";
import { Tensor, type Nested } from "./tensor.ts";

/**
 * Indices along an axis: a tensor of integers or an array. Negative ones count from the end. One that is outside is a
 * TensorError: at once where JavaScript knows it, and where tensors are written in place; of what else only the device
 * knows, such as the indices of `gather`, the next wait for the device, as for a result.
 */
export type Indices = Tensor | Int32Array | BigInt64Array | Nested<number>;
type Scalar = number | bigint | boolean;

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * The part that the entries select (see {@link IndexEntry}), e.g. `x.get(0, [1, 3], "...", mask)`. A view unless
     * there are index arrays or masks. Those broadcast together; their axes stand where the first of them did if all
     * are neighbours, else in front. Throws TensorError for an index that is outside.
     * @example
     * const x = arange(12).reshape([3, 4]);
     * x.get(1, [1, 3]); // → tensor([5, 6], shape [2], float32, cpu)
     * x.get({ at: [0, 2] }, 0); // → tensor([0, 8], shape [2], float32, cpu)
     * x.get(x.gt(8)); // → tensor([9, 10, 11], shape [3], float32, cpu)
     */
    get(...entries: IndexEntry[]): Tensor<D>;
    /**
     * Writes `value`, a number or a tensor that broadcasts, to the part that the entries select. Of several written to
     * one place the last stays. Returns this tensor.
     * @example
     * zeros([2, 3]).set([0, [1, 3]], 5); // → tensor([[0, 5, 5], [0, 0, 0]], shape [2, 3], float32, cpu)
     */
    set(entries: readonly IndexEntry[], value: Tensor | Scalar): this;
    /**
     * Elements by their place in row-major order, in the shape of the indices; with `axis` rows along it, as in NumPy.
     * @example
     * tensor([10, 20, 30]).take([2, 0]); // → tensor([30, 10], shape [2], float32, cpu)
     */
    take(index: Indices, axis?: number | { readonly axis?: number; readonly dim?: number }): Tensor<D>;
    /**
     * out[i, j, k] = x[i, index[i, j, k], k] for axis 1. `index` has as many axes as x, none of them longer but `axis`.
     * @example
     * tensor([[1, 2], [3, 4]]).gather(1, [[0], [1]]); // → tensor([[1], [4]], shape [2, 1], float32, cpu)
     */
    gather(axis: number, index: Indices): Tensor<D>;
    /**
     * The rows along an axis at the indices of a list, in its order. Throws TensorError for an index outside.
     * @example
     * tensor([[1, 2], [3, 4], [5, 6]]).indexSelect(0, [2, 0]);
     * // → tensor([[5, 6], [1, 2]], shape [2, 2], float32, cpu)
     */
    indexSelect(axis: number, index: Indices): Tensor<D>;
    /**
     * A copy with `source` written at [i, index[i, j, k], k] for axis 1; `reduce` says what becomes of the element that
     * was there: "set" (of several the last stays), "add", "max", "min".
     * @example
     * zeros([4]).scatter(0, [1, 3], tensor([5, 6])); // → tensor([0, 5, 0, 6], shape [4], float32, cpu)
     */
    scatter(axis: number, index: Indices, source: Tensor | Scalar, options?: { readonly reduce?: PutMode }): Tensor<D>;
    /** {@link Tensor.scatter} in place. */
    scatter_(axis: number, index: Indices, source: Tensor | Scalar, options?: { readonly reduce?: PutMode }): this;
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
     * A copy in which the rows at the indices of a list, along the axis, are those of `source`. Throws TensorError for
     * an index outside, or shapes that do not fit.
     * @example
     * zeros([2, 2]).indexCopy(0, [1], tensor([[5, 6]])); // → tensor([[0, 0], [5, 6]], shape [2, 2], float32, cpu)
     */
    indexCopy(axis: number, index: Indices, source: Tensor): Tensor<D>;
    /** {@link Tensor.indexCopy} in place. */
    indexCopy_(axis: number, index: Indices, source: Tensor): this;
    /**
     * A copy in which every element of the rows at the indices of a list, along the axis, is `value`. Throws
     * TensorError for an index outside.
     * @example
     * zeros([2, 2]).indexFill(0, [1], 7); // → tensor([[0, 0], [7, 7]], shape [2, 2], float32, cpu)
     */
    indexFill(axis: number, index: Indices, value: Scalar): Tensor<D>;
    /** {@link Tensor.indexFill} in place. */
    indexFill_(axis: number, index: Indices, value: Scalar): this;
  }
}

const everything: Window = { slices: [] };

/** The axes with `axis` in front. */
function leading(axis: number, rank: number) {
  return { ...everything, axes: [axis, ...Array(rank).keys()].filter((each, at) => at === 0 || each !== axis) };
}

/** The axes of rows, which come behind those of positions, put where `before` of them stand in front. */
function placement(positions: number, rank: number, before: number): number[] {
  const rest = Array.from({ length: rank - positions }, (_, at) => positions + at);
  return [...rest.slice(0, before), ...Array(positions).keys(), ...rest.slice(before)];
}
const inverse = (axes: readonly number[]) => axes.map((_, at) => axes.indexOf(at));

function permuted(x: DeviceArray, axes: readonly number[]): DeviceArray {
  return axes.every((axis, at) => axis === at) ? x : apply("permute", [x], { axes });
}

/** What is written, as the dtype of `x` and of that shape. */
export function written(x: Tensor, value: unknown, shape: Shape, use: string): DeviceArray {
  if (!(value instanceof Tensor)) {
    if (!admits(x.dtype, value))
      throw new TensorError("VALUE", `${use} writes to ${x.dtype}, which does not hold ${worded(value)}.`);
    const one = Tensor.empty(x.deviceProcess, x.dtype, []);
    fill(one.execution, one, value);
    return one.expand(shape);
  }
  const converted = value.dtype === x.dtype ? value : value.to(x.dtype);
  if (sameShape(converted.shape, shape)) return converted;
  // Axes of size 1 in front say nothing.
  const surplus = converted.shape.length - shape.length;
  const fitting =
    surplus > 0 && converted.shape.slice(0, surplus).every((size) => size === 1)
      ? converted.reshape(converted.shape.slice(surplus))
      : converted;
  const missing = shape.length - fitting.shape.length;
  if (missing < 0 || fitting.shape.some((size, axis) => size !== 1 && size !== shape[missing + axis])) {
    throw new TensorError(
      "SHAPE",
      `${use} writes to shape ${formatShape(shape)}, to which a tensor of shape ${formatShape(value.shape)} does not broadcast.`,
    );
  }
  return fitting.expand(shape);
}

function read(x: Tensor, { window, lead, positions, before }: Selection): DeviceArray {
  const part = apply("slice", [x], window);
  if (positions === null) return part;
  const rows = apply("takeAt", [part, positions], { lead });
  return permuted(rows, placement(positions.shape.length, rows.shape.length, before));
}

function assign(x: Tensor, { window, lead, positions, isUnique, before }: Selection, value: unknown): void {
  using part = new DeviceArray(x.living().hold(), x.dtype, windowed(x, window));
  if (positions === null) return applyInto("set", x, [x, written(x, value, part.shape, "set")], { window });
  const shape = [...positions.shape, ...part.shape.slice(lead)];
  const axes = placement(positions.shape.length, shape.length, before);
  const values = permuted(
    written(
      x,
      value,
      axes.map((axis) => shape[axis]!),
      "set",
    ),
    inverse(axes),
  );
  applyInto("put", x, [x, positions, values], { window, lead, mode: "set", isUnique });
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

/** Positions over all axes of `x` for indices of `shape`, along one. */
function along(x: Tensor, axis: number, given: Given, use: string): DeviceArray<"int64"> {
  const { indices: index } = given;
  const isFitting =
    index.shape.length === x.shape.length && index.shape.every((size, at) => at === axis || size <= x.shape[at]!);
  if (!isFitting)
    throw new TensorError(
      "SHAPE",
      `${use} along axis ${axis} takes indices of as many axes as the tensor, ${formatShape(x.shape)}, none longer but axis ${axis}, but got ${formatShape(index.shape)}.`,
    );
  const strides = stridesOf(x.shape);
  return positionsOf(
    x.execution,
    index.shape,
    [{ ...alongAxis(x, axis, given), stride: strides[axis]! }],
    strides.map((stride, at) => (at === axis ? 0 : stride)),
  );
}

/** Whether indices have the tensor's shape but for the axis, so that kernels find both by the same steps. */
function isAlong(x: Tensor, axis: number, { shape }: Tensor): boolean {
  const rank = x.shape.length;
  return rank > 0 && shape.length === rank && shape.every((size, each) => each === axis || size === x.shape[each]);
}

function scattered(
  x: Tensor,
  axis: number,
  given: Indices,
  source: Tensor | Scalar,
  mode: PutMode,
  run: Apply,
  use: string,
): Tensor {
  if (!putModes.includes(mode))
    throw new TensorError(
      "OPTIONS",
      `${use} takes reduce: ${putModes.map((each) => `"${each}"`).join(", ")} but got ${worded(mode)}.`,
    );
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

/**
 * Rows along an axis. What is not contiguous is copied for the kernel that checks on its way; of few rows positions are
 * made first, for which the device is waited for.
 */
function rowsTaken(x: Tensor, axis: number, given: Given, index: Tensor = given.indices): Tensor {
  const at = checkedAxis(axis, x.shape.length);
  const own = { ...given, indices: index };
  if (x.isContiguous || 2 * index.size >= x.shape[at]!)
    return apply("takeAxis", [x, indicesAlong(x, at, own)], { axis: at, isShared: true }) as Tensor;
  const positions = positionsOf(x.execution, index.shape, [{ ...alongAxis(x, at, own), stride: 1 }]);
  const rows = apply("takeAt", [permuted(x, leading(at, x.shape.length).axes), positions], { lead: 1 });
  return permuted(rows, placement(index.shape.length, rows.shape.length, at)) as Tensor;
}

const accessors = {
  get(x: Tensor, ...entries: IndexEntry[]): DeviceArray {
    return read(x, selected(x, entries));
  },
  set(x: Tensor, entries: readonly IndexEntry[], value: Tensor | Scalar, ...more: unknown[]): Tensor {
    if (!Array.isArray(entries))
      throw new TensorError(
        "INDEX",
        `set takes the entries of the index as an array, then the value, e.g. x.set([0, [1, 3]], 5), but got ${worded(entries)}.`,
      );
    if (more.length > 0)
      throw new TensorError("INDEX", `set takes the entries and one value but got ${1 + more.length}.`);
    assign(x, selected(x, entries), value);
    return x;
  },
};

/** {@link Tensor.take} as a function. */
export const take: FunctionOf<"take"> = define(
  "take",
  { required: { index: anything }, options: { axis }, bare: ["axis"] },
  (x, { index: places, axis }) => {
    const index = places as Indices;
    const given = indicesOf(index, x, "take");
    return axis === undefined ? rowsTaken(x.reshape([-1]), 0, given) : rowsTaken(x, axis, given);
  },
);

/** {@link Tensor.gather} as a function. */
export const gather: FunctionOf<"gather"> = define(
  "gather",
  { required: { axis, index: anything } },
  (x, { axis, index: places }) => {
    const index = places as Indices;
    const at = checkedAxis(axis, x.shape.length);
    const given = indicesOf(index, x, "gather");
    if (isAlong(x, at, given.indices) && (x.isContiguous || 2 * given.indices.size >= x.size))
      return apply("takeAxis", [x, indicesAlong(x, at, given)], { axis: at, isShared: false });
    return apply("takeAt", [x, along(x, at, given, "gather")], { lead: x.shape.length });
  },
);

/** {@link Tensor.indexSelect} as a function. */
export const indexSelect: FunctionOf<"indexSelect"> = define(
  "indexSelect",
  { required: { axis, index: anything } },
  (x, { axis, index: places }) => {
    const index = places as Indices;
    const given = indicesOf(index, x, "indexSelect");
    const { indices } = given;
    if (indices.shape.length > 1)
      throw new TensorError(
        "SHAPE",
        `indexSelect takes a list of indices but got shape ${formatShape(indices.shape)}: use take for more axes.`,
      );
    return rowsTaken(x, axis, given, indices.reshape([-1]));
  },
);

/** {@link Tensor.scatter} as a function. */
export const scatter: FunctionOf<"scatter"> = define(
  "scatter",
  { required: { axis, index: anything, source: operand }, options: { reduce: anything } },
  (x, { axis, index: places, source, reduce: mode = "set" }) => {
    const index = places as Indices;
    const reduce = mode as PutMode;
    return scattered(x, axis, index, source, reduce, copied, "scatter");
  },
);

const scatter_: FunctionOf<"scatter_"> = define(
  "scatter_",
  { required: { axis, index: anything, source: operand }, options: { reduce: anything } },
  (x, { axis, index: places, source, reduce: mode = "set" }) => {
    const index = places as Indices;
    const reduce = mode as PutMode;
    return scattered(x, axis, index, source, reduce, replaced, "scatter_");
  },
);

/** {@link Tensor.scatterAdd} as a function. */
export const scatterAdd: FunctionOf<"scatterAdd"> = define(
  "scatterAdd",
  { required: { axis, index: anything, source: operand } },
  (x, { axis, index: places, source }) => {
    const index = places as Indices;
    return scattered(x, axis, index, source, "add", copied, "scatterAdd");
  },
);

const scatterAdd_: FunctionOf<"scatterAdd_"> = define(
  "scatterAdd_",
  { required: { axis, index: anything, source: operand } },
  (x, { axis, index: places, source }) => {
    const index = places as Indices;
    return scattered(x, axis, index, source, "add", replaced, "scatterAdd_");
  },
);

/** {@link Tensor.indexAdd} as a function. */
export const indexAdd: FunctionOf<"indexAdd"> = define(
  "indexAdd",
  { required: { axis, index: anything, source: tensor }, options: { alpha: number } },
  (x, { axis, index: places, source, alpha = 1 }) => {
    const index = places as Indices;
    return rowsWritten(x, axis, index, alpha === 1 ? source : source.mul(alpha), "add", copied, "indexAdd");
  },
);

const indexAdd_: FunctionOf<"indexAdd_"> = define(
  "indexAdd_",
  { required: { axis, index: anything, source: tensor }, options: { alpha: number } },
  (x, { axis, index: places, source, alpha = 1 }) => {
    const index = places as Indices;
    return rowsWritten(x, axis, index, alpha === 1 ? source : source.mul(alpha), "add", replaced, "indexAdd_");
  },
);

/** {@link Tensor.indexCopy} as a function. */
export const indexCopy: FunctionOf<"indexCopy"> = define(
  "indexCopy",
  { required: { axis, index: anything, source: tensor } },
  (x, { axis, index: places, source }) => {
    const index = places as Indices;
    return rowsWritten(x, axis, index, source, "set", copied, "indexCopy");
  },
);

const indexCopy_: FunctionOf<"indexCopy_"> = define(
  "indexCopy_",
  { required: { axis, index: anything, source: tensor } },
  (x, { axis, index: places, source }) => {
    const index = places as Indices;
    return rowsWritten(x, axis, index, source, "set", replaced, "indexCopy_");
  },
);

/** {@link Tensor.indexFill} as a function. */
export const indexFill: FunctionOf<"indexFill"> = define(
  "indexFill",
  { required: { axis, index: anything, value: scalar } },
  (x, { axis, index: places, value }) => {
    const index = places as Indices;
    return rowsWritten(x, axis, index, value, "set", copied, "indexFill");
  },
);

const indexFill_: FunctionOf<"indexFill_"> = define(
  "indexFill_",
  { required: { axis, index: anything, value: scalar } },
  (x, { axis, index: places, value }) => {
    const index = places as Indices;
    return rowsWritten(x, axis, index, value, "set", replaced, "indexFill_");
  },
);

install(Tensor.prototype, {
  ...accessors,
  take,
  gather,
  indexSelect,
  scatter,
  scatter_,
  scatterAdd,
  scatterAdd_,
  indexAdd,
  indexAdd_,
  indexCopy,
  indexCopy_,
  indexFill,
  indexFill_,
});
