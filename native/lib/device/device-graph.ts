// A graph in the device process: sent once, run by one record, and sent again where a process has not got it.
import { writeGraphLaunch, writeGraphRelease, writeGraphUpdate } from "../wire/graph.ts";
import type { WarpcellError } from "../errors.ts";
import { headerOffsets, Op } from "../wire/commands.ts";
import type { Capture, FreeHost } from "./capture.ts";
import { afterCollection } from "./collection.ts";
import { describeGraphs } from "./origins.ts";
import type { DeviceProcess } from "./process.ts";
import { namedIn, wordsOf, type Resident } from "./residents.ts";

const names = new Map<number, string>();
const next = { number: 1 };

describeGraphs((number) => names.get(number));

/** What is to end with a graph; it does not hold the graph. */
interface Lent {
  readonly device: DeviceProcess;
  readonly number: number;
  readonly capture: Capture;
  readonly resident: Resident;
  /** Of the last run; 0: it has not been run. */
  last: number;
  isOver: boolean;
}

/** Graphs whose runs are looked at after waits, by device. */
const watched = new WeakMap<DeviceProcess, Set<Lent>>();

function watchedOf(device: DeviceProcess): Set<Lent> {
  const known = watched.get(device);
  if (known !== undefined) return known;
  const fresh = new Set<Lent>();
  watched.set(device, fresh);
  device.onWait((on, completed) => {
    let first: WarpcellError | undefined;
    if (on.stream === 0) for (const each of fresh) if (each.last <= completed) first ??= each.capture.outcome();
    return first;
  });
  return fresh;
}

/** Ends a graph. It writes no records. */
function end(lent: Lent, free: FreeHost): void {
  if (lent.isOver) return;
  lent.isOver = true;
  const { device, capture, resident, number } = lent;
  device.residents.drop(resident);
  watched.get(device)?.delete(lent);
  names.delete(number);
  capture.close(lent.last, free);
}

const opOf = (record: Uint8Array) => new DataView(record.buffer).getUint16(headerOffsets.op, true) as Op;

export class DeviceGraph {
  readonly #lent: Lent;
  readonly #free: FreeHost;

  /** Sends what was captured. Throws DeviceError UNSUPPORTED where the device cannot keep it. */
  constructor(name: string, capture: Capture, free: FreeHost) {
    const { device, records } = capture;
    const { residents } = device;
    residents.sweep();
    const number = next.number++;
    names.set(number, `graph ${name}`);
    const send = () => void device.request("graph_create", { graph: number, records: joined(records) });
    const needs = records
      .filter((record) => opOf(record) === Op.launch || opOf(record) === Op.run)
      .flatMap((record) => namedIn(opOf(record), wordsOf(record)));
    for (const [op, subject] of needs) residents.provide(op, subject);
    send();
    const resident = residents.add(Op.graph_launch, number, 1, {
      send,
      needs,
      release: () => writeGraphRelease(device.direct, number),
    });
    const lent: Lent = { device, number, capture, resident, last: 0, isOver: false };
    this.#lent = lent;
    this.#free = free;
    watchedOf(device).add(lent);
    afterCollection(this, () => end(lent, free));
  }

  /** Runs it once more. Returns the sequence. */
  launch(): number {
    const lent = this.#lent;
    const { device, number, capture } = lent;
    if (lent.last > 0 && capture.isRenewed) writeGraphUpdate(device.direct, number, capture.renewed());
    lent.last = writeGraphLaunch(device.direct, number);
    return lent.last;
  }

  /** Has it end now: its memory is free for what comes after its last run. Throws what runs have found wrong. */
  dispose(): void {
    if (this.#lent.capture.isWatched && !this.#lent.isOver) this.#lent.device.synchronize();
    end(this.#lent, this.#free);
    this.#lent.device.residents.sweep();
  }
}

function joined(records: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(records.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const record of records) {
    whole.set(record, at);
    at += record.length;
  }
  return whole;
}
