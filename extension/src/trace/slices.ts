// Slices by row: a row is one level of nesting of one track, in which slices follow each other, so that a point in time
// is found by bisection.
import type { Columns } from "./columns.ts";
import type { Span } from "./span.ts";

/** Positions per block, as a power of two: the starts of a block lie together in memory. */
const block = 4;

export class Slices {
  readonly columns: Columns;
  /** The first row of each track, and one more. */
  readonly rowOfTrack: Uint32Array;
  /**
   * Row by row: where each begins in the arrays below (and one more), the slices, their starts, and the sum of what was
   * busy before each.
   */
  readonly first: Uint32Array;
  readonly order: Uint32Array;
  /** Nothing nests, so that positions in `order` are the slices themselves. */
  readonly isInOrder: boolean;
  readonly starts: Float64Array;
  readonly sums: Float64Array;
  readonly span: Span;
  /**
   * The start at the first position of each block: a search reads these, which are few enough to stay near, before the
   * starts themselves.
   */
  private readonly blocks: Float64Array;
  private effects: { first: Uint32Array; items: Uint32Array } | null = null;

  /** `depths`: levels of nesting of each track. */
  constructor(columns: Columns, depths: readonly number[]) {
    const { length, start, duration, track, depth, busy } = columns;
    this.columns = columns;
    this.rowOfTrack = new Uint32Array(depths.length + 1);
    depths.forEach((levels, index) => (this.rowOfTrack[index + 1] = this.rowOfTrack[index]! + levels));
    const rows = this.rowOfTrack[depths.length]!;
    this.first = new Uint32Array(rows + 1);
    for (let index = 0; index < length; index++) this.first[this.rowOfTrack[track[index]!]! + depth[index]! + 1]!++;
    for (let row = 0; row < rows; row++) this.first[row + 1]! += this.first[row]!;
    this.order = new Uint32Array(length);
    this.isInOrder = rows === depths.length;
    this.starts = new Float64Array(length);
    this.sums = new Float64Array(length + 1);
    // Slices of one track are in the order of their starts, and stay so within each row.
    const next = this.first.slice();
    let [from, to] = [Infinity, -Infinity];
    for (let index = 0; index < length; index++) {
      const row = this.rowOfTrack[track[index]!]! + depth[index]!;
      const at = next[row]!++;
      this.order[at] = index;
      this.starts[at] = start[index]!;
      if (start[index]! < from) from = start[index]!;
      if (start[index]! + duration[index]! > to) to = start[index]! + duration[index]!;
    }
    const worked = busy ?? duration;
    for (let at = 0; at < length; at++) this.sums[at + 1] = this.sums[at]! + worked[this.order[at]!]!;
    this.blocks = new Float64Array(Math.ceil(length / (1 << block)));
    for (let index = 0; index < this.blocks.length; index++) this.blocks[index] = this.starts[index << block]!;
    this.span = length === 0 ? { start: 0, end: 0 } : { start: from, end: to };
  }

  get rows(): number {
    return this.first.length - 1;
  }

  rowOf(index: number): number {
    return this.rowOfTrack[this.columns.track[index]!]! + this.columns.depth[index]!;
  }

  endOf(index: number): number {
    return this.columns.start[index]! + this.columns.duration[index]!;
  }

  spanOf(index: number): Span {
    return { start: this.columns.start[index]!, end: this.endOf(index) };
  }

  /** How many of the profile's slices one stands for. */
  countOf(index: number): number {
    return this.columns.merged ? Math.max(1, this.columns.merged[index]!) : 1;
  }

