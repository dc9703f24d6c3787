// A reduction along some axes: plans passes over [outer, length, inner] until one part of each row is left.
import type { DType } from "../memory/dtype.ts";
import { launchLibrary, type TemplateArgument } from "./operand.ts";
import type { DeviceProcess } from "../device/process.ts";
import { sizeOf } from "../memory/shape.ts";
import { Tensor } from "../tensor/tensor.ts";

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
  if (dtype === "float64") return "float64";
  return dtype === "float32" || dtype === "float16" || dtype === "bfloat16" ? "float32" : "int64";
}

/** Reduces `axes` (sorted) of `input` with `op` of reduce.cu into a new tensor of dtype `dtype`, an accumulator for it, shape [remaining sizes, flat]. There is at least one element. */
export function reduce(device: DeviceProcess, op: "SumOf" | "MaxOf" | "MinOf", input: Tensor, axes: readonly number[], dtype: DType): Tensor {
  const { source, outer, length, inner } = arranged(input, axes);
  let from: Tensor = source;
  let left = length;
  do {
    const byColumns = inner > 1 || left <= columnChunk;
    const chunk = byColumns ? columnChunk : rowChunk;
    const parts = Math.ceil(left / chunk);
    const to = Tensor.empty(device, dtype, [outer * parts * inner]);
    const template: TemplateArgument[] = [op, { dtype: from.dtype }, { dtype }];
    if (byColumns) launchLibrary(device, { file: "reduce", name: "columns", template }, to.size, [from, to, to.size, left, inner, parts, chunk]);
    else launchLibrary(device, { file: "reduce", name: "rows", template }, { grid: outer * parts, block: rowThreads }, [from, to, left, parts, chunk]);
    from.dispose();
    from = to;
    left = parts;
  } while (left > 1);
  return from;
}

/** The input as [outer, length, inner], in row-major order: itself where the axes are neighbours in a contiguous tensor, else a copy with them last. */
function arranged(input: Tensor, axes: readonly number[]) {
  const { shape } = input;
  const length = sizeOf(axes.map((axis) => shape[axis]!));
  const areNeighbours = axes.every((axis, index) => axis === axes[0]! + index);
  if (input.isContiguous && areNeighbours) {
    const first = axes[0] ?? shape.length;
    return { source: input.contiguous(), outer: sizeOf(shape.slice(0, first)), length, inner: sizeOf(shape.slice(first + axes.length)) };
  }
  const kept = shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  using moved = input.transpose([...kept, ...axes]);
  return { source: moved.contiguous(), outer: sizeOf(kept.map((axis) => shape[axis]!)), length, inner: 1 };
}
