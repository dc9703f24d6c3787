// The table of columns: how each reads a row, for the eye, for sorting and for a spreadsheet, and when it is worth its
// room.
import { trans } from "../drawing/trans.ts";
import {
  formatAmount,
  formatBytes,
  formatExtent,
  formatPart,
  formatRate,
  formatTime,
  formatTimes,
} from "../drawing/quantity.ts";
import type { TraceKernel } from "../../../kernel/mime.ts";
import { shownText } from "../drawing/shown-text.ts";
import type { Row, SortKey } from "./rows.ts";
import { ownOf } from "./rows.ts";

type Raw = readonly [title: string, value: (row: Row) => string | number | null];

export interface Column {
  readonly id: string;
  readonly title: string;
  /** For those who ask what it means. */
  readonly description: string;
  readonly align: "number" | "text";
  readonly key: SortKey;
  readonly text: (row: Row) => string;
  /** What a spreadsheet gets: numbers in base units, unrounded. */
  readonly raw: readonly Raw[];
  /** Whether any row makes it worth its room. */
  readonly isInformative: (rows: readonly Row[]) => boolean;
}

const always = () => true;
const hasSome = (key: SortKey) => (rows: readonly Row[]) => rows.some((row) => key(row) !== null);
const isRepeated = (rows: readonly Row[]) => rows.some(({ kernel }) => kernel.calls > 1);
const product = (extent: readonly number[]) =>
  extent.length === 0 ? null : extent.reduce((all, length) => all * length, 1);
const orNothing = (value: number | null, format: (value: number) => string) => (value === null ? "" : format(value));
const withPart = (rate: number | null, noun: "B/s" | "FLOP/s", part: number | null) =>
  orNothing(rate, (amount) => formatRate(amount, noun)) + orNothing(part, (share) => ` · ${formatPart(share)}`);
const percent = (value: number | null) => (value === null ? "–" : Math.round(value).toLocaleString("en-US"));

function occupancy({
  kernel: { achievedOccupancy: achieved, theoreticalOccupancy: theoretical, limiter },
}: Row): string {
  if (achieved === null && theoretical === null) return "";
  return `${percent(achieved)} / ${percent(theoretical)} %${limiter === null ? "" : ` · ${shownText(limiter, 24)}`}`;
}

/** The reason that most samples have; `null`: none were taken. */
function mostSampled({ samples = {} }: TraceKernel): { reason: string; share: number; all: number } | null {
  const all = Object.values(samples).reduce((sum, count) => sum + count, 0);
  const [reason, count] = Object.entries(samples).reduce((best, entry) => (entry[1] > best[1] ? entry : best), ["", 0]);
  return all === 0 ? null : { reason, share: count / all, all };
}

function mostSampledText(kernel: TraceKernel): string {
  const most = mostSampled(kernel);
  return most === null ? "" : `${formatPart(most.share)} · ${shownText(most.reason, 24)}`;
}

