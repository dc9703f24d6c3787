// Turns one row of slices into one line of pixels, in time that depends on the pixels and not on the slices, and finds where a name has room.
import type { Palette } from "./palette.ts";
import { mixed } from "./palette.ts";
import type { Slices } from "./slices.ts";

export interface RowView {
  /** The time at the left edge of the first pixel, and of one pixel. */
  readonly start: number;
  readonly perPixel: number;
  readonly palette: Palette;
  /** By detail: 1 where a slice is no work. */
  readonly quiet: Uint8Array;
  /** By slice; where it is given, all others step back. */
  readonly flags: Uint8Array | null;
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

export const newLabels = (most: number): Labels => ({ count: 0, from: new Float32Array(most), to: new Float32Array(most), slice: new Uint32Array(most) });

/** Of 256: the least of a colour that is seen, what is left of a slice that steps back, and of the left edge of a wide one. */
const least = 88;
const back = 40;
const edge = 150;

/** Fills `line`, which becomes background first, and appends to `labels`. */
export function paintRow(line: Uint32Array, slices: Slices, row: number, view: RowView, labels: Labels): void {
  const { start, perPixel, palette, quiet, flags, labelWidth } = view;
  const { first, order, starts, sums, columns } = slices;
  const { duration, name, detail, busy } = columns;
  const { background, fill } = palette;
  const width = line.length;
  line.fill(background);
  const scale = 1 / perPixel;
  const last = first[row + 1]!;
  let at = slices.firstEndingAfter(row, start);
  // Pixels left of it are done.
  let done = 0;
  while (at < last) {
    const index = order[at]!;
    const from = (starts[at]! - start) * scale;
    if (from >= width) return;
    const to = from + duration[index]! * scale;
    const x = from > done ? Math.floor(from) : done;
    if (to - x >= 1.5 || to - from >= 1.5) {
      const end = Math.min(width, Math.max(x + 1, Math.round(to)));
      const colour = quiet[detail[index]!] === 1 ? palette.quiet : fill[name[index]!]!;
      const share = busy && busy[index]! < duration[index]! ? least + ((busy[index]! / duration[index]!) * (256 - least)) : 256;
      const shade = flags && flags[index] === 0 ? back : share;
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
      if (at < last && (starts[at]! - start) * scale < done - 1) at = after(starts, at, last, start + (done - 1) * perPixel);
      continue;
    }
    // All that start within this pixel are one.
    const next = after(starts, at, last, start + (x + 1) * perPixel);
    const middle = order[(at + next - 1) >>> 1]!;
    let shown = middle;
    if (flags) for (let run = at; run < next; run++) if (flags[order[run]!] === 1) shown = order[run]!;
    const share = (sums[next]! - sums[at]!) * scale;
    const colour = quiet[detail[shown]!] === 1 ? palette.quiet : fill[name[shown]!]!;
    line[x] = mixed(colour, background, flags && flags[shown] === 0 ? back : share >= 1 ? 256 : least + share * (256 - least));
    done = x + 1;
    // The last of them may go on, and is seen as itself from the next pixel on.
    const ending = order[next - 1]!;
    at = next - 1 > at && (starts[next - 1]! + duration[ending]! - start) * scale - done >= 1 ? next - 1 : next;
    if (done >= width) return;
  }
}

/** The first position from `at` on, but after it, whose start is `time` or later: doubling steps, then bisection. */
function after(starts: Float64Array, at: number, last: number, time: number): number {
  let step = 1;
  let low = at + 1;
  while (low + step < last && starts[low + step]! < time) {
    low += step;
    step *= 2;
  }
  let high = Math.min(last, low + step);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
