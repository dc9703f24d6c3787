// Reductions along axes: sums, means and extremes, in an accumulator that is wide enough, then rounded once.
import { DeviceArray, viewOf } from "../memory/array.ts";
import { dtypeNames, factsOf, type DType } from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { formatShape, sizeOf, transposed, type Shape } from "../memory/shape.ts";
import { call } from "./calls.ts";
import { contiguous, copy, fill } from "./copy.ts";
import { bytesMoved } from "./elementwise.ts";
import { KernelFamily } from "./library.ts";
import { sameShape } from "./map.ts";
import type { Computation, Facts } from "./operation.ts";

export interface Reduction { readonly axes: readonly number[]; readonly keepdims: boolean; }

type Functor = "SumOf" | "MaxOf" | "MinOf";

// Rounding errors of a sum grow with the additions in a row: chunk / lanes, then the tree (device/ops/reduce.cu).
const columnChunk = 64;
const rowThreads = 256;
const rowChunk = 16384;

/** Most roundings that one element of a sum of `length` elements passes through, in any pass order that {@link reduceInto} chooses. */
export function roundingsOf(length: number): number {
  if (length <= 1) return 0;
  const inColumn = columnChunk / 8 + 3;
  const inRow = rowChunk / rowThreads / 8 + 3 + 8;
  return Math.max(inColumn + roundingsOf(Math.ceil(length / columnChunk)), inRow + (length > rowChunk ? roundingsOf(Math.ceil(length / rowChunk)) : 0));
}

/** What results are kept in before they are rounded to the dtype asked for. */
export function accumulatorOf(dtype: DType): DType {
  if (dtype === "float64" || dtype === "uint64") return dtype;
  return factsOf(dtype).kind === "float" ? "float32" : "int64";
}

const reducible = dtypeNames.filter((dtype) => factsOf(dtype).isStorage !== true);
const kinds = { columns: ["place", "out", "i64", "i64", "i64", "i64", "i64"], rows: ["place", "out", "i64", "i64", "i64"] } as const;
function families(functor: Functor, accumulator: (dtype: DType) => DType) {
  const make = (kernel: "columns" | "rows") => new KernelFamily("reduce", reducible, (type, dtype) => `${kernel}<${functor}, ${type}, ${factsOf(accumulator(dtype)).c}>`, kinds[kernel]);
  return { columns: make("columns"), rows: make("rows") };
}
const kernels = { SumOf: families("SumOf", accumulatorOf), MaxOf: families("MaxOf", accumulatorOf), MinOf: families("MinOf", accumulatorOf) };
const doubleSum = families("SumOf", () => "float64");

/** Reduces `axes` (sorted) of `input` into a new array of the accumulator's dtype, shape [remaining sizes, flat]. There is at least one element. */
function reduce(functor: Functor, input: DeviceArray, axes: readonly number[], inDouble: boolean): DeviceArray {
  const { device } = input.living();
  const { source, outer, length, inner } = arranged(input, axes);
  let from: DeviceArray = source;
  let left = length;
  do {
    const byColumns = inner > 1 || left <= columnChunk;
    const chunk = byColumns ? columnChunk : rowChunk;
    const parts = Math.ceil(left / chunk);
    const dtype: DType = inDouble ? "float64" : accumulatorOf(from.dtype);
    const to = DeviceArray.allocate(device, dtype, [outer * parts * inner]);
    const { columns, rows } = inDouble ? doubleSum : kernels[functor];
    if (byColumns) columns.on(device, from.dtype).launch(Math.ceil(to.size / 256), 256, [from, to, to.size, left, inner, parts, chunk]);
    else rows.on(device, from.dtype).launch(outer * parts, rowThreads, [from, to, left, parts, chunk]);
    from.dispose();
    from = to;
    left = parts;
  } while (left > 1);
  return from;
}

/** The input as [outer, length, inner], in row-major order: itself where the axes are neighbours in a contiguous array, else a copy with them last. */
function arranged(input: DeviceArray, axes: readonly number[]) {
  const { shape } = input;
  const length = sizeOf(axes.map((axis) => shape[axis]!));
  const areNeighbours = axes.every((axis, index) => axis === axes[0]! + index);
  if (input.isContiguous && areNeighbours) {
    const first = axes[0] ?? shape.length;
    return { source: viewOf(input, input), outer: sizeOf(shape.slice(0, first)), length, inner: sizeOf(shape.slice(first + axes.length)) };
  }
  const kept = shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  using moved = viewOf(input, transposed(input, [...kept, ...axes]));
  return { source: contiguous(moved), outer: sizeOf(kept.map((axis) => shape[axis]!)), length, inner: 1 };
}

export function reducedShape(shape: Shape, { axes, keepdims }: Reduction): number[] {
  return keepdims ? shape.map((size, axis) => (axes.includes(axis) ? 1 : size)) : shape.filter((_, axis) => !axes.includes(axis));
}

