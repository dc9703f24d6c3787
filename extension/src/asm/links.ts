// Which lines of the listings belong to which line of the source, in both directions, with a colour for each line of
// the source and what the profiler saw of it.
import type { AsmListing, AsmPayload } from "../../../kernel/mime.ts";

/** Hues that neighbours can be told apart by; a line's number stands beside every colour. */
export const bandCount = 8;

const none: readonly number[] = [];

export class Links {
  /** By listing, then by line of the source: indices of the listing's lines, ascending. */
  private readonly forward: readonly ReadonlyMap<number, readonly number[]>[];
  private readonly bands: ReadonlyMap<number, number>;

  constructor({ listings }: Pick<AsmPayload, "listings">) {
    this.forward = listings.map(({ source }) => {
      const lines = new Map<number, number[]>();
      for (const [index, line] of source.entries()) {
        if (line === 0) continue;
        const found = lines.get(line);
        if (found) found.push(index);
        else lines.set(line, [index]);
      }
      return lines;
    });
    const linked = [...new Set(this.forward.flatMap((lines) => [...lines.keys()]))].sort((one, other) => one - other);
    this.bands = new Map(linked.map((line, index) => [line, index % bandCount]));
  }

  /** Indices of the lines of a listing that a line of the source, counted from 1, became. */
  linesOf(listing: number, line: number): readonly number[] {
    return this.forward[listing]?.get(line) ?? none;
  }

  /** The colour of a line of the source; `null` where nothing became of it. */
  bandOf(line: number): number | null {
    return this.bands.get(line) ?? null;
  }
}

/** Samples of each line of the source, in the listing nearest to the machine that has any; empty where none has. */
export function sourceSamples(length: number, listings: readonly AsmListing[]): number[] {
  const measured = listings.findLast(({ samples }) => samples.some((number) => number > 0));
  if (!measured) return [];
  const sums = Array.from({ length }, () => 0);
  for (const [index, line] of measured.source.entries()) if (line > 0) sums[line - 1]! += measured.samples[index]!;
  return sums;
}
