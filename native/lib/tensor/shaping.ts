// Shapes changed as methods: axes added, dropped, joined and moved; parts cut, repeated, turned and shifted; triangles, diagonals, borders and mixtures.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { checkedAxis, formatShape, sizeOf, stridesOf, type AxisSlice } from "../memory/shape.ts";
import { apply } from "../ops/apply.ts";
import { listed, worded } from "../wording.ts";
import { arange } from "./create.ts";
import { cat } from "./joining.ts";
import { padded, type PadOptions } from "./padding.ts";
import { Tensor } from "./tensor.ts";

/** How the elements of a tensor lie: in row-major order, or of a tensor of [batch, channels, height, width] the channels of a place side by side. */
export type MemoryFormat = "contiguous" | "channelsLast";
type Axes = number | readonly number[];

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /** A view without the axes of size 1: those named (others stay as they are), or all. */
    squeeze(axis?: Axes): Tensor<D>;
    /** A view with a new axis of size 1 at that place of the result. */
    unsqueeze(axis: number): Tensor<D>;
    /** The axes from `start` to `end`, both included, as one. A view when the strides allow. */
    flatten(start?: number, end?: number): Tensor<D>;
    /** One axis as several of those sizes, one of which may be −1. */
    unflatten(axis: number, sizes: readonly number[]): Tensor<D>;
    /** A view with two axes swapped. */
    swapAxes(first: number, second: number): Tensor<D>;
    /** A view with axes moved to other places; the rest keep their order. */
    moveAxis(from: Axes, to: Axes): Tensor<D>;
    /** {@link Tensor.transpose} with all axes named. */
    permute(axes: readonly number[]): Tensor<D>;
    /** {@link Tensor.expand}. */
    broadcastTo(shape: readonly number[]): Tensor<D>;
    /** A view with the order of elements turned round along the axes, all of them when left out. */
    flip(axis?: Axes): Tensor<D>;
    /** Elements shifted along axes; those that leave at one end come in at the other. Without `axis` in row-major order. */
    roll(shift: Axes, options?: { readonly axis?: Axes }): Tensor<D>;
    /** The whole, that many times along each axis, of which there may be more than the tensor has. */
    repeat(times: readonly number[]): Tensor<D>;
    /** {@link Tensor.repeat}, where missing numbers in front are 1. */
    tile(times: readonly number[]): Tensor<D>;
    /** Each row along the axis that many times, one number for all or for each; without `axis` each element, as a list. */
    repeatInterleave(times: Axes, options?: { readonly axis?: number }): Tensor<D>;
    /** Views of parts along an axis: of that size, the last one smaller, or of the sizes listed. */
    split(size: number | readonly number[], options?: { readonly axis?: number }): Tensor<D>[];
    /** At most that many views of parts of equal size along an axis, the last one smaller. */
    chunk(count: number, options?: { readonly axis?: number }): Tensor<D>[];
    /** A view for each index of the axis. */
    unbind(axis?: number): Tensor<D>[];
    /** A border of widths [before, after] of the last axis, then of the one before it, … Constant widths may be negative, which cuts off. */
    pad(widths: readonly number[], options?: PadOptions): Tensor<D>;
    /** A view of a diagonal of two axes, the first and second when left out, as the last axis; `offset` > 0 lies above the main one. */
    diagonal(options?: { readonly offset?: number; readonly axes?: readonly [number, number] }): Tensor<D>;
    /** The last two axes below and on a diagonal; above it 0. */
    tril(offset?: number): Tensor<D>;
    /** The last two axes above and on a diagonal; below it 0. */
    triu(offset?: number): Tensor<D>;
    /** Whether the elements lie in that order without gaps. */
    isContiguousIn(format: MemoryFormat): boolean;
    /** this + weight · (end − this). */
    lerp(end: Tensor, weight: number | Tensor): Tensor;
    /** this + value · a · b. */
    addcmul(a: Tensor, b: Tensor, options?: { readonly value?: number }): Tensor;
    /** this + value · a / b. */
    addcdiv(a: Tensor, b: Tensor, options?: { readonly value?: number }): Tensor;
  }
}

