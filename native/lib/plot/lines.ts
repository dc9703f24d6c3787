// Reads what `plot` is given: numbers, two lists of them, or several with names, and options at the end.
import { TensorError } from "../errors.ts";
import { finite, flag, oneOf, optionsOf, text, type Kind } from "../tensor/arguments.ts";
import { listed, worded } from "../wording.ts";
import type { Figure, PlotOptions } from "./figure.ts";
import { reduced, seriesOf, seriesOfNumbers, type Series } from "./series.ts";
import { momentsOf } from "./time-axis.ts";
import { isTensor, isValues, numbersOf, scalarOf, sizeText, type PlotValues } from "./values.ts";

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !isValues(value) && !ArrayBuffer.isView(value);

/** Lines of a tensor of two axes. */
const mostColumns = 20;

const pixels: Kind<number> = {
  wanted: "a number of pixels from 100 to 4000",
  has: (value) => typeof value === "number" && value >= 100 && value <= 4000,
};
export const range: Kind<readonly [number, number]> = {
  wanted: "two finite numbers, the smaller first,",
  has: (value) =>
    Array.isArray(value) &&
    value.length === 2 &&
    value.every(finite.has) &&
    (value[0] as number) < (value[1] as number),
};
export const lookKinds = { title: text, xLabel: text, yLabel: text, width: pixels, height: pixels } as const;
export const axisKinds = { logX: flag, logY: flag, xRange: range, yRange: range } as const;
const words = oneOf("line", "points", "bars");
const kind: Kind<NonNullable<PlotOptions["kind"]>> = {
  wanted: `${words.wanted}, or "line" or "points" by name,`,
  has: (value) =>
    words.has(value) || (isRecord(value) && Object.values(value).every((each) => each === "line" || each === "points")),
};
const plotKinds = { ...lookKinds, ...axisKinds, kind } as const;
const aliases: Readonly<Record<string, string>> = {
  xlabel: "xLabel",
  ylabel: "yLabel",
  xlim: "xRange",
  ylim: "yRange",
};

/** An object of which every name is an option's, with a value that is no series of that name; series have any names. */
function areOptions(value: unknown): boolean {
  const kinds: Readonly<Record<string, Kind<unknown>>> = plotKinds;
  const isOption = ([key, each]: [string, unknown]): boolean =>
    Object.hasOwn(kinds, key) && (kinds[key] === range || !isValues(each));
  return isRecord(value) && Object.entries(value).every(isOption);
}

/** Reads options, with those of before where there are none new; a logarithmic axis has no range that reaches 0. */
export function looked<O extends Readonly<Record<string, Kind<unknown>>>>(
  name: string,
  kinds: O,
  given: unknown,
  before: Figure | null,
): PlotOptions & ReturnType<typeof optionsOf<O>> {
  const options = { ...before?.options, ...optionsOf(name, kinds, given, { aliases }) } as PlotOptions &
    ReturnType<typeof optionsOf<O>>;
  for (const axis of ["x", "y"] as const) {
    const bounds = options[`${axis}Range`];
    if (options[axis === "x" ? "logX" : "logY"] && bounds !== undefined && bounds[0] <= 0)
      throw new TensorError(
        "VALUE",
        `${name} takes a ${axis}Range above 0 for a logarithmic axis but got ${listed(bounds)}.`,
      );
  }
  return options;
}

