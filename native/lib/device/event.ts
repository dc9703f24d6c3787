// Events for users: places in streams, which others wait for, with the time when they were reached.
import { TensorError } from "../errors.ts";
import { worded } from "../wording.ts";
import { writeEventRecord, writeEventRelease, writeEventWait } from "../wire/mark.ts";
import { captures } from "./capture.ts";
import { deviceNamed } from "./choice.ts";
import { afterCollection } from "./collection.ts";
import type { Execution } from "./execution.ts";
import type { DeviceProcess } from "./process.ts";
import type { Stream } from "./stream.ts";

/** Throws TensorError where two are not of one device. */
export function checkDevice(use: string, on: Execution, device: DeviceProcess): void {
  if (on.device !== device)
    throw new TensorError(
      "DEVICE",
      `${use} is for streams and events of one device, but got ${on.device.name} and ${device.name}.`,
    );
}

interface Recorded {
  readonly device: DeviceProcess;
  readonly mark: { readonly stream: number; readonly sequence: number };
}

let next = 1;
/** Events that nobody can use any more; the next one that is recorded has their processes forget them. */
const forgotten: { readonly device: DeviceProcess; readonly number: number }[] = [];

/**
 * A place in a stream: others can wait for it, and the time between two can be read.
 * @example
 * const [start, end] = [new Event(), new Event()];
 * start.record();
 * const y = ones([256, 256]).matmul(ones([256, 256]));
 * end.record();
 * (await start.elapsedTime(end)) > 0; // → true
 */
export class Event {
  readonly #number = next++;
  #recorded: Recorded | null = null;

  /** Is what the stream was given so far, the one that work is on where it is left out. Returns the event. */
  record(stream?: Stream): this {
    const on = stream === undefined ? deviceNamed().execution : stream.execution;
    if (captures.current !== null) throw recordedHere();
    for (const { device, number } of forgotten.splice(0)) writeEventRelease(device.direct, number);
    const { device } = on;
    if (this.#recorded !== null && this.#recorded.device !== device)
      throw new TensorError(
        "DEVICE",
        `This event was recorded on ${this.#recorded.device.name}: make another one for ${device.name}.`,
      );
    const number = this.#number;
    if (this.#recorded === null) afterCollection(this, () => forgotten.push({ device, number }));
    writeEventRecord(on, number);
    this.#recorded = { device, mark: on.fence() };
    return this;
  }

  /** Has what a stream is given from now on begin after it: the one that work is on where none is named. */
  wait(stream?: Stream): void {
    this.holdUp(stream === undefined ? this.#known("wait").device.execution : stream.execution);
  }

  /** @internal */
  holdUp(on: Execution): void {
    if (captures.current !== null) throw recordedHere();
    checkDevice("Event.wait", on, this.#known("wait").device);
    writeEventWait(on, this.#number);
  }

  /** Resolves when it is reached; the event loop goes on. Rejects with what the work before failed with. */
  async synchronize(): Promise<void> {
    const { device, mark } = this.#known("synchronize");
    await device.synchronizeAsync([mark]);
  }

  /**
   * The milliseconds from this event to another one of the device, once both are reached. Rejects with TensorError for
   * one that was not recorded.
   */
  async elapsedTime(end: Event): Promise<number> {
    if (!(end instanceof Event))
      throw new TensorError("OPERANDS", `Event.elapsedTime takes an event but got ${worded(end)}.`);
    const [first, second] = [this.#known("elapsedTime"), end.#known("elapsedTime")];
    checkDevice("Event.elapsedTime", first.device.direct, second.device);
    await first.device.synchronizeAsync([first.mark, second.mark]);
    const { milliseconds } = await first.device.requestAsync("event_elapsed", {
      first: this.#number,
      second: end.#number,
    });
    return Number(milliseconds);
  }

  #known(use: string): Recorded {
    if (this.#recorded === null)
      throw new TensorError("OPERANDS", `Event.${use} is for an event that was recorded: call record() first.`);
    return this.#recorded;
  }
}

/** Milliseconds that the device takes for work which is written at once, also while something is recorded. */
export function measured(device: DeviceProcess, work: (on: Execution) => void): number {
  const on = device.direct;
  const [first, second] = [next++, next++];
  on.waitForAll();
  writeEventRecord(on, first);
  work(on);
  writeEventRecord(on, second);
  device.synchronize();
  const { milliseconds } = device.request("event_elapsed", { first, second });
  for (const number of [first, second]) writeEventRelease(on, number);
  return Number(milliseconds);
}

const recordedHere = () => new TensorError("RECORDED", "A graph has no events: record them before and after its call.");
