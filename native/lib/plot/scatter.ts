// Reads what `plot.scatter` is given: points in a plane, and what their colours mean.
import { TensorError } from "../errors.ts";
import { factsOf } from "../memory/dtype.ts";
import { atLeast, type Kind } from "../tensor/arguments.ts";
import { worded } from "../wording.ts";
import type { Figure, Grades, PlotOptions } from "./figure.ts";
import { axisKinds, isRecord, lookKinds, looked } from "./lines.ts";
import { gradesOf } from "./palette.ts";
import { seriesOfNumbers, type Series } from "./series.ts";
import { momentsOf } from "./time-axis.ts";
import { isTensor, isValues, numbersOf, sizeText, type PlotValues } from "./values.ts";

/**
 * Those of `plot`, without its kind; and `color`: what a point is, as many as there are points: texts or whole numbers
 * are classes, up to 10 of them, other numbers grades of a colour map. `labels`: names of the classes 0, 1, …
 * `size`: diameter of a point in pixels.
 */
export interface PointOptions extends Omit<PlotOptions, "kind"> {
  readonly color?: PlotValues | readonly string[];
  readonly labels?: readonly string[];
  readonly size?: number;
}

const mostClasses = 10;
const gradeCount = 24;
/** Of more points every second, third, … one is drawn. */
const mostPoints = 2 ** 22;

const scatterKinds = {
  ...lookKinds,
  ...axisKinds,
  color: { wanted: "a tensor or an array with a number or a text for each point", has: isValues } as Kind<
    PlotValues | readonly string[]
  >,
  labels: {
    wanted: "a list of texts",
    has: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  } as Kind<readonly string[]>,
  size: atLeast(1),
} as const;

interface Cloud {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly total: number;
  readonly step: number;
  readonly isPlane: boolean;
  readonly isTime: boolean;
}

export function readScatter(args: readonly unknown[], before: Figure | null): Figure {
  const last = args.at(-1);
  const hasOptions = args.length > 1 && isRecord(last);
  const data = hasOptions ? args.slice(0, -1) : args;
  if (data.length === 0 || data.length > 2 || !data.every(isValues))
    throw notScattered(data.find((each) => !isValues(each)));
  const options = looked("plot.scatter", scatterKinds, hasOptions ? last : undefined, before);
  const cloud = data.length === 1 ? planeOf(data[0]!) : pairOf(data[0]!, data[1]!);
  const { color, labels, size, ...look } = options;
  const { series, grades } = colouring(cloud, color, labels);
  const count = cloud.x.length;
  return {
    kind: "points",
    series,
    categories: null,
    edges: null,
    grades,
    isTime: cloud.isTime,
    isNumbered: false,
    isSquare: cloud.isPlane,
    radius: size === undefined ? (count > 2000 ? 1.75 : count > 300 ? 2.5 : 3.5) : size / 2,
    notes: cloud.step === 1 ? [] : [`every ${ordinal(cloud.step)} of ${cloud.total.toLocaleString("en-US")} points`],
    options: look as PlotOptions,
  };
}

const ordinal = (step: number) => `${step}${step === 2 ? "nd" : step === 3 ? "rd" : "th"}`;
const stepOf = (total: number) => Math.max(1, Math.ceil(total / mostPoints));
const thinned = (values: Float64Array, step: number) =>
  step === 1 ? values : values.filter((_, at) => at % step === 0);

/** Points as rows of two numbers. */
function planeOf(points: PlotValues): Cloud {
  if (isTensor(points)) {
    points.checkLiving("plot.scatter");
    if (points.shape.length !== 2 || points.shape[1] !== 2)
      throw new TensorError(
        "SHAPE",
        `plot.scatter takes points as a tensor of shape [n, 2], or x and y apart, but got shape ${sizeText(points)}.`,
      );
    const total = points.shape[0]!;
    const step = stepOf(total);
    using plain = points.detach();
    using some = plain.slice([0, total, step]);
    using turned = some.transpose();
    const both = numbersOf("plot.scatter", "points", turned);
    return {
      x: both.subarray(0, both.length / 2),
      y: both.subarray(both.length / 2),
      total,
      step,
      isPlane: true,
      isTime: false,
    };
  }
  const pairs = Array.from(points as Iterable<unknown>, (pair, at) => {
    const both = isValues(pair) ? numbersOf("plot.scatter", "points", pair) : null;
    if (both?.length === 2) return both;
    throw new TensorError(
      "ARGUMENTS",
      `plot.scatter takes points as pairs, [[x, y], …], or x and y apart, but got ${worded(pair)} at place ${at}.`,
    );
  });
  return {
    x: Float64Array.from(pairs, ([x]) => x!),
    y: Float64Array.from(pairs, ([, y]) => y!),
    total: pairs.length,
    step: 1,
    isPlane: true,
    isTime: false,
  };
}

