// Borders around a tensor: of a number, or of its own elements turned round, repeated or taken from the other side.
import { TensorError } from "../errors.ts";
import { admits } from "../memory/dtype.ts";
import { formatShape, type AxisSlice } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import { listed, worded } from "../wording.ts";
import { cat } from "./joining.ts";
import type { Tensor } from "./tensor.ts";

/**
 * What a border consists of. constant: a number; reflect: the elements inside the edge, mirrored; replicate: the
 * edge; circular: those at the other end.
 */
export type PadMode = "constant" | "reflect" | "replicate" | "circular";

/** `value`: of a constant border; 0 when left out. */
export interface PadOptions {
  readonly mode?: PadMode;
  readonly value?: number | bigint | boolean;
}

const cut = (axis: number, slice: AxisSlice): AxisSlice[] => [...Array<null>(axis).fill(null), slice];

/** The parts before and after an axis of `size` elements. */
const borders: Record<
  Exclude<PadMode, "constant">,
  {
    readonly most: (size: number) => number;
    readonly part: (x: Tensor, axis: number, width: number, isBefore: boolean) => Tensor;
  }
> = {
  reflect: {
    most: (size) => size - 1,
    part: (x, axis, width, isBefore) => x.slice(...cut(axis, isBefore ? [width, 0, -1] : [-2, -2 - width, -1])),
  },
  replicate: {
    most: (size) => (size === 0 ? 0 : Infinity),
    part: (x, axis, width, isBefore) =>
      x
        .slice(...cut(axis, isBefore ? [0, 1] : [-1, null]))
        .expand(x.shape.map((size, each) => (each === axis ? width : size))),
  },
  circular: {
    most: (size) => size,
    part: (x, axis, width, isBefore) => x.slice(...cut(axis, isBefore ? [-width, null] : [0, width])),
  },
};

/** See the method. */
export function padded(x: Tensor, widths: readonly number[], { mode = "constant", value = 0 }: PadOptions): Tensor {
  const rank = x.shape.length;
  if (
    !Array.isArray(widths) ||
    widths.length % 2 !== 0 ||
    widths.length > 2 * rank ||
    !widths.every(Number.isSafeInteger)
  ) {
    throw new TensorError(
      "SHAPE",
      `pad takes pairs of widths, before and after, for the last axis, the one before it and so on, e.g. [1, 1, 2, 2], at most ${2 * rank} numbers for shape ${formatShape(x.shape)}, but got ${listed(widths)}.`,
    );
  }
  const [before, after] = [0, 1].map((side) => x.shape.map((_, axis) => widths[2 * (rank - 1 - axis) + side] ?? 0)) as [
    number[],
    number[],
  ];
  if (mode === "constant") {
    const filling = x.dtype === "bool" && value === 0 ? false : value;
    if (!admits(x.dtype, filling)) throw new TensorError("VALUE", `pad of ${x.dtype} cannot write ${worded(value)}.`);
    // Negative widths cut off.
    x.shape.forEach((size, axis) => {
      if (size + Math.min(0, before[axis]!) + Math.min(0, after[axis]!) < 0)
        throw new TensorError("SHAPE", `pad cuts more off axis ${axis} than its ${size} elements.`);
    });
    const inner = [...before, ...after].some((width) => width < 0)
      ? x.slice(
          ...x.shape.map((size, axis) => [Math.max(0, -before[axis]!), size + Math.min(0, after[axis]!)] as const),
        )
      : x;
    return apply("padConstant", [inner], {
      before: before.map((width) => Math.max(0, width)),
      after: after.map((width) => Math.max(0, width)),
      value: filling,
    }) as Tensor;
  }
  if (!Object.hasOwn(borders, mode))
    throw new TensorError(
      "OPTIONS",
      `pad takes mode: "constant", "reflect", "replicate" or "circular" but got ${worded(mode)}.`,
    );
  const { most, part } = borders[mode];
  return x.shape.reduce<Tensor>((result, size, axis) => {
    const [left, right] = [before[axis]!, after[axis]!];
    if (left === 0 && right === 0) return result;
    if (Math.min(left, right) < 0 || Math.max(left, right) > most(size))
      throw new TensorError(
        "SHAPE",
        `pad with mode "${mode}" takes widths from 0 to ${most(size)} on axis ${axis}, which has ${size} elements, but got ${left} and ${right}.`,
      );
    return cat(
      [
        ...(left > 0 ? [part(result, axis, left, true)] : []),
        result,
        ...(right > 0 ? [part(result, axis, right, false)] : []),
      ],
      { axis },
    );
  }, x);
}
