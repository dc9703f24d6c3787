// Fourier transforms of rows one after the other, each with all of its passes while it is in a core's caches.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import { onDevice } from "../kernels/blocks.ts";
import { KernelFamily } from "../kernels/library.ts";
import { partDTypes, type Chain, type PartDType, type Problem } from "./chain.ts";

const kernel = new KernelFamily("fft", partDTypes, (type) => `fft_rows<${type}>`, [
  "struct",
  "place",
  "out",
  "out",
  "place",
  "i64",
  "i64",
  "i32",
  "f64",
  "i32",
]);

/** What fft_rows makes of rows. */
const rowKinds = { complex: 0, fromReal: 1, toReal: 2 } as const;
/** Points that a core has of several rows at a time. */
const groupPoints = 4096;

/** Whether rows go through all their passes one after the other: where a block is one thread, and there are enough. */
export function goesByRows({ device }: Execution, { outer, n, inner }: Problem): boolean {
  const isEnough = outer * n <= groupPoints || outer >= 2 * device.properties.multiprocessors;
  return onDevice(device, { serial: inner === 1 && isEnough, threads: false });
}

/** Blocks for so many rows, or groups of them, of `n` points each. */
export function rowBlocks({ device }: Execution, rows: number, n: number): number {
  return rows * n <= groupPoints ? 1 : Math.min(rows, 4 * device.properties.multiprocessors);
}

/** Runs a chain's passes over rows, one after the other; whether they {@link goesByRows}, and it did. */
export function rowsAtOnce(
  on: Execution,
  dtype: PartDType,
  chain: Chain,
  out: DeviceArray,
  x: DeviceArray,
  kind: keyof typeof rowKinds,
  { inside, conjugates }: { readonly inside: number; readonly conjugates: boolean } = { inside: 1, conjugates: false },
): boolean {
  const { outer, n } = chain.problem;
  if (!goesByRows(on, chain.problem)) return false;
  const group = Math.max(1, Math.min(outer, Math.floor(groupPoints / n / 16) * 16 || Math.floor(groupPoints / n)));
  const grid = rowBlocks(on, Math.ceil(outer / group), n * group);
  using scratch = DeviceArray.allocate(on.device, dtype, [2 * n * group * grid]);
  const places = [chain.words, x, out, scratch, chain.table, chain.halves, group];
  kernel.launch(on, dtype, { grid, block: 1 }, [...places, rowKinds[kind], inside, Number(conjugates)]);
  return true;
}
