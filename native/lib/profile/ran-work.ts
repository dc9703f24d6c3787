// What a device did for commands of this process, by when these were given: where a part of the program shows on the device.

interface Ran {
  /** When it was wanted. */
  readonly given: number;
  readonly start: number;
  readonly end: number;
}

export class RanWork {
  readonly #all: Ran[] = [];
  #isSorted = true;

  add(given: number, start: number, end: number): void {
    this.#isSorted &&= this.#all.length === 0 || this.#all.at(-1)!.given <= given;
    this.#all.push({ given, start, end });
  }

  /** From the first to the last of what was wanted between two times; `null`: nothing was. */
  startedBetween(from: number, to: number): { start: number; end: number } | null {
    if (!this.#isSorted) this.#all.sort((a, b) => a.given - b.given);
    this.#isSorted = true;
    let [low, high] = [0, this.#all.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#all[middle]!.given < from) low = middle + 1;
      else high = middle;
    }
    let [start, end] = [Infinity, -Infinity];
    for (let at = low; at < this.#all.length && this.#all[at]!.given <= to; at++) {
      start = Math.min(start, this.#all[at]!.start);
      end = Math.max(end, this.#all[at]!.end);
    }
    return end < start ? null : { start, end };
  }
}
