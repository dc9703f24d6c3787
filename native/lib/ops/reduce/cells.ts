// A region of a matrix as cells that stand for blocks of it: means, extremes, and what is not finite, reduced on the
// device, which reads the region once, however it lies.
import type { Execution } from "../../device/execution.ts";
import type { DeviceProcess } from "../../device/process.ts";
import { DeviceArray } from "../../memory/array.ts";
import { dtypeNames, factsOf, type DType } from "../../memory/dtype.ts";
import { read } from "../../memory/transfer.ts";
import { onDevice } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";

/** Cells, row by row; a byte each of `missing` has bits that say that an element is NaN (1), +∞ (2) or −∞ (4). */
export interface Cells {
  readonly rows: number;
  readonly columns: number;
  /** Of mean, min and max. */
  readonly dtype: "float32" | "float64";
  readonly mean: Uint8Array;
  readonly min: Uint8Array;
  readonly max: Uint8Array;
  readonly missing: Uint8Array;
}

const facts = kernelFacts("views", { part: "sizeof(Part) / sizeof(double)" });
/** Dtypes with elements that viewers' kernels take. */
export const viewedDTypes: readonly DType[] = dtypeNames.filter((dtype) => factsOf(dtype).kind !== "complex");
const gather = new KernelFamily("views", viewedDTypes, (type) => `cells<${type}>`, [
  "place",
  "i64",
  "i64",
  "i64",
  "i64",
  "i64",
  "i64",
  "i64",
  "i64",
  "out",
]);
const tell = new KernelFamily("views", viewedDTypes, (type) => `tell_cells<${type}>`, [
  "place",
  "i64",
  "i64",
  "i64",
  "i64",
  "out",
]);

/** Blocks that share a row of cells where a block is one thread, and threads that a GPU is filled with, about. */
const serialBlocks = 64;
const wantedThreads = 2 ** 18;
const threads = 256;
const warp = 32;
/** An axis of fewer elements is not gone along, if the other one has more: vectors and warps would be half empty. */
const leastAlong = 16;

/** Floats that have every element of these. */
const isNarrow = (dtype: DType) => factsOf(dtype).bytes < 4 || dtype === "float32";

/** Loads what {@link cellsOf} runs, so that the first question does not wait for it. */
export function prepareCells(device: DeviceProcess, dtype: DType): void {
  gather.on(device, dtype);
  tell.on(device, dtype);
}

/** Cells of step × step elements of a region of two axes with elements; `step` is a power of two. */
export function cellsOf(on: Execution, region: DeviceArray, step: number): Cells {
  const { device } = on;
  const isTurned = isTurnedOf(region);
  const along = <T>([rows, columns]: readonly [T, T]) => (isTurned ? [columns, rows] : [rows, columns]) as [T, T];
  const [height, width] = along(region.shape as [number, number]);
  const [rowStride, columnStride] = along(region.strides as [number, number]);
  const [down, across] = [Math.ceil(height / step), Math.ceil(width / step)];
  const lanes = Math.min(warp, step);
  const parts = Math.max(1, Math.ceil(wantedThreads / (down * across * lanes)));
  const most = onDevice(device, { serial: [1, 1], threads: [Math.min(step, height), Math.min(step, width)] });
  const rowSplits = Math.min(parts, most[0]!);
  const columnSplits = Math.min(Math.ceil(parts / rowSplits), Math.ceil(most[1]! / lanes));
  const splits = rowSplits * columnSplits;
  using found = DeviceArray.allocate(device, "float64", [down * across * splits * facts().part]);
  const blocks = onDevice(device, {
    serial: { grid: down * Math.max(1, Math.min(across, Math.floor(serialBlocks / down))), block: 1 },
    threads: { grid: Math.ceil((down * across * splits * lanes) / threads), block: threads },
  });
  gather.launch(on, region.dtype, blocks, [
    region,
    height,
    width,
    rowStride,
    columnStride,
    step,
    lanes,
    rowSplits,
    columnSplits,
    found,
  ]);

  const [rows, columns] = along([down, across]);
  const count = rows * columns;
  const dtype = isNarrow(region.dtype) ? "float32" : "float64";
  const bytes = count * factsOf(dtype).bytes;
  using told = DeviceArray.allocate(device, "uint8", [3 * bytes + count]);
  const tellers = onDevice(device, {
    serial: { grid: Math.min(serialBlocks, count), block: 1 },
    threads: { grid: Math.ceil(count / threads), block: threads },
  });
  tell.launch(on, region.dtype, tellers, [found, rows, columns, splits, isTurned ? 1 : 0, told]);
  const all = bytesOf(on, told);
  const [mean, min, max] = [0, 1, 2].map((field) => all.subarray(field * bytes, (field + 1) * bytes));
  return { rows, columns, dtype, mean: mean!, min: min!, max: max!, missing: all.subarray(3 * bytes) };
}

/** Whether neighbours along the first axis lie closer, and are what to go along. */
function isTurnedOf({ shape, strides }: DeviceArray): boolean {
  const [height, width] = shape as [number, number];
  if (width < leastAlong && height > width) return true;
  if (height < leastAlong && width > height) return false;
  return Math.abs(strides[0]!) < Math.abs(strides[1]!);
}

/** The elements of a contiguous array: a copy, so that its memory is free again at once. */
export function bytesOf(on: Execution, array: DeviceArray): Uint8Array {
  const bytes = new Uint8Array(array.bytes);
  read(on, array.living(), array.offset * factsOf(array.dtype).bytes, array.bytes, (part, at) => bytes.set(part, at));
  return bytes;
}
