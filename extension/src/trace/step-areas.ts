// The highest value of a counter within any span of time, by blocks: drawn pixel by pixel, no peak is lost.
import type { Counter } from "./payload.ts";

const block = 64;

export class StepAreas {
  readonly counter: Counter;
  readonly most: number;
  private readonly blocks: Float64Array;

  constructor(counter: Counter) {
    const { value } = counter;
    this.counter = counter;
    this.blocks = new Float64Array(Math.ceil(value.length / block)).fill(-Infinity);
    for (let index = 0; index < value.length; index++) {
      const at = Math.floor(index / block);
      if (value[index]! > this.blocks[at]!) this.blocks[at] = value[index]!;
    }
    this.most = this.blocks.reduce((most, value) => Math.max(most, value), 0);
  }

  /** The last item at or before `time`; −1: none. Found from `from` on. */
  lastAt(time: number, from = 0): number {
    const { time: times } = this.counter;
    let [low, high] = [from, times.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (times[middle]! <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The value at `time`; `null`: before the first. */
  valueAt(time: number): number | null {
    const at = this.lastAt(time);
    return at < 0 ? null : this.counter.value[at]!;
  }

  /** The highest of the items `from` … `to`, both included. */
  mostBetween(from: number, to: number): number {
    const { value } = this.counter;
    let most = -Infinity;
    let index = from;
    while (index <= to) {
      if (index % block === 0 && index + block - 1 <= to) {
        most = Math.max(most, this.blocks[index / block]!);
        index += block;
      } else {
        most = Math.max(most, value[index]!);
        index++;
      }
    }
    return most;
  }
}
