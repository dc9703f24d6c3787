// Where things are on a timeline's canvas, in CSS pixels: the names at the left, the axis on top, and times in the
// rest.
import type { Span } from "./span.ts";
import { lengthOf } from "./span.ts";

export interface Geometry {
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  /** How far the lines are scrolled. */
  readonly scroll: number;
  /** Width of the names. */
  readonly gutter: number;
}

export const axisHeight = 24;

export const gutterOf = (width: number): number => Math.round(Math.min(168, Math.max(76, width * 0.18)));

/** The width in which times are shown. */
export const fieldOf = ({ width, gutter }: Geometry): number => Math.max(1, width - gutter);

export const timeAt = (x: number, view: Span, geometry: Geometry): number =>
  view.start + ((x - geometry.gutter) / fieldOf(geometry)) * lengthOf(view);

export const xOf = (time: number, view: Span, geometry: Geometry): number =>
  geometry.gutter + ((time - view.start) / lengthOf(view)) * fieldOf(geometry);