export function readPlot(args: readonly unknown[], before: Figure | null): Figure {
  const hasOptions = args.length > 1 && (args.length > 2 || areOptions(args.at(-1)) || !hasSeries(args.at(-1)));
  const data = hasOptions && isRecord(args.at(-1)) ? args.slice(0, -1) : args;
  const options = looked("plot", plotKinds, data === args ? undefined : args.at(-1), before);
  if (data.length === 0 || data.length > 2) throw notPlotted(data.length > 2 ? data[2] : undefined);
  const [first, second] = data;
  if (
    data.length === 1 &&
    isRecord(first) &&
    Object.keys(first).length > 0 &&
    Object.values(first).every((each) => scalarOf(each) !== undefined && !isTensor(each))
  )
    return named(Object.keys(first), { "": Object.values(first) as number[] }, options);
  const y = data.length === 2 ? second : first;
  if (!isValues(y) && !isRecord(y)) throw notPlotted(y);
  const lists = isRecord(y) ? y : columnsOf(y);
  if (data.length === 1) return figure(series(null, lists), options, { isNumbered: true });
  if (!isValues(first)) throw notPlotted(first);
  const areTexts = Array.isArray(first) && first.length > 0 && first.every((each) => typeof each === "string");
  // Bars of texts stand side by side, whatever the texts are.
  const moments = areTexts && options.kind === "bars" ? null : momentsOf(first);
  if (areTexts && moments === null) return named(first as string[], lists, options);
  const x = moments ?? numbersOf("plot", "x", first as PlotValues);
  return figure(series(x, lists), options, { isTime: moments !== null });
}

const hasSeries = (value: unknown): boolean =>
  isRecord(value) ? Object.values(value).some((each) => isValues(each)) : isValues(value);

function series(x: Float64Array | null, lists: Readonly<Record<string, unknown>>): Series[] {
  return Object.entries(lists).map(([name, y]) => {
    if (!isValues(y))
      throw new TensorError(
        "ARGUMENTS",
        `plot takes a tensor or an array of numbers as ${name} but got ${worded(y)}. Options come after what is drawn: plot({ a: y }, { title: "…" }).`,
      );
    if (x === null) return reduced(seriesOf("plot", name, null, y));
    const values = numbersOf("plot", name === "" ? "y" : name, y);
    if (values.length !== x.length)
      throw new TensorError(
        "SHAPE",
        `plot takes as many numbers as ${name === "" ? "y" : name} as there are in x, ${x.length}, but got ${values.length}.`,
      );
    return seriesOfNumbers(name, x, values);
  });
}

/** Of a tensor of two axes each column is a line. */
function columnsOf(y: PlotValues): Readonly<Record<string, PlotValues>> {
  if (!isTensor(y) || y.shape.length < 2) return { "": y };
  y.checkLiving("plot");
  const [, count] = y.shape as [number, number];
  if (y.shape.length > 2 || count > mostColumns)
    throw new TensorError(
      "SHAPE",
      `plot takes a tensor of one axis, or of two whose columns, at most ${mostColumns}, are lines, but got shape ${sizeText(y)}. plot.image(x) shows it as a picture.`,
    );
  const detached = y.detach();
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [String(at), detached.slice(null, at)]));
}

/** Along x are names. */
function named(categories: readonly string[], lists: Readonly<Record<string, unknown>>, options: PlotOptions): Figure {
  const x = Float64Array.from(categories.keys());
  return figure(series(x, lists), { kind: "bars", ...options }, { categories });
}

function figure(all: readonly Series[], options: PlotOptions, more: Partial<Figure>): Figure {
  const { kind = "line" } = options;
  const byName = typeof kind === "object" ? kind : {};
  const unknown = Object.keys(byName).find((name) => all.every((each) => each.name !== name));
  if (unknown !== undefined)
    throw new TensorError(
      "OPTIONS",
      `plot has no series ${unknown}, which kind names. Its series are ${all.map(({ name }) => name).join(", ")}.`,
    );
  const main = typeof kind === "object" ? "line" : kind;
  return {
    kind: main,
    series: all.map((each) => ((byName[each.name] ?? main) === "points" ? each : reduced(each))),
    categories: null,
    edges: null,
    grades: null,
    isTime: false,
    isNumbered: false,
    isSquare: false,
    radius: 3,
    notes: [],
    ...more,
    options: { ...options, kind },
  };
}

function notPlotted(value: unknown): TensorError {
  return new TensorError(
    "ARGUMENTS",
    `plot takes a tensor or an array of numbers but got ${value === undefined ? "nothing" : worded(value)}. Write plot(y), plot(x, y) or plot({ a: y1, b: y2 }), with options at the end: plot(y, { title: "…" }).`,
  );
}
