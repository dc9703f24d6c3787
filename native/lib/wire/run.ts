// Runs of planned calls of vendors' libraries as records.
import { headerBytes, Op } from "./commands.ts";
import { nullWord } from "./launch.ts";
import { putLong } from "./long.ts";
import { begin, type TargetStream } from "./target.ts";

// `struct Run` of protocol/commands.h, as words; the places follow, then the scalars.
const at = { plan: headerBytes / 4, counts: headerBytes / 4 + 1, places: headerBytes / 4 + 2 } as const;

/** Places of a call's operands in its own order; `undefined` where it takes none. */
export type RunPlaces = readonly (number | undefined)[];

/**
 * Runs a plan. `places` and `scalars` are in the order that the call has them; the place of the workspace, where it has
 * one, comes last. Returns the sequence.
 */
export function writeRun(
  on: TargetStream,
  plan: number,
  places: RunPlaces,
  scalars: readonly number[],
  workspace: number | null,
): number {
  const placeCount = places.length + (workspace === null ? 0 : 1);
  const { words, doubles } = begin(on, Op.run, headerBytes + 8 + (placeCount + scalars.length) * 8);
  words[at.plan] = plan;
  words[at.counts] = placeCount | (scalars.length << 16);
  let word: number = at.places;
  for (const place of places) {
    if (place === undefined) words[word] = words[word + 1] = nullWord;
    else putLong(words, word, place);
    word += 2;
  }
  if (workspace !== null) {
    putLong(words, word, workspace);
    word += 2;
  }
  for (const scalar of scalars) {
    doubles[word / 2] = scalar;
    word += 2;
  }
  return on.target.commit();
}
