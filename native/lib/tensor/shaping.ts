// Shapes changed as methods: axes added, dropped, joined and moved; parts cut, repeated, turned, shifted; borders.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { checkedAxis, formatShape, sizeOf, stridesOf, type AxisSlice } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import { listed, worded } from "../wording.ts";
import { cat } from "./joining.ts";
import { padded, type PadMode, type PadOptions } from "./padding.ts";
import {
  anything,
  axes,
  axis,
  define,
  either,
  install,
  number,
  oneOf,
  scalar,
  wholeNumber,
  wholeNumbers,
  tensor,
  type FunctionOf,
  type Kind,
} from "./arguments.ts";
import { Tensor } from "./tensor.ts";

/**
 * How the elements of a tensor lie: in row-major order, or, of a tensor of [batch, channels, height, width], with the
 * channels of a place side by side.
 */
export type MemoryFormat = "contiguous" | "channelsLast";
type Axes = number | readonly number[];
/** A list, or its numbers in a row. */
type ListOrRow = number[] | [list: readonly number[]];
/** `dim` is PyTorch's name for the axis. */
interface AxisOption {
  readonly axis?: number;
  readonly dim?: number;
}
interface AxesOption {
  readonly axis?: Axes;
  readonly dim?: Axes;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * A view without the axes of size 1: without those named (others than of size 1 stay), or all of them.
     * @example
     * zeros([1, 3, 1]).squeeze().shape; // → [ 3 ]
     */
    squeeze(axis?: Axes | AxesOption): Tensor<D>;
    /**
     * A view with a new axis of size 1 at that place of the result, or with several; −1 is the last.
     * @example
     * zeros([3]).unsqueeze([0, -1]).shape; // → [ 1, 3, 1 ]
     */
    unsqueeze(axis: Axes): Tensor<D>;
    /**
     * The axes from `start` to `end`, both included, as one: all of them when left out. A view when the strides allow,
     * else a copy.
     * @example
     * zeros([2, 3, 4]).flatten(1).shape; // → [ 2, 12 ]
     */
    flatten(start?: number, end?: number): Tensor<D>;
    /**
     * A view with one axis as several of those sizes, one of which may be −1: what remains. Throws TensorError for
     * sizes that do not multiply to the axis's.
     * @example
     * zeros([6, 2]).unflatten(0, [2, -1]).shape; // → [ 2, 3, 2 ]
     */
    unflatten(axis: number, sizes: readonly number[]): Tensor<D>;
    /**
     * A view with two axes swapped. Throws TensorError for an axis that is not there.
     * @example
     * zeros([2, 3, 4]).swapAxes(0, 2).shape; // → [ 4, 3, 2 ]
     */
    swapAxes(first: number, second: number): Tensor<D>;
    /**
     * A view with axes moved to other places; the others keep their order.
     * @example
     * zeros([2, 3, 4]).moveAxis(0, -1).shape; // → [ 3, 4, 2 ]
     */
    moveAxis(from: Axes, to: Axes): Tensor<D>;
    /**
     * A view with the axes in the order given: {@link Tensor.transpose} with all axes named.
     * @example
     * zeros([2, 3, 4]).permute(2, 0, 1).shape; // → [ 4, 2, 3 ]
     */
    permute(...axes: ListOrRow): Tensor<D>;
    /**
     * A view over a larger shape, by NumPy's name: {@link Tensor.expand}.
     * @example
     * tensor([1, 2]).broadcastTo([2, 2]); // → tensor([[1, 2], [1, 2]], shape [2, 2], float32, cpu)
     */
    broadcastTo(...shape: ListOrRow): Tensor<D>;
    /**
     * A view with the elements in reverse order along the axes, all of them when left out.
     * @example
     * tensor([1, 2, 3]).flip(); // → tensor([3, 2, 1], shape [3], float32, cpu)
     */
    flip(axis?: Axes | AxesOption): Tensor<D>;
    /**
     * Elements shifted along axes; those that leave at one end enter at the other. Without `axis` in row-major order.
     * @example
     * tensor([1, 2, 3, 4]).roll(1); // → tensor([4, 1, 2, 3], shape [4], float32, cpu)
     */
    roll(shift: Axes, axis?: Axes | AxesOption): Tensor<D>;
    /**
     * The whole tensor, copied that many times along each axis; more numbers than axes add axes in front.
     * @example
     * tensor([1, 2]).repeat(2, 2); // → tensor([[1, 2, 1, 2], [1, 2, 1, 2]], shape [2, 4], float32, cpu)
     */
    repeat(...times: ListOrRow): Tensor<D>;
    /**
     * The whole tensor, copied that many times along each axis, as {@link Tensor.repeat}, but missing numbers in front
     * are 1.
     * @example
     * tensor([1, 2]).tile(2); // → tensor([1, 2, 1, 2], shape [4], float32, cpu)
     */
    tile(...times: ListOrRow): Tensor<D>;
    /**
     * Each row along the axis that many times, one number for all, which may be in a list or tensor, or one for each;
     * without `axis` each element, as a list. Numbers in a tensor are waited for.
     * @example
     * tensor([1, 2]).repeatInterleave(2); // → tensor([1, 1, 2, 2], shape [4], float32, cpu)
     */
    repeatInterleave(times: Axes | Tensor, axis?: number | AxisOption): Tensor<D>;
    /**
     * The tensor cut into parts along an axis, the first when left out, as views: of that size, the last one smaller,
     * or of the sizes listed. Throws TensorError for sizes that do not add up.
     * @example
     * arange(5).split(2).map((part) => part.shape); // → [ [ 2 ], [ 2 ], [ 1 ] ]
     */
    split(size: number | readonly number[], axis?: number | AxisOption): Tensor<D>[];
    /**
     * The tensor cut into parts of equal size along an axis, the first when left out, as views; at most that many, the
     * last one smaller.
     * @example
     * arange(6).chunk(3).map((part) => part.toArray()); // → [ [ 0, 1 ], [ 2, 3 ], [ 4, 5 ] ]
     */
    chunk(count: number, axis?: number | AxisOption): Tensor<D>[];
    /**
     * A view for each index of an axis, the first when left out, without that axis.
     * @example
     * tensor([[1, 2], [3, 4]]).unbind()[1]; // → tensor([3, 4], shape [2], float32, cpu)
     */
    unbind(axis?: number | AxisOption): Tensor<D>[];
    /**
     * A border of widths [before, after] of the last axis, then of the one before it, … Constant widths may be
     * negative, which cuts off.
     * @example
     * tensor([1, 2]).pad([1, 2]); // → tensor([0, 1, 2, 0, 0], shape [5], float32, cpu)
     * tensor([1, 2, 3]).pad([1, 1], { mode: "reflect" }); // → tensor([2, 1, 2, 3, 2], shape [5], float32, cpu)
     */
    pad(widths: readonly number[], mode?: PadMode | PadOptions, value?: number | bigint | boolean): Tensor<D>;
    /**
     * Whether the elements lie without gaps in that order: "contiguous", or "channelsLast" for four axes.
     * @example
     * zeros([1, 2, 3, 4]).isContiguousIn("channelsLast"); // → false
     */
    isContiguousIn(format: MemoryFormat): boolean;
  }
}

