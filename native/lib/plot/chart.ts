// A chart: what `plot` and its kin return. It shows itself, and again when it is given more.
import { inspect } from "node:util";
import { TensorError } from "../errors.ts";
import { chartMime, type ChartPayload } from "../payloads.ts";
import { displayKey } from "../tensor/display.ts";
import { worded } from "../wording.ts";
import { drawingOf } from "./drawing.ts";
import type { Figure } from "./figure.ts";
import { savePicture } from "./save.ts";
import { extended } from "./series.ts";
import { summaryOf } from "./summary.ts";
import { momentFor } from "./time-axis.ts";
import { isTensor, scalarOf } from "./values.ts";
import { vegaLiteOf, type VegaLiteSpec } from "./vega-lite.ts";

/**
 * A value with a method under this key is shown again as it changes: who shows it passes a function, which the value
 * calls each time that it looks different from now on.
 */
export const liveKey = Symbol.for("Jupyter.display.live");

/** A number, or a tensor of one element. */
export type PlotScalar = number | bigint | { item(): unknown };

/** Reads arguments into what is shown, with the options of before where there are none new. */
export type FigureReader = (args: readonly unknown[], before: Figure | null) => Figure;

/**
 * A chart, as `plot`, `plot.scatter` and `plot.histogram` make it. It shows itself as the last value of a cell or by
 * `display(chart)`, as an SVG that any front end shows, and there again after `update` and `add`: in between a few times
 * a second at most, and as it is when the cell ends. What it was given it has copied.
 * @example
 * const chart = plot({ loss: [2.5, 1.2] }, { title: "Training" });
 * chart.add({ loss: 0.7 }).update({ loss: [3, 2, 1, 0] }) === chart; // → true
 * chart; // → Training: 4 points, loss ⠑⢄ 0 … 3
 */
export class Chart {
  readonly #read: FigureReader;
  readonly #changed = new Set<() => void>();
  #figure: Figure;

  /** @internal */
  constructor(read: FigureReader, args: readonly unknown[]) {
    this.#read = read;
    this.#figure = read(args, null);
  }

  /**
   * Shows other data, given as to the function that made the chart; options that are left out stay as they are.
   * Returns the chart. Throws TensorError.
   * @example
   * const chart = plot([1, 2, 3], { title: "Rising" });
   * chart.update([3, 2, 1]).toSpec()["title"]; // → 'Rising'
   */
  update(...data: unknown[]): this {
    this.#figure = this.#read(data, this.#figure);
    this.#tell();
    return this;
  }

  /**
   * Adds a point to each series that is named, `chart.add({ loss })`, or to the only one, `chart.add(loss)`; a name that
   * is new begins a series. x is the next whole number, or comes first: `chart.add(epoch, { loss })`, also a Date. Values are numbers
   * or tensors of one element, which are read. Returns the chart. Throws TensorError.
   * @example
   * const chart = plot({ loss: [] });
   * for (let step = 0; step < 3; step++) chart.add({ loss: 1 / (step + 1) });
   * chart; // → Chart: 3 points, loss ⠡⡀ 0.3333 … 1
   */
  add(values: PlotScalar | Readonly<Record<string, PlotScalar>>): this;
  add(x: number | Date, values: PlotScalar | Readonly<Record<string, PlotScalar>>): this;
  add(...given: unknown[]): this {
    const moment = given.length > 1 ? momentFor(given[0]) : undefined;
    const [x, values] = given.length > 1 ? [moment ?? scalarOf(given[0]), given[1]] : [undefined, given[0]];
    if (given.length === 0 || given.length > 2 || (given.length === 2 && x === undefined)) throw notAdded(given[0]);
    if (this.#figure.edges !== null || this.#figure.grades !== null)
      throw new TensorError(
        "OPERANDS",
        "add takes a chart of lines, points or bars, but this one is made of all its data at once. Write chart.update(x).",
      );
    if (
      x === undefined &&
      values !== null &&
      typeof values === "object" &&
      !isTensor(values) &&
      Object.keys(values).length === 0
    )
      return this;
    const isNamed = typeof values === "object" && values !== null && !isTensor(values);
    const only = this.#figure.series[0]?.name ?? "";
    if (!isNamed && this.#figure.series.length > 1)
      throw new TensorError(
        "ARGUMENTS",
        `add takes an object with the series as names, since the chart has ${this.#figure.series.length}, but got ${worded(values)}. Write chart.add({ ${only}: … }).`,
      );
    const entries = isNamed ? Object.entries(values) : [[only, values] as const];
    const numbers = entries.map(([name, value]) => {
      const number = scalarOf(value);
      if (number === undefined) throw notAdded(value);
      return [name, number] as const;
    });
    // Where nothing has been drawn, the series without a name is none.
    const series = this.#figure.series.filter(({ name, total }) => name !== "" || total > 0 || !isNamed);
    for (const [name, number] of numbers) {
      const found = series.findIndex((each) => each.name === name);
      const into = series[found] ?? { name, x: [], y: [], total: 0, nan: 0, infinite: 0 };
      const next = extended(into, x ?? (into.x.length === 0 ? 0 : into.x.at(-1)! + 1), number);
      if (found < 0) series.push(next);
      else series[found] = next;
    }
    const { isNumbered, isTime } = this.#figure;
    this.#figure = {
      ...this.#figure,
      series,
      isNumbered: isNumbered && x === undefined,
      isTime: isTime || moment !== undefined,
    };
    this.#tell();
    return this;
  }

  /**
   * The chart as a specification of Vega-Lite, with its data, to go on from: `display(chart.toSpec())`.
   * @example
   * plot([1, 4, 9], { kind: "bars" }).toSpec()["mark"]; // → { type: 'bar', tooltip: true }
   */
  toSpec(): VegaLiteSpec {
    return vegaLiteOf(this.#figure);
  }

  /**
   * The chart as the text of an SVG file.
   * @example
   * plot([1, 2]).toSvg().startsWith("<svg xmlns"); // → true
   */
  toSvg(): string {
    return drawingOf(this.#figure).svg;
  }

  /**
   * Writes the chart to an .svg file. Throws TensorError for another one, and the system's error.
   * @example
   * plot([1, 4, 2]).save("chart.svg");
   */
  save(path: string): void {
    savePicture("A chart", ".svg", path, this.toSvg());
  }

  /** @internal */
  [displayKey](): Record<string, unknown> {
    const { svg, width, height, area, x, y } = drawingOf(this.#figure);
    const axis = ({ low, high, isLogarithmic }: typeof x) => ({ low, high, isLogarithmic });
    const { kind, edges, categories, isTime } = this.#figure;
    const payload: ChartPayload = {
      version: 1,
      width,
      height,
      area,
      x: { ...axis(x), ...(isTime && !x.isLogarithmic ? { isTime } : {}) },
      y: axis(y),
      kind: edges === null ? kind : "histogram",
      ...(categories === null ? {} : { categories }),
    };
    return { [chartMime]: payload, "image/svg+xml": svg, "text/plain": summaryOf(this.#figure) };
  }

  /** @internal */
  [liveKey](changed: () => void): void {
    this.#changed.add(changed);
  }

  /** @internal */
  [inspect.custom](): string {
    return summaryOf(this.#figure);
  }

  #tell(): void {
    for (const changed of this.#changed) changed();
  }
}

function notAdded(value: unknown): TensorError {
  return new TensorError(
    "ARGUMENTS",
    `add takes a number for each series but got ${value === undefined ? "nothing" : worded(value)}. Write chart.add({ loss: 0.3 }), chart.add(0.3), or with x first chart.add(7, { loss: 0.3 }).`,
  );
}
