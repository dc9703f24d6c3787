// Streams of a device for users: work on one runs in order, work on several side by side.
import { TensorError } from "../errors.ts";
import { worded } from "../wording.ts";
import { captures } from "./capture.ts";
import { deviceNamed } from "./choice.ts";
import { afterCollection, collectGarbage } from "./collection.ts";
import { checkDevice, Event } from "./event.ts";
import type { Execution } from "./execution.ts";
import type { DeviceProcess } from "./process.ts";

/** Streams of a device besides the one that work is on where none is named. */
const most = 31;

/** Numbers that no stream has, by device. */
const unused = new WeakMap<DeviceProcess, number[]>();

function takeNumber(device: DeviceProcess): number {
  let free = unused.get(device);
  if (free === undefined) unused.set(device, (free = Array.from({ length: most }, (_, index) => most - index)));
  if (free.length === 0) collectGarbage();
  const number = free.pop();
  if (number === undefined)
    throw new TensorError(
      "STREAMS",
      `${device.name} has ${most} streams, and all of them are in use: use one for more than one thing.`,
    );
  return number;
}

/**
 * A queue of work of a device. What it is given runs in order; beside the work of other streams, which are only in
 * order where one waits for the other. Without one, work is on the device's first stream. `device`: "cpu", "cuda", …;
 * the default device where it is left out. A device has 31 besides the first; one that is collected is free again.
 * Reading a tensor (`item()`, `data()`) waits for all streams. Throws DeviceUnavailable, TensorError.
 * @example
 * const side = new Stream();
 * const x = ones([4]);
 * side.wait(); // until x is there
 * const y = withStream(side, () => x.mul(2));
 * await side.synchronize();
 * y; // → tensor([2, 2, 2, 2], shape [4], float32, cpu)
 */
export class Stream {
  readonly #execution: Execution;

  constructor(options: { readonly device?: string } = {}) {
    const { device: name, ...others } = options;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw new TensorError("OPTIONS", `Stream has no option ${unknown}: it takes device.`);
    const device = deviceNamed(name);
    const number = takeNumber(device);
    this.#execution = device.stream(number);
    const free = unused.get(device)!;
    afterCollection(this, () => free.push(number));
  }

  /** "cpu", "cuda:0", … */
  get device(): string {
    return this.#execution.device.name;
  }

  /** @internal Where its work is written. Throws TensorError while a graph is recorded. */
  get execution(): Execution {
    if (captures.current !== null)
      throw new TensorError(
        "RECORDED",
        "A graph records work in one order: use streams outside of its function, and a graph on each.",
      );
    return this.#execution;
  }

  /**
   * Has what it is given from now on begin after an event, or after all that another stream was given so far. Without
   * an argument: the stream that work is on where none is named. It blocks nobody. Throws TensorError for another
   * device's.
   */
  wait(other?: Stream | Event): void {
    const on = this.execution;
    if (other instanceof Event) return other.holdUp(on);
    if (other !== undefined && !(other instanceof Stream))
      throw new TensorError("OPERANDS", `Stream.wait takes a stream or an event but got ${worded(other)}.`);
    const before = other === undefined ? on.device.execution : other.execution;
    checkDevice("Stream.wait", on, before.device);
    on.waitFor(before);
  }

  /** An event after all that it was given so far. */
  record(): Event {
    return new Event().record(this);
  }

  /** Resolves when all that it was given so far is done; the event loop goes on. Rejects with what that failed with. */
  async synchronize(): Promise<void> {
    const { device } = this.#execution;
    await device.synchronizeAsync([this.#execution.fence()]);
  }

  /** Its number and its device. */
  toString(): string {
    return `stream ${this.#execution.stream} of ${this.device}`;
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}

/** The execution of a stream for work of a device. Throws TensorError. */
export function executionOf(stream: Stream, device: DeviceProcess): Execution {
  if (!(stream instanceof Stream))
    throw new TensorError("OPERANDS", `A stream is made by new Stream(), but got ${worded(stream)}.`);
  checkDevice("A launch", stream.execution, device);
  return stream.execution;
}
