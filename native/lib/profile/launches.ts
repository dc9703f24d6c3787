// The kernels that devices ran: turns single launches into a row for each kernel, as CUDA.jl's profiler lists them.
import type { LaunchOccupancy } from "./occupancy.ts";
import type { Draft, KernelRow } from "./slices.ts";

export interface Launch {
  /** Index of its draft. */
  readonly draft: number;
  readonly device: string;
  readonly name: string;
  readonly operation: string | null;
  readonly place: number;
  /** Nanoseconds. */
  readonly start: number;
  readonly end: number;
  readonly grid: readonly number[];
  readonly block: readonly number[];
  readonly registers: number;
  readonly shared: number;
  readonly local: number;
  readonly occupancy: LaunchOccupancy | null;
  readonly bytes: number | null;
  readonly flops: number | null;
  readonly dtype: string | null;
  readonly counters: Record<string, number> | null;
}

export class LaunchList {
  readonly #byKernel = new Map<string, Launch[]>();

  add(launch: Launch): void {
    const key = `${launch.device}\0${launch.name}\0${launch.operation ?? ""}`;
    const known = this.#byKernel.get(key);
    if (known === undefined) this.#byKernel.set(key, [launch]);
    else known.push(launch);
  }

  /** The last launch of each kernel. */
  latest(): Launch[] {
    return [...this.#byKernel.values()].map((launches) => launches.reduce((last, launch) => (launch.start >= last.start ? launch : last)));
  }

  /** A row for each kernel, the one that took most time first; the drafts of its launches are given its number. */
  rows(drafts: readonly Draft[]): KernelRow[] {
    const groups = [...this.#byKernel.values()].map((launches) => ({ launches, total: launches.reduce((sum, { start, end }) => sum + end - start, 0) })).sort((a, b) => b.total - a.total);
    const all = groups.reduce((sum, { total }) => sum + total, 0);
    return groups.map(({ launches, total }, row) => {
      for (const { draft } of launches) drafts[draft]!.kernel = row;
      return rowOf(launches, total, all);
    });
  }
}

function rowOf(launches: readonly Launch[], total: number, all: number): KernelRow {
  const calls = launches.length;
  const mean = total / calls;
  let [min, max, squares, longest] = [Infinity, 0, 0, launches[0]!];
  for (const launch of launches) {
    const time = launch.end - launch.start;
    min = Math.min(min, time);
    if (time > max) [max, longest] = [time, launch];
    squares += (time - mean) ** 2;
  }
  const { name, operation, device, grid, block, registers, shared, local, occupancy, dtype } = longest;
  return {
    name, operation, device, calls, total, mean, deviation: calls < 2 ? 0 : Math.sqrt(squares / (calls - 1)), min, max, share: all === 0 ? 0 : total / all, grid: [...grid], block: [...block],
    registers: registers === 0 ? null : registers, shared, local: registers === 0 ? null : local, theoreticalOccupancy: occupancy?.theoretical ?? null, achievedOccupancy: occupancy?.achieved ?? null,
    limiter: occupancy?.limiter ?? null, bytes: meanOf(launches, "bytes"), flops: meanOf(launches, "flops"), dtype, counters: countersOf(launches), places: [...new Set(launches.map(({ place }) => place))].filter((place) => place >= 0),
  };
}

/** `null` where it is not known of all of them. */
function meanOf(launches: readonly Launch[], what: "bytes" | "flops"): number | null {
  let sum = 0;
  for (const launch of launches) {
    const amount = launch[what];
    if (amount === null) return null;
    sum += amount;
  }
  return sum / launches.length;
}

/** The mean of each, over the launches that were counted. */
function countersOf(launches: readonly Launch[]): Record<string, number> {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const { counters } of launches) {
    for (const [name, value] of Object.entries(counters ?? {})) {
      const known = sums.get(name) ?? { sum: 0, count: 0 };
      sums.set(name, { sum: known.sum + value, count: known.count + 1 });
    }
  }
  return Object.fromEntries([...sums].map(([name, { sum, count }]) => [name, sum / count]));
}
