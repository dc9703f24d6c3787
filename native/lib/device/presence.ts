// Whether an object of one thread is still there, as other threads see it at once: also in the midst of a job.
import { afterCollection } from "./collection.ts";

/** One shared word: 1 while the object is there. It travels to other threads as it is. */
export type Presence = Int32Array;

/** Ends by itself when the object has been collected. */
export function presenceOf(object: object): Presence {
  const presence = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(1);
  afterCollection(object, () => endPresence(presence));
  return presence;
}

export function endPresence(presence: Presence): void {
  Atomics.store(presence, 0, 0);
}

export function isPresent(presence: Presence): boolean {
  return Atomics.load(presence, 0) === 1;
}
