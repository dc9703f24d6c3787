// Which slices are meant, by a text, a kernel or a place, and the next of them in time.
import type { TracePayload } from "../../../kernel/mime.ts";
import type { Slices } from "./slices.ts";
import type { Span } from "./span.ts";

/** What a view puts in front of all others. */
export interface Wanted {
  readonly text?: string;
  /** An index of the profile's kernels, and of its places. */
  readonly kernel?: number;
  /** Any of these places. */
  readonly places?: readonly number[];
}

export interface Matches {
  readonly wanted: Wanted;
  /** 1 for each slice that is meant. */
  readonly flags: Uint8Array;
  /**
   * For each position in `order`, that of the last slice up to there which is meant; −1 where there is none. However many a pixel
   * has, one look tells.
   */
  readonly last: Int32Array;
  /** Slices of the profile: a merged one counts for all that it stands for. */
  readonly count: number;
  /** From the start of the first to the end of the last; `null`: there are none. */
  readonly span: Span | null;
}

/** Without regard to case, in a slice's name, or in the text of its place. */
function textsWith(texts: readonly string[], text: string): Uint8Array {
  const sought = text.toLowerCase();
  return Uint8Array.from(texts, (candidate) => Number(candidate.toLowerCase().includes(sought)));
}

export function find(
  slices: Slices,
  { names, places }: Pick<TracePayload, "names" | "places">,
  wanted: Wanted,
): Matches {
  const { order } = slices;
  const { length, name, place, kernel, start, duration } = slices.columns;
  const named = wanted.text === undefined ? null : textsWith(names, wanted.text);
  const placed =
    wanted.text === undefined
      ? null
      : textsWith(
          places.map((item) => item.text),
          wanted.text,
        );
  const chosen = wanted.places && new Set(wanted.places.map((index) => index + 1));
  const flags = new Uint8Array(length);
  const last = new Int32Array(length);
  let count = 0;
  let latest = -1;
  let [from, to] = [Infinity, -Infinity];
  for (let at = 0; at < length; at++) {
    const index = order[at]!;
    last[at] = latest;
    const fits = named ? named[name[index]!] === 1 || (place[index]! > 0 && placed![place[index]! - 1] === 1) : true;
    if (
      !fits ||
      (wanted.kernel !== undefined && kernel[index] !== wanted.kernel + 1) ||
      (chosen && !chosen.has(place[index]!))
    )
      continue;
    last[at] = latest = at;
    flags[index] = 1;
    count += slices.countOf(index);
    if (start[index]! < from) from = start[index]!;
    if (start[index]! + duration[index]! > to) to = start[index]! + duration[index]!;
  }
  return { wanted, flags, last, count, span: count === 0 ? null : { start: from, end: to } };
}

/**
 * The next (1) or previous (−1) slice that is meant, in the order of start, then of index; around the end again.
 * `from`: the slice to go on from, or the time; a slice that starts at that time counts as the next.
 */
export function step(
  { columns: { start, length } }: Slices,
  { flags }: Matches,
  from: { index: number } | { time: number },
  direction: -1 | 1,
): number | null {
  const isAt = "index" in from;
  const [time, own] = isAt ? [start[from.index]!, from.index] : [from.time, direction === 1 ? -1 : length];
  const isBefore = (a: number, b: number): boolean => start[a]! < start[b]! || (start[a] === start[b] && a < b);
  let next = -1;
  let around = -1;
  for (let index = 0; index < length; index++) {
    if (flags[index] === 0) continue;
    const isLater = start[index]! > time || (start[index] === time && index > own);
    const isEarlier = start[index]! < time || (start[index] === time && index < own);
    if ((direction === 1 ? isLater : isEarlier) && (next < 0 || isBefore(index, next) === (direction === 1)))
      next = index;
    if (around < 0 || isBefore(index, around) === (direction === 1)) around = index;
  }
  return next >= 0 ? next : around >= 0 ? around : null;
}