const numberOrList: Kind<Axes> = {
  ...axes,
  wanted: "a whole number or a list of them",
  has: (value) => number.has(value) || axes.has(value),
};
const listOf = (numbers: Axes): readonly number[] => (typeof numbers === "number" ? [numbers] : numbers);
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

/** {@link Tensor.squeeze} as a function. */
export const squeeze: FunctionOf<"squeeze"> = define(
  "squeeze",
  { options: { axis: axes }, bare: ["axis"], withoutAxes: "own" },
  (x, { axis }) => {
    const named = axis === undefined ? null : checkedAxes(axis, x.shape.length);
    return x.reshape(x.shape.filter((size, at) => size !== 1 || (named !== null && !named.includes(at))));
  },
);

/** {@link Tensor.unsqueeze} as a function. */
export const unsqueeze: FunctionOf<"unsqueeze"> = define("unsqueeze", { required: { axis: axes } }, (x, { axis }) => {
  const rank = x.shape.length + listOf(axis).length;
  const places = new Set(checkedAxes(axis, rank));
  if (places.size + x.shape.length !== rank)
    throw new TensorError("AXIS", `unsqueeze makes each axis once, but ${listed(axis)} names one twice.`);
  return x.reshape([...places].sort((a, b) => a - b).reduce((shape, at) => replaced(shape, at, 0, [1]), x.shape));
});

