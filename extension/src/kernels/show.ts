// What one view of a profile asks another to put in front.

/** Indices of the payload's `kernels` and `places`, and a window of time in nanoseconds. */
export interface Target {
  readonly kernel?: number;
  /** In the names of slices and places. */
  readonly text?: string;
  readonly place?: number;
  /** Any of these places. */
  readonly places?: readonly number[];
  readonly start?: number;
  readonly end?: number;
}

/** Something was chosen: it may take the place of the view that asks. */
export type Show = (target: Target) => void;
