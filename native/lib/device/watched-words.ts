// Words that work on a device may write while others wait for nothing: the next wait for the device looks at them.
import type { WarpcellError } from "../errors.ts";
import { Capture } from "./capture.ts";
import type { Execution } from "./execution.ts";
import type { DeviceProcess } from "./process.ts";

const slots = 256;

interface Pending {
  readonly slot: number;
  /** Of the command that may write to the slot. */
  readonly stream: number;
  readonly sequence: number;
  readonly before: bigint;
  readonly check: Check;
}

/** What the wait is to throw for a word that was written; `undefined`: nothing. */
type Check = (word: bigint) => WarpcellError | undefined;

/** Words of one device, in memory that this process reads. */
export class WatchedWords {
  readonly #device: DeviceProcess;
  readonly #place: number;
  readonly #words: BigInt64Array;
  #free: number[] = Array.from({ length: slots }, (_, slot) => slot);
  #pending: Pending[] = [];

  private constructor(device: DeviceProcess) {
    this.#device = device;
    this.#place = device.allocate(slots * 8, "host");
    this.#words = new BigInt64Array(device.part(this.#place, slots * 8));
    device.onWait((on, completed) => this.#settle(on, completed));
  }

  static of(device: DeviceProcess): WatchedWords {
    const known = all.get(device);
    if (known !== undefined) return known;
    const fresh = new WatchedWords(device);
    all.set(device, fresh);
    return fresh;
  }

  /**
   * Has `submit` submit a command to `on` that may write to the place of a word, which is `before` until then. The first wait
   * for the device after it throws what `check` makes of another word.
   */
  over<T>(on: Execution, before: bigint, check: Check, submit: (place: number) => T): T {
    if (on.target instanceof Capture) return on.target.overWord(before, check, submit);
    if (this.#free.length === 0) this.#device.synchronize();
    const slot = this.#free.at(-1)!;
    this.#words[slot] = before;
    const submitted = submit(this.#place + 8 * slot);
    this.#free.pop();
    this.#pending.push({ slot, stream: on.stream, sequence: this.#device.lastSequence, before, check });
    return submitted;
  }

  #settle(on: Execution, completed: number): WarpcellError | undefined {
    let first: WarpcellError | undefined;
    this.#pending = this.#pending.filter(({ slot, stream, sequence, before, check }) => {
      if (stream !== on.stream || sequence > completed) return true;
      const word = this.#words[slot]!;
      if (word !== before) first ??= check(word);
      this.#free.push(slot);
      return false;
    });
    return first;
  }
}

const all = new WeakMap<DeviceProcess, WatchedWords>();
