// Slices before they are sorted, as columns that grow. An index names a slice until `slicesOf` gives each its final
// place.
import { doubled, firstCapacity } from "./columns.ts";
import { emptySlices, type Slices, type Track } from "./slices.ts";

/** More displaced slices than this for each one, and a track is sorted otherwise. */
const worthInserting = 16;

export class Drafts {
  length = 0;
  track = new Uint16Array(firstCapacity);
  /** Nanoseconds. */
  start = new Float64Array(firstCapacity);
  end = new Float64Array(firstCapacity);
  name = new Uint32Array(firstCapacity);
  detail = new Uint32Array(firstCapacity);
  /** Indices; −1: none. `cause` is of a draft, `kernel` of a row. */
  place = new Int32Array(firstCapacity);
  cause = new Int32Array(firstCapacity);
  kernel = new Int32Array(firstCapacity);

  /** Returns its index. */
  add(
    track: number,
    start: number,
    end: number,
    name: number,
    place: number,
    detail: number,
    cause = -1,
    kernel = -1,
  ): number {
    const index = this.length++;
    if (index === this.start.length) this.#grow();
    this.track[index] = track;
    this.start[index] = start;
    this.end[index] = end;
    this.name[index] = name;
    this.detail[index] = detail;
    this.place[index] = place;
    this.cause[index] = cause;
    this.kernel[index] = kernel;
    return index;
  }

  /** Of one track, by start, the longer one first. */
  ordered(track: number): Uint32Array {
    const order = new Uint32Array(this.length);
    let count = 0;
    for (let index = 0; index < this.length; index++) if (this.track[index] === track) order[count++] = index;
    return this.#sorted(order.subarray(0, count));
  }

  /** What was noted in the order of time is nearly sorted: most slices stay where they are. */
  #sorted(order: Uint32Array): Uint32Array {
    const { start, end } = this;
    const isAfter = (a: number, b: number): boolean =>
      start[a]! > start[b]! || (start[a] === start[b] && end[a]! < end[b]!);
    let left = worthInserting * order.length;
    for (let at = 1; at < order.length; at++) {
      const index = order[at]!;
      let to = at;
      while (to > 0 && isAfter(order[to - 1]!, index)) to--;
      if (to === at) continue;
      left -= at - to;
      order.copyWithin(to + 1, to, at);
      order[to] = index;
      if (left < 0) return order.sort((a, b) => start[a]! - start[b]! || end[b]! - end[a]!);
    }
    return order;
  }

  #grow(): void {
    this.track = doubled(this.track);
    this.start = doubled(this.start);
    this.end = doubled(this.end);
    this.name = doubled(this.name);
    this.detail = doubled(this.detail);
    this.place = doubled(this.place);
    this.cause = doubled(this.cause);
    this.kernel = doubled(this.kernel);
  }
}

/** As float32, not more than it is: slices must not seem to overlap. */
function floored(duration: number): number {
  const near = Math.fround(duration);
  return near <= duration ? near : near * (1 - 2 ** -23);
}

/**
 * Sorts slices by track and start, and lays those of one track out in levels: what lies within another one is a level
 * below it.
 */
export function slicesOf(drafts: Drafts, tracks: readonly Track[]): Slices {
  const orders = tracks.map((_, track) => drafts.ordered(track));
  const places = new Uint32Array(drafts.length);
  let at = 0;
  for (const order of orders) for (const index of order) places[index] = at++;
  const slices = emptySlices(drafts.length);
  orders.forEach((order, track) => {
    const open: number[] = [];
    let deepest = 0;
    for (const index of order) {
      const [start, end] = [drafts.start[index]!, drafts.end[index]!];
      while (open.length > 0 && open.at(-1)! <= start) open.pop();
      const depth = Math.min(open.length, 255);
      open.push(end);
      deepest = Math.max(deepest, depth);
      const to = places[index]!;
      slices.start[to] = start;
      slices.duration[to] = floored(end - start);
      slices.track[to] = track;
      slices.depth[to] = depth;
      slices.name[to] = drafts.name[index]!;
      slices.place[to] = drafts.place[index]! + 1;
      slices.detail[to] = drafts.detail[index]!;
      slices.cause[to] = drafts.cause[index]! < 0 ? 0 : places[drafts.cause[index]!]! + 1;
      slices.kernel[to] = drafts.kernel[index]! + 1;
    }
    tracks[track]!.depth = deepest + 1;
  });
  return slices;
}
