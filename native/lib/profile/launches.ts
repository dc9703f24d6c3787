// The kernels that devices ran: turns single launches into a row for each kernel, as CUDA.jl's profiler lists them.
import type { LaunchOccupancy } from "./occupancy.ts";
import type { Drafts } from "./drafts.ts";
import type { KernelRow } from "./slices.ts";

/** What launches of one kernel have in common when they have the same facts. */
export interface LaunchFacts {
  readonly device: string;
  readonly name: string;
  readonly operation: string | null;
  readonly grid: readonly number[];
  readonly block: readonly number[];
  readonly registers: number;
  readonly shared: number;
  readonly local: number;
  readonly occupancy: LaunchOccupancy | null;
  readonly bytes: number | null;
  readonly flops: number | null;
  readonly dtype: string | null;
}

/** One launch. Nanoseconds. */
export interface Launch extends LaunchFacts {
  readonly start: number;
  readonly end: number;
}

interface Group {
  calls: number;
  total: number;
  /** Welford's: the mean so far, and the sum of squared distances from it. */
  mean: number;
  squares: number;
  min: number;
  max: number;
  longest: LaunchFacts;
  latest: LaunchFacts;
  latestStart: number;
  latestEnd: number;
  /** `null` once one launch is without. */
  bytes: number | null;
  flops: number | null;
  readonly places: Set<number>;
  readonly counters: Map<string, { sum: number; count: number }>;
}

export class LaunchList {
  readonly #groups: Group[] = [];
  readonly #numbers = new Map<string, number>();

  /** The number of the kernel, for {@link add}. */
  groupOf({ device, name, operation }: LaunchFacts): number {
    const key = `${device}\0${name}\0${operation ?? ""}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(key, number);
    return number;
  }

  add(
    number: number,
    facts: LaunchFacts,
    start: number,
    end: number,
    place: number,
    counters: Record<string, number> | undefined,
  ): void {
    const time = end - start;
    let group = this.#groups[number];
    if (group === undefined) {
      group = {
        calls: 0,
        total: 0,
        mean: 0,
        squares: 0,
        min: Infinity,
        max: -1,
        longest: facts,
        latest: facts,
        latestStart: start,
        latestEnd: end,
        bytes: 0,
        flops: 0,
        places: new Set(),
        counters: new Map(),
      };
      this.#groups[number] = group;
    }
    group.calls += 1;
    group.total += time;
    const distance = time - group.mean;
    group.mean += distance / group.calls;
    group.squares += distance * (time - group.mean);
    if (time < group.min) group.min = time;
    if (time > group.max) [group.max, group.longest] = [time, facts];
    if (start >= group.latestStart) [group.latest, group.latestStart, group.latestEnd] = [facts, start, end];
    group.bytes = group.bytes === null || facts.bytes === null ? null : group.bytes + facts.bytes;
    group.flops = group.flops === null || facts.flops === null ? null : group.flops + facts.flops;
    if (place >= 0) group.places.add(place);
    if (counters === undefined) return;
    for (const [name, value] of Object.entries(counters)) {
      const { sum, count } = group.counters.get(name) ?? { sum: 0, count: 0 };
      group.counters.set(name, { sum: sum + value, count: count + 1 });
    }
  }

  /** The last launch of each kernel. */
  latest(): Launch[] {
    return this.#groups.map(({ latest, latestStart, latestEnd }) => ({
      ...latest,
      start: latestStart,
      end: latestEnd,
    }));
  }

  /**
   * A row for each kernel, the one that took most time first; the drafts of its launches, which have the number of the
   * kernel, are given that of the row.
   */
  rows(drafts: Drafts): KernelRow[] {
    const order = [...this.#groups.keys()].sort((a, b) => this.#groups[b]!.total - this.#groups[a]!.total);
    const rowOfGroup = new Int32Array(order.length);
    order.forEach((number, row) => {
      rowOfGroup[number] = row;
    });
    for (let index = 0; index < drafts.length; index++)
      if (drafts.kernel[index]! >= 0) drafts.kernel[index] = rowOfGroup[drafts.kernel[index]!]!;
    const all = this.#groups.reduce((sum, { total }) => sum + total, 0);
    return order.map((number) => rowOf(this.#groups[number]!, all));
  }
}

function rowOf(
  { calls, total, mean, squares, min, max, longest, bytes, flops, places, counters }: Group,
  all: number,
): KernelRow {
  const { name, operation, device, grid, block, registers, shared, local, occupancy, dtype } = longest;
  return {
    name,
    operation,
    device,
    calls,
    total,
    mean,
    deviation: calls < 2 ? 0 : Math.sqrt(squares / (calls - 1)),
    min,
    max,
    share: all === 0 ? 0 : total / all,
    grid: [...grid],
    block: [...block],
    registers: registers === 0 ? null : registers,
    shared,
    local: registers === 0 ? null : local,
    theoreticalOccupancy: occupancy?.theoretical ?? null,
    achievedOccupancy: occupancy?.achieved ?? null,
    limiter: occupancy?.limiter ?? null,
    bytes: bytes === null ? null : bytes / calls,
    flops: flops === null ? null : flops / calls,
    dtype,
    counters: Object.fromEntries([...counters].map(([counter, { sum, count }]) => [counter, sum / count])),
    samples: {},
    places: [...places],
  };
}
