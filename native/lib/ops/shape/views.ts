// Operations that show the same memory another way, and those that copy or convert it whole.
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { factsOf, hasGradients, type DType } from "../../memory/dtype.ts";
import { TensorError } from "../../errors.ts";
import {
  broadcast,
  checkedAxis,
  formatShape,
  reshapedStrides,
  stretch,
  transposed,
  windowed,
  type Shape,
  type View,
  type Window,
} from "../../memory/shape.ts";
import { call } from "../core/calls.ts";
import { choose } from "../elementwise/choose.ts";
import { copy, fill } from "./copy.ts";
import { bytesMoved, unbroadcast } from "../elementwise/elementwise.ts";
import { sameShape } from "../kernels/map.ts";
import type { Computation, Cost, None, Operand, Viewing } from "../core/operation.ts";
import { promoted, promotedWith } from "../../memory/promotion.ts";

const free = (): Cost => ({ bytes: 0, flops: 0 });
const moved = (inputs: readonly Operand[], outputs: readonly DeviceArray[]): Cost => ({
  bytes: bytesMoved(inputs) + bytesMoved(outputs),
  flops: 0,
});

/** The same elements in row-major order under another shape: a view where strides allow one. */
export function reshaped(x: DeviceArray, shape: Shape): DeviceArray {
  if (sameShape(x.shape, shape)) return x;
  const strides = reshapedStrides(x, shape);
  return strides === null ? call("reshapeTo", [x], { shape }) : call("reshape", [x], { shape, strides });
}

/** `reshape` where the strides allow a view; the caller knows. */
const reshape: Viewing<[x: DeviceArray], { shape: Shape; strides: readonly number[] }> = {
  view: ({ offset }, { shape, strides }) => ({ shape, strides, offset }),
  gradient: ([g], { inputs: [x] }) => [reshaped(g!, x.shape)],
  cost: free,
};

/** `reshape` by a copy. */
const reshapeTo: Computation<[x: DeviceArray], { shape: Shape }> = {
  inPlace: false,
  infer: ([x], { shape }) => [{ shape, dtype: x.dtype }],
  run([out], [x], _, on) {
    const input = x;
    using shaped = new DeviceArray(out!.living().hold(), out!.dtype, {
      shape: input.shape,
      strides: rowMajor(input.shape),
      offset: out!.offset,
    });
    copy(on, shaped, input);
  },
  gradient: ([g], { inputs: [x] }) => [reshaped(g!, x.shape)],
  cost: moved,
};

function rowMajor(shape: Shape): number[] {
  const strides: number[] = new Array(shape.length);
  let stride = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = stride;
    stride *= shape[axis]!;
  }
  return strides;
}

const permute: Viewing<[x: DeviceArray], { axes: readonly number[] }> = {
  view: (x, { axes }) => transposed(x, axes),
  gradient: ([g], { inputs: [x], attributes: { axes } }) => {
    const rank = x.shape.length;
    const inverse: number[] = new Array(rank);
    axes.forEach((axis, index) => {
      inverse[checkedAxis(axis, rank)] = index;
    });
    return [call("permute", [g!], { axes: inverse })];
  },
  cost: free,
};

const slice: Viewing<[x: DeviceArray], Window> = {
  isPart: true,
  view: windowed,
  gradient: ([g], { inputs: [x], attributes }) => [call("sliceGradient", [g!], { window: attributes, shape: x.shape })],
  cost: free,
};

/** Zeros with the gradient of a slice at its place. */
const sliceGradient: Computation<[g: DeviceArray], { window: Window; shape: Shape }> = {
  inPlace: false,
  infer: ([g], { shape }) => [{ shape, dtype: g.dtype }],
  run([out], [g], { window }, on) {
    fill(on, out!, 0);
    using part = new DeviceArray(out!.living().hold(), out!.dtype, windowed(out!, window));
    copy(on, part, g);
  },
  gradient: ([g], { attributes: { window } }) => [call("slice", [g!], window)],
  cost: moved,
};

/** A copy of a contiguous array with zeros in a part: what is left of a gradient where a view was changed. */
const cleared: Computation<[x: DeviceArray], { part: View }> = {
  inPlace: false,
  infer: ([x]) => [{ shape: x.shape, dtype: x.dtype }],
  run([out], [x], { part }, on) {
    copy(on, out!, x);
    using seen = viewOf(out!, { ...part, offset: out!.offset + part.offset });
    fill(on, seen, 0);
  },
  gradient: ([g], { attributes }) => [call("cleared", [g!], attributes)],
  cost: moved,
};

