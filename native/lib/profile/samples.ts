// Where the warps of kernels were found while a profile was on: gives what a device sampled to the rows of the profile
// and to the listings of its kernels.
import type { DeviceProcess } from "../device/process.ts";
import { kernelsWithSymbol } from "../cuda/loaded-module.ts";
import { hasListing, keepSamples } from "../cuda/samples.ts";
import type { KernelRow } from "./slices.ts";

/**
 * How often, by what the warp waited for: "long scoreboard", "barrier" …; "selected" where it ran, "not selected" where
 * it could have.
 */
export type SampleCounts = Readonly<Record<string, number>>;

export interface SampledInstruction {
  /** Bytes from the kernel's first instruction. */
  readonly offset: number;
  readonly samples: SampleCounts;
}

/** Kernels of a device that have a name for people in common, and one in machine code. */
export interface SampledKernel {
  readonly device: string;
  readonly name: string;
  readonly symbol: string;
  readonly instructions: readonly SampledInstruction[];
}

export const sumOf = (samples: SampleCounts): number => Object.values(samples).reduce((sum, count) => sum + count, 0);

/** Gives each row its kernel's samples. Where two operations launch one kernel nobody knows whose they are. */
export function withSamples(rows: readonly KernelRow[], sampled: readonly SampledKernel[]): KernelRow[] {
  const keyOf = ({ device, name }: { device: string; name: string }): string => `${device}\0${name}`;
  const counts = new Map<string, Map<string, number>>();
  for (const kernel of sampled) {
    const sums = counts.get(keyOf(kernel)) ?? new Map<string, number>();
    counts.set(keyOf(kernel), sums);
    for (const { samples } of kernel.instructions)
      for (const [reason, count] of Object.entries(samples)) sums.set(reason, (sums.get(reason) ?? 0) + count);
  }
  const shared = new Map<string, number>();
  for (const row of rows) shared.set(keyOf(row), (shared.get(keyOf(row)) ?? 0) + 1);
  return rows.map((row) =>
    shared.get(keyOf(row)) === 1 ? { ...row, samples: Object.fromEntries(counts.get(keyOf(row)) ?? []) } : row,
  );
}

/**
 * Keeps the samples of a device's kernels for their listings. A device tells kernels apart by their symbols: where
 * several have one, it is the one in `launched`. Returns a note about each symbol that leaves more than one.
 */
export function keepForListings(
  device: DeviceProcess,
  sampled: readonly SampledKernel[],
  launched: ReadonlySet<number>,
): string[] {
  const notes: string[] = [];
  const bySymbol = new Map<string, SampledKernel[]>();
  for (const kernel of sampled)
    if (kernel.device === device.name) bySymbol.set(kernel.symbol, [...(bySymbol.get(kernel.symbol) ?? []), kernel]);
  for (const [symbol, found] of bySymbol) {
    const listed = kernelsWithSymbol(device, symbol).filter(hasListing);
    if (listed.length === 0) continue;
    const [kernel, ...others] = listed.length === 1 ? listed : listed.filter((each) => launched.has(each));
    const [{ name, instructions }, ...more] = found as [SampledKernel];
    if (kernel !== undefined && others.length === 0 && more.length === 0)
      keepSamples(kernel, new Map(instructions.map(({ offset, samples }) => [offset, sumOf(samples)])));
    else
      notes.push(
        `${device.name}: Several kernels are called ${name}, and samples of them cannot be told apart: kernel.asm shows none of these. Profile one at a time.`,
      );
  }
  return notes;
}