/** {@link Tensor.flatten} as a function. */
export const flatten: FunctionOf<"flatten"> = define(
  "flatten",
  { options: { start: axis, end: axis }, bare: ["start", "end"], aliases: { startDim: "start", endDim: "end" } },
  (x, { start = 0, end = -1 }) => {
    const rank = x.shape.length;
    if (rank === 0) return x.reshape([1]);
    const [first, last] = [checkedAxis(start, rank), checkedAxis(end, rank)];
    if (first > last)
      throw new TensorError(
        "AXIS",
        `flatten takes a first axis that is not after the last but got ${start} and ${end}.`,
      );
    return x.reshape(replaced(x.shape, first, last - first + 1, [sizeOf(x.shape.slice(first, last + 1))]));
  },
);

/** {@link Tensor.unflatten} as a function. */
export const unflatten: FunctionOf<"unflatten"> = define(
  "unflatten",
  { required: { axis, sizes: anything }, withoutAxes: "any" },
  (x, { axis, sizes: given }) => {
    const sizes = given as readonly number[];
    const at = checkedAxis(axis, x.shape.length);
    const size = x.shape[at]!;
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
    return x.reshape(replaced(x.shape, at, 1, filled));
  },
);

/** {@link Tensor.swapAxes} as a function. */
export const swapAxes: FunctionOf<"swapAxes"> = define(
  "swapAxes",
  { required: { first: axis, second: axis }, withoutAxes: "own" },
  (x, { first, second }) => {
    const rank = x.shape.length;
    const [a, b] = [checkedAxis(first, rank), checkedAxis(second, rank)];
    return x.transpose([...x.shape.keys()].map((axis) => (axis === a ? b : axis === b ? a : axis)));
  },
);

/** {@link Tensor.moveAxis} as a function. */
export const moveAxis: FunctionOf<"moveAxis"> = define(
  "moveAxis",
  { required: { from: axes, to: axes }, withoutAxes: "own" },
  (x, { from, to }) => {
    const rank = x.shape.length;
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
    const others = [...x.shape.keys()].filter((axis) => !sources.includes(axis));
    return x.transpose(
      [...x.shape.keys()].map((at) => (targets.includes(at) ? sources[targets.indexOf(at)]! : others.shift()!)),
    );
  },
);

/** {@link Tensor.permute} as a function. */
export const permute: FunctionOf<"permute"> = define(
  "permute",
  { required: { axes: wholeNumbers }, spread: true },
  (x, { axes }) => x.transpose(axes),
);

/** {@link Tensor.broadcastTo} as a function. */
export const broadcastTo: FunctionOf<"broadcastTo"> = define(
  "broadcastTo",
  { required: { shape: wholeNumbers }, spread: true },
  (x, { shape }) => x.expand(shape),
);

/** {@link Tensor.flip} as a function. */
export const flip: FunctionOf<"flip"> = define(
  "flip",
  { options: { axis: axes }, bare: ["axis"], withoutAxes: "own" },
  (x, { axis }) => {
    const axes = axis === undefined ? [...x.shape.keys()] : checkedAxes(axis, x.shape.length);
    return x.slice(...x.shape.map((_, each) => (axes.includes(each) ? ([null, null, -1] as const) : null)));
  },
);

/** {@link Tensor.roll} as a function. */
export const roll: FunctionOf<"roll"> = define(
  "roll",
  { required: { shift: numberOrList }, options: { axis: axes }, bare: ["axis"], withoutAxes: "own" },
  (x, { shift, axis }) => {
    if (axis === undefined) {
      if (typeof shift !== "number")
        throw new TensorError(
          "AXIS",
          `roll takes one shift, or as many axes as shifts, but got ${worded(shift)} and no axis.`,
        );
      return x.reshape([-1]).roll(shift, { axis: 0 }).reshape(x.shape);
    }
    const axes = checkedAxes(axis, x.shape.length);
    const shifts = typeof shift === "number" ? axes.map(() => shift) : shift;
    if (shifts.length !== axes.length || !shifts.every(Number.isSafeInteger))
      throw new TensorError(
        "AXIS",
        `roll takes as many whole shifts as axes but got ${worded(shift)} and ${worded(axis)}.`,
      );
    return axes.reduce<Tensor>((result, each, at) => {
      const size = result.shape[each]!;
      const by = size === 0 ? 0 : ((shifts[at]! % size) + size) % size;
      return by === 0 ? result.clone() : (apply("roll", [result], { axis: each, by }) as Tensor);
    }, x);
  },
);

/** {@link Tensor.repeat} as a function. */
export const repeat: FunctionOf<"repeat"> = define(
  "repeat",
  { required: { times: anything }, spread: true },
  (x, { times }) => {
    if (checkedCounts(times, "repeat").length < x.shape.length)
      throw new TensorError(
        "SHAPE",
        `repeat takes a number for each of the ${x.shape.length} axes but got ${listed(times)}: use tile for fewer.`,
      );
    return tiled(x, times as readonly number[]);
  },
);

