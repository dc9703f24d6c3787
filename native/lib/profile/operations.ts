// What was computed, by operation and the shapes it was given: how often, and how long it took this thread and the
// devices itself, without the operations that it calls.
import type { Drafts } from "./drafts.ts";
import type { TraceOperation } from "../payloads.ts";
import type { Detail, Track } from "./slices.ts";

/** More rows than these are one. */
const mostRows = 400;

/** Facts of a call that are not operands of its own. */
const otherFacts: ReadonlySet<string> = new Set(["device", "JavaScript"]);

type Sums = { -readonly [K in keyof Omit<TraceOperation, "share" | "places">]: TraceOperation[K] } & {
  places: Set<number>;
};

interface Facts {
  readonly drafts: Drafts;
  readonly tracks: readonly Track[];
  readonly details: readonly Detail[];
  readonly names: readonly string[];
}

/** The one that took the devices longest first, then by the time of this thread. */
export function operationRows({ drafts, tracks, details, names }: Facts): TraceOperation[] {
  /** By draft: 1 + the draft of the operation that it is part of, or is. */
  const owner = new Uint32Array(drafts.length);
  /** By draft of an operation: the time of those within it. */
  const inner = new Float64Array(drafts.length);
  const found: number[] = [];
  for (const [track, { kind, device }] of tracks.entries()) {
    if (kind !== "host" || device !== null) continue;
    const open: number[] = [];
    for (const draft of drafts.ordered(track)) {
      while (open.length > 0 && drafts.end[open.at(-1)!]! <= drafts.start[draft]!) open.pop();
      const outer = open.at(-1);
      const own = details[drafts.detail[draft]!]!.kind;
      // A launch within an operation is the operation's.
      if (own === "operation" || (own === "launch" && outer === undefined)) {
        if (outer !== undefined) inner[outer]! += drafts.end[draft]! - drafts.start[draft]!;
        owner[draft] = draft + 1;
        found.push(draft);
        open.push(draft);
      } else if (outer !== undefined) owner[draft] = outer + 1;
    }
  }

  const rows = new Map<string, Sums>();
  const rowOf = (draft: number): Sums => {
    const { facts } = details[drafts.detail[draft]!]!;
    const name = names[drafts.name[draft]!]!.replace(/^launch /, "");
    const device = facts.find(([key]) => key === "device")?.[1] ?? "";
    const shapes = shapesText(facts);
    const key = [name, device, shapes].join("\0");
    let row = rows.get(key);
    if (row === undefined)
      rows.set(
        key,
        (row = { name, shapes, device, calls: 0, host: 0, hostSelf: 0, deviceSelf: 0, places: new Set<number>() }),
      );
    return row;
  };
  for (const draft of found) {
    const time = drafts.end[draft]! - drafts.start[draft]!;
    const row = rowOf(draft);
    row.calls += 1;
    row.host += time;
    row.hostSelf += Math.max(0, time - inner[draft]!);
    if (drafts.place[draft]! >= 0) row.places.add(drafts.place[draft]!);
  }
  for (let draft = 0; draft < drafts.length; draft++) {
    const cause = drafts.cause[draft]!;
    if (cause < 0 || owner[cause] === 0 || tracks[drafts.track[draft]!]!.kind !== "stream") continue;
    rowOf(owner[cause]! - 1).deviceSelf += drafts.end[draft]! - drafts.start[draft]!;
  }
  return finished([...rows.values()]);
}

/** "float32 [64, 32], float32 [32] → float32 [64]". */
function shapesText(facts: Detail["facts"]): string {
  const operands = facts.filter(([key]) => !otherFacts.has(key));
  const texts = (isResult: boolean) =>
    operands.filter(([key]) => (key === "result") === isResult).map(([, text]) => text);
  const [given, made] = [texts(false), texts(true)];
  return made.length === 0 ? given.join(", ") : `${given.join(", ")} → ${made.join(", ")}`;
}

function finished(rows: Sums[]): TraceOperation[] {
  const all = rows.reduce((sum, { deviceSelf }) => sum + deviceSelf, 0);
  const ordered = rows.sort((a, b) => b.deviceSelf - a.deviceSelf || b.hostSelf - a.hostSelf);
  const rest = ordered.splice(mostRows);
  if (rest.length > 0) {
    const sum = (key: "calls" | "host" | "hostSelf" | "deviceSelf") => rest.reduce((sum, row) => sum + row[key], 0);
    const [calls, host, hostSelf, deviceSelf] = [sum("calls"), sum("host"), sum("hostSelf"), sum("deviceSelf")];
    const name = `${rest.length} others`;
    ordered.push({ name, shapes: "", device: "", calls, host, hostSelf, deviceSelf, places: new Set() });
  }
  return ordered.map(({ places, ...row }) => ({
    ...row,
    share: all === 0 ? 0 : row.deviceSelf / all,
    places: [...places],
  }));
}
