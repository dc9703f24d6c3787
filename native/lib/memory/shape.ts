// Shapes and strides: turns what a user asks of a tensor's axes into sizes, strides and offsets, in elements.
import { TensorError } from "../errors.ts";
import { listed, worded } from "../wording.ts";

/** Elements along each axis; [] of a tensor of one element without axes. */
export type Shape = readonly number[];

/** A window on a flat array: element (i, j, …) lies at `offset + i·strides[0] + j·strides[1] + …`. */
export interface View {
  readonly shape: Shape;
  readonly strides: readonly number[];
  readonly offset: number;
}

/**
 * One axis of `slice`: an index (the axis goes), `[start, stop?, step?]`, or `null` for all of it. Negative positions
 * count from the end; a negative step goes backwards. `null` as start or stop is the end that the step comes from or
 * goes to: `[null, null, -1]` turns the axis round.
 */
export type AxisSlice = number | readonly [start: number | null, stop?: number | null, step?: number] | null;

/** The most axes that a tensor may have; kernels pass shapes in fixed arrays of this length. */
export const maxRank = 16;

export function formatShape(shape: Shape): string {
  return `[${shape.join(", ")}]`;
}

/** Checks a shape that a user gave. Throws TensorError for anything but up to {@link maxRank} whole numbers ≥ 0. */
export function checkedShape(shape: unknown): number[] {
  const list = typeof shape === "number" ? [shape] : shape;
  // Array.from: `every` passes over holes.
  if (!Array.isArray(list) || !Array.from(list).every((size) => Number.isSafeInteger(size) && size >= 0)) {
    throw new TensorError(
      "SHAPE",
      `${listed(shape)} is not a shape: give a whole number ≥ 0 or an array of them, such as [2, 3].`,
    );
  }
  checkRank("this shape", list);
  if (!Number.isSafeInteger(sizeOf(list)))
    throw new TensorError("SHAPE", `A tensor has fewer than 2^53 elements, but shape ${formatShape(list)} has more.`);
  return [...list];
}

/** Throws TensorError for more axes than {@link maxRank}; `what` has that shape. */
export function checkRank(what: string, shape: Shape): void {
  if (shape.length > maxRank)
    throw new TensorError(
      "SHAPE",
      `A tensor has at most ${maxRank} axes, but ${what} has ${shape.length}: ${formatShape(shape)}.`,
    );
}

export function sizeOf(shape: Shape): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Row-major strides: the last axis is the densest. */
export function stridesOf(shape: Shape): number[] {
  const strides = new Array<number>(shape.length);
  let stride = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = stride;
    stride *= shape[axis]!;
  }
  return strides;
}

/**
 * Whether the elements lie in row-major order without gaps. Axes of size 1 may have any stride, and all of them where
 * there are no elements.
 */
export function isContiguous(shape: Shape, strides: readonly number[]): boolean {
  if (shape.includes(0)) return true;
  let expected = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] !== 1 && strides[axis] !== expected) return false;
    expected *= shape[axis]!;
  }
  return true;
}

/** The axis as 0 … rank−1. Throws TensorError when there is no such axis. */
export function checkedAxis(axis: number, rank: number): number {
  if (!Number.isInteger(axis) || axis < -rank || axis >= rank) {
    throw new TensorError(
      "AXIS",
      `There is no axis ${worded(axis)} in a tensor with ${rank} ax${rank === 1 ? "i" : "e"}s${rank === 0 ? "" : `: give a whole number from ${-rank} to ${rank - 1}`}.`,
    );
  }
  return axis < 0 ? axis + rank : axis;
}