function listOf(numbers: Axes): readonly number[] {
  if (Array.isArray(numbers)) return numbers as readonly number[];
  if (typeof numbers === "number") return [numbers];
  throw new TensorError(
    "AXIS",
    `This takes a whole number, such as an axis, or a list of them, but got ${worded(numbers)}.`,
  );
}
const checkedAxes = (axes: Axes, rank: number) => listOf(axes).map((axis) => checkedAxis(axis, rank));
const replaced = (shape: readonly number[], from: number, count: number, sizes: readonly number[]) => [
  ...shape.slice(0, from),
  ...sizes,
  ...shape.slice(from + count),
];
const cut = (axis: number, slice: AxisSlice): AxisSlice[] => [...Array<null>(axis).fill(null), slice];

function checkedCounts(counts: unknown, use: string): readonly number[] {
  if (Array.isArray(counts) && counts.every((count) => Number.isSafeInteger(count) && count >= 0))
    return counts as readonly number[];
  throw new TensorError("SHAPE", `${use} takes whole numbers ≥ 0 but got ${listed(counts)}.`);
}

function tiled(x: Tensor, times: readonly number[]): Tensor {
  const rank = Math.max(x.shape.length, times.length);
  const ones = (count: number) => Array<number>(count).fill(1);
  let result = x.reshape([...ones(rank - x.shape.length), ...x.shape]);
  const all = [...ones(rank - times.length), ...times];
  if (all.every((count) => count === 1)) return result.clone();
  for (let axis = rank - 1; axis >= 0; axis--) {
    if (all[axis] === 1) continue;
    const shape = result.shape;
    const inner = sizeOf(shape.slice(axis));
    const outer = sizeOf(shape.slice(0, axis));
    result = result
      .reshape([outer, 1, inner])
      .expand([outer, all[axis]!, inner])
      .reshape(replaced(shape, axis, 1, [shape[axis]! * all[axis]!]));
  }
  return inOwnMemory(result, x);
}

/** A repeated tensor whose strides allowed a view is copied: its elements are written one by one. */
function inOwnMemory(result: Tensor, x: Tensor): Tensor {
  return result.storage === x.storage ? result.clone() : result;
}

function triangle(x: Tensor, offset: number, isLower: boolean): Tensor {
  const rank = x.shape.length;
  if (rank < 2)
    throw new TensorError(
      "SHAPE",
      `${isLower ? "tril" : "triu"} takes at least two axes but got shape ${formatShape(x.shape)}.`,
    );
  const [rows, columns] = [x.shape[rank - 2]!, x.shape[rank - 1]!];
  using row = arange(0, rows, 1, { dtype: "int64", device: x.device }).reshape([rows, 1]);
  using column = arange(0, columns, 1, { dtype: "int64", device: x.device });
  using reach = row.add(offset);
  using mask = (isLower ? column.le(reach) : column.ge(reach)) as Tensor<"bool">;
  return x.where(mask, x.dtype === "bool" ? false : 0);
}

