// Indices that kernels find outside an axis while others wait for nothing: the next wait for the device says so.
import { highWord, lowWord } from "../../wire/long.ts";
import type { Execution } from "../../device/execution.ts";
import type { DeviceProcess } from "../../device/process.ts";
import { TensorError } from "../../errors.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import type { Place } from "../kernels/library.ts";

/** An axis that indices are for, as messages name it. */
export interface Bound {
  readonly axis: number;
  readonly size: number;
}

/** What is said of an index that is outside. */
export function outsideOf({ axis, size }: Bound, index: bigint): TensorError {
  return new TensorError(
    "INDEX",
    size === 0
      ? `Axis ${axis} has no elements, so there is none at index ${index}.`
      : `Index ${index} is outside axis ${axis}, which has ${size} elements: give one from ${-size} to ${size - 1}.`,
  );
}

const slots = 256;
/** What a slot says while all indices are inside: an index is never that. */
const facts = kernelFacts("axis", { none: "kNone" });

interface Pending {
  readonly slot: number;
  readonly bound: Bound;
  /** Of the kernel that may write to the slot. */
  readonly sequence: number;
}

/** Words that kernels of one device write to, in memory that this process reads, and what they are of. */
class Watch {
  readonly #device: DeviceProcess;
  readonly #place: number;
  readonly #words: BigInt64Array;
  readonly #none = BigInt(facts().none);
  #free: number[] = Array.from({ length: slots }, (_, slot) => slot);
  #pending: Pending[] = [];

  constructor(device: DeviceProcess) {
    this.#device = device;
    this.#place = device.allocate(slots * 8, "host");
    this.#words = new BigInt64Array(device.part(this.#place, slots * 8)).fill(this.#none);
    device.onWait((completed) => this.#settle(completed));
  }

  /** Has `launch` run a kernel that writes an index that is outside to a place. */
  over(bound: Bound, launch: (outside: Place) => void): void {
    if (this.#free.length === 0) this.#device.synchronize();
    const slot = this.#free.at(-1)!;
    const place = this.#place + 8 * slot;
    launch({ placeLow: lowWord(place), placeHigh: highWord(place) });
    this.#free.pop();
    this.#pending.push({ slot, bound, sequence: this.#device.lastSequence });
  }

  #settle(completed: number): TensorError | undefined {
    let first: TensorError | undefined;
    this.#pending = this.#pending.filter(({ slot, bound, sequence }) => {
      if (sequence > completed) return true;
      const index = this.#words[slot]!;
      if (index !== this.#none) first ??= outsideOf(bound, index);
      this.#words[slot] = this.#none;
      this.#free.push(slot);
      return false;
    });
    return first;
  }
}

const watches = new WeakMap<DeviceProcess, Watch>();

/** Has `launch` run a kernel that may find an index outside `bound`; the next wait for the device throws that. */
export function watched(on: Execution, bound: Bound, launch: (outside: Place) => void): void {
  on.checkRuns("check an index of");
  const { device } = on;
  let watch = watches.get(device);
  if (watch === undefined) watches.set(device, (watch = new Watch(device)));
  watch.over(bound, launch);
}
