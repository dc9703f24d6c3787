// How the finite elements of a contiguous array spread: their deviation, a histogram and percentiles, counted on the
// device.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import { threadsOf } from "../kernels/blocks.ts";
import { kernelFacts, offsetIn } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import { bytesOf, viewedDTypes } from "./cells.ts";
import { figuresOf, type Figures } from "./statistics.ts";

/** Over finite elements; `null` where there are none. */
export interface Statistics extends Figures {
  readonly deviation: number | null;
  /** Below them lie 1 % and 99 % of the elements. */
  readonly low: number | null;
  readonly high: number | null;
  /** Elements in bins of one width from the least to the most. */
  readonly histogram: readonly number[];
}

const facts = kernelFacts("views", {
  bins: "kBins",
  size: "sizeof(Spread) / sizeof(double)",
  squares: `${offsetIn("Spread", "squares")} / sizeof(double)`,
  below: `${offsetIn("Spread", "below")} / sizeof(double)`,
  least: `${offsetIn("Spread", "least")} / sizeof(double)`,
  most: `${offsetIn("Spread", "most")} / sizeof(double)`,
  threads: "kSpreadThreads",
  counts: `${offsetIn("Spread", "counts")} / sizeof(double)`,
});
const spread = new KernelFamily("views", viewedDTypes, (type) => `spread<${type}>`, [
  "place",
  "i64",
  "i64",
  "f64",
  "f64",
  "f64",
  "f64",
  "out",
]);
const maxBlocks = 256;
/** A bin with more than this share of the elements is too wide to say where a percentile is, and is counted itself. */
const tooMany = 0.005;
const mostPasses = 16;

interface Counted {
  readonly low: number;
  readonly high: number;
  readonly squares: number;
  readonly below: number;
  /** Of those from `low` to `high`. */
  readonly least: number;
  readonly most: number;
  readonly counts: Float64Array;
}

/** Statistics of a contiguous array. */
export function statisticsOf(on: Execution, array: DeviceArray): Statistics {
  const figures = figuresOf(on, array);
  const { min, max, mean, nan, inf } = figures;
  if (min === null || max === null || mean === null)
    return { ...figures, deviation: null, low: null, high: null, histogram: [] };
  const finite = array.size - nan - inf;
  const whole = count(on, array, min, max, mean);
  const deviation = Math.sqrt(whole.squares / finite);
  return {
    ...figures,
    deviation: Number.isFinite(deviation) ? deviation : null,
    low: percentile(on, array, mean, whole, finite, 0.01),
    high: percentile(on, array, mean, whole, finite, 0.99),
    histogram: [...whole.counts],
  };
}

/** Elements from `low` to `high`, by bins, and the squares of the distances of all to `mean`. */
function count(on: Execution, array: DeviceArray, low: number, high: number, mean: number): Counted {
  const { device } = on;
  const at = facts();
  const block = threadsOf(device, at.threads);
  const chunk = Math.max(Math.ceil(array.size / maxBlocks), 16 * at.threads);
  const grid = Math.ceil(array.size / chunk);
  using parts = DeviceArray.allocate(device, "float64", [grid, at.size]);
  // Halves, which do not overflow.
  const perHalf = high > low ? at.bins / (high / 2 - low / 2) : 0;
  spread.launch(on, array.dtype, { grid, block }, [
    array,
    array.size,
    chunk,
    low,
    high,
    Number.isFinite(perHalf) ? perHalf : 0,
    mean,
    parts,
  ]);
  const numbers = new Float64Array(bytesOf(on, parts).buffer);
  const counts = new Float64Array(at.bins);
  let [squares, below, least, most] = [0, 0, Infinity, -Infinity];
  for (let first = 0; first < numbers.length; first += at.size) {
    squares += numbers[first + at.squares]!;
    below += numbers[first + at.below]!;
    least = Math.min(least, numbers[first + at.least]!);
    most = Math.max(most, numbers[first + at.most]!);
    for (let bin = 0; bin < at.bins; bin++) counts[bin]! += numbers[first + at.counts + bin]!;
  }
  return { low, high, squares, below, least, most, counts };
}

/** Within the width of a bin that few elements are in, or exactly where many are the same. */
function percentile(
  on: Execution,
  array: DeviceArray,
  mean: number,
  whole: Counted,
  finite: number,
  share: number,
): number {
  const wanted = share * finite;
  let counted = whole;
  for (let pass = 1; ; pass++) {
    const { low, high, least, most, counts } = counted;
    if (least === most) return least;
    let { below } = counted;
    let bin = 0;
    while (bin < counts.length - 1 && below + counts[bin]! < wanted) below += counts[bin++]!;
    const edge = (at: number) => low + (high / counts.length - low / counts.length) * at;
    const inside = counts[bin]! === 0 ? 0 : Math.min(1, Math.max(0, (wanted - below) / counts[bin]!));
    const [from, to] = [edge(bin), edge(bin + 1)];
    const isFine = counts[bin]! <= tooMany * finite || pass === mostPasses || !(to > from);
    if (isFine) return Math.min(whole.high, Math.max(whole.low, from + (to - from) * inside));
    counted = count(on, array, from, to, mean);
  }
}
