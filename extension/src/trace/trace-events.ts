// A profile in the Trace Event Format, which Perfetto opens: a process for the program and for each device, a thread for
// each track, an arrow from each launch to what it caused. Times in microseconds.
import type { Trace } from "./payload.ts";

type Event = Readonly<Record<string, unknown>>;

export function traceEvents({ payload, columns, counters }: Trace): { traceEvents: Event[]; displayTimeUnit: "ns" } {
  const { tracks, names, places, details, devices } = payload;
  const processes = [null, ...new Set(tracks.flatMap(({ device }) => device ?? []))];
  const processOf = (track: number): number => processes.indexOf(tracks[track]!.device) + 1;
  const named = (device: string | null): string => {
    const known = devices.find((each) => each.device === device);
    return device === null ? "TypeScript" : known === undefined ? device : `${device}: ${known.name}`;
  };
  const events: Event[] = processes.map((device, index) => ({
    ph: "M",
    name: "process_name",
    pid: index + 1,
    args: { name: named(device) },
  }));
  const { length, start, duration, track, name, place, detail, cause } = columns;
  const threads = new Uint32Array(length);
  const lanes = new Lanes((of, thread) =>
    events.push({ ph: "M", name: "thread_name", pid: processOf(of), tid: thread, args: { name: tracks[of]!.name } }),
  );
  const at = (index: number) => ({ pid: processOf(track[index]!), tid: threads[index]!, ts: start[index]! / 1000 });
  for (let index = 0; index < length; index++) {
    threads[index] = lanes.of(track[index]!, start[index]!, start[index]! + duration[index]!);
    const { kind, facts, bytes, flops } = details[detail[index]!]!;
    const line = places[place[index]! - 1]?.text;
    const args = { ...Object.fromEntries(facts), line, bytes: bytes ?? undefined, flops: flops ?? undefined };
    events.push({ ph: "X", name: names[name[index]!]!, cat: kind, dur: duration[index]! / 1000, args, ...at(index) });
  }
  for (let index = 0; index < length; index++) {
    if (cause[index] === 0 || tracks[track[index]!]!.kind !== "stream") continue;
    const flow = { name: "launch", cat: "launch", id: index + 1 };
    events.push({ ...flow, ph: "s", ...at(cause[index]! - 1) }, { ...flow, ph: "f", bp: "e", ...at(index) });
  }
  for (const counter of counters)
    for (const [index, time] of counter.time.entries())
      events.push({
        ph: "C",
        name: counter.name,
        pid: 1,
        ts: time / 1000,
        args: { bytes: counter.value[index]! },
      });
  return { traceEvents: events, displayTimeUnit: "ns" };
}

/** Slices of one thread must nest: those of a track that overlap otherwise get threads of their own. */
class Lanes {
  private readonly lanes = new Map<number, { thread: number; open: number[] }[]>();
  private readonly made: (track: number, thread: number) => void;
  private threads = 0;

  constructor(made: (track: number, thread: number) => void) {
    this.made = made;
  }

  /** The thread of a slice; those of a track come in the order of their starts. */
  of(track: number, start: number, end: number): number {
    const lanes = this.lanes.get(track) ?? [];
    this.lanes.set(track, lanes);
    for (const { open } of lanes) while (open.length > 0 && open.at(-1)! <= start) open.pop();
    let lane = lanes.find(({ open }) => open.length === 0 || end <= open.at(-1)!);
    if (lane === undefined) {
      lanes.push((lane = { thread: ++this.threads, open: [] }));
      this.made(track, lane.thread);
    }
    lane.open.push(end);
    return lane.thread;
  }
}