const expand: Viewing<[x: DeviceArray], { shape: Shape }> = {
  view: (x, { shape }) => {
    if (!sameShape(broadcast(x.shape, shape), shape))
      throw new TensorError(
        "SHAPE",
        `A tensor of shape ${formatShape(x.shape)} does not expand to ${formatShape(shape)}: only axes of size 1 stretch.`,
      );
    return stretch(x, shape);
  },
  gradient: ([g], { inputs: [x] }) => [call("sumTo", [g!], { shape: x.shape })],
  cost: free,
};

const convert: Computation<[x: DeviceArray], { dtype: DType }> = {
  inPlace: true,
  infer: ([x], { dtype }) => [{ shape: x.shape, dtype }],
  run: ([out], [x], _, on) => copy(on, out!, x),
  element: ([x], { dtype }) => ({ functor: "Same", operands: [[x, dtype]], dtype }),
  gradient: ([g], { inputs: [x] }) => [hasGradients(x.dtype) ? call("convert", [g!], { dtype: x.dtype }) : null],
  cost: moved,
};

/** A copy without gaps, whatever the order of the operand's axes. */
const clone: Computation<[x: DeviceArray], None> = {
  inPlace: true,
  isRowMajor: true,
  infer: ([x]) => [{ shape: x.shape, dtype: x.dtype }],
  run: ([out], [x], _, on) => copy(on, out!, x),
  element: ([x]) => ({ functor: "Same", operands: [[x, x.dtype]], dtype: x.dtype }),
  gradient: ([g]) => [g!],
  cost: moved,
};

const fullLike: Computation<[x: DeviceArray], { value: number | bigint | boolean }> = {
  inPlace: true,
  infer: ([x]) => [{ shape: x.shape, dtype: x.dtype }],
  run: ([out], _, { value }, on) => fill(on, out!, value),
  element: ([x], { value }) => ({
    functor: "Same",
    operands: [[value, x.dtype]],
    dtype: x.dtype,
  }),
  gradient: () => [null],
  cost: moved,
};

const where: Computation<[condition: DeviceArray, a: Operand, b: Operand], None> = {
  inPlace: true,
  infer([condition, a, b]) {
    const mask = condition;
    if (mask.dtype !== "bool")
      throw new TensorError(
        "DTYPE",
        `where takes a condition of bool but got ${mask.dtype}: compare it, e.g. with .ne(0).`,
      );
    const shapes = [a, b].flatMap((operand) => (operand instanceof DeviceArray ? [operand.shape] : []));
    return [
      {
        shape: shapes.reduce<readonly number[]>(
          (shape, other) => (sameShape(shape, other) ? shape : broadcast(shape, other)),
          mask.shape,
        ),
        dtype: commonDType(a, b),
      },
    ];
  },
  run([out], [condition, a, b], _, on) {
    choose(on, out!, condition, a, b);
  },
  element([condition, a, b]) {
    const dtype = commonDType(a, b);
    return {
      functor: "Where",
      operands: [
        [condition, "bool"],
        [a, dtype],
        [b, dtype],
      ],
      dtype,
    };
  },
  gradient: ([g], { inputs: [condition, a, b], wanted }) => [
    null,
    wanted[1] ? unbroadcast(call("where", [condition, g!, 0]), a) : null,
    wanted[2] ? unbroadcast(call("where", [condition, 0, g!]), b) : null,
  ],
  cost: moved,
};

function commonDType(a: Operand, b: Operand): DType {
  if (a instanceof DeviceArray) return b instanceof DeviceArray ? promoted(a.dtype, b.dtype) : promotedWith(a.dtype, b);
  if (b instanceof DeviceArray) return promotedWith(b.dtype, a);
  return typeof a === "boolean" && typeof b === "boolean"
    ? "bool"
    : typeof a === "bigint" || typeof b === "bigint"
      ? "int64"
      : "float32";
}

export const viewRows = { reshape, permute, slice, expand } as const;
export const copyRows = { reshapeTo, sliceGradient, cleared, clone, convert, fullLike, where } as const;
