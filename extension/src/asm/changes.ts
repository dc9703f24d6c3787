// What differs between a listing and that of the compile before: lines that are new, and lines that have gone.
import type { AsmListing, AsmPayload } from "../../../kernel/mime.ts";
import { shownLines } from "./listing-text.ts";

export interface Changes {
  /** Indices of lines. */
  readonly added: ReadonlySet<number>;
  /** Before the line of this index; that behind the last one is the end. */
  readonly gone: ReadonlyMap<number, readonly string[]>;
}

/** Longer stretches are not searched for what they have in common. */
const mostPairs = 4_000_000;

/** Where an instruction of SASS lies says nothing of what it does. */
const compared = (line: string): string => line.replace(/^\s*\/\*[\da-f]+\*\//, "").trim();

export function changesOf(before: readonly string[], after: readonly string[]): Changes {
  const [old, now] = [before.map(compared), after.map(compared)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const rows = old.length - start - end;
  const columns = now.length - start - end;
  const kept =
    rows * columns > mostPairs ? [] : common(old.slice(start, start + rows), now.slice(start, start + columns));
  const added = new Set<number>();
  const gone = new Map<number, string[]>();
  let [from, to] = [0, 0];
  for (const [row, column] of [...kept, [rows, columns] as const]) {
    if (row > from) gone.set(start + to, before.slice(start + from, start + row));
    for (; to < column; to++) added.add(start + to);
    [from, to] = [row + 1, column + 1];
  }
  return { added, gone };
}

/** Pairs of equal lines in order, as many as there are (the longest common subsequence). */
function common(old: readonly string[], now: readonly string[]): (readonly [row: number, column: number])[] {
  const width = now.length + 1;
  const most = new Uint32Array((old.length + 1) * width);
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = now.length - 1; column >= 0; column--)
      most[row * width + column] =
        old[row] === now[column]
          ? most[(row + 1) * width + column + 1]! + 1
          : Math.max(most[(row + 1) * width + column]!, most[row * width + column + 1]!);
  const pairs: (readonly [number, number])[] = [];
  for (let row = 0, column = 0; row < old.length && column < now.length; ) {
    if (old[row] === now[column]) pairs.push([row++, column++]);
    else if (most[(row + 1) * width + column]! >= most[row * width + column + 1]!) row++;
    else column++;
  }
  return pairs;
}

/** Listings by their names, as they are shown. */
type Shown = ReadonlyMap<AsmListing["name"], readonly string[]>;

/** The last two compiles of each kernel of a cell that have been shown. */
export class Compiles {
  private readonly known = new Map<string, { now: Shown; before: Shown | null }>();

  /** What each listing differs in from the compile before, in their order; `null`: nothing is known of one. */
  changes({ cell, kernel, listings }: AsmPayload): (Changes | null)[] {
    const now: Shown = new Map(listings.map((listing) => [listing.name, shownLines(listing)]));
    const before = cell === null ? null : this.before(`${cell} ${kernel}`, now);
    return [...now].map(([name, lines]) => {
      const old = before?.get(name);
      return old === undefined ? null : changesOf(old, lines);
    });
  }

  /** An output is drawn again and again: what it shows is the compile that is known. */
  private before(key: string, now: Shown): Shown | null {
    const known = this.known.get(key);
    if (known !== undefined && text(known.now) === text(now)) return known.before;
    const before = known?.now ?? null;
    this.known.set(key, { now, before });
    return before;
  }
}

const text = (shown: Shown): string => JSON.stringify([...shown]);
