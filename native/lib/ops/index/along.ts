// Elements taken from and put at positions along an axis: what the gradients of sorting and of running extremes are
// made of.
import type { Execution } from "../../device/execution.ts";
import type { DeviceArray } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { sizeOf, type Shape } from "../../memory/shape.ts";
import { call } from "../core/calls.ts";
import { bySize, fill, withFlat } from "../shape/copy.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { blocksFor } from "../kernels/blocks.ts";
import { KernelFamily } from "../kernels/library.ts";
import type { Computation } from "../core/operation.ts";

/** [outer, length, inner] around an axis; a tensor without axes is one element. */
export function aroundAxis(shape: Shape, axis: number): { outer: number; length: number; inner: number } {
  return { outer: sizeOf(shape.slice(0, axis)), length: shape[axis] ?? 1, inner: sizeOf(shape.slice(axis + 1)) };
}

const floats: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
const places = new KernelFamily("along", Object.values(bySize), (type) => `take_along<${type}>`, [
  "place",
  "place",
  "out",
  "i64",
  "i64",
  "i64",
  "i64",
]);
const puts = new KernelFamily("along", Object.values(bySize), (type) => `put_along<${type}>`, [
  "place",
  "place",
  "out",
  "i64",
  "i64",
  "i64",
  "i64",
]);
const sums = new KernelFamily("along", floats, (type) => `sum_runs<${type}>`, [
  "place",
  "place",
  "out",
  "i64",
  "i64",
  "i64",
]);

function launchAlong(
  on: Execution,
  family: KernelFamily,
  dtype: DType,
  out: DeviceArray,
  source: DeviceArray,
  indices: DeviceArray,
  lengths: readonly number[],
  count: number,
): void {
  if (count === 0) return;
  family.launch(on, dtype, blocksFor(on.device, count), [source, indices, out, count, ...lengths]);
}

/**
 * Elements of x at positions along an axis: int64, in range, of the result's shape. Made by operations of this library,
 * so not checked.
 */
export const takeAlong: Computation<[x: DeviceArray, indices: DeviceArray], { axis: number }> = {
  inPlace: false,
  infer: ([x, indices]) => [{ shape: indices.shape, dtype: x.dtype }],
  run([out], [x, indices], { axis }, on) {
    const dtype = bySize[factsOf(out!.dtype).bytes]!;
    withFlat(on, x, x.dtype, (source) =>
      withFlat(on, indices, "int64", (at) => {
        const { inner, length } = aroundAxis(out!.shape, axis);
        launchAlong(on, places, dtype, out!, source, at, [source.shape[axis] ?? 1, length, inner], out!.size);
      }),
    );
  },
  gradient: ([g], { inputs: [x, indices], attributes: { axis } }) => [
    call("putAlong", [g!, indices], { axis, length: x.shape[axis] ?? 1 }),
    null,
  ],
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: 0 }),
};

/** Zeros, along an axis of `length`, with the elements of g at their positions, each of which occurs once. */
const putAlong: Computation<[g: DeviceArray, indices: DeviceArray], { axis: number; length: number }> = {
  inPlace: false,
  infer: ([g], { axis, length }) => [
    {
      shape: g.shape.map((size, each) => (each === axis ? length : size)),
      dtype: g.dtype,
    },
  ],
  run([out], [g, indices], { axis, length }, on) {
    fill(on, out!, 0);
    withFlat(on, g, out!.dtype, (source) =>
      withFlat(on, indices, "int64", (at) => {
        const { inner, length: own } = aroundAxis(source.shape, axis);
        launchAlong(on, puts, bySize[factsOf(out!.dtype).bytes]!, out!, source, at, [length, own, inner], source.size);
      }),
    );
  },
  gradient: ([g], { inputs: [, indices], attributes: { axis } }) => [call("takeAlong", [g!, indices], { axis }), null],
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: 0 }),
};

/** The same for positions that come in runs of equal ones, whose elements are added. */
const sumRuns: Computation<[g: DeviceArray, indices: DeviceArray], { axis: number }> = {
  inPlace: false,
  infer: ([g]) => [{ shape: g.shape, dtype: g.dtype }],
  run([out], [g, indices], { axis }, on) {
    fill(on, out!, 0);
    withFlat(on, g, out!.dtype, (flat) =>
      withFlat(on, indices, "int64", (at) => {
        const { inner, length } = aroundAxis(flat.shape, axis);
        launchAlong(on, sums, out!.dtype, out!, flat, at, [length, inner], flat.size);
      }),
    );
  },
  gradient: ([g], { inputs: [, indices], attributes }) => [call("takeAlong", [g!, indices], attributes), null],
  cost: (inputs, outputs) => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs),
    flops: inputs[0].size,
  }),
};

export const alongRows = { takeAlong, putAlong, sumRuns } as const;
