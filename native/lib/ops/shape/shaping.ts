// Operations that put arrays together, widen them and show their diagonals, as rows of the table.
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { factsOf } from "../../memory/dtype.ts";
import { promoted } from "../../memory/promotion.ts";
import { formatShape, sliced, type AxisSlice, type Shape, type View } from "../../memory/shape.ts";
import { TensorError } from "../../errors.ts";
import { call } from "../core/calls.ts";
import { copy, fill } from "./copy.ts";
import { cut, join, joinBetween } from "./joining.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { sameShape } from "../kernels/map.ts";
import type { Computation, Cost, Operand, Viewing } from "../core/operation.ts";

const moved = (inputs: readonly Operand[], outputs: readonly DeviceArray[]): Cost => ({
  bytes: bytesMoved(inputs) + bytesMoved(outputs),
  flops: 0,
});

/** The operands one after the other along an axis. */
const cat: Computation<DeviceArray[], { axis: number }> = {
  inPlace: false,
  infer(inputs, { axis }) {
    const arrays = inputs as readonly DeviceArray[];
    const [first] = arrays;
    arrays.forEach(({ shape }, at) => {
      if (
        shape.length === first!.shape.length &&
        shape.every((size, each) => each === axis || size === first!.shape[each])
      )
        return;
      throw new TensorError(
        "SHAPE",
        `cat along axis ${axis} takes tensors that agree in all other axes, but tensor 0 has shape ${formatShape(first!.shape)} and tensor ${at} has ${formatShape(shape)}.`,
      );
    });
    return [
      {
        shape: first!.shape.map((size, each) =>
          each === axis ? arrays.reduce((sum, { shape }) => sum + shape[axis]!, 0) : size,
        ),
        dtype: arrays.map(({ dtype }) => dtype).reduce(promoted),
      },
    ];
  },
  run: ([out], inputs, { axis }, on) => join(on, out!, inputs, axis),
  gradient([g], { inputs, attributes: { axis }, wanted }) {
    let from = 0;
    return inputs.map((input, at) => {
      const { shape, dtype } = input;
      const slices = cut(axis, from, (from += shape[axis]!));
      if (!wanted[at]) return null;
      const part = call("slice", [g!], { slices });
      return dtype === g!.dtype ? part : call("convert", [part], { dtype });
    });
  },
  cost: moved,
};

/** The operands, of one shape, side by side along a new axis. */
const stack: Computation<DeviceArray[], { axis: number }> = {
  inPlace: false,
  infer(inputs, { axis }) {
    const { shape } = inputs[0]!;
    inputs.forEach((each, at) => {
      if (sameShape(each.shape, shape)) return;
      throw new TensorError(
        "SHAPE",
        `stack takes tensors of one shape, but tensor 0 has shape ${formatShape(shape)} and tensor ${at} has ${formatShape(each.shape)}.`,
      );
    });
    return [
      {
        shape: [...shape.slice(0, axis), inputs.length, ...shape.slice(axis)],
        dtype: inputs.map(({ dtype }) => dtype).reduce(promoted),
      },
    ];
  },
  run: ([out], inputs, { axis }, on) => join(on, out!, inputs, axis, true),
  gradient: ([g], { inputs, attributes: { axis }, wanted }) =>
    inputs.map(({ dtype }, at) => {
      if (!wanted[at]) return null;
      const part = call("slice", [g!], { slices: [...Array<null>(axis).fill(null), at] });
      return dtype === g!.dtype ? part : call("convert", [part], { dtype });
    }),
  cost: moved,
};

/** The last `by` elements along an axis, of more, in front of the others. */
const roll: Computation<[x: DeviceArray], { axis: number; by: number }> = {
  inPlace: false,
  infer: ([{ shape, dtype }]) => [{ shape, dtype }],
  run([out], [x], { axis, by }, on) {
    const at = x.shape[axis]! - by;
    using last = viewOf(x, sliced(x, cut(axis, at, x.shape[axis]!)));
    using first = viewOf(x, sliced(x, cut(axis, 0, at)));
    join(on, out!, [last, first], axis);
  },
  gradient: ([g], { inputs: [x], attributes: { axis, by } }) => [call("roll", [g!], { axis, by: x.shape[axis]! - by })],
  cost: moved,
};

/** What is sooner filled whole than border by border. */
const filledBytes = 4 << 20;

/** The operand inside `value`, with that many elements of it before and after along each axis. */
const padConstant: Computation<
  [x: DeviceArray],
  {
    before: readonly number[];
    after: readonly number[];
    value: number | bigint | boolean;
  }