/** {@link Tensor.tile} as a function. */
export const tile: FunctionOf<"tile"> = define(
  "tile",
  { required: { times: anything }, spread: true },
  (x, { times }) => tiled(x, checkedCounts(times, "tile")),
);

/** {@link Tensor.repeatInterleave} as a function. */
export const repeatInterleave: FunctionOf<"repeatInterleave"> = define(
  "repeatInterleave",
  { required: { times: either(numberOrList, tensor) }, options: { axis }, bare: ["axis"] },
  (x, { times: given, axis }) => {
    const numbers = [given instanceof Tensor ? given.toArray() : given].flat().map(Number);
    const counts = checkedCounts(numbers, "repeatInterleave");
    if (axis === undefined) return x.reshape([-1]).repeatInterleave(counts, { axis: 0 });
    const at = checkedAxis(axis, x.shape.length);
    const size = x.shape[at]!;
    if (counts.length !== 1) {
      if (counts.length !== size)
        throw new TensorError(
          "SHAPE",
          `repeatInterleave takes one number, or one for each of the ${size} rows of axis ${axis}, but got ${counts.length}.`,
        );
      return x.indexSelect(
        at,
        counts.flatMap((count, row) => Array<number>(count).fill(row)),
      );
    }
    const [outer, inner] = [sizeOf(x.shape.slice(0, at + 1)), sizeOf(x.shape.slice(at + 1))];
    return inOwnMemory(
      x
        .reshape([outer, 1, inner])
        .expand([outer, counts[0]!, inner])
        .reshape(replaced(x.shape, at, 1, [size * counts[0]!])),
      x,
    );
  },
);

/** {@link Tensor.split} as a function. */
export const split: FunctionOf<"split"> = define(
  "split",
  { required: { size: numberOrList }, options: { axis }, bare: ["axis"] },
  (x, { size, axis = 0 }) => {
    const at = checkedAxis(axis, x.shape.length);
    const length = x.shape[at]!;
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
    return sizes.map((each) => x.slice(...cut(at, [from, (from += each)])));
  },
);

/** {@link Tensor.chunk} as a function. */
export const chunk: FunctionOf<"chunk"> = define(
  "chunk",
  { required: { count: number }, options: { axis }, bare: ["axis"] },
  (x, { count, axis = 0 }) => {
    if (!Number.isSafeInteger(count) || count < 1)
      throw new TensorError("SHAPE", `chunk takes a count ≥ 1 but got ${worded(count)}.`);
    return x.split(Math.max(1, Math.ceil(x.shape[checkedAxis(axis, x.shape.length)]! / count)), { axis });
  },
);

/** {@link Tensor.unbind} as a function. */
export const unbind: FunctionOf<"unbind"> = define(
  "unbind",
  { options: { axis }, bare: ["axis"] },
  (x, { axis = 0 }) => {
    const at = checkedAxis(axis, x.shape.length);
    return Array.from({ length: x.shape[at]! }, (_, index) => x.slice(...cut(at, index)));
  },
);

/** {@link Tensor.pad} as a function. */
export const pad: FunctionOf<"pad"> = define(
  "pad",
  {
    required: { widths: anything },
    options: { mode: oneOf("constant", "reflect", "replicate", "circular"), value: scalar },
    bare: ["mode", "value"],
  },
  (x, { widths, ...options }) => padded(x, widths as readonly number[], options),
);

/** {@link Tensor.isContiguousIn} as a function. */
const isContiguousIn: FunctionOf<"isContiguousIn"> = define(
  "isContiguousIn",
  { required: { format: oneOf("contiguous", "channelsLast") } },
  (x, { format }) => {
    if (format === "contiguous") return x.isContiguous;
    if (x.shape.length !== 4) return false;
    const [batch, channels, height, width] = x.shape as [number, number, number, number];
    const [n, h, w, c] = stridesOf([batch, height, width, channels]);
    return x.size === 0 || [n, c, h, w].every((stride, axis) => x.shape[axis] === 1 || x.strides[axis] === stride);
  },
);

install(Tensor.prototype, {
  squeeze,
  unsqueeze,
  flatten,
  unflatten,
  swapAxes,
  moveAxis,
  permute,
  broadcastTo,
  flip,
  roll,
  repeat,
  tile,
  repeatInterleave,
  split,
  chunk,
  unbind,
  pad,
  isContiguousIn,
});
