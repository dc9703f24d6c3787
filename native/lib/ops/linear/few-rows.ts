// Few rows by a matrix on a GPU (device/ops/few_rows.cu): as a model makes one token after another, and products of a
// matrix and a vector.
import type { Execution } from "../../device/execution.ts";
import type { DeviceArray } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { mayTake, takes } from "../core/dispatch.ts";
import { onDevice } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily, type ParameterKind } from "../kernels/library.ts";

const dtypes: readonly DType[] = ["float32", "float16", "bfloat16"];
const kinds: readonly ParameterKind[] = ["place", "place", "place", "out", "out", ...Array<"i64">(8).fill("i64")];
/** Kernels for so many rows, and for so many rows of the matrix to a warp. */
const rowCounts = [1, 2, 4];
const outputCounts = [1, 2];
const kernels = rowCounts.map((rows) =>
  outputCounts.map(
    (outputs) => new KernelFamily("few_rows", dtypes, (type) => `few_rows<${type}, ${rows}, ${outputs}>`, kinds),
  ),
);
const facts = kernelFacts("few_rows", { threads: "kFewThreads", mostRows: "kMostFewRows" });
const activations = { none: 0, relu: 1, gelu: 2 } as const;

/** From so many warps to a multiprocessor on, each has two rows of the matrix, and reads x half as often. */
const manyWarps = 64;

/**
 * The most elements of a matrix of 16 bits by how many rows it takes: beyond, a library's tensor cores are sooner done
 * (measured on an H100).
 */
const mostOfSixteenBits: Readonly<Record<number, number>> = { 1: Infinity, 2: 2 ** 24, 4: 2 ** 22 };
/** Whether there are warps enough for as much as each of them reads, bytes. */
const isShared = (outputs: number, rowBytes: number) => rowBytes <= 16 * outputs + 4096;

/** Rows whose elements lie side by side, `step` apart. */
export interface Rows {
  readonly array: DeviceArray;
  readonly count: number;
  readonly step: number;
}
/** What becomes of the sums, and where (row, output) of the result lies. */
export interface Finish {
  readonly bias: DeviceArray | null;
  readonly activation: keyof typeof activations;
  /** Gets what is activated. */
  readonly kept: DeviceArray | null;
  readonly row: number;
  readonly output: number;
}

/** Fills `out` with f(x · wᵀ + bias), arrays of one dtype, where it can: what it says. */
export function fewRowsInto(on: Execution, out: DeviceArray, x: Rows, w: Rows, depth: number, finish: Finish): boolean {
  const { dtype } = out;
  if (!dtypes.includes(dtype) || !onDevice(on.device, { serial: false, threads: true })) return false;
  const { bytes } = factsOf(dtype);
  const elements = 16 / bytes;
  const isAligned = ({ array, step }: Rows) => array.placeLow % 16 === 0 && step % elements === 0;
  const { threads, mostRows } = facts();
  if (x.count < 1 || x.count > mostRows || w.count < 1 || depth < 1 || depth % elements !== 0) return false;
  if (!isAligned(x) || !isAligned(w) || !mayTake("matmul", "rows")) return false;
  const rows = rowCounts.findIndex((count) => count >= x.count);
  if (!isShared(w.count, depth * bytes)) return false;
  if (bytes === 2 && w.count * depth > mostOfSixteenBits[rowCounts[rows]!]!) return false;
  takes(on, "matmul", "rows");
  const warps = threads / 32;
  const each = w.count >= outputCounts[1]! * manyWarps * on.device.properties.multiprocessors ? 1 : 0;
  const kernel = kernels[rows]![each]!;
  const grid = Math.ceil(w.count / (warps * outputCounts[each]!));
  const { bias, activation, kept, row, output } = finish;
  kernel.launch(on, dtype, { grid, block: threads }, [
    ...[x.array, w.array, bias, kept, out],
    ...[x.count, w.count, depth, x.step, w.step, row, output, activations[activation]],
  ]);
  return true;
}