/** The shape that two shapes stretch to: aligned at the last axis, sizes equal or one of them 1. */
export function broadcast(a: Shape, b: Shape): number[] {
  const rank = Math.max(a.length, b.length);
  const shape = new Array<number>(rank);
  for (let axis = 0; axis < rank; axis++) {
    const left = a[a.length - rank + axis] ?? 1;
    const right = b[b.length - rank + axis] ?? 1;
    if (left !== right && left !== 1 && right !== 1) {
      throw new TensorError(
        "SHAPE",
        `Shapes ${formatShape(a)} and ${formatShape(b)} do not broadcast: from the last axis on, two sizes must be equal, or one of them 1.`,
      );
    }
    shape[axis] = left === 1 ? right : left;
  }
  return shape;
}

/** The view stretched to `shape`, to which it broadcasts: stretched axes get stride 0. */
export function stretch(view: View, shape: Shape): View {
  const missing = shape.length - view.shape.length;
  const strides = shape.map((size, axis) =>
    axis < missing || view.shape[axis - missing] !== size ? 0 : view.strides[axis - missing]!,
  );
  return { shape, strides, offset: view.offset };
}

/** The shape that `reshape` asks for, with one −1 filled in. */
export function reshaped(size: number, from: Shape, to: readonly number[]): number[] {
  if (!Array.isArray(to) || !Array.from(to).every(Number.isSafeInteger)) {
    throw new TensorError(
      "SHAPE",
      `Shape ${formatShape(from)} cannot become ${listed(to)}: give the new shape as an array of whole numbers, such as [2, -1].`,
    );
  }
  const unknown = to.indexOf(-1);
  const known = sizeOf(to.filter((_, axis) => axis !== unknown));
  const filled = unknown < 0 ? [...to] : to.map((length, axis) => (axis === unknown ? size / known : length));
  const shape = filled.every((length) => Number.isSafeInteger(length) && length >= 0) ? checkedShape(filled) : null;
  if (shape === null || sizeOf(shape) !== size) {
    throw new TensorError(
      "SHAPE",
      `Shape ${formatShape(from)} cannot become ${formatShape(to)}: the new shape must have ${size} elements too.`,
    );
  }
  return shape;
}

/** Strides that show the same elements under another shape, or `null` when only a copy can. Row-major order stays. */
export function reshapedStrides(view: View, shape: Shape): number[] | null {
  if (isContiguous(view.shape, view.strides)) return stridesOf(shape);
  const kept = merged([view]);
  const strides = new Array<number>(shape.length).fill(0);
  let axis = shape.length - 1;
  for (let source = kept.shape.length - 1; source >= 0; source--) {
    let covered = 1;
    while (axis >= 0 && covered * shape[axis]! <= kept.shape[source]!) {
      strides[axis] = kept.strides[0]![source]! * covered;
      covered *= shape[axis]!;
      axis -= 1;
    }
    if (covered !== kept.shape[source]) return null;
  }
  return strides;
}

export interface Merged {
  shape: number[];
  strides: number[][];
}

/**
 * Axes of views of one shape, with neighbours joined where every view steps evenly through both: kernels then divide
 * less.
 */
export function merged(views: readonly View[]): Merged {
  const result: Merged = { shape: [], strides: views.map(() => []) };
  const full = views[0]!.shape;
  for (let axis = 0; axis < full.length; axis++) {
    const size = full[axis]!;
    if (size === 1) continue;
    const last = result.shape.length - 1;
    const joins =
      last >= 0 && views.every((view, index) => result.strides[index]![last] === view.strides[axis]! * size);
    if (joins) {
      result.shape[last]! *= size;
      views.forEach((view, index) => {
        result.strides[index]![last] = view.strides[axis]!;
      });
    } else {
      result.shape.push(size);
      views.forEach((view, index) => result.strides[index]!.push(view.strides[axis]!));
    }
  }
  return result;
}

