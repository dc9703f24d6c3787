// Lengths of sequences whose rows lie one after the other.
import { TensorError } from "../errors.ts";
import type { Sequence } from "../ops/attention/sequences.ts";
import type { Kind } from "../tensor/arguments.ts";
import { listed } from "../wording.ts";

/** How many rows each sequence has, of queries as of keys, or of both by name. */
export type SequenceLengths =
  | readonly number[]
  | { readonly queries: readonly number[]; readonly keys: readonly number[] };

const areLengths = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((each) => Number.isSafeInteger(each) && each >= 0);
export const sequenceLengths: Kind<SequenceLengths> = {
  wanted: "a list of whole numbers of at least 0, or { queries, keys } of two,",
  has(value) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return areLengths(value);
    const { queries, keys, ...more } = value as Record<string, unknown>;
    return areLengths(queries) && areLengths(keys) && Object.keys(more).length === 0;
  },
};

/** Where each sequence begins, and how many rows it has. Throws TensorError where they are not all rows. */
export function startsOf(
  lengths: SequenceLengths,
  queries: number,
  keys: number,
): Pick<Sequence, "query" | "queries" | "key" | "keys">[] {
  const of = "queries" in lengths ? lengths : { queries: lengths, keys: lengths };
  if (of.queries.length !== of.keys.length)
    throw new TensorError(
      "SHAPE",
      `attention takes as many lengths of keys as of queries but got ${of.keys.length} for ${of.queries.length}.`,
    );
  for (const [name, rows] of Object.entries({ queries, keys })) {
    const list = of[name as "queries" | "keys"];
    const sum = list.reduce((a, b) => a + b, 0);
    if (sum !== rows)
      throw new TensorError(
        "SHAPE",
        `attention takes lengths of all ${rows} ${name} together but got ${listed(list)}, of ${sum}.`,
      );
  }
  let query = 0,
    key = 0;
  return of.queries.map((count, at) => {
    const found = { query, queries: count, key, keys: of.keys[at]! };
    query += count;
    key += of.keys[at]!;
    return found;
  });
}
