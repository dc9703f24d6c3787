// Indices that kernels find outside an axis while others wait for nothing: the next wait for the device says so.
import { highWord, lowWord } from "../../wire/long.ts";
import type { Execution } from "../../device/execution.ts";
import { WatchedWords } from "../../device/watched-words.ts";
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

/** What a word says while all indices are inside: an index is never that. */
const facts = kernelFacts("axis", { none: "kNone" });

/** Has `launch` run a kernel that may find an index outside; the next wait for the device throws what `describe` says. */
export function watched(
  on: Execution,
  describe: (index: bigint) => TensorError,
  launch: (outside: Place) => void,
): void {
  on.checkRuns("check an index of");
  WatchedWords.of(on.device).over(on, BigInt(facts().none), describe, (place) =>
    launch({ placeLow: lowWord(place), placeHigh: highWord(place) }),
  );
}
