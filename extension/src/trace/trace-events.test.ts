// A profile as Perfetto reads it: processes and threads by name, slices that nest within their thread, arrows, counters.
import { expect, test } from "vitest";
import { payloadOf, tracks, trainingSlices, type Slice } from "../../ui-tests/tests/trace-payload.ts";
import { checkTrace } from "./payload.ts";
import { traceEvents } from "./trace-events.ts";

interface Event {
  ph: string;
  name: string;
  pid: number;
  tid: number;
  ts: number;
  dur: number;
  id: number;
  args: Record<string, unknown>;
}

function eventsOf(slices: Slice[], changes: object = {}): Event[] {
  const checked = checkTrace(payloadOf(slices, changes));
  if (!checked.ok) throw new Error(checked.problem);
  return traceEvents(checked.value).traceEvents as unknown as Event[];
}

test("every slice, on a thread of its track, with its line and facts", () => {
  const slices = trainingSlices(2);
  const events = eventsOf(slices);
  const threads = new Map(
    events.filter(({ name }) => name === "thread_name").map(({ tid, args }) => [tid, args["name"]]),
  );
  const drawn = events.filter(({ ph }) => ph === "X");
  expect(drawn).toHaveLength(slices.length);
  const told = (name: string, track: unknown, ts: number) => `${name} on ${String(track)} at ${ts.toFixed(3)}`;
  expect(drawn.map(({ name, tid, ts }) => told(name, threads.get(tid), ts)).sort()).toEqual(
    slices.map(({ name, track, start }) => told(name, tracks[track]!.name, start / 1000)).sort(),
  );
  expect(new Set(events.filter(({ name }) => name === "process_name").map(({ args }) => args["name"]))).toContain(
    "TypeScript",
  );
});

test("slices of a thread nest, also where those of a track overlap", () => {
  const [one] = trainingSlices(1);
  const overlapping = [0, 1, 2].map((index) => ({
    ...one!,
    track: 0,
    start: index * 10,
    duration: 15 + index,
    cause: 0,
  }));
  const drawn = eventsOf(overlapping.map((slice, depth) => ({ ...slice, depth }))).filter(({ ph }) => ph === "X");
  for (const a of drawn)
    for (const b of drawn)
      if (a !== b && a.tid === b.tid)
        expect(a.ts + a.dur <= b.ts || b.ts + b.dur <= a.ts || a.ts <= b.ts === a.ts + a.dur >= b.ts + b.dur).toBe(
          true,
        );
  expect(new Set(drawn.map(({ tid }) => tid)).size).toBe(2);
});

test("an arrow leads from each launch to what it caused on a stream; counters are the program's", () => {
  const slices = trainingSlices(1);
  const events = eventsOf(slices);
  const caused = slices.filter(({ cause, track }) => cause !== undefined && tracks[track]!.kind === "stream");
  const [starts, ends] = ["s", "f"].map((kind) => events.filter(({ ph }) => ph === kind));
  expect(ends!.length).toBeGreaterThan(0);
  expect(ends!.length).toBeLessThanOrEqual(caused.length);
  expect(starts!.map(({ id }) => id)).toEqual(ends!.map(({ id }) => id));
  for (const [index, { ts }] of ends!.entries()) expect(starts![index]!.ts).toBeLessThanOrEqual(ts);
  expect(events.some(({ ph, pid }) => ph === "C" && pid === 1)).toBe(true);
});
