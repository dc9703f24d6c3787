// Indexing as methods: parts of a tensor read and assigned, rows gathered and scattered along an axis, and elements by
// a mask.
import { TensorError } from "../errors.ts";
import { DeviceArray } from "../memory/array.ts";
import { admits, type DType } from "../memory/dtype.ts";
import { checkedAxis, formatShape, stridesOf, type Shape, type Window, windowed } from "../memory/shape.ts";
import { apply, applyInto } from "../ops/core/apply.ts";
import { fill } from "../ops/shape/copy.ts";
import { sameShape } from "../ops/kernels/map.ts";
import { positionsOf } from "../ops/index/positions.ts";
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
import { anything, axis, define, install, type FunctionOf } from "./arguments.ts";
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
     * out[i, j, k] = x[i, index[i, j, k], k] for axis 1. `index` has as many axes as x, none of them longer except
     * `axis`.
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
  }
}

export const everything: Window = { slices: [] };

/** The axes with `axis` in front. */
export function leading(axis: number, rank: number) {
  return { ...everything, axes: [axis, ...Array(rank).keys()].filter((each, at) => at === 0 || each !== axis) };
}

/** The axes of rows, which come behind those of positions, put where `before` of them stand in front. */
function placement(positions: number, rank: number, before: number): number[] {
  const rest = Array.from({ length: rank - positions }, (_, at) => positions + at);
  return [...rest.slice(0, before), ...Array(positions).keys(), ...rest.slice(before)];
}
const inverse = (axes: readonly number[]) => axes.map((_, at) => axes.indexOf(at));

export function permuted(x: DeviceArray, axes: readonly number[]): DeviceArray {
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

/** Positions over all axes of `x` for indices of `shape`, along one. */
export function along(x: Tensor, axis: number, given: Given, use: string): DeviceArray<"int64"> {
  const { indices: index } = given;
  const isFitting =
    index.shape.length === x.shape.length && index.shape.every((size, at) => at === axis || size <= x.shape[at]!);
  if (!isFitting)
    throw new TensorError(
      "SHAPE",
      `${use} along axis ${axis} takes indices of as many axes as the tensor, ${formatShape(x.shape)}, none longer except axis ${axis}, but got ${formatShape(index.shape)}.`,
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
export function isAlong(x: Tensor, axis: number, { shape }: Tensor): boolean {
  const rank = x.shape.length;
  return rank > 0 && shape.length === rank && shape.every((size, each) => each === axis || size === x.shape[each]);
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
    x.checkLiving("get");
    return read(x, selected(x, entries));
  },
  set(x: Tensor, entries: readonly IndexEntry[], value: Tensor | Scalar, ...more: unknown[]): Tensor {
    x.checkLiving("set");
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
  { required: { index: anything }, options: { axis }, bare: ["axis"], withoutAxes: "indices" },
  (x, { index: places, axis }) => {
    const index = places as Indices;
    const given = indicesOf(index, x, "take");
    return axis === undefined ? rowsTaken(x.reshape([-1]), 0, given) : rowsTaken(x, axis, given);
  },
);

/** {@link Tensor.gather} as a function. */
export const gather: FunctionOf<"gather"> = define(
  "gather",
  { required: { axis, index: anything }, withoutAxes: "indices" },
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
  { required: { axis, index: anything }, withoutAxes: "own" },
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

install(Tensor.prototype, {
  ...accessors,
  take,
  gather,
  indexSelect,
});
