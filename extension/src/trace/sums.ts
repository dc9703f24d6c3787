// Adds up what happened in a span of time: slices, the total time of each name on each track, the share in which each
// track was busy.
import type { Slices } from "./slices.ts";
import type { Span } from "./span.ts";
import { lengthOf } from "./span.ts";

export interface Sums {
  readonly span: Span;
  /** Slices that touch the span. */
  readonly count: number;
  /**
   * By track and total time, highest first; only the part of a slice inside the span counts. What one launch does on a
   * stream it does on cores too, so that no sum goes over tracks. `track` and `name` are indices.
   */
  readonly names: readonly NameSum[];
  /** 0 … 1 for each track. */
  readonly busy: readonly number[];
}

export interface NameSum {
  readonly track: number;
  readonly name: number;
  readonly count: number;
  readonly total: number;
}

export function sumsOf(slices: Slices, names: number, span: Span): Sums {
  const { columns, first, order, rowOfTrack } = slices;
  const { start, duration, name, busy: worked } = columns;
  const counts = new Float64Array(names);
  const totals = new Float64Array(names);
  const tracks = rowOfTrack.length - 1;
  const busy = new Array<number>(tracks).fill(0);
  const sums: NameSum[] = [];
  let count = 0;
  for (let track = 0; track < tracks; track++) {
    const met: number[] = [];
    for (let row = rowOfTrack[track]!; row < rowOfTrack[track + 1]!; row++) {
      for (
        let at = slices.firstEndingAfter(row, span.start);
        at < first[row + 1]! && start[order[at]!]! < span.end;
        at++
      ) {
        const index = order[at]!;
        const inside = Math.min(span.end, start[index]! + duration[index]!) - Math.max(span.start, start[index]!);
        const time = worked && duration[index]! > 0 ? (inside * worked[index]!) / duration[index]! : inside;
        const stands = slices.countOf(index);
        count += stands;
        if (counts[name[index]!] === 0) met.push(name[index]!);
        counts[name[index]!]! += stands;
        totals[name[index]!]! += time;
        // The outermost level alone: the others are within it.
        if (row === rowOfTrack[track]) busy[track]! += time;
      }
    }
    met.sort((a, b) => totals[b]! - totals[a]! || a - b);
    for (const each of met) {
      sums.push({ track, name: each, count: counts[each]!, total: totals[each]! });
      counts[each] = totals[each] = 0;
    }
  }
  const length = lengthOf(span);
  return { span, count, names: sums, busy: busy.map((time) => (length > 0 ? Math.min(1, time / length) : 0)) };
}
