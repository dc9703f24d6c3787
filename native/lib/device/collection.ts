// What is to happen after a JavaScript object has been collected: when the event loop turns, as FinalizationRegistry
// has it, or at once when memory is wanted in the midst of a job.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { binding } from "../wire/binding.ts";

const due = new Map<number, () => void>();

/**
 * Runs `action`, which must not hold the object, some time after it has been collected. Returns a number for {@link
 * living}.
 */
export function afterCollection(object: object, action: () => void): number {
  const number = binding.watch(object);
  due.set(number, action);
  return number;
}

/**
 * The object of a number, or `null` once it has been collected. Unlike a WeakRef, neither this nor {@link
 * afterCollection} keeps it until the end of the job.
 */
export function living(number: number): object | null {
  return binding.watched(number);
}

/** Runs what is due. Returns whether there was any. */
export function reclaim(): boolean {
  const numbers = binding.collected();
  for (const number of numbers) {
    const action = due.get(number);
    due.delete(number);
    action?.();
  }
  return numbers.length > 0;
}

type Collector = (options?: { readonly type: "minor" }) => void;

let known: Collector | undefined;

function collector(): Collector {
  if (known === undefined) {
    setFlagsFromString("--expose-gc");
    known = runInNewContext("gc") as Collector;
    setFlagsFromString("--no-expose-gc");
  }
  return known;
}

/**
 * Has the collector look for all that nobody can reach, now, and runs what is due. It takes milliseconds: for when
 * there is no memory left.
 */
export function collectGarbage(): boolean {
  collector()();
  return reclaim();
}

/** The same among what was made a moment ago. It takes a fraction of a millisecond. */
export function collectYoung(): boolean {
  collector()({ type: "minor" });
  return reclaim();
}

// Each collection takes an object that nobody holds, and is followed by a turn of the event loop.
const collections = new FinalizationRegistry<null>(() => {
  expectCollection();
  reclaim();
});

function expectCollection(): void {
  collections.register({}, null);
}

expectCollection();
