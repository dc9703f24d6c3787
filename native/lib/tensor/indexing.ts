// Indexing as methods: parts of a tensor read and assigned, rows gathered and scattered along an axis, and elements by a mask.
import { TensorError } from "../errors.ts";
import { DeviceArray } from "../memory/array.ts";
import { admits, type DType } from "../memory/dtype.ts";
import {
  broadcast,
  checkedAxis,
  formatShape,
  sizeOf,
  stridesOf,
  type Shape,
  type Window,
  windowed,
} from "../memory/shape.ts";
import { apply, applyInto } from "../ops/apply.ts";
import { fill } from "../ops/copy.ts";
import { sameShape } from "../ops/map.ts";
import { positionsOf, positionsOfTrue } from "../ops/positions.ts";
import { putModes, type PutMode } from "../ops/rows.ts";
import { worded } from "../wording.ts";
import { alongAxis, indicesOf, selected, type Given, type IndexEntry, type Selection } from "./index-entries.ts";
import { Tensor, type Nested } from "./tensor.ts";

/** Indices along an axis: a tensor of integers or an array. Negative ones count from the end. One on the device is looked at before it is used, which waits for the device. */
export type Indices = Tensor | Int32Array | BigInt64Array | Nested<number>;
type Scalar = number | bigint | boolean;

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * The part that the entries select (see {@link IndexEntry}), e.g. `x.get(0, [1, 3], "...", mask)`. A view unless there are index arrays or masks. Those broadcast together; their axes stand where the
     * first of them did if all are neighbours, else in front. Throws TensorError for an index that is outside.
     */
    get(...entries: IndexEntry[]): Tensor<D>;
    /** Writes `value`, a number or a tensor that broadcasts, to the part that the entries select. Of several written to one place the last stays. Returns this tensor. */
    set(entries: readonly IndexEntry[], value: Tensor | Scalar): this;
    /** Elements by their place in row-major order, in the shape of the indices; with `axis` rows along it, as in NumPy. */
    take(index: Indices, options?: { readonly axis?: number }): Tensor<D>;
    /** out[i, j, k] = x[i, index[i, j, k], k] for axis 1. `index` has as many axes as x, none of them longer but `axis`. */
    gather(axis: number, index: Indices): Tensor<D>;
    /** {@link Tensor.gather} where index and tensor broadcast along the other axes. */
    takeAlongAxis(index: Indices, axis: number): Tensor<D>;
    /** Rows along the axis, one for each of a list of indices. */
    indexSelect(axis: number, index: Indices): Tensor<D>;
    /** A copy with `source` written at [i, index[i, j, k], k] for axis 1; `reduce` says what becomes of the element that was there: "set" (of several the last stays), "add", "max", "min". */
    scatter(axis: number, index: Indices, source: Tensor | Scalar, options?: { readonly reduce?: PutMode }): Tensor<D>;
    scatter_(axis: number, index: Indices, source: Tensor | Scalar, options?: { readonly reduce?: PutMode }): this;
    /** `scatter` with `reduce: "add"`. Sums are the same from run to run. */
    scatterAdd(axis: number, index: Indices, source: Tensor | Scalar): Tensor<D>;
    scatterAdd_(axis: number, index: Indices, source: Tensor | Scalar): this;
    /** A copy with `alpha` times the rows of `source` added to those at the indices. Sums are the same from run to run. */
    indexAdd(axis: number, index: Indices, source: Tensor, options?: { readonly alpha?: number }): Tensor<D>;
    indexAdd_(axis: number, index: Indices, source: Tensor, options?: { readonly alpha?: number }): this;
    /** A copy with the rows of `source` at the indices. */
    indexCopy(axis: number, index: Indices, source: Tensor): Tensor<D>;
    indexCopy_(axis: number, index: Indices, source: Tensor): this;
    /** A copy with every element of the rows at the indices `value`. */
    indexFill(axis: number, index: Indices, value: Scalar): Tensor<D>;
    indexFill_(axis: number, index: Indices, value: Scalar): this;
    /** A copy with `value` where the mask, which broadcasts, is true. */
    maskedFill(mask: Tensor, value: Scalar): Tensor<D>;
    maskedFill_(mask: Tensor, value: Scalar): this;
    /** The elements where the mask is true, as one axis; both broadcast. Waits for the device to count them. */
    maskedSelect(mask: Tensor): Tensor<D>;
    /** Indices of the elements that are not 0, in row-major order: int64 of shape [count, axes]. Waits for the device to count them. */
    nonzero(): Tensor<"int64">;
  }
}

