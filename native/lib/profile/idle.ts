// When a device had nothing to do, and what it waited for: turns its slices and this process's into gaps with a reason
// each.
import type { Drafts } from "./drafts.ts";
import type { Track } from "./slices.ts";

/**
 * launch: TypeScript had not launched what comes next. wait: nor could it, because it waited for the device first.
 * compile, collector: it was busy with that. latency: what comes next was launched already. ends: before the first and
 * after the last work.
 */
export type Reason = "launch" | "wait" | "compile" | "collector" | "latency" | "ends";

export interface Gap {
  readonly start: number;
  readonly end: number;
  readonly reason: Reason /** Index of a place, −1: none. */;
  readonly place: number;
}

export interface DeviceTime {
  readonly device: string;
  readonly busy: number;
  readonly gaps: readonly Gap[];
}

/** What this process was doing meanwhile, by their end. */
interface Host {
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly place: Int32Array;
  readonly kinds: readonly string[];
}

const telling = new Set(["wait", "compile", "collector"]);

/** `kinds` of details. */
export function deviceTimes(
  drafts: Drafts,
  tracks: readonly Track[],
  kinds: readonly string[],
  duration: number,
): DeviceTime[] {
  const host = hostOf(drafts, tracks, kinds);
  const devices = [
    ...new Set(tracks.flatMap(({ kind, device }) => (kind === "stream" && device !== null ? [device] : []))),
  ];
  return devices.map((device) => {
    const streams = [...tracks.keys()].filter(
      (track) => tracks[track]!.kind === "stream" && tracks[track]!.device === device,
    );
    const orders = streams.map((track) => drafts.ordered(track));
    const work =
      orders.length === 1
        ? orders[0]!
        : Uint32Array.from(orders.flatMap((order) => [...order])).sort((a, b) => drafts.start[a]! - drafts.start[b]!);
    return timesOf(device, work, drafts, host, duration);
  });
}

function timesOf(device: string, work: Uint32Array, drafts: Drafts, host: Host, duration: number): DeviceTime {
  const gaps: Gap[] = [];
  let busy = 0;
  let reached = 0;
  work.forEach((draft, index) => {
    const [start, end] = [drafts.start[draft]!, drafts.end[draft]!];
    if (start > reached)
      gaps.push(
        index === 0 ? { start: 0, end: start, reason: "ends", place: -1 } : reasoned(reached, draft, drafts, host),
      );
    if (end > reached) busy += end - Math.max(reached, start);
    reached = Math.max(reached, end);
  });
  if (duration > reached) gaps.push({ start: reached, end: duration, reason: "ends", place: -1 });
  return { device, busy, gaps };
}

function reasoned(start: number, next: number, drafts: Drafts, host: Host): Gap {
  const gap = { start, end: drafts.start[next]!, place: drafts.place[next]! };
  const cause = drafts.cause[next]!;
  const launched = cause < 0 ? -1 : drafts.start[cause]!;
  if (launched <= start) return { ...gap, reason: "latency" };
  let [compiling, collecting, waited] = [0, 0, -1];
  for (let at = firstAfter(host.end, start); at < host.end.length && host.end[at]! <= launched; at++) {
    const inside = host.end[at]! - Math.max(host.start[at]!, start);
    if (host.kinds[at] === "compile") compiling += inside;
    else if (host.kinds[at] === "collector") collecting += inside;
    else if (host.start[at]! < start) waited = at;
  }
  const half = (launched - start) / 2;
  if (compiling > half) return { ...gap, reason: "compile" };
  if (collecting > half) return { ...gap, reason: "collector" };
  if (waited >= 0) return { ...gap, reason: "wait", place: host.place[waited]! };
  return { ...gap, reason: "launch" };
}

function hostOf(drafts: Drafts, tracks: readonly Track[], kinds: readonly string[]): Host {
  const found: number[] = [];
  for (let index = 0; index < drafts.length; index++)
    if (tracks[drafts.track[index]!]!.device === null && telling.has(kinds[drafts.detail[index]!]!)) found.push(index);
  found.sort((a, b) => drafts.end[a]! - drafts.end[b]!);
  return {
    start: Float64Array.from(found, (index) => drafts.start[index]!),
    end: Float64Array.from(found, (index) => drafts.end[index]!),
    place: Int32Array.from(found, (index) => drafts.place[index]!),
    kinds: found.map((index) => kinds[drafts.detail[index]!]!),
  };
}

/** The first of sorted numbers that is larger. */
function firstAfter(numbers: Float64Array, time: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! > time) high = middle;
    else low = middle + 1;
  }
  return low;
}
