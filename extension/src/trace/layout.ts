// Lays out the tracks of a profile as the lines of its picture, from top to bottom: a heading per device, then its
// counters and the rows of its tracks. Sizes are CSS pixels.
import { trans } from "../drawing/trans.ts";
import type { TracePayload, TraceTrack } from "../../../kernel/mime.ts";
import { formatPart } from "../drawing/quantity.ts";
import type { Counter } from "./payload.ts";

export interface Group {
  readonly title: string;
  readonly detail: string;
  readonly tracks: readonly number[];
  readonly counters: readonly number[];
}

export type Line = { readonly y: number; readonly height: number; readonly group: number } & (
  | { readonly kind: "heading" }
  | { readonly kind: "counter"; readonly counter: number }
  | { readonly kind: "track"; readonly track: number; readonly rowHeight: number }
);

export interface Layout {
  readonly lines: readonly Line[];
  readonly height: number;
}

const heading = 22;
const counterHeight = 40;
const gap = 3;
/** Rows of workers are many and have few words. */
const rowHeights: Readonly<Record<TraceTrack["kind"], number>> = { host: 20, range: 20, stream: 22, worker: 15 };

/** Tracks of one device follow each other; those of the host have none. */
export function groupsOf({ tracks, devices }: TracePayload, counters: readonly Counter[]): Group[] {
  const groups = new Map<string | null, { tracks: number[]; counters: number[] }>();
  const groupFor = (device: string | null) => {
    if (!groups.has(device)) groups.set(device, { tracks: [], counters: [] });
    return groups.get(device)!;
  };
  tracks.forEach(({ device }, index) => groupFor(device).tracks.push(index));
  counters.forEach(({ name }, index) =>
    groupFor(devices.map(({ device }) => device).find((device) => name.endsWith(device)) ?? null).counters.push(index),
  );
  return [...groups].map(([device, members]) => {
    const known = devices.find((candidate) => candidate.device === device);
    return {
      title: device ?? trans.__("host"),
      detail: known ? trans.__("%1 · busy %2", known.name, formatPart(known.busy)) : "",
      ...members,
    };
  });
}

export function layoutOf(
  tracks: readonly TraceTrack[],
  groups: readonly Group[],
  collapsed: ReadonlySet<number>,
): Layout {
  const lines: Line[] = [];
  let y = 0;
  const add = (line: Line): void => {
    lines.push(line);
    y += line.height + gap;
  };
  groups.forEach((members, group) => {
    add({ kind: "heading", y, height: heading, group });
    if (collapsed.has(group)) return;
    for (const track of members.tracks) {
      const { kind, depth } = tracks[track]!;
      const rowHeight = rowHeights[kind];
      add({ kind: "track", y, height: depth * rowHeight, group, track, rowHeight });
    }
    for (const counter of members.counters) add({ kind: "counter", y, height: counterHeight, group, counter });
  });
  return { lines, height: y };
}

/** The line at a height; `null`: between two, or below the last. */
export function lineAt({ lines }: Layout, y: number): Line | null {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const { y: top, height } = lines[middle]!;
    if (top + height <= y) low = middle + 1;
    else high = middle;
  }
  const line = lines[low];
  return line && line.y <= y ? line : null;
}

/** The first line that reaches below a height: where drawing from there begins. */
export function firstLineBelow({ lines }: Layout, y: number): number {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (lines[middle]!.y + lines[middle]!.height <= y) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Top and height of a level of a track; of its heading where that is closed. */
export function placeOf(
  { lines }: Layout,
  groups: readonly Group[],
  track: number,
  depth: number,
): { y: number; height: number } {
  const line = lines.find((candidate) => candidate.kind === "track" && candidate.track === track);
  if (line?.kind === "track") return { y: line.y + depth * line.rowHeight, height: line.rowHeight };
  const group = groups.findIndex(({ tracks }) => tracks.includes(track));
  const { y, height } = lines.find((candidate) => candidate.kind === "heading" && candidate.group === group)!;
  return { y, height };
}
