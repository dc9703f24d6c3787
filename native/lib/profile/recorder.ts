// Notes what this process does while a profile is on: commands, operations, waits, annotations and the collector, each
// with its call site.
import { constants, PerformanceObserver, type PerformanceEntry } from "node:perf_hooks";
import { activity, clock, type Described, type Watcher } from "../device/activity.ts";
import { origin, planBit } from "../device/origins.ts";
import type { DeviceProcess } from "../device/process.ts";
import { DeviceArray } from "../memory/array.ts";
import { observing, type Applied, type Observer } from "../ops/core/hooks.ts";
import { binding } from "../wire/binding.ts";
import { Op } from "../wire/commands.ts";
import type { Room } from "../wire/target.ts";
import { EventKind, EventLog } from "./log.ts";

/** What is known of an operation. */
export interface RanOperation extends Described {
  readonly name: string;
}

/** How often the memory of tensors is looked at, at most. Milliseconds. */
const memoryInterval = 0.05;
/** Frames of the library stand before those of the user. */
const stackFrames = 40;

const collectors: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: "collector, all of the heap",
  [constants.NODE_PERFORMANCE_GC_MINOR]: "collector, young objects",
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: "collector, a step",
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: "collector, finalizers",
};

export class Recorder implements Watcher, Observer {
  readonly log = new EventLog();
  /** What `more` of a command or an operation counts. */
  readonly described: (Described | RanOperation)[] = [];
  /** What `subject` of a range, a cell or a collection counts. */
  readonly texts: string[] = [];
  /** Of the first command of a kernel from a call site: {@link stackKey}. */
  readonly stacks = new Map<number, string>();
  /** By device: times and bytes. */
  readonly memory = new Map<DeviceProcess, { times: number[]; bytes: number[] }>();
  readonly devices: DeviceProcess[] = [];
  start = 0;
  end = 0;

  readonly #indices = new Map<DeviceProcess, number>();
  readonly #textIndices = new Map<string, number>();
  readonly #opened: (device: DeviceProcess) => void;
  #lastDevice: DeviceProcess | null = null;
  #lastIndex = 0;
  #lastCommand = -1;
  #memorySeen = -Infinity;
  #collections: PerformanceObserver | null = null;
  readonly #hooks: Disposable[] = [];

  /** `opened` has a device that is first used meanwhile record, too. */
  constructor(opened: (device: DeviceProcess) => void) {
    this.#opened = opened;
  }

  /** From now on everything is noted. */
  begin(): void {
    this.#collections = new PerformanceObserver((list) => this.#collected(list.getEntries()));
    this.#collections.observe({ entryTypes: ["gc"] });
    this.start = clock();
    this.#hooks.push(observing.begin(this), activity.begin(this));
  }

  conclude(): void {
    for (const hook of this.#hooks) hook[Symbol.dispose]();
    this.end = clock();
    this.#collected(this.#collections?.takeRecords() ?? []);
    this.#collections?.disconnect();
  }

  opened(device: DeviceProcess): void {
    this.#opened(device);
  }

  submitted(device: DeviceProcess, sequence: number, start: number, record: Room): void {
    const { op } = record;
    if (op === Op.fence) return;
    const subject = op === Op.launch ? record.subject : op === Op.run ? record.subject + planBit : 0;
    const end = clock();
    this.#lastCommand = this.log.add(
      EventKind.command,
      start,
      end,
      this.#indexOf(device),
      origin.current,
      sequence,
      op,
      subject,
    );
    const key = stackKey(origin.current, subject);
    if (!this.stacks.has(key)) this.stacks.set(key, stackHere());
    if (end - this.#memorySeen > memoryInterval) this.#sampleMemory(device, end);
  }

  describe(described: Described): void {
    this.log.more[this.#lastCommand] = this.described.push(described);
  }

  answered(device: DeviceProcess, sequence: number, op: Op, start: number): void {
    this.log.add(EventKind.request, start, clock(), this.#indexOf(device), origin.current, sequence, op);
  }

  waited(device: DeviceProcess, start: number, isBlocking: boolean): void {
    this.log.add(
      EventKind.wait,
      start,
      clock(),
      this.#indexOf(device),
      origin.current,
      0,
      Op.fence,
      isBlocking ? 1 : 0,
    );
  }

  before(): number {
    return clock();
  }

  after({ name, operation, inputs, outputs, attributes }: Applied, before: number): void {
    const { log } = this;
    const cost = operation.cost(inputs, outputs, attributes);
    const operands = inputs.flatMap((input, index) =>
      input instanceof DeviceArray
        ? [{ name: inputs.length === 1 ? "input" : `input ${index + 1}`, dtype: input.dtype, shape: input.shape }]
        : [],
    );
    for (const { dtype, shape } of outputs) operands.push({ name: "result", dtype, shape });
    const event = log.add(
      EventKind.operation,
      before,
      clock(),
      this.#indexOf(outputs[0]!.deviceProcess),
      origin.current,
      0,
      0,
      this.#textIndex(name),
    );
    log.more[event] = this.described.push({
      name,
      operands,
      bytes: cost.bytes,
      flops: cost.flops,
    } satisfies RanOperation);
    for (let at = event - 1; at >= 0 && log.start[at]! >= before; at--)
      if (log.owner[at] === 0) log.owner[at] = event + 1;
  }

  /** An annotation, or a cell, that has ended; `site`: where it was begun. */
  ranged(
    name: string,
    start: number,
    site: number,
    kind: typeof EventKind.range | typeof EventKind.cell = EventKind.range,
  ): void {
    this.log.add(kind, start, clock(), 0, site, 0, 0, this.#textIndex(name));
  }

  /** The kernels that commands launched. */
  launched(): Set<number> {
    const { log } = this;
    const kernels = new Set<number>();
    for (let event = 0; event < log.length; event++)
      if (log.kind[event] === EventKind.command && log.op[event] === Op.launch) kernels.add(log.subject[event]!);
    return kernels;
  }

  #collected(entries: readonly PerformanceEntry[]): void {
    for (const { startTime, duration, detail } of entries as readonly (PerformanceEntry & {
      detail?: { kind?: number };
    })[]) {
      if (startTime < this.start || (startTime > this.end && this.end !== 0)) continue;
      this.log.add(
        EventKind.collector,
        startTime,
        startTime + duration,
        0,
        0,
        0,
        0,
        this.#textIndex(collectors[detail?.kind ?? 0] ?? "collector"),
      );
    }
  }

  #indexOf(device: DeviceProcess): number {
    if (device === this.#lastDevice) return this.#lastIndex;
    let index = this.#indices.get(device);
    if (index === undefined) {
      this.#indices.set(device, (index = this.devices.push(device)));
    }
    this.#lastDevice = device;
    return (this.#lastIndex = index);
  }

  #textIndex(text: string): number {
    let index = this.#textIndices.get(text);
    if (index === undefined) this.#textIndices.set(text, (index = this.texts.push(text) - 1));
    return index;
  }

  #sampleMemory(device: DeviceProcess, time: number): void {
    this.#memorySeen = time;
    let seen = this.memory.get(device);
    if (seen === undefined) this.memory.set(device, (seen = { times: [], bytes: [] }));
    const { allocated } = binding.memory(device.client);
    if (seen.bytes.at(-1) === allocated) return;
    seen.times.push(time);
    seen.bytes.push(allocated);
  }
}

/** Where a command is from and what it runs, as one number. */
export function stackKey(site: number, subject: number): number {
  return site * 2 ** 32 + subject;
}

function stackHere(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = stackFrames;
  const stack = new Error().stack ?? "";
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}
