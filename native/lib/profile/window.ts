// A part of a profile as so many pixels show it: slices narrower than one are merged with their neighbours, so that
// what travels is bounded by what is drawn.
import { emptySlices, type ProfileData, type Slices } from "./slices.ts";

export interface Window {
  readonly slices: Slices;
  /** How many slices each one stands for, and nanoseconds of them together. */
  readonly merged: Uint32Array;
  readonly busy: Float32Array;
  /** Nothing was merged. */
  readonly complete: boolean;
}

/** Slices that touch the time from `start` to `end`, on a line of `width` pixels. Causes outside are left out. */
export function windowOf({ slices }: Pick<ProfileData, "slices">, start: number, end: number, width: number): Window {
  const pixel = (end - start) / Math.max(1, width);
  const picked: number[] = [];
  const counts: number[] = [];
  const ends: number[] = [];
  const busy: number[] = [];
  // By depth: the last slice that was picked on the track.
  let last: (number | undefined)[] = [];
  let track = -1;
  for (let index = 0; index < slices.length; index++) {
    const [from, duration] = [slices.start[index]!, slices.duration[index]!];
    const to = from + duration;
    if (to < start || from > end) continue;
    if (slices.track[index] !== track) [track, last] = [slices.track[index]!, []];
    const depth = slices.depth[index]!;
    const before = last[depth];
    if (
      before !== undefined &&
      duration < pixel &&
      ends[before]! - slices.start[picked[before]!]! < pixel &&
      to - slices.start[picked[before]!]! <= pixel
    ) {
      counts[before]! += 1;
      busy[before]! += duration;
      ends[before] = Math.max(ends[before]!, to);
      continue;
    }
    last[depth] = picked.push(index) - 1;
    counts.push(1);
    ends.push(to);
    busy.push(duration);
  }
  const part = emptySlices(picked.length);
  const merged = Uint32Array.from(counts);
  const indices = new Map(picked.map((index, at) => [index, at]));
  picked.forEach((index, at) => {
    part.start[at] = slices.start[index]!;
    part.duration[at] = ends[at]! - slices.start[index]!;
    for (const column of ["track", "depth", "name", "place", "detail", "kernel"] as const)
      part[column][at] = slices[column][index]!;
    const cause = slices.cause[index]!;
    part.cause[at] = cause === 0 ? 0 : (indices.get(cause - 1) ?? -1) + 1;
  });
  return {
    slices: part,
    merged,
    busy: Float32Array.from(busy),
    complete: picked.length === slices.length || merged.every((count) => count === 1),
  };
}
