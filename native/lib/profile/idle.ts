// When a device had nothing to do, and what it waited for: turns its slices and this process's into gaps with a reason each.
import type { Draft, Track } from "./slices.ts";

/**
 * launch: TypeScript had not launched what comes next. wait: nor could it, because it waited for the device first. compile, collector: it was busy with that. latency: what comes next was launched
 * already. ends: before the first and after the last work.
 */
export type Reason = "launch" | "wait" | "compile" | "collector" | "latency" | "ends";

export interface Gap { readonly start: number; readonly end: number; readonly reason: Reason; /** Index of a place, −1: none. */ readonly place: number; }

export interface DeviceTime { readonly device: string; readonly busy: number; readonly gaps: readonly Gap[]; }

interface Span { readonly start: number; readonly end: number; readonly place: number; readonly kind: string; }

/** `kindOf` a draft: that of its detail. */
export function deviceTimes(drafts: readonly Draft[], tracks: readonly Track[], kindOf: (draft: Draft) => string, duration: number): DeviceTime[] {
  const host = hostSpans(drafts, tracks, kindOf);
  const byDevice = new Map<string, Draft[]>();
  for (const draft of drafts) {
    const { kind, device } = tracks[draft.track]!;
    if (kind !== "stream" || device === null) continue;
    const known = byDevice.get(device);
    if (known === undefined) byDevice.set(device, [draft]);
    else known.push(draft);
  }
  return [...byDevice].map(([device, work]) => timesOf(device, work.sort((a, b) => a.start - b.start), drafts, host, duration));
}

function timesOf(device: string, work: readonly Draft[], drafts: readonly Draft[], host: readonly Span[], duration: number): DeviceTime {
  const gaps: Gap[] = [];
  let busy = 0;
  let reached = 0;
  work.forEach((draft, index) => {
    if (draft.start > reached) gaps.push(index === 0 ? { start: 0, end: draft.start, reason: "ends", place: -1 } : reasoned(reached, draft, drafts, host));
    const from = Math.max(reached, draft.start);
    if (draft.end > from) busy += draft.end - from;
    reached = Math.max(reached, draft.end);
  });
  if (duration > reached) gaps.push({ start: reached, end: duration, reason: "ends", place: -1 });
  return { device, busy, gaps };
}

function reasoned(start: number, next: Draft, drafts: readonly Draft[], host: readonly Span[]): Gap {
  const gap = { start, end: next.start, place: next.place };
  const command = next.cause < 0 ? undefined : drafts[next.cause]!;
  if (command === undefined || command.start <= start) return { ...gap, reason: "latency" };
  const spent = new Map<string, number>();
  let waited: Span | undefined;
  // `host` is sorted by end: those that end after the gap begins.
  for (let at = firstAfter(host, start); at < host.length; at++) {
    const span = host[at]!;
    if (span.end > command.start) break;
    if (span.kind === "wait" && span.start < start) waited = span;
    const inside = span.end - Math.max(span.start, start);
    spent.set(span.kind, (spent.get(span.kind) ?? 0) + inside);
  }
  const half = (command.start - start) / 2;
  if ((spent.get("compile") ?? 0) > half) return { ...gap, reason: "compile" };
  if ((spent.get("collector") ?? 0) > half) return { ...gap, reason: "collector" };
  if (waited !== undefined) return { ...gap, reason: "wait", place: waited.place };
  return { ...gap, reason: "launch" };
}

function hostSpans(drafts: readonly Draft[], tracks: readonly Track[], kindOf: (draft: Draft) => string): Span[] {
  const spans: Span[] = [];
  for (const draft of drafts) {
    if (tracks[draft.track]!.device !== null) continue;
    const kind = kindOf(draft);
    if (kind === "wait" || kind === "compile" || kind === "collector") spans.push({ start: draft.start, end: draft.end, place: draft.place, kind });
  }
  return spans.sort((a, b) => a.end - b.end);
}

function firstAfter(spans: readonly Span[], time: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]!.end > time) high = middle;
    else low = middle + 1;
  }
  return low;
}