/** The gradient, of the reduced shape, spread over the input's. */
function spread(g: DeviceArray, { shape }: DeviceArray, axes: readonly number[]): DeviceArray {
  const kept = shape.map((size, axis) => (axes.includes(axis) ? 1 : size));
  return call("expand", [call("reshapeTo", [g], { shape: kept })], { shape });
}

const isFloat = (dtype: DType) => factsOf(dtype).kind === "float";
const sumDType = (dtype: DType): DType => (isFloat(dtype) || dtype === "uint64" ? dtype : "int64");

function refuseStorage(name: string, { dtype }: Facts): void {
  if (factsOf(dtype).isStorage) throw new TensorError("DTYPE", `${name} takes numbers that compute but got ${dtype}: convert it, e.g. with .to("float32").`);
}

function reduceInto(out: DeviceArray, functor: Functor, input: DeviceArray, axes: readonly number[], inDouble = false): void {
  if (input.size === 0) return fill(out, 0);
  using flat = reduce(functor, input, axes, inDouble);
  using shaped = new DeviceArray(flat.living().hold(), flat.dtype, { shape: out.shape, strides: out.strides, offset: 0 });
  copy(out, shaped);
}

const sum: Computation<Reduction> = {
  inPlace: false,
  infer([x], attributes) {
    refuseStorage("sum", x as DeviceArray);
    return [{ shape: reducedShape((x as DeviceArray).shape, attributes), dtype: sumDType((x as DeviceArray).dtype) }];
  },
  run: ([out], [x], { axes }) => reduceInto(out!, "SumOf", x as DeviceArray, axes),
  gradient: ([g], { inputs: [x], attributes }) => [spread(g!, x as DeviceArray, attributes.axes)],
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: (inputs[0] as DeviceArray).size }),
};

const mean: Computation<Reduction> = {
  ...sum,
  infer([x], attributes) {
    refuseStorage("mean", x as DeviceArray);
    const { shape, dtype } = x as DeviceArray;
    return [{ shape: reducedShape(shape, attributes), dtype: isFloat(dtype) ? dtype : "float32" }];
  },
  run([out], [x], { axes }) {
    const input = x as DeviceArray;
    const count = sizeOf(axes.map((axis) => input.shape[axis]!));
    // A sum of int64 may not fit int64 where the mean does.
    const inDouble = !isFloat(input.dtype);
    const dtype = inDouble ? "float64" : accumulatorOf(input.dtype);
    using total = DeviceArray.allocate(out!.living().device, dtype, out!.shape);
    reduceInto(total, "SumOf", input, axes, inDouble);
    using quotient = call("div", [total, count]);
    copy(out!, quotient);
  },
  gradient: ([g], { inputs: [x], attributes: { axes } }) => [call("div", [spread(g!, x as DeviceArray, axes), sizeOf(axes.map((axis) => (x as DeviceArray).shape[axis]!))])],
};

function extreme(name: "max" | "min", functor: "MaxOf" | "MinOf"): Computation<Reduction> {
  return {
    ...sum,
    infer([x], attributes) {
      refuseStorage(name, x as DeviceArray);
      const { shape, dtype } = x as DeviceArray;
      if (sizeOf(attributes.axes.map((axis) => shape[axis]!)) === 0) throw new TensorError("SHAPE", `${name} over no elements has no value: the shape is ${formatShape(shape)}.`);
      return [{ shape: reducedShape(shape, attributes), dtype }];
    },
    run: ([out], [x], { axes }) => reduceInto(out!, functor, x as DeviceArray, axes),
    // Of equal elements each gets an equal share, as in PyTorch's amax.
    gradient: ([g], { inputs: [x], outputs: [y], attributes: { axes } }) => {
      const input = x as DeviceArray;
      const isIt = call("convert", [call("eq", [input, spread(y!, input, axes)])], { dtype: input.dtype });
      return [call("mul", [isIt, spread(call("div", [g!, call("reshapeTo", [call("sum", [isIt], { axes, keepdims: false })], { shape: g!.shape })]), input, axes)])];
    },
  };
}

/** The sum over the axes that were stretched from `shape`, with that shape. */
const sumTo: Computation<{ shape: Shape }> = {
  inPlace: false,
  infer: ([x], { shape }) => [{ shape, dtype: (x as DeviceArray).dtype }],
  run([out], [x], { shape }) {
    const input = x as DeviceArray;
    const missing = input.shape.length - shape.length;
    const axes = input.shape.flatMap((size, axis) => (axis < missing || (shape[axis - missing] === 1 && size !== 1) ? [axis] : []));
    if (axes.length === 0 && sameShape(input.shape, shape)) return copy(out!, input);
    reduceInto(out!, "SumOf", input, axes);
  },
  gradient: ([g], { inputs: [x] }) => [call("expand", [g!], { shape: (x as DeviceArray).shape })],
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: (inputs[0] as DeviceArray).size }),
};

export const reductionRows = { sum, mean, max: extreme("max", "MaxOf"), min: extreme("min", "MinOf"), sumTo } as const;