const methods: Record<string, (this: Tensor, ...args: never[]) => unknown> & ThisType<Tensor> = {
  squeeze(axis?: Axes) {
    const named = axis === undefined ? null : checkedAxes(axis, this.shape.length);
    return this.reshape(this.shape.filter((size, at) => size !== 1 || (named !== null && !named.includes(at))));
  },
  unsqueeze(axis: number) {
    return this.reshape(replaced(this.shape, checkedAxis(axis, this.shape.length + 1), 0, [1]));
  },
  flatten(start = 0, end = -1) {
    const rank = this.shape.length;
    if (rank === 0) return this.reshape([1]);
    const [first, last] = [checkedAxis(start, rank), checkedAxis(end, rank)];
    if (first > last)
      throw new TensorError(
        "AXIS",
        `flatten takes a first axis that is not behind the last but got ${start} and ${end}.`,
      );
    return this.reshape(replaced(this.shape, first, last - first + 1, [sizeOf(this.shape.slice(first, last + 1))]));
  },
  unflatten(axis: number, sizes: readonly number[]) {
    const at = checkedAxis(axis, this.shape.length);
    const size = this.shape[at]!;
    const known = Array.isArray(sizes) ? sizeOf(sizes.filter((each) => each !== -1)) : 0;
    const filled = Array.isArray(sizes) ? sizes.map((each) => (each === -1 ? size / known : (each as number))) : [];
    if (
      filled.length === 0 ||
      sizes.filter((each) => each === -1).length > 1 ||
      !filled.every((each) => Number.isSafeInteger(each) && each >= 0) ||
      sizeOf(filled) !== size
    ) {
      throw new TensorError(
        "SHAPE",
        `unflatten of axis ${axis} takes sizes whose product is ${size} but got ${listed(sizes)}.`,
      );
    }
    return this.reshape(replaced(this.shape, at, 1, filled));
  },
  swapAxes(first: number, second: number) {
    const rank = this.shape.length;
    const [a, b] = [checkedAxis(first, rank), checkedAxis(second, rank)];
    return this.transpose([...this.shape.keys()].map((axis) => (axis === a ? b : axis === b ? a : axis)));
  },
  moveAxis(from: Axes, to: Axes) {
    const rank = this.shape.length;
    const [sources, targets] = [checkedAxes(from, rank), checkedAxes(to, rank)];
    if (
      sources.length !== targets.length ||
      new Set(sources).size !== sources.length ||
      new Set(targets).size !== targets.length
    ) {
      throw new TensorError(
        "AXIS",
        `moveAxis takes as many places as axes, each once, but got ${worded(from)} and ${worded(to)}.`,
      );
    }
    const others = [...this.shape.keys()].filter((axis) => !sources.includes(axis));
    return this.transpose(
      [...this.shape.keys()].map((at) => (targets.includes(at) ? sources[targets.indexOf(at)]! : others.shift()!)),
    );
  },
  permute(axes: readonly number[]) {
    return this.transpose(axes);
  },
  broadcastTo(shape: readonly number[]) {
    return this.expand(shape);
  },
  flip(axis?: Axes) {
    const axes = axis === undefined ? [...this.shape.keys()] : checkedAxes(axis, this.shape.length);
    return this.slice(...this.shape.map((_, each) => (axes.includes(each) ? ([null, null, -1] as const) : null)));
  },
  roll(shift: Axes, { axis }: { readonly axis?: Axes } = {}) {
    if (axis === undefined) {
      if (typeof shift !== "number")
        throw new TensorError(
          "AXIS",
          `roll takes one shift, or as many axes as shifts, but got ${worded(shift)} and no axis.`,
        );
      return this.reshape([-1]).roll(shift, { axis: 0 }).reshape(this.shape);
    }
    const [shifts, axes] = [listOf(shift), checkedAxes(axis, this.shape.length)];
    if (shifts.length !== axes.length || !shifts.every(Number.isSafeInteger))
      throw new TensorError(
        "AXIS",
        `roll takes as many whole shifts as axes but got ${worded(shift)} and ${worded(axis)}.`,
      );
    return axes.reduce<Tensor>((result, each, at) => {
      const size = result.shape[each]!;
      const by = size === 0 ? 0 : ((shifts[at]! % size) + size) % size;
      return by === 0
        ? result.clone()
        : cat([result.slice(...cut(each, [size - by, null])), result.slice(...cut(each, [0, size - by]))], {
            axis: each,
          });
    }, this);
  },
  repeat(times: readonly number[]) {
    if (checkedCounts(times, "repeat").length < this.shape.length)
      throw new TensorError(
        "SHAPE",
        `repeat takes a number for each of the ${this.shape.length} axes but got ${listed(times)}: use tile for fewer.`,
      );
    return tiled(this, times);
  },
  tile(times: readonly number[]) {
    return tiled(this, checkedCounts(times, "tile"));
  },
  repeatInterleave(times: Axes, { axis }: { readonly axis?: number } = {}) {
    const counts = checkedCounts(listOf(times), "repeatInterleave");
    if (axis === undefined) return this.reshape([-1]).repeatInterleave(times, { axis: 0 });
    const at = checkedAxis(axis, this.shape.length);
    const size = this.shape[at]!;
    if (typeof times !== "number") {
      if (counts.length !== size)
        throw new TensorError(
          "SHAPE",
          `repeatInterleave takes one number, or one for each of the ${size} rows of axis ${axis}, but got ${counts.length}.`,
        );
      return this.indexSelect(
        at,
        counts.flatMap((count, row) => Array<number>(count).fill(row)),
      );
    }
    const [outer, inner] = [sizeOf(this.shape.slice(0, at + 1)), sizeOf(this.shape.slice(at + 1))];
    return inOwnMemory(
      this.reshape([outer, 1, inner])
        .expand([outer, times, inner])
        .reshape(replaced(this.shape, at, 1, [size * times])),
      this,
    );
  },
  split(size: number | readonly number[], { axis = 0 }: { readonly axis?: number } = {}) {
    const at = checkedAxis(axis, this.shape.length);
    const length = this.shape[at]!;
    if (typeof size === "number" && !(Number.isSafeInteger(size) && size > 0))
      throw new TensorError("SHAPE", `split takes a size ≥ 1 or a list of sizes but got ${worded(size)}.`);
    const sizes =
      typeof size === "number"
        ? Array.from({ length: Math.max(1, Math.ceil(length / size)) }, (_, part) =>
            Math.min(size, length - part * size),
          )
        : checkedCounts(size, "split");
    if (sizes.reduce((sum, each) => sum + each, 0) !== length)
      throw new TensorError(
        "SHAPE",
        `split takes sizes that add up to the ${length} elements of axis ${axis} but got ${listed(sizes)}.`,
      );
    let from = 0;
    return sizes.map((each) => this.slice(...cut(at, [from, (from += each)])));
  },
  chunk(count: number, { axis = 0 }: { readonly axis?: number } = {}) {
    if (!Number.isSafeInteger(count) || count < 1)
      throw new TensorError("SHAPE", `chunk takes a count ≥ 1 but got ${worded(count)}.`);
    return this.split(Math.max(1, Math.ceil(this.shape[checkedAxis(axis, this.shape.length)]! / count)), { axis });
  },
  unbind(axis = 0) {
    const at = checkedAxis(axis, this.shape.length);
    return Array.from({ length: this.shape[at]! }, (_, index) => this.slice(...cut(at, index)));
  },
  pad(widths: readonly number[], options: PadOptions = {}) {
    return padded(this, widths, options);
  },
  diagonal({
    offset = 0,
    axes = [0, 1],
  }: {
    readonly offset?: number;
    readonly axes?: readonly [number, number];
  } = {}) {
    const [first, second] = checkedAxes(axes, this.shape.length);
    if (axes.length !== 2 || first === second)
      throw new TensorError("AXIS", `diagonal takes two different axes but got ${listed(axes)}.`);
    if (!Number.isSafeInteger(offset))
      throw new TensorError("OPTIONS", `diagonal takes a whole offset but got ${worded(offset)}.`);
    return apply("diagonal", [this], { offset, axes: [first!, second!] });
  },
  tril(offset = 0) {
    return triangle(this, offset, true);
  },
  triu(offset = 0) {
    return triangle(this, offset, false);
  },
  isContiguousIn(format: MemoryFormat) {
    if (format === "contiguous") return this.isContiguous;
    if (format !== "channelsLast")
      throw new TensorError("OPTIONS", `Memory formats are "contiguous" and "channelsLast", not ${worded(format)}.`);
    if (this.shape.length !== 4) return false;
    const [batch, channels, height, width] = this.shape as [number, number, number, number];
    const [n, h, w, c] = stridesOf([batch, height, width, channels]);
    return (
      this.size === 0 || [n, c, h, w].every((stride, axis) => this.shape[axis] === 1 || this.strides[axis] === stride)
    );
  },
  lerp(end: Tensor, weight: number | Tensor) {
    const way = end.sub(this);
    // From the nearer end, so that weight 1 gives the other exactly.
    const fromStart = () => this.add(way.mul(weight as Tensor));
    const fromEnd = () => end.sub(weight instanceof Tensor ? way.mul(weight.neg().add(1)) : way.mul(1 - weight));
    if (!(weight instanceof Tensor)) return weight < 0.5 ? fromStart() : fromEnd();
    return fromStart().where(weight.lt(0.5), fromEnd());
  },
  addcmul(a: Tensor, b: Tensor, { value = 1 }: { readonly value?: number } = {}) {
    return this.add(value === 1 ? a.mul(b) : a.mul(b).mul(value));
  },
  addcdiv(a: Tensor, b: Tensor, { value = 1 }: { readonly value?: number } = {}) {
    return this.add(value === 1 ? a.div(b) : a.div(b).mul(value));
  },
};
for (const [name, value] of Object.entries(methods))
  Object.defineProperty(Tensor.prototype, name, { value, writable: true, configurable: true });
