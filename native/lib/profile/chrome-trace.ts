// A profile as the Trace Event Format that Perfetto and chrome://tracing open: processes for this program and each
// device, a thread for each track, flows from launches to kernels. "Trace Event Format", Google, 2016: phases M, X, s,
// f and C; times in microseconds.
import type { ProfileData } from "./slices.ts";

export interface TraceEvent {
  readonly ph: "M" | "X" | "s" | "f" | "C";
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly cat?: string;
  readonly ts?: number;
  readonly dur?: number;
  readonly id?: number;
  readonly bp?: "e";
  readonly args?: Readonly<Record<string, unknown>>;
}

export interface ChromeTrace {
  readonly traceEvents: TraceEvent[];
  readonly displayTimeUnit: "ns";
  readonly otherData: Readonly<Record<string, string>>;
}

const program = 1;
const microseconds = (nanoseconds: number): number => nanoseconds / 1000;

export function chromeTraceOf(data: ProfileData): ChromeTrace {
  const { tracks, slices, names, places, details, devices, counters, title, notes } = data;
  const devicesByName = new Map(
    [...new Set(tracks.map(({ device }) => device))]
      .filter((device) => device !== null)
      .map((device, index) => [device, program + 1 + index]),
  );
  const events: TraceEvent[] = [];
  const processOf = (device: string | null): number => (device === null ? program : devicesByName.get(device)!);
  const meta = (name: string, pid: number, tid: number, args: Record<string, unknown>) =>
    events.push({ ph: "M", name, pid, tid, args });
  meta("process_name", program, 0, { name: "TypeScript" });
  meta("process_sort_index", program, 0, { sort_index: 0 });
  for (const [device, pid] of devicesByName) {
    const known = devices.find((candidate) => candidate.device === device);
    meta("process_name", pid, 0, { name: known === undefined ? device : `${device}: ${known.name}` });
    meta("process_sort_index", pid, 0, { sort_index: pid });
  }
  const threads = new Threads((track, thread, lane) => {
    const { name, device } = tracks[track]!;
    meta("thread_name", processOf(device), thread, { name: lane === 0 ? name : `${name} (${lane + 1})` });
    meta("thread_sort_index", processOf(device), thread, { sort_index: thread });
  });
  const placed = new Uint32Array(slices.length);
  for (let index = 0; index < slices.length; index++) {
    const [start, duration, track] = [slices.start[index]!, slices.duration[index]!, slices.track[index]!];
    const { kind, facts, bytes, flops, stack } = details[slices.detail[index]!]!;
    const place = slices.place[index] === 0 ? undefined : places[slices.place[index]! - 1]!;
    placed[index] = threads.of(track, start, start + duration);
    events.push({
      ph: "X",
      name: names[slices.name[index]!]!,
      cat: kind,
      pid: processOf(tracks[track]!.device),
      tid: placed[index]!,
      ts: microseconds(start),
      dur: microseconds(duration),
      args: {
        ...Object.fromEntries(facts),
        ...(place === undefined ? {} : { line: place.text }),
        ...(bytes === null ? {} : { bytes }),
        ...(flops === null ? {} : { flops }),
        ...(stack.length === 0 ? {} : { stack: stack.join("\n") }),
      },
    });
  }
  for (let index = 0; index < slices.length; index++) {
    const cause = slices.cause[index]! - 1;
    if (cause < 0 || tracks[slices.track[index]!]!.kind !== "stream") continue;
    const flow = (ph: "s" | "f", slice: number) =>
      events.push({
        ph,
        name: "launch",
        cat: "launch",
        id: index + 1,
        pid: processOf(tracks[slices.track[slice]!]!.device),
        tid: placed[slice]!,
        ts: microseconds(slices.start[slice]!),
        ...(ph === "f" ? { bp: "e" as const } : {}),
      });
    flow("s", cause);
    flow("f", index);
  }
  for (const { name, unit, time, value } of counters) {
    for (let index = 0; index < time.length; index++)
      events.push({
        ph: "C",
        name,
        pid: program,
        tid: 0,
        ts: microseconds(time[index]!),
        args: { [unit]: value[index]! },
      });
  }
  return {
    traceEvents: events,
    displayTimeUnit: "ns",
    otherData: { title, ...(notes.length === 0 ? {} : { notes: notes.join("\n") }) },
  };
}

/**
 * Slices of one thread must nest. Those of a track that overlap otherwise, such as annotations of two async functions,
 * get threads of their own.
 */
class Threads {
  readonly #lanes = new Map<number, { thread: number; open: number[] }[]>();
  readonly #named: (track: number, thread: number, lane: number) => void;
  #count = 0;

  constructor(named: (track: number, thread: number, lane: number) => void) {
    this.#named = named;
  }

  /** Slices of a track come in order of their start. */
  of(track: number, start: number, end: number): number {
    let lanes = this.#lanes.get(track);
    if (lanes === undefined) this.#lanes.set(track, (lanes = []));
    for (const lane of lanes) {
      while (lane.open.length > 0 && lane.open.at(-1)! <= start) lane.open.pop();
      if (lane.open.length > 0 && end > lane.open.at(-1)!) continue;
      lane.open.push(end);
      return lane.thread;
    }
    const thread = ++this.#count;
    lanes.push({ thread, open: [end] });
    this.#named(track, thread, lanes.length - 1);
    return thread;
  }
}
