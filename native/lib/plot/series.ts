// The points of one line, bar or cloud of a chart. What has more points than a screen has columns is reduced to the
// extremes of each column, tensors on their device.
import { figuresOf, type Figures } from "../ops/reduce/statistics.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { checkReal, isTensor, numbersOf, type PlotValues } from "./values.ts";

/** Columns that a line is reduced to, and points from which on it is. */
const columns = 1024;
const mostPoints = 2 * columns;
/** Tensors of more elements are reduced where they are; of fewer, the place of each extreme is found, too. */
const mostRead = 2 ** 16;

/** Where points are along an axis. */
export type Places = number[] | Float64Array;

export interface Series {
  readonly name: string;
  readonly x: Places;
  readonly y: Places;
  /** Points given, and how many of them have no place: NaN, and infinite ones. */
  readonly total: number;
  readonly nan: number;
  readonly infinite: number;
  /** A colour of its own instead of the palette's. */
  readonly colour?: string;
}

/** `x` is the points' numbers where it is left out. */
export function seriesOf(call: string, name: string, x: Float64Array | null, y: PlotValues): Series {
  if (isTensor(y) && x === null && y.size > mostRead) return reducedOnDevice(call, name, y);
  const values = numbersOf(call, "y", y);
  return seriesOfNumbers(name, x ?? Float64Array.from(values.keys()), values);
}

export function seriesOfNumbers(name: string, x: Float64Array, y: Float64Array, colour?: string): Series {
  let [nan, infinite] = [0, 0];
  for (let at = 0; at < y.length; at++) {
    if (Number.isNaN(y[at]!) || Number.isNaN(x[at]!)) nan++;
    else if (!Number.isFinite(y[at]!) || !Number.isFinite(x[at]!)) infinite++;
  }
  return { name, x, y, total: y.length, nan, infinite, ...(colour === undefined ? {} : { colour }) };
}

/** The series with one more point. What grows is an array, which the next point is added to. */
export function extended(series: Series, x: number, y: number): Series {
  const [across, down] = [
    Array.isArray(series.x) ? series.x : [...series.x],
    Array.isArray(series.y) ? series.y : [...series.y],
  ];
  across.push(x);
  down.push(y);
  const isNan = Number.isNaN(x) || Number.isNaN(y);
  const isFinite = Number.isFinite(x) && Number.isFinite(y);
  return {
    ...series,
    x: across,
    y: down,
    total: series.total + 1,
    nan: series.nan + (isNan ? 1 : 0),
    infinite: series.infinite + (isNan || isFinite ? 0 : 1),
  };
}

/** The same line in at most so many points, about, that it looks the same: see {@link extremes}. */
export function reduced(series: Series, most = mostPoints): Series {
  return series.y.length <= most ? series : { ...series, ...extremes(series.x, series.y, Math.floor(most / 2)) };
}

/**
 * Of each stretch of points the lowest and the highest, in their order, and one of each infinity; of one whose `x` turns
 * back, those furthest to the left and to the right, too. A stretch without numbers is a gap.
 */
function extremes(x: Places, y: Places, count: number): { x: number[]; y: number[] } {
  const kept: { x: number[]; y: number[] } = { x: [], y: [] };
  const length = y.length;
  for (let column = 0; column < count; column++) {
    const [from, to] = [Math.floor((column * length) / count), Math.floor(((column + 1) * length) / count)];
    const places = stretchOf(x, y, from, to);
    if (column === 0) places.add(0);
    if (column === count - 1) places.add(length - 1);
    for (const at of [...(places.size === 0 ? [from] : places)].toSorted((a, b) => a - b)) {
      kept.x.push(x[at]!);
      kept.y.push(y[at]!);
    }
  }
  return kept;
}

/** Places that stand for all from `from` to `to`. */
function stretchOf(x: Places, y: Places, from: number, to: number): Set<number> {
  let [low, high, left, right, above, below] = [-1, -1, -1, -1, -1, -1];
  let isForward = true;
  for (let at = from; at < to; at++) {
    const [across, value] = [x[at]!, y[at]!];
    if (Number.isNaN(value) || Number.isNaN(across)) continue;
    if (value === Infinity) above = at;
    else if (value === -Infinity) below = at;
    else {
      if (low < 0) low = high = left = right = at;
      if (value < y[low]!) low = at;
      if (value > y[high]!) high = at;
      if (across < x[right]!) isForward = false;
      if (across < x[left]!) left = at;
      if (across > x[right]!) right = at;
    }
  }
  return new Set([low, high, above, below, ...(isForward ? [] : [left, right])].filter((at) => at >= 0));
}

/** What travels of a long tensor is two numbers a column. */
function reducedOnDevice(call: string, name: string, tensor: Tensor): Series {
  checkReal(call, tensor);
  using plain = tensor.detach();
  using flat = plain.reshape([-1]);
  using whole = flat.contiguous();
  whole.execution.waitForAll();
  const figures = figuresOf(whole.execution, whole);
  const length = Math.ceil(whole.size / columns);
  const full = Math.floor(whole.size / length);
  using head = whole.slice([0, full * length]);
  using rows = head.reshape([full, length]);
  const { low, high, above, below } = columnsOf(call, rows, figures);
  const x: number[] = [];
  const y: number[] = [];
  const keep = (place: number, value: number) => {
    x.push(place);
    y.push(value);
  };
  for (let column = 0; column < full; column++) {
    keep(column * length, low[column]!);
    keep((column + 0.5) * length, high[column]!);
    if (above[column] === Infinity) keep((column + 0.6) * length, Infinity);
    if (below[column] === -Infinity) keep((column + 0.6) * length, -Infinity);
  }
  // What is left of the last column; the last point has a place of its own, too.
  using rest = whole.slice([Math.min(full * length, whole.size - 1)]);
  const values = numbersOf(call, "y", rest);
  const first = whole.size - values.length;
  const stretch = extremes(
    Float64Array.from(values, (_, at) => first + at),
    values,
    1,
  );
  x.push(...stretch.x);
  y.push(...stretch.y);
  return { name, x, y, total: whole.size, nan: figures.nan, infinite: figures.inf };
}

interface Columns {
  /** The least and the greatest finite element of each row. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** The greatest and the least of each row, where there are infinite ones. */
  readonly above: ArrayLike<number>;
  readonly below: ArrayLike<number>;
}

function columnsOf(call: string, rows: Tensor, figures: Figures): Columns {
  const read = (tensor: Tensor): Float64Array => {
    using found = tensor;
    return numbersOf(call, "y", found);
  };
  if (figures.nan === 0 && figures.inf === 0)
    return { low: read(rows.min(1)), high: read(rows.max(1)), above: [], below: [] };
  if (figures.inf === 0) return { low: read(rows.nanmin(1)), high: read(rows.nanmax(1)), above: [], below: [] };
  using infinite = rows.isinf();
  using finite = rows.maskedFill(infinite, NaN);
  return {
    low: read(finite.nanmin(1)),
    high: read(finite.nanmax(1)),
    above: read(rows.nanmax(1)),
    below: read(rows.nanmin(1)),
  };
}
