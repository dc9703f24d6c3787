// Draws one row of slices as one line of pixels, in time that depends on the pixels and not on the slices, and finds
// where a name has room.
import type { Palette } from "./palette.ts";
import { mixed } from "./palette.ts";
import type { Matches } from "./search.ts";
import type { Slices } from "./slices.ts";

export interface RowView {
  /** The time at the left edge of the first pixel, and of one pixel. */
  readonly start: number;
  readonly perPixel: number;
  readonly palette: Palette;
  /** What is behind the slices: one line, as wide as those that are painted. */
  readonly ground: Uint32Array;
  /** Where something is meant, all else steps back. */
  readonly matches: Pick<Matches, "flags" | "last"> | null;
  /** From this width on, in pixels, a slice may have its name. */
  readonly labelWidth: number;
}

/** Names to write: pixels, and the slice. */
export interface Labels {
  count: number;
  readonly from: Float32Array;
  readonly to: Float32Array;
  readonly slice: Uint32Array;
}

export const newLabels = (most: number): Labels => ({
  count: 0,
  from: new Float32Array(most),
  to: new Float32Array(most),
  slice: new Uint32Array(most),
});

/**
 * Of 256: the least of a colour that is seen, what is left of a slice that steps back, and of the left edge of a wide
 * one.
 */
const least = 88;
const back = 40;
const edge = 150;

/** Paints over the ground into `line`, and appends to `labels`. */
export function paintRow(line: Uint32Array, slices: Slices, row: number, view: RowView, labels: Labels): void {
  const { start, perPixel, palette, ground, matches, labelWidth } = view;
  const { first, order, isInOrder, starts, sums, columns } = slices;
  const { duration, name, busy } = columns;
  const { background, fill } = palette;
  const width = line.length;
  line.set(ground);
  const scale = 1 / perPixel;
  // Of millions of slices each look takes its time in memory: what lies elsewhere too is not looked up.
  const sliceAt = (position: number): number => (isInOrder ? position : order[position]!);
  const lasting = (position: number): number =>
    busy ? duration[order[position]!]! : sums[position + 1]! - sums[position]!;
  const last = first[row + 1]!;
  let at = slices.firstEndingAfter(row, start);
  // Pixels left of it are done, the last of them with so many slices.
  let done = 0;
  let run = 1;
  while (at < last) {
    const from = (starts[at]! - start) * scale;
    if (from >= width) return;
    const to = from + lasting(at) * scale;
    const x = from > done ? Math.floor(from) : done;
    if (to - x >= 1.5 || to - from >= 1.5) {
      const end = Math.min(width, Math.max(x + 1, Math.round(to)));
      const index = sliceAt(at);
      const colour = fill[name[index]!]!;
      const share =
        busy && busy[index]! < duration[index]! ? least + (busy[index]! / duration[index]!) * (256 - least) : 256;
      const shade = matches && matches.flags[index] === 0 ? back : share;
      const body = shade >= 256 ? colour : mixed(colour, background, shade);
      line.fill(body, x, end);
      if (end - x >= 3 && from >= 0) line[x] = mixed(body, background, edge);
      if (end - x >= labelWidth && labels.count < labels.from.length) {
        labels.from[labels.count] = x;
        labels.to[labels.count] = end;
        labels.slice[labels.count++] = index;
      }
      done = end;
      at++;
      // Slices that a wide one covers to the pixel.
      if (at < last && (starts[at]! - start) * scale < done - 1)
        at = slices.nextFrom(at, last, start + (done - 1) * perPixel, 1);
      continue;
    }
    // All that start within this pixel are one, and look like the last of them, or the last that is meant.
    const next = slices.nextFrom(at, last, start + (x + 1) * perPixel, run);
    run = next - at;
    const meant = matches !== null && matches.last[next - 1]! >= at;
    const shown = sliceAt(meant ? matches.last[next - 1]! : next - 1);
    const share = (sums[next]! - sums[at]!) * scale;
    line[x] = mixed(
      fill[name[shown]!]!,
      background,
      matches && !meant ? back : share >= 1 ? 256 : least + share * (256 - least),
    );
    done = x + 1;
    // That one may go on, and is seen as itself from the next pixel on.
    at = run > 1 && (starts[next - 1]! + lasting(next - 1) - start) * scale - done >= 1 ? next - 1 : next;
    if (done >= width) return;
  }
}
