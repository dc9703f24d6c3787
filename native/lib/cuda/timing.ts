// Measured times into the figures that people compare.

import { duration } from "../figures.ts";

/** Milliseconds; `deviation` is the sample standard deviation. */
export interface Timing {
  readonly min: number;
  readonly median: number;
  readonly mean: number;
  readonly max: number;
  readonly deviation: number;
  /** Each repeat, in order. */
  readonly samples: readonly number[];
}

/** The figures as a reader wants them, where they are a cell's result. */
const readable = {
  toString(this: Timing): string {
    const [median, least, most] = [this.median, this.min, this.max].map((milliseconds) => duration(milliseconds * 1e6));
    const { length } = this.samples;
    return length === 1 ? `${median} (1 sample)` : `${median} (least ${least}, most ${most}; ${length} samples)`;
  },
  [Symbol.for("nodejs.util.inspect.custom")](this: Timing): string {
    return String(this);
  },
};

/** Figures of at least one sample. */
export function summarize(samples: readonly number[]): Timing {
  const sorted = [...samples].sort((a, b) => a - b);
  const count = sorted.length;
  const mean = sorted.reduce((sum, sample) => sum + sample, 0) / count;
  const middle = count >> 1;
  const median = count % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  const variance = count < 2 ? 0 : sorted.reduce((sum, sample) => sum + (sample - mean) ** 2, 0) / (count - 1);
  const figures = { min: sorted[0]!, median, mean, max: sorted[count - 1]!, deviation: Math.sqrt(variance), samples };
  return Object.assign(Object.create(readable) as object, figures);
}