const everything: Window = { slices: [] };
const asTensor = (array: DeviceArray) => new Tensor(array.living().hold(), array.dtype, array);

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
function written(x: Tensor, value: unknown, shape: Shape, use: string): DeviceArray {
  if (!(value instanceof Tensor)) {
    if (!admits(x.dtype, value))
      throw new TensorError("VALUE", `${use} writes to ${x.dtype}, which does not hold ${worded(value)}.`);
    const one = Tensor.empty(x.deviceProcess, x.dtype, []);
    fill(one, value);
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
    x.deviceProcess,
    index.shape,
    [{ ...alongAxis(x, axis, given), stride: strides[axis]! }],
    strides.map((stride, at) => (at === axis ? 0 : stride)),
  );
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
  return positionsOf(x.deviceProcess, [indices.size], [{ ...alongAxis(x, axis, given), stride: 1 }]);
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

function rowsTaken(x: Tensor, axis: number, given: Given, index: Tensor = given.indices): Tensor {
  const at = checkedAxis(axis, x.shape.length);
  const positions = positionsOf(x.deviceProcess, index.shape, [
    { ...alongAxis(x, at, { ...given, indices: index }), stride: 1 },
  ]);
  const rows = apply("takeAt", [permuted(x, leading(at, x.shape.length).axes), positions], { lead: 1 });
  return permuted(rows, placement(index.shape.length, rows.shape.length, at)) as Tensor;
}

function checkedMask(mask: unknown, use: string): Tensor {
  if (mask instanceof Tensor && mask.dtype === "bool") return mask;
  throw new TensorError(
    "DTYPE",
    `${use} takes a mask, a tensor of bool, but got ${mask instanceof Tensor ? mask.dtype : worded(mask)}: compare one, e.g. with .gt(0).`,
  );
}

function filled(x: Tensor, mask: unknown, value: Scalar, use: string): readonly [Tensor, DeviceArray, Tensor] {
  const checked = checkedMask(mask, use);
  return [checked, written(x, value, [], use), x];
}

const methods: Record<string, (this: Tensor, ...args: never[]) => unknown> & ThisType<Tensor> = {
  get(...entries: IndexEntry[]) {
    return read(this, selected(this, entries));
  },
  set(entries: readonly IndexEntry[], value: Tensor | Scalar) {
    if (!Array.isArray(entries))
      throw new TensorError(
        "INDEX",
        `set takes the entries of the index as an array, then the value, e.g. x.set([0, [1, 3]], 5), but got ${worded(entries)}.`,
      );
    assign(this, selected(this, entries), value);
    return this;
  },
  take(index: Indices, { axis }: { readonly axis?: number } = {}) {
    const given = indicesOf(index, this, "take");
    return axis === undefined ? rowsTaken(this.reshape([-1]), 0, given) : rowsTaken(this, axis, given);
  },
  gather(axis: number, index: Indices) {
    const positions = along(this, checkedAxis(axis, this.shape.length), indicesOf(index, this, "gather"), "gather");
    return apply("takeAt", [this, positions], { lead: this.shape.length });
  },
  takeAlongAxis(index: Indices, axis: number) {
    const { indices } = indicesOf(index, this, "takeAlongAxis");
    const at = checkedAxis(axis, this.shape.length);
    if (indices.shape.length !== this.shape.length)
      throw new TensorError(
        "SHAPE",
        `takeAlongAxis takes indices of as many axes as the tensor, ${formatShape(this.shape)}, but got ${formatShape(indices.shape)}.`,
      );
    const both = broadcast(
      this.shape.map((size, each) => (each === at ? 1 : size)),
      indices.shape.map((size, each) => (each === at ? 1 : size)),
    );
    const over = (shape: Shape) => both.map((size, each) => (each === at ? shape[each]! : size));
    return this.expand(over(this.shape)).gather(at, indices.expand(over(indices.shape)));
  },
  indexSelect(axis: number, index: Indices) {
    const given = indicesOf(index, this, "indexSelect");
    const { indices } = given;
    if (indices.shape.length > 1)
      throw new TensorError(
        "SHAPE",
        `indexSelect takes a list of indices but got shape ${formatShape(indices.shape)}: use take for more axes.`,
      );
    return rowsTaken(this, axis, given, indices.reshape([-1]));
  },
  scatter(
    axis: number,
    index: Indices,
    source: Tensor | Scalar,
    { reduce = "set" }: { readonly reduce?: PutMode } = {},
  ) {
    return scattered(this, axis, index, source, reduce, copied, "scatter");
  },
  scatter_(
    axis: number,
    index: Indices,
    source: Tensor | Scalar,
    { reduce = "set" }: { readonly reduce?: PutMode } = {},
  ) {
    return scattered(this, axis, index, source, reduce, replaced, "scatter_");
  },
  scatterAdd(axis: number, index: Indices, source: Tensor | Scalar) {
    return scattered(this, axis, index, source, "add", copied, "scatterAdd");
  },
  scatterAdd_(axis: number, index: Indices, source: Tensor | Scalar) {
    return scattered(this, axis, index, source, "add", replaced, "scatterAdd_");
  },
  indexAdd(axis: number, index: Indices, source: Tensor, { alpha = 1 }: { readonly alpha?: number } = {}) {
    return rowsWritten(this, axis, index, alpha === 1 ? source : source.mul(alpha), "add", copied, "indexAdd");
  },
  indexAdd_(axis: number, index: Indices, source: Tensor, { alpha = 1 }: { readonly alpha?: number } = {}) {
    return rowsWritten(this, axis, index, alpha === 1 ? source : source.mul(alpha), "add", replaced, "indexAdd_");
  },
  indexCopy(axis: number, index: Indices, source: Tensor) {
    return rowsWritten(this, axis, index, source, "set", copied, "indexCopy");
  },
  indexCopy_(axis: number, index: Indices, source: Tensor) {
    return rowsWritten(this, axis, index, source, "set", replaced, "indexCopy_");
  },
  indexFill(axis: number, index: Indices, value: Scalar) {
    return rowsWritten(this, axis, index, value, "set", copied, "indexFill");
  },
  indexFill_(axis: number, index: Indices, value: Scalar) {
    return rowsWritten(this, axis, index, value, "set", replaced, "indexFill_");
  },
  maskedFill(mask: Tensor, value: Scalar) {
    return apply("where", filled(this, mask, value, "maskedFill"), {});
  },
  maskedFill_(mask: Tensor, value: Scalar) {
    applyInto("where", this, filled(this, mask, value, "maskedFill_"), {});
    return this;
  },
  maskedSelect(mask: Tensor) {
    const shape = broadcast(this.shape, checkedMask(mask, "maskedSelect").shape);
    const positions = positionsOfTrue(mask.expand(shape));
    return apply("takeAt", [this.expand(shape), positions], { lead: shape.length });
  },
  nonzero() {
    using positions = asTensor(positionsOfTrue(this.dtype === "bool" ? this : this.ne(0)));
    const rank = this.shape.length;
    const out = Tensor.empty(this.deviceProcess, "int64", [positions.size, rank]);
    let rest = sizeOf(this.shape);
    this.shape.forEach((size, axis) => {
      rest /= Math.max(1, size);
      using column = out.slice(null, axis);
      using steps = positions.floorDivide(Math.max(1, rest));
      using index = steps.remainder(Math.max(1, size));
      column.copy_(index);
    });
    return out;
  },
};
for (const [name, value] of Object.entries(methods))
  Object.defineProperty(Tensor.prototype, name, { value, writable: true, configurable: true });
