// When the collector is asked what nobody holds any more: before a device's memory grows past what is comfortable.
import { binding } from "../wire/binding.ts";
import { collectGarbage, collectYoung } from "./collection.ts";

/**
 * V8 is told nothing of a device's memory: it would collect in every step that allocates much and lets go of it in
 * time. So much may be allocated without the collector, then half more than it left. A processor's memory is
 * everybody's, and warm where it is used again.
 */
export class Comfort {
  readonly #client: number;
  readonly #least: number;
  #most: number;

  /** `isShared`: the memory is the processor's. */
  constructor(client: number, isShared: boolean) {
    this.#client = client;
    this.#most = this.#least = isShared ? 2 ** 28 : 2 ** 31;
  }

  /**
   * Called before the pool grows by so many bytes. What was made a moment ago takes a collection of the young, and less
   * than a millisecond.
   */
  ensure(bytes: number): void {
    const wanted = () => binding.memory(this.#client).allocated + bytes;
    if (wanted() <= this.#most) {
      // More than half of the pool is free, and nothing of it fits.
      if (binding.memory(this.#client).reserved + bytes > 2 * this.#most) binding.trim(this.#client);
      return;
    }
    collectYoung();
    if (wanted() <= 0.75 * this.#most) return;
    collectGarbage();
    // What lives through this, the block that is asked for among it, is young no more: room for others beside it.
    const room = Math.max(wanted() / 2, Math.min(4 * bytes, 2 * this.#least));
    this.#most = Math.max(this.#least, wanted() + room);
  }
}
