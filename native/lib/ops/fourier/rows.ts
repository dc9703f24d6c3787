// Fourier transforms of rows one after the other, each with all of its passes while it is in a core's caches.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import { onDevice } from "../kernels/blocks.ts";
import { KernelFamily } from "../kernels/library.ts";
import { partDTypes, type Chain, type PartDType } from "./chain.ts";

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

/**
 * Whether rows of `n` points go through all passes one after the other, in a core's caches, which is done then: where a
 * block is one thread, and there are enough rows.
 */
export function rowsAtOnce(
  on: Execution,
  dtype: PartDType,
  chain: Chain,
  out: DeviceArray,
  x: DeviceArray,
  kind: keyof typeof rowKinds,
  { inside, conjugates }: { readonly inside: number; readonly conjugates: boolean } = { inside: 1, conjugates: false },
): boolean {
  const { device } = on;
  const { outer, n, inner } = chain.problem;
  const { multiprocessors } = device.properties;
  const isSmall = outer * n <= groupPoints;
  const fits = inner === 1 && (isSmall || outer >= 2 * multiprocessors);
  if (!onDevice(device, { serial: fits, threads: false })) return false;
  const group = Math.max(1, Math.min(outer, Math.floor(groupPoints / n / 16) * 16 || Math.floor(groupPoints / n)));
  const grid = isSmall ? 1 : Math.min(Math.ceil(outer / group), 4 * multiprocessors);
  using scratch = DeviceArray.allocate(device, dtype, [2 * n * group * grid]);
  const places = [chain.words, x, out, scratch, chain.table, chain.halves, group];
  kernel.launch(on, dtype, { grid, block: 1 }, [...places, rowKinds[kind], inside, Number(conjugates)]);
  return true;
}
