// The kernels of a profile as rows: what they reach beside what their device can, which are slow, in order and
// filtered.
import type { TraceDevice, TraceKernel, TracePlace } from "../../../kernel/mime.ts";
import { shownText } from "../drawing/shown-text.ts";
import type { KernelFacts } from "./payload.ts";

/** Among the kernels that took longest of all: the 5 % or the 25 % at the top; `null`: the rest. */
export type Slowness = 5 | 25 | null;

export interface Row {
  /** Of `kernels` in the payload. */
  readonly index: number;
  readonly kernel: TraceKernel;
  readonly name: string;
  readonly device: TraceDevice | null;
  /** Bytes and operations per second; `null`: not known. */
  readonly bandwidth: number | null;
  readonly throughput: number | null;
  /** Of what the device was measured to do. */
  readonly ofCopy: number | null;
  readonly ofProduct: number | null;
  readonly slowness: Slowness;
  readonly places: readonly { readonly index: number; readonly place: TracePlace }[];
  /** Lower case: what the filter looks in. */
  readonly words: string;
}

const nanosecondsPerSecond = 1e9;

/** How much of `whole`; `null` where nobody knows. */
const partOf = (amount: number | null, whole: number | null | undefined): number | null =>
  amount === null || !whole ? null : amount / whole;

/** What one launch moves or computes, per second. A kernel too short for its clock has no rate. */
function rateOf(amount: number | null, mean: number): number | null {
  if (amount === null || mean <= 0) return null;
  const rate = (amount / mean) * nanosecondsPerSecond;
  return Number.isFinite(rate) ? rate : null;
}

/** The row of every kernel, in the payload's order. */
export function rowsOf({ kernels, devices, places }: KernelFacts): Row[] {
  const deviceOf = new Map(devices.map((device) => [device.device, device]));
  const slowness = slownessOf(kernels.map(({ total }) => total));
  return kernels.map((kernel, index) => {
    const device = deviceOf.get(kernel.device) ?? null;
    const bandwidth = rateOf(kernel.bytes, kernel.mean);
    const throughput = rateOf(kernel.flops, kernel.mean);
    const launchedAt = kernel.places.map((place) => ({ index: place, place: places[place]! }));
    const name = shownText(kernel.name === "" ? "(no name)" : kernel.name);
    return {
      index,
      kernel,
      name,
      device,
      bandwidth,
      throughput,
      ofCopy: partOf(bandwidth, device?.copy),
      ofProduct: partOf(throughput, kernel.dtype === null ? null : ownOf(device?.product, kernel.dtype)),
      slowness: slowness[index]!,
      places: launchedAt,
      words: [name, kernel.operation ?? "", kernel.device, ...launchedAt.slice(0, 50).map(({ place }) => place.text)]
        .map((word) => shownText(word).toLowerCase())
        .join("\n"),
    };
  });
}

/** A field of a record itself: names come from outside, and "constructor" is a name. */
export function ownOf<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | null {
  return record && Object.hasOwn(record, name) ? record[name]! : null;
}

/** By rank. Of fewer than four kernels none stands out. */
export function slownessOf(totals: readonly number[]): Slowness[] {
  const slow: Slowness[] = totals.map(() => null);
  const order = totals.map((_total, index) => index).sort((one, other) => totals[other]! - totals[one]!);
  for (const index of order.slice(0, Math.floor(totals.length / 4))) slow[index] = 25;
  for (const index of order.slice(0, Math.floor(totals.length / 20))) slow[index] = 5;
  return slow;
}

/** The rows in which every word of `query` occurs. */
export function filtered(rows: readonly Row[], query: string): Row[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => words.every((word) => row.words.includes(word)));
}

export type SortKey = (row: Row) => number | string | null;

const collator = new Intl.Collator("en", { numeric: true });
const compare = (one: number | string, other: number | string): number =>
  typeof one === "number" && typeof other === "number" ? one - other : collator.compare(String(one), String(other));

/** A copy in order; rows without a value come last both ways, equal ones keep their order. */
export function ordered<R>(rows: readonly R[], keyOf: (row: R) => number | string | null, descending: boolean): R[] {
  const keyed = rows.map((row) => ({ row, key: keyOf(row) }));
  keyed.sort(({ key: one }, { key: other }) => {
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return descending ? compare(other, one) : compare(one, other);
  });
  return keyed.map(({ row }) => row);
}