function pairOf(across: PlotValues, down: PlotValues): Cloud {
  const moments = momentsOf(across);
  const [x, y] = [moments ?? numbersOf("plot.scatter", "x", across), numbersOf("plot.scatter", "y", down)];
  if (x.length !== y.length)
    throw new TensorError(
      "SHAPE",
      `plot.scatter takes as many numbers as y as there are in x, ${x.length}, but got ${y.length}.`,
    );
  const step = stepOf(x.length);
  return { x: thinned(x, step), y: thinned(y, step), total: x.length, step, isPlane: false, isTime: moments !== null };
}

function colouring(
  { x, y, total, step }: Cloud,
  color: PlotValues | readonly string[] | undefined,
  labels: readonly string[] | undefined,
): { series: Series[]; grades: Grades | null } {
  if (color === undefined) return { series: [seriesOfNumbers("", x, y)], grades: null };
  const isText = Array.isArray(color) && color.length > 0 && color.every((each) => typeof each === "string");
  const names = isText ? [...new Set(color as readonly string[])] : [];
  const given = isText
    ? Float64Array.from(color as readonly string[], (each) => names.indexOf(each))
    : numbersOf("plot.scatter", "color", color as PlotValues);
  if (given.length !== total)
    throw new TensorError(
      "SHAPE",
      `plot.scatter takes as many values as color as there are points, ${total}, but got ${given.length}.`,
    );
  const values = thinned(given, step);
  const kinds = classesOf(values, color);
  if (kinds === null && isText)
    throw new TensorError(
      "VALUE",
      `plot.scatter tells at most ${mostClasses} classes apart but color has ${names.length} different texts.`,
    );
  if (kinds !== null) {
    const series = kinds.map((kind) => {
      const isOf = (_: number, at: number) => values[at] === kind;
      return seriesOfNumbers(names[kind] ?? labels?.[kind] ?? String(kind), x.filter(isOf), y.filter(isOf));
    });
    const rest = (_: number, at: number) => Number.isNaN(values[at]!);
    return {
      series: values.some(Number.isNaN)
        ? [...series, seriesOfNumbers("NaN", x.filter(rest), y.filter(rest), "#8c8c8c")]
        : series,
      grades: null,
    };
  }
  return graded(x, y, values);
}

/** The classes in their order, where the values are few whole numbers. */
function classesOf(values: Float64Array, color: PlotValues | readonly string[]): number[] | null {
  const isFloat = isTensor(color) && factsOf(color.dtype).kind === "float";
  const found = new Set<number>();
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    if (!Number.isInteger(value)) return null;
    found.add(value);
    if (found.size > mostClasses) return null;
  }
  // Floats that happen to be whole are classes where they count from 0, as results of argmax that were cast do.
  if (isFloat && ![...found].every((value) => value >= 0 && value < mostClasses)) return null;
  return [...found].toSorted((a, b) => a - b);
}

function graded(x: Float64Array, y: Float64Array, values: Float64Array): { series: Series[]; grades: Grades } {
  const finite = values.filter(Number.isFinite);
  const [low, high] = finite.reduce(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)] as [number, number],
    [Infinity, -Infinity] as [number, number],
  );
  const [start, end] = low <= high ? [low, high] : [0, 1];
  const colours = gradesOf(start, end, gradeCount);
  const placeOf = (value: number) =>
    Number.isNaN(value)
      ? -1
      : Math.min(
          gradeCount - 1,
          Math.max(0, Math.floor(end > start ? ((value / 2 - start / 2) / (end / 2 - start / 2)) * gradeCount : 0)),
        );
  const places = Array.from(values, placeOf);
  const series = ["#8c8c8c", ...colours].flatMap((colour, at) => {
    const isOf = (_: number, point: number) => places[point] === at - 1;
    return places.includes(at - 1) ? [seriesOfNumbers("", x.filter(isOf), y.filter(isOf), colour)] : [];
  });
  return { series, grades: { low: start, high: end, colours } };
}

function notScattered(value: unknown): TensorError {
  return new TensorError(
    "ARGUMENTS",
    `plot.scatter takes points as a tensor of shape [n, 2], or x and y apart, but got ${value === undefined ? "another count of arguments" : worded(value)}. Write plot.scatter(xy, { color: labels }) or plot.scatter(x, y).`,
  );
}