const columns: readonly Column[] = [
  {
    id: "name",
    get title() {
      return trans.__("Name");
    },
    get description() {
      return trans.__("The kernel, after the library's operation that launches it");
    },
    align: "text",
    isInformative: always,
    key: ({ name, kernel }) => `${kernel.operation ?? ""}${name}`,
    text: ({ name, kernel }) => (kernel.operation === null ? name : `${shownText(kernel.operation, 40)} ${name}`),
    raw: [
      ["Name", ({ kernel }) => kernel.name],
      ["Operation", ({ kernel }) => kernel.operation],
    ],
  },
  {
    id: "share",
    get title() {
      return trans.__("Time %");
    },
    get description() {
      return trans.__("Share of the time that all kernels of the profile took");
    },
    align: "number",
    isInformative: always,
    key: ({ kernel }) => kernel.share,
    text: ({ kernel }) => formatPart(kernel.share),
    raw: [["Share of time", ({ kernel }) => kernel.share]],
  },
  {
    id: "total",
    get title() {
      return trans.__("Total");
    },
    get description() {
      return trans.__("Time of all launches");
    },
    align: "number",
    isInformative: always,
    key: ({ kernel }) => kernel.total,
    text: ({ kernel }) => formatTime(kernel.total),
    raw: [["Total (ns)", ({ kernel }) => kernel.total]],
  },
  {
    id: "calls",
    get title() {
      return trans.__("Calls");
    },
    get description() {
      return trans.__("Launches");
    },
    align: "number",
    isInformative: always,
    key: ({ kernel }) => kernel.calls,
    text: ({ kernel }) => kernel.calls.toLocaleString("en-US"),
    raw: [["Calls", ({ kernel }) => kernel.calls]],
  },
  {
    id: "mean",
    get title() {
      return trans.__("Mean ± std");
    },
    get description() {
      return trans.__("Of one launch, and its standard deviation");
    },
    align: "number",
    isInformative: isRepeated,
    key: ({ kernel }) => kernel.mean,
    text: ({ kernel }) => formatTimes(kernel.calls > 1 ? [kernel.mean, kernel.deviation] : [kernel.mean], " ± "),
    raw: [
      ["Mean (ns)", ({ kernel }) => kernel.mean],
      ["Standard deviation (ns)", ({ kernel }) => kernel.deviation],
    ],
  },
  {
    id: "range",
    get title() {
      return trans.__("Min … Max");
    },
    get description() {
      return trans.__("The shortest and the longest launch; sorted by the longest");
    },
    align: "number",
    isInformative: isRepeated,
    key: ({ kernel }) => kernel.max,
    text: ({ kernel }) => formatTimes(kernel.calls > 1 ? [kernel.min, kernel.max] : [kernel.max], " … "),
    raw: [
      ["Min (ns)", ({ kernel }) => kernel.min],
      ["Max (ns)", ({ kernel }) => kernel.max],
    ],
  },
  {
    id: "device",
    get title() {
      return trans.__("Device");
    },
    get description() {
      return trans.__("Where it ran");
    },
    align: "text",
    isInformative: (rows) => rows.some(({ kernel }) => kernel.device !== rows[0]!.kernel.device),
    key: ({ kernel }) => kernel.device,
    text: ({ kernel }) => shownText(kernel.device, 24),
    raw: [["Device", ({ kernel }) => kernel.device]],
  },
  {
    id: "grid",
    get title() {
      return trans.__("Grid");
    },
    get description() {
      return trans.__("Blocks of the longest launch");
    },
    align: "number",
    isInformative: hasSome(({ kernel }) => product(kernel.grid)),
    key: ({ kernel }) => product(kernel.grid),
    text: ({ kernel }) => formatExtent(kernel.grid),
    raw: [["Grid", ({ kernel }) => formatExtent(kernel.grid)]],
  },
  {
    id: "block",
    get title() {
      return trans.__("Block");
    },
    get description() {
      return trans.__("Threads in a block of the longest launch");
    },
    align: "number",
    isInformative: hasSome(({ kernel }) => product(kernel.block)),
    key: ({ kernel }) => product(kernel.block),
    text: ({ kernel }) => formatExtent(kernel.block),
    raw: [["Block", ({ kernel }) => formatExtent(kernel.block)]],
  },
  {
    id: "registers",
    get title() {
      return trans.__("Registers");
    },
    get description() {
      return trans.__("Of one thread");
    },
    align: "number",
    isInformative: hasSome(({ kernel }) => kernel.registers),
    key: ({ kernel }) => kernel.registers,
    text: ({ kernel }) => orNothing(kernel.registers, String),
    raw: [["Registers", ({ kernel }) => kernel.registers]],
  },
  {
    id: "shared",
    get title() {
      return trans.__("Shared");
    },
    get description() {
      return trans.__("Shared memory of one block");
    },
    align: "number",
    isInformative: hasSome(({ kernel }) => kernel.shared || null),
    key: ({ kernel }) => kernel.shared,
    text: ({ kernel }) => orNothing(kernel.shared, formatBytes),
    raw: [["Shared memory (bytes)", ({ kernel }) => kernel.shared]],
  },
  {
    id: "local",
    get title() {
      return trans.__("Local");
    },
    get description() {
      return trans.__("Local memory of one thread: registers that were spilled, and arrays");
    },
    align: "number",
    isInformative: hasSome(({ kernel }) => kernel.local || null),
    key: ({ kernel }) => kernel.local,
    text: ({ kernel }) => orNothing(kernel.local, formatBytes),
    raw: [["Local memory (bytes)", ({ kernel }) => kernel.local]],
  },
  {
    id: "occupancy",
    get title() {
      return trans.__("Occupancy");
    },
    get description() {
      return trans.__("Achieved / theoretical, percent of the warps that a multiprocessor holds, and what limits it");
    },
    align: "number",
    isInformative: hasSome(({ kernel }) => kernel.achievedOccupancy ?? kernel.theoreticalOccupancy),
    key: ({ kernel }) => kernel.achievedOccupancy ?? kernel.theoreticalOccupancy,
    text: occupancy,
    raw: [
      ["Achieved occupancy (%)", ({ kernel }) => kernel.achievedOccupancy],
      ["Theoretical occupancy (%)", ({ kernel }) => kernel.theoreticalOccupancy],
      ["Occupancy limited by", ({ kernel }) => kernel.limiter],
    ],
  },
  {
    id: "bandwidth",
    get title() {
      return trans.__("Bandwidth");
    },
    get description() {
      return trans.__("Memory moved by one launch per second, and its share of what a copy reaches on this device");
    },
    align: "number",
    isInformative: hasSome(({ bandwidth }) => bandwidth),
    key: ({ bandwidth }) => bandwidth,
    text: ({ bandwidth, ofCopy }) => withPart(bandwidth, "B/s", ofCopy),
    raw: [
      ["Bytes per second", ({ bandwidth }) => bandwidth],
      ["Share of copy", ({ ofCopy }) => ofCopy],
    ],
  },
  {
    id: "throughput",
    get title() {
      return trans.__("Throughput");
    },
    get description() {
      return trans.__(
        "Operations of one launch per second, and their share of what a matrix product of the same dtype reaches on this device",
      );
    },
    align: "number",
    isInformative: hasSome(({ throughput }) => throughput),
    key: ({ throughput }) => throughput,
    text: ({ throughput, ofProduct }) => withPart(throughput, "FLOP/s", ofProduct),
    raw: [
      ["Operations per second", ({ throughput }) => throughput],
      ["Share of product", ({ ofProduct }) => ofProduct],
    ],
  },
  {
    id: "samples",
    get title() {
      return trans.__("Most samples");
    },
    get description() {
      return trans.__("What most warps waited for when the profiler looked, by NVIDIA's names; selected: they ran");
    },
    align: "number",
    isInformative: hasSome(({ kernel }) => mostSampled(kernel)?.share ?? null),
    key: ({ kernel }) => mostSampled(kernel)?.share ?? null,
    text: ({ kernel }) => mostSampledText(kernel),
    raw: [
      ["Most samples", ({ kernel }) => mostSampled(kernel)?.reason ?? null],
      ["Share of samples", ({ kernel }) => mostSampled(kernel)?.share ?? null],
      ["Samples", ({ kernel }) => mostSampled(kernel)?.all ?? null],
    ],
  },
];