> = {
  inPlace: false,
  infer: ([x], { before, after }) => [
    { shape: x.shape.map((size, axis) => before[axis]! + size + after[axis]!), dtype: x.dtype },
  ],
  run([out], [x], { before, value }, on) {
    const longer = [...x.shape.keys()].filter((axis) => out!.shape[axis] !== x.shape[axis]);
    const [axis] = longer;
    if (longer.length === 1 && joinBetween(on, out!, x, axis!, before[axis!]!, value)) return;
    using inside = viewOf(out!, sliced(out!, insideOf(x.shape, before)));
    if (out!.bytes <= filledBytes) {
      fill(on, out!, value);
      return copy(on, inside, x);
    }
    copy(on, inside, x);
    out!.shape.forEach((size, axis) => {
      for (const [from, to] of [
        [0, before[axis]!],
        [before[axis]! + x.shape[axis]!, size],
      ] as const) {
        using border = viewOf(out!, sliced(out!, cut(axis, from, to)));
        fill(on, border, value);
      }
    });
  },
  gradient: ([g], { inputs: [x], attributes: { before } }) => [
    call("slice", [g!], { slices: insideOf(x.shape, before) }),
  ],
  cost: moved,
};

const insideOf = (shape: Shape, before: readonly number[]): AxisSlice[] =>
  shape.map((size, axis) => [before[axis]!, before[axis]! + size]);

/**
 * Which elements of the last two axes named lie on a diagonal: those whose second index is `offset` larger than the
 * first.
 */
export interface Diagonal {
  readonly offset: number;
  readonly axes: readonly [number, number];
}

export function diagonalOf(
  { shape, strides, offset }: View,
  { offset: beside, axes: [first, second] }: Diagonal,
): View {
  const count = Math.max(0, Math.min(shape[first]! - Math.max(0, -beside), shape[second]! - Math.max(0, beside)));
  const start = count === 0 ? 0 : beside >= 0 ? beside * strides[second]! : -beside * strides[first]!;
  const without = (list: readonly number[], last: number) => [
    ...list.filter((_, axis) => axis !== first && axis !== second),
    last,
  ];
  return {
    shape: without(shape, count),
    strides: without(strides, strides[first]! + strides[second]!),
    offset: offset + start,
  };
}

const diagonal: Viewing<[x: DeviceArray], Diagonal> = {
  isPart: true,
  view: diagonalOf,
  gradient: ([g], { inputs: [x], attributes }) => [call("onDiagonal", [g!], { diagonal: attributes, shape: x.shape })],
  cost: () => ({ bytes: 0, flops: 0 }),
};

/** Zeros with the operand on a diagonal. */
const onDiagonal: Computation<[x: DeviceArray], { diagonal: Diagonal; shape: Shape }> = {
  inPlace: false,
  infer: ([x], { shape }) => [{ shape, dtype: x.dtype }],
  run([out], [x], { diagonal: which }, on) {
    fill(on, out!, factsOf(out!.dtype).kind === "bool" ? false : 0);
    using line = viewOf(out!, diagonalOf(out!, which));
    copy(on, line, x);
  },
  gradient: ([g], { attributes }) => [call("diagonal", [g!], attributes.diagonal)],
  cost: moved,
};

/** Parts of `size` along an axis, `step` apart: they may overlap. */
export interface Unfolding {
  readonly axis: number;
  readonly size: number;
  readonly step: number;
}

/** Parts along an axis as rows of a new last axis. */
const unfold: Viewing<[x: DeviceArray], Unfolding> = {
  view: ({ shape, strides, offset }, { axis, size, step }) => ({
    shape: [...shape.with(axis, Math.floor((shape[axis]! - size) / step) + 1), size],
    strides: [...strides.with(axis, strides[axis]! * step), strides[axis]!],
    offset,
  }),
  // Each element's gradient is the sum of those of all parts that show it.
  gradient([g], { inputs: [x], attributes: { axis, size, step } }) {
    const { shape } = x;
    const others = [...shape.keys()].filter((each) => each !== axis);
    const parts = call("permute", [g!], { axes: [axis, shape.length, ...others] });
    const [first, within] = [g!.shape[axis]!, size].map((count) => call("countFrom", [g!], { shape: [count] }));
    const starts = call("reshapeTo", [call("mul", [first!, step])], { shape: [g!.shape[axis]!, 1] });
    const sums = call("takeAtGradient", [parts, call("add", [starts, within!])], {
      lead: 1,
      shape: [shape[axis]!, ...others.map((each) => shape[each]!)],
    });
    return [
      call("permute", [sums], {
        axes: [...shape.keys()].map((each) => (each === axis ? 0 : others.indexOf(each) + 1)),
      }),
    ];
  },
  cost: () => ({ bytes: 0, flops: 0 }),
};

export const shapingRows = { cat, stack, roll, padConstant, diagonal, onDiagonal, unfold } as const;
