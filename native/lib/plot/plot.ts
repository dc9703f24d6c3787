// Curves, clouds of points, histograms and images: `plot` with its kin.
import type { Tensor } from "../tensor/tensor.ts";
import { readHistogram, type HistogramOptions } from "./bins.ts";
import { Chart } from "./chart.ts";
import type { PlotOptions } from "./figure.ts";
import { Picture, type ImageOptions } from "./image.ts";
import { readPlot } from "./lines.ts";
import { readScatter, type PointOptions } from "./scatter.ts";
import type { PlotValues } from "./values.ts";

/** Numbers with names: each is a line, or a bar at each place. */
export type PlotSeries = Readonly<Record<string, PlotValues>>;

/** `plot` draws lines and bars; {@link Plot.scatter}, {@link Plot.histogram} and {@link Plot.image} the rest. */
export interface Plot {
  /** Draws numbers over x, which are numbers, dates, or names of bars. */
  (x: PlotValues | readonly (string | Date)[], y: PlotValues | PlotSeries, options?: PlotOptions): Chart;
  /** Draws bars with names. */
  (bars: Readonly<Record<string, number>>, options?: PlotOptions): Chart;
  /** Draws numbers in their order, or several with names. It is the last: of a wrong call the checker tells about it. */
  (y: PlotValues | PlotSeries, options?: PlotOptions): Chart;
  /**
   * Draws points: `xy` is a tensor of shape [n, 2] or a list of pairs; or x and y apart. `color` gives each a class, with
   * a legend, or a grade, with a bar of colours. Thousands of points become a picture that is darker where there are
   * more; of more than four million every second, third, … is drawn, and the chart says so. Throws TensorError.
   * @example
   * const points = randn([300, 2], { seed: 1 });
   * plot.scatter(points, { color: points.norm({ axis: 1 }), title: "Distances" }); // → Distances: 300 points
   */
  scatter(xy: PlotValues | Iterable<PlotValues>, options?: PointOptions): Chart;
  scatter(x: PlotValues | readonly (string | Date)[], y: PlotValues, options?: PointOptions): Chart;
  /**
   * Draws how many elements of a tensor, of any shape, lie in each of a row of bins, counted on its device. Without
   * `bins` their edges are round numbers; a few whole numbers have a bar each. Says how many elements are NaN, infinite
   * or outside of the range. Throws TensorError.
   * @example
   * plot.histogram(tensor([1, 2, 2, 5]), { bins: 2 });
   * // → Chart: 2 bins, ⢁ 1 … 3
   */
  histogram(x: PlotValues, options?: HistogramOptions): Chart;
  /**
   * Draws a tensor as an image: [height, width], [height, width, 3 or 4], [3 or 4, height, width], or a batch of them,
   * whose first 64 are a grid. One range of colours is that of all. Small images are enlarged. Throws TensorError.
   * @example
   * plot.image(rand([10, 28, 28], { seed: 1 }), { colorMap: "grey", columns: 5 }); // → Images: 10 of 28 × 28
   */
  image(x: Tensor | readonly unknown[], options?: ImageOptions): Picture;
}

/**
 * Draws lines: `plot(y)`, `plot(x, y)`, `plot({ loss, accuracy })` with a legend, `plot(x, { a, b })`; a tensor of two
 * axes has a line for each column. x may be dates, or texts of ISO 8601 such as "2024-03-05" and "2024-03-05 14:30", of
 * which those without a zone are UTC, as the axis is; other texts are names of bars. Options come last: title, labels, logarithmic axes, `kind: "points"` or "bars". Takes
 * tensors on any device, arrays, typed arrays and whatever one can go through. NaN is a gap, an infinite value a small
 * arrow at the edge, and the chart says how many there are. A line of more points than a screen has columns is drawn as
 * the extremes of each, which a long tensor's device finds. The chart shows itself, and again after `update` and `add`:
 * see {@link Chart}. Throws TensorError.
 * @example
 * const x = linspace(0, 6, 100);
 * plot(x, { sine: x.sin(), cosine: x.cos() }, { title: "Two waves", xLabel: "x" });
 * plot(["2024-01-31", "2024-02-29", "2024-03-31"], [3, 1, 2]); // → Chart: 3 points, ⢁⠂ 1 … 3
 * plot({ cats: 3, dogs: 4 }, { title: "Bars" }); // → Bars: 2 bars, ⡈ 3 … 4
 */
export const plot: Plot = Object.assign((...args: unknown[]) => new Chart(readPlot, args), {
  scatter: (...args: unknown[]) => new Chart(readScatter, args),
  histogram: (...args: unknown[]) => new Chart(readHistogram, args),
  image: (x: unknown, options?: unknown) => new Picture(x, options),
});