const places: Column = {
  id: "places",
  get title() {
    return trans.__("Launched at");
  },
  get description() {
    return trans.__("The lines that launch it");
  },
  align: "text",
  isInformative: (rows) => rows.some((row) => row.places.length > 0),
  key: (row) => row.places[0]?.place.text ?? null,
  text: ({ places: all }) =>
    (all[0] ? shownText(all[0].place.text, 40) : "") + (all.length > 1 ? ` +${all.length - 1}` : ""),
  raw: [["Launched at", (row) => row.places.map(({ place }) => place.text).join(", ")]],
};

/** More than a device can count at a time: beyond them names are noise. */
export const mostCounters = 32;

function counterColumn(name: string): Column {
  const value: SortKey = ({ kernel }) => ownOf(kernel.counters, name);
  const read = (row: Row) => ownOf(row.kernel.counters, name);
  return {
    id: `counter ${name}`,
    title: shownText(name, 32),
    description: trans.__("Measured by the device: %1", shownText(name)),
    align: "number",
    isInformative: hasSome(value),
    key: value,
    text: (row) => orNothing(read(row), formatAmount),
    raw: [[name, read]],
  };
}

/** The columns that say something of these rows, and how many counters had no room. */
export function columnsFor(rows: readonly Row[]): { columns: Column[]; omittedCounters: number } {
  const counters = [...new Set(rows.flatMap(({ kernel }) => Object.keys(kernel.counters)))];
  const all = [...columns, ...counters.slice(0, mostCounters).map(counterColumn), places];
  return {
    columns: all.filter(({ isInformative }) => isInformative(rows)),
    omittedCounters: Math.max(0, counters.length - mostCounters),
  };
}

/** As a spreadsheet takes it: no cell breaks its row, and none is taken for a formula. */
export const inCell = (value: string | number | null): string =>
  typeof value === "string" ? value.replace(/[\u0000-\u001f]+/g, " ").replace(/^[=+\-@]/, "'$&") : String(value ?? "");

/** As lines of text that a spreadsheet takes. */
export function tabSeparated(rows: readonly Row[], shown: readonly Column[]): string {
  const cells = shown.flatMap(({ raw }) => raw);
  return [cells.map(([title]) => inCell(title)), ...rows.map((row) => cells.map(([, value]) => inCell(value(row))))]
    .map((line) => `${line.join("\t")}\n`)
    .join("");
}
