// What a chart shows, before it is drawn: its series, what their places are called, and how it is to look.
import type { Series } from "./series.ts";

/** How points are drawn. */
export type PlotKind = "line" | "points" | "bars";

/**
 * `title`, `xLabel`, `yLabel`: texts. `logX`, `logY`: a logarithmic axis, on which only numbers above 0 have a place.
 * `xRange`, `yRange`: an axis exactly from here to there. `kind`: "line" when left out, "bars" where x has names; lines and points may
 * be in one chart, each by its name: `{ measured: "points" }`.
 * `width`, `height`: pixels, 640 × 320 when left out.
 */
export interface PlotOptions {
  readonly title?: string;
  readonly xLabel?: string;
  readonly yLabel?: string;
  readonly logX?: boolean;
  readonly logY?: boolean;
  readonly xRange?: readonly [number, number];
  readonly yRange?: readonly [number, number];
  readonly kind?: PlotKind | Readonly<Record<string, "line" | "points">>;
  readonly width?: number;
  readonly height?: number;
}

/** Colours that stand for numbers. */
export interface Grades {
  readonly low: number;
  readonly high: number;
  readonly colours: readonly string[];
}

export interface Figure {
  readonly kind: PlotKind;
  readonly series: readonly Series[];
  /** Names of the whole numbers along x. */
  readonly categories: readonly string[] | null;
  /** Bars from each of these values to the next, without gaps. */
  readonly edges: readonly number[] | null;
  readonly grades: Grades | null;
  /** x is milliseconds since 1970. */
  readonly isTime: boolean;
  /** x is the points' numbers. */
  readonly isNumbered: boolean;
  /** Both axes have one scale. */
  readonly isSquare: boolean;
  /** Radius of a point in pixels. */
  readonly radius: number;
  /** What is to be said below it. */
  readonly notes: readonly string[];
  readonly options: PlotOptions;
}

/** How a series is drawn, where not all are drawn alike. */
export function kindOf({ kind, options }: Figure, { name }: Series): PlotKind {
  return typeof options.kind === "object" ? (options.kind[name] ?? kind) : kind;
}

/** Names of the series that a reader tells apart by a legend. */
export function legendOf({ series, grades }: Figure): readonly Series[] {
  const named = series.filter(({ name }) => name !== "");
  return grades !== null || named.length === 0 ? [] : named;
}
