// What the views of this folder ask the rest of a profile to show.

/** Indices of the payload's `kernels` and `places`, and a window of time in nanoseconds. Without any of them: nothing any more. */
export interface Target {
  kernel?: number;
  place?: number;
  start?: number;
  end?: number;
}

export type Show = (target: Target) => void;