  /**
   * The position in `order` of the first slice of a row that starts at `time` or later; the row's end when there is
   * none.
   */
  firstFrom(row: number, time: number): number {
    let [low, high] = [this.first[row]!, this.first[row + 1]!];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.starts[middle]! < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * As `firstFrom`, but after the position `at` and up to `last` where the row ends, likely `run` later: of millions of
   * slices each look takes its time in memory.
   */
  nextFrom(at: number, last: number, time: number, run: number): number {
    const { starts, blocks } = this;
    // Blocks: `low` starts before `time`, or is the lowest; `high` does not, or is beyond the highest.
    const lowest = at >> block;
    const highest = (last - 1) >> block;
    let low = Math.min((at + run) >> block, highest);
    let high = low + 1;
    for (let step = 1; low > lowest && blocks[low]! >= time; step *= 2) {
      high = low;
      low = Math.max(lowest, low - step);
    }
    for (let step = 1; high <= highest && blocks[high]! < time; step *= 2) {
      low = high;
      high = Math.min(highest + 1, high + step);
    }
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (blocks[middle]! < time) low = middle;
      else high = middle;
    }
    // Positions.
    high = Math.min(last, (low + 1) << block);
    low = Math.max(at + 1, low << block);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle]! < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** As `firstFrom`, but one earlier where that slice is still going on at `time`. */
  firstEndingAfter(row: number, time: number): number {
    const at = this.firstFrom(row, time);
    return at > this.first[row]! && this.endOf(this.order[at - 1]!) > time ? at - 1 : at;
  }

  /** The slice of a row at `time`, or within `reach` of it; `null`: none. */
  at(row: number, time: number, reach = 0): number | null {
    const after = this.firstFrom(row, time);
    const before = after - 1;
    const distanceOf = (position: number): number => {
      if (position < this.first[row]! || position >= this.first[row + 1]!) return Infinity;
      const { start, end } = this.spanOf(this.order[position]!);
      return Math.max(0, start - time, time - end);
    };
    const nearest = distanceOf(before) <= distanceOf(after) ? before : after;
    return distanceOf(nearest) <= reach ? this.order[nearest]! : null;
  }

  /** The position of a slice in `order`. */
  positionOf(index: number): number {
    const row = this.rowOf(index);
    const last = this.first[row + 1]!;
    for (let at = this.firstFrom(row, this.columns.start[index]!); at < last; at++)
      if (this.order[at] === index) return at;
    throw new Error(`Slice ${index} is not in its row.`);
  }

  /** The slice before (−1) or after (1) in the same row; `null`: there is none. */
  neighbour(index: number, step: -1 | 1): number | null {
    const row = this.rowOf(index);
    const at = this.positionOf(index) + step;
    return at < this.first[row]! || at >= this.first[row + 1]! ? null : this.order[at]!;
  }

  /** The slice that `index` follows from; `null`: not known. */
  causeOf(index: number): number | null {
    const cause = this.columns.cause[index]!;
    return cause === 0 || cause - 1 === index ? null : cause - 1;
  }

  /** What follows from a slice, at most `most` of it. */
  effectsOf(index: number, most: number): { items: Uint32Array; count: number } {
    const { first, items } = (this.effects ??= this.findEffects());
    const [from, to] = [first[index]!, first[index + 1]!];
    return { items: items.subarray(from, Math.min(to, from + most)), count: to - from };
  }

  private findEffects(): { first: Uint32Array; items: Uint32Array } {
    const { length, cause } = this.columns;
    const first = new Uint32Array(length + 1);
    let sum = 0;
    for (let index = 0; index < length; index++) if (cause[index]! > 0) first[cause[index]!]!++, sum++;
    for (let index = 0; index < length; index++) first[index + 1]! += first[index]!;
    const items = new Uint32Array(sum);
    const next = first.slice();
    for (let index = 0; index < length; index++) if (cause[index]! > 0) items[next[cause[index]! - 1]!++] = index;
    return { first, items };
  }

  /** The slice of `other` that is this one; `null`: it is not there, or merged with others. */
  sameAs(other: Slices, index: number): number | null {
    const { start, name, duration } = other.columns;
    const row = other.rowOf(index);
    for (
      let at = this.firstFrom(row, start[index]!);
      at < this.first[row + 1]! && this.starts[at] === start[index];
      at++
    ) {
      const found = this.order[at]!;
      if (this.columns.name[found] === name[index] && this.columns.duration[found] === duration[index]) return found;
    }
    return null;
  }
}
