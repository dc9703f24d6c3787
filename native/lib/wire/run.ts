// Runs of planned calls of vendors' libraries as records.
import { headerBytes, Op } from "./commands.ts";
import { nullWord } from "./launch.ts";
import { putLong } from "./long.ts";
import { begin, type TargetStream } from "./target.ts";

// `struct Run` of protocol/commands.h, as words; the places follow, then the scalars.
const at = {
  plan: headerBytes / 4,
  counts: headerBytes / 4 + 1,
  workspace: headerBytes / 4 + 2,
  status: headerBytes / 4 + 4,
  places: headerBytes / 4 + 6,
} as const;

/** Places of a call's operands in its own order; `undefined` where it takes none. */
export type RunPlaces = readonly (number | undefined)[];

function putPlace(words: Uint32Array, at: number, place: number | undefined): void {
  if (place === undefined) words[at] = words[at + 1] = nullWord;
  else putLong(words, at, place);
}

/**
 * Runs a plan. `places` and `scalars` are in the order that the call has them; `workspace` is memory of the device,
 * `status` where the call leaves an int32. Returns the sequence.
 */
export function writeRun(
  on: TargetStream,
  plan: number,
  places: RunPlaces,
  scalars: readonly number[],
  workspace: number | undefined,
  status: number | undefined,
): number {
  const { words, doubles } = begin(on, Op.run, 4 * at.places + (places.length + scalars.length) * 8);
  words[at.plan] = plan;
  words[at.counts] = places.length | (scalars.length << 16);
  putPlace(words, at.workspace, workspace);
  putPlace(words, at.status, status);
  let word: number = at.places;
  for (const place of places) {
    putPlace(words, word, place);
    word += 2;
  }
  for (const scalar of scalars) {
    doubles[word / 2] = scalar;
    word += 2;
  }
  return on.target.commit();
}
