// What the views of this folder ask the rest of a profile to show.

/** Indices of the payload's `kernels` and `places`, and a window of time in nanoseconds. */
export interface Target {
  kernel?: number;
  place?: number;
  start?: number;
  end?: number;
}

/** Something was chosen: it may take the place of the view that asks. */
export type Show = (target: Target) => void;

/** Something is pointed at, or with `null` no longer: nothing but its colour may change. */
export type Point = (target: Target | null) => void;
