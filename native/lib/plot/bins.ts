// Reads what `plot.histogram` is given, and counts it: tensors on their device.
import { TensorError } from "../errors.ts";
import { factsOf } from "../memory/dtype.ts";
import { figuresOf, type Figures } from "../ops/reduce/statistics.ts";
import { flag, type Kind } from "../tensor/arguments.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { niceStep } from "./axis.ts";
import type { Figure, PlotOptions } from "./figure.ts";
import { isRecord, lookKinds, looked, range } from "./lines.ts";
import { seriesOfNumbers } from "./series.ts";
import { checkReal, isTensor, isValues, numbersOf, type PlotValues } from "./values.ts";

/**
 * `bins`: how many; so many that their edges are round numbers when left out. `range`: from where to where, all finite
 * elements when left out. `logY`: a logarithmic axis of the counts; and texts and size as of `plot`.
 */
export interface HistogramOptions
  extends Pick<PlotOptions, "title" | "xLabel" | "yLabel" | "logY" | "width" | "height"> {
  readonly bins?: number;
  readonly range?: readonly [number, number];
}

const mostBins = 1000;
const binKinds = {
  ...lookKinds,
  logY: flag,
  range,
  bins: {
    wanted: `a whole number from 1 to ${mostBins}`,
    has: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= mostBins,
  } as Kind<number>,
} as const;

interface Binning {
  readonly low: number;
  readonly high: number;
  readonly bins: number;
}

export function readHistogram(args: readonly unknown[], before: Figure | null): Figure {
  const [values, given, ...more] = args;
  if (!isValues(values) || more.length > 0 || (given !== undefined && !isRecord(given)))
    throw new TensorError(
      "ARGUMENTS",
      `plot.histogram takes a tensor or an array of numbers, and options, but got ${worded(isValues(values) ? (more[0] ?? given) : values)}. Write plot.histogram(x, { bins: 20 }).`,
    );
  const { bins, range: bounds, ...look } = looked("plot.histogram", binKinds, given, before);
  const kept = { bins, range: bounds };
  const { figures, isWhole, total, count } = isTensor(values) ? ofTensor(values) : ofNumbers(values);
  const binning = binningOf(figures, isWhole, total, kept);
  const counts = count(binning);
  const edges = Array.from(
    { length: binning.bins + 1 },
    (_, at) => binning.low * (1 - at / binning.bins) + binning.high * (at / binning.bins),
  );
  const inside = counts.reduce((sum, each) => sum + each, 0);
  const outside = total - figures.nan - figures.inf - inside;
  const series = seriesOfNumbers("", Float64Array.from(edges.slice(0, -1)), counts);
  return {
    kind: "bars",
    series: [{ ...series, nan: figures.nan, infinite: figures.inf }],
    categories: null,
    edges,
    grades: null,
    isTime: false,
    isNumbered: false,
    isSquare: false,
    radius: 3,
    notes: outside > 0 ? [`${outside.toLocaleString("en-US")} outside`] : [],
    options: { ...(look as PlotOptions), ...kept } as PlotOptions,
  };
}

interface Counted {
  readonly figures: Figures;
  readonly isWhole: boolean;
  readonly total: number;
  readonly count: (binning: Binning) => Float64Array;
}

function ofTensor(tensor: Tensor): Counted {
  checkReal("plot.histogram", tensor);
  const whole = tensor.detach().contiguous();
  whole.execution.waitForAll();
  const figures = figuresOf(whole.execution, whole);
  const { isStorage, kind } = factsOf(tensor.dtype);
  const isCountable = !isStorage && kind !== "bool" && Number.isFinite((figures.max ?? 0) - (figures.min ?? 0));
  if (!isCountable) return { ...ofNumbers(whole), isWhole: kind !== "float" };
  return {
    figures,
    isWhole: kind !== "float",
    total: tensor.size,
    count: ({ low, high, bins }) => {
      const { counts, edges } = whole.histogram({ bins, range: [low, high] });
      using found = counts;
      using _between = edges;
      return numbersOf("plot.histogram", "counts", found);
    },
  };
}

function ofNumbers(given: PlotValues): Counted {
  const values = numbersOf("plot.histogram", "x", given);
  const figures: Figures = { min: null, max: null, mean: null, nan: 0, inf: 0 };
  let isWhole = true;
  for (const value of values) {
    if (Number.isNaN(value)) figures.nan++;
    else if (!Number.isFinite(value)) figures.inf++;
    else {
      figures.min = Math.min(figures.min ?? Infinity, value);
      figures.max = Math.max(figures.max ?? -Infinity, value);
      isWhole &&= Number.isInteger(value);
    }
  }
  return {
    figures,
    isWhole,
    total: values.length,
    count: ({ low, high, bins }) => {
      const counts = new Float64Array(bins);
      for (const value of values) {
        if (!(value >= low && value <= high)) continue;
        const share = (value / 2 - low / 2) / (high / 2 - low / 2);
        const bin = Math.min(bins - 1, Math.floor(share * bins));
        counts[bin] = counts[bin]! + 1;
      }
      return counts;
    },
  };
}

/** Bins that are told, or whose edges are round; of few whole numbers each has its own. */
function binningOf(
  { min, max }: Figures,
  isWhole: boolean,
  total: number,
  given: { bins?: number | undefined; range?: readonly [number, number] | undefined },
): Binning {
  const [least, most] = given.range ?? [min ?? 0, max ?? 1];
  const [low, high] =
    least < most ? [least, most] : [least - (Math.abs(least) / 10 || 0.5), most + (Math.abs(most) / 10 || 0.5)];
  if (given.bins !== undefined) return { low, high, bins: given.bins };
  if (isWhole && most - least <= 60 && given.range === undefined)
    return { low: least - 0.5, high: most + 0.5, bins: most - least + 1 };
  // As many as statisticians take of so many values (the rule of Rice), in steps that are round.
  const wanted = Math.min(80, Math.max(10, Math.ceil(2 * Math.cbrt(total))));
  const half = high / 2 - low / 2;
  const step = Math.max(niceStep((half / wanted) * 2), isWhole ? 1 : 0);
  if (!Number.isFinite(step) || step <= 0 || given.range !== undefined) return { low, high, bins: wanted };
  const [first, last] = [Math.floor(low / step), Math.ceil(high / step)];
  const [start, end] = [first * step, last * step];
  return Number.isFinite(end - start) && start < end && last - first <= 2 * wanted
    ? { low: Math.min(start, low), high: Math.max(end, high), bins: last - first }
    : { low, high, bins: wanted };
}
