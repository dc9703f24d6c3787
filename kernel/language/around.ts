// Writes code around expressions of a cell, so that what is written around one never ends within another.
import type MagicString from "magic-string";

/** What is written before and behind the expression from `start` to `end`. */
export interface Around {
  readonly start: number;
  readonly end: number;
  readonly open: string;
  readonly close: string;
}

/** Of those that begin, or end, at one place, the longer is outside; of equal ones the first. */
export function writeAround(output: MagicString, all: readonly Around[]): void {
  const outerFirst = all.toSorted((one, other) => one.start - other.start || other.end - one.end);
  for (const { start, open } of outerFirst) output.appendRight(start, open);
  const innerFirst = outerFirst.toReversed().toSorted((one, other) => one.end - other.end || other.start - one.start);
  for (const { end, close } of innerFirst) output.appendLeft(end, close);
}