/** The view with its axes in another order. Throws TensorError unless `axes` names each axis once. */
export function transposed(view: View, axes: readonly number[]): View {
  const rank = view.shape.length;
  if (!Array.isArray(axes))
    throw new TensorError(
      "AXIS",
      `${worded(axes)} is not an order of ${rank} axes: give them as an array, such as [1, 0].`,
    );
  const order = axes.map((axis) => checkedAxis(axis, rank));
  if (order.length !== rank || new Set(order).size !== rank) {
    throw new TensorError("AXIS", `${listed(axes)} is not an order of ${rank} axes: name each of them once.`);
  }
  return {
    shape: order.map((axis) => view.shape[axis]!),
    strides: order.map((axis) => view.strides[axis]!),
    offset: view.offset,
  };
}

/** The view that `slices` cut out, one per axis from the first on; axes without one stay whole. */
export function sliced(view: View, slices: readonly AxisSlice[]): View {
  if (slices.length > view.shape.length) {
    throw new TensorError(
      "AXIS",
      `Shape ${formatShape(view.shape)} takes at most ${view.shape.length} slice${view.shape.length === 1 ? "" : "s"} but got ${slices.length}.`,
    );
  }
  const shape: number[] = [];
  const strides: number[] = [];
  let offset = view.offset;
  view.shape.forEach((size, axis) => {
    const stride = view.strides[axis]!;
    const slice = slices[axis] ?? null;
    if (typeof slice === "number") {
      if (!Number.isInteger(slice) || slice < -size || slice >= size) {
        throw new TensorError(
          "INDEX",
          `There is no index ${slice} on axis ${axis}, which has ${size} element${size === 1 ? "" : "s"}${size === 0 ? "" : `: give a whole number from ${-size} to ${size - 1}`}.`,
        );
      }
      offset += (slice < 0 ? slice + size : slice) * stride;
      return;
    }
    if (slice !== null && !Array.isArray(slice)) {
      throw new TensorError(
        "INDEX",
        `${worded(slice)} is not a slice of axis ${axis}: give an index, [start, stop, step], or null for all of it.`,
      );
    }
    const { start, count, step } = range(slice ?? [null], size, axis);
    offset += count === 0 ? 0 : start * stride;
    shape.push(count);
    strides.push(stride * step);
  });
  return { shape, strides, offset };
}

function range(slice: readonly [number | null, (number | null)?, number?], size: number, axis: number) {
  const [start, stop, step = 1] = slice;
  const isRange = slice.length > 0 && (slice as readonly unknown[]).length <= 3;
  if (!isRange || ![start ?? 0, stop ?? 0].every(Number.isInteger) || !Number.isInteger(step) || step === 0) {
    throw new TensorError(
      "INDEX",
      `${listed(slice)} is not a slice of axis ${axis}: give [start, stop, step] in whole numbers, with a step other than 0.${slice.some(Array.isArray) ? " Indices in lists are { at: [0, 2] }." : ""}`,
    );
  }
  // Going backwards, the place before the first element is where it ends.
  const [lowest, highest] = step > 0 ? [0, size] : [-1, size - 1];
  const clamp = (position: number) => Math.min(Math.max(position < 0 ? position + size : position, lowest), highest);
  const first = start == null ? (step > 0 ? lowest : highest) : clamp(start);
  const last = stop == null ? (step > 0 ? highest : lowest) : clamp(stop);
  return { start: first, count: Math.max(0, Math.ceil((last - first) / step)), step };
}

/**
 * A part of a view with its axes in another order: sliced, then given new axes of size 1 at the places `added`, then
 * transposed to `axes`.
 */
export interface Window {
  readonly slices: readonly AxisSlice[];
  readonly added?: readonly number[];
  readonly axes?: readonly number[];
}

/** The view through a window. */
export function windowed(view: View, { slices, added = [], axes }: Window): View {
  const { shape, strides, offset } = sliced(view, slices) as { shape: number[]; strides: number[]; offset: number };
  for (const axis of added) {
    shape.splice(axis, 0, 1);
    strides.splice(axis, 0, 0);
  }
  return axes === undefined ? { shape, strides, offset } : transposed({ shape, strides, offset }, axes);
}
