// Adds up what happened in a span of time: slices, the total time of each name, the share in which each track was busy.
import type { Slices } from "./slices.ts";
import type { Span } from "./span.ts";
import { lengthOf } from "./span.ts";

export interface Sums {
  readonly span: Span;
  /** Slices that touch the span. */
  readonly count: number;
  /** By total time, highest first; only the part of a slice inside the span counts. `name` is an index. */
  readonly names: readonly { readonly name: number; readonly count: number; readonly total: number }[];
  /** 0 … 1 for each track. */
  readonly busy: readonly number[];
}

export function sumsOf(slices: Slices, names: number, span: Span): Sums {
  const { columns, first, order, rowOfTrack } = slices;
  const { start, duration, name, busy: worked } = columns;
  const counts = new Float64Array(names);
  const totals = new Float64Array(names);
  const tracks = rowOfTrack.length - 1;
  const busy = new Array<number>(tracks).fill(0);
  let count = 0;
  for (let track = 0; track < tracks; track++) {
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
        counts[name[index]!]! += stands;
        totals[name[index]!]! += time;
        // The outermost level alone: the others are within it.
        if (row === rowOfTrack[track]) busy[track]! += time;
      }
    }
  }
  const length = lengthOf(span);
  const rows = [...counts.keys()]
    .filter((index) => counts[index]! > 0)
    .map((index) => ({ name: index, count: counts[index]!, total: totals[index]! }));
  rows.sort((a, b) => b.total - a.total || a.name - b.name);
  return { span, count, names: rows, busy: busy.map((time) => (length > 0 ? Math.min(1, time / length) : 0)) };
}
