// progress(loader): a line that says how far a loop is, in a notebook and in a terminal.
import { TensorError } from "../errors.ts";
import { anything, count, optionsOf } from "../tensor/arguments.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { progressLine, valueText, type Progress } from "../progress-line.ts";
import { openStatusLine } from "../status-line.ts";

/** What is shown beside the counts: numbers, texts, or tensors of one element, which are read only for a new line. */
export type ShownValues = Readonly<Record<string, number | bigint | string | boolean | Tensor>>;
/**
 * `total`: how many there are; by itself that of what has a `length` or a `size`. `show`: the latest values, asked for
 * whenever a line is written.
 */
export interface ProgressOptions {
  readonly total?: number;
  readonly show?: () => ShownValues;
}

/** The seconds between two lines. */
const pause = 0.1;

/** Counts, and writes a line now and then. */
class Meter {
  readonly #line = openStatusLine();
  readonly #total: number | null;
  readonly #show: (() => ShownValues) | undefined;
  readonly #began = performance.now();
  #written = -Infinity;
  #done = 0;

  constructor(total: number | null, show: (() => ShownValues) | undefined) {
    this.#total = total;
    this.#show = show;
    this.#write(false);
  }

  /** One more has been done. */
  count(): void {
    this.#done += 1;
    if (performance.now() - this.#written >= 1000 * pause) this.#write(false);
  }

  end(): void {
    this.#write(true);
  }

  #write(isOver: boolean): void {
    if (this.#line === null) return;
    const values = this.#done === 0 ? [] : Object.entries(this.#show?.() ?? {});
    const progress: Progress = {
      what: "",
      unit: "items",
      done: this.#done,
      total: this.#total,
      seconds: (performance.now() - this.#began) / 1000,
      isOver,
      values: values.map(([name, value]) => [name, valueText(value instanceof Tensor ? value.item() : value)] as const),
    };
    const text = progressLine(progress, this.#line.columns);
    if (isOver) this.#line.end(text);
    else this.#line.write(text);
    this.#written = performance.now();
  }
}

/** The values of what was given, counted: for a loop of either kind, as far as what was given has it. */
export interface Counted<T> extends Iterable<T>, AsyncIterable<T> {
  /** How many there are, where that is known. */
  readonly length: number | undefined;
}

const kinds = { total: count, show: anything };

/**
 * What it is given, for a loop, with one line that says how far it is: a bar, the count, the rate, the time that is
 * left and the latest values. Below a cell it is one output that changes, in a terminal one line; in pipes and files
 * there is none. The last one stays. Throws TensorError for what no loop goes through.
 * @example
 * let loss = 0;
 * for (const step of progress([1, 2, 3], { show: () => ({ loss }) })) loss = 1 / step;
 * loss < 0.5; // → true
 */
export function progress<T>(values: Iterable<T> | AsyncIterable<T>, options: ProgressOptions = {}): Counted<T> {
  const { total, show } = optionsOf("progress", kinds, options);
  if (show !== undefined && typeof show !== "function")
    throw new TensorError("OPTIONS", `progress takes a function as show, () => ({ loss }), but got ${worded(show)}.`);
  const given = values as Partial<Iterable<T> & AsyncIterable<T>> & { length?: unknown; size?: unknown };
  const isLoop =
    values !== null &&
    values !== undefined &&
    (typeof given[Symbol.iterator] === "function" || typeof given[Symbol.asyncIterator] === "function");
  if (!isLoop)
    throw new TensorError(
      "OPERANDS",
      `progress takes what a loop goes through, such as an array or a DataLoader, but got ${worded(values)}.`,
    );
  const known = total ?? [given.length, given.size].find((each) => typeof each === "number");
  const meter = () => new Meter((known as number | undefined) ?? null, show as ProgressOptions["show"]);
  return {
    length: known as number | undefined,
    *[Symbol.iterator]() {
      if (typeof given[Symbol.iterator] !== "function")
        throw new TensorError("ASYNC", "These values come later: write for await (const each of progress(…)).");
      const line = meter();
      try {
        for (const each of given as Iterable<T>) {
          yield each;
          line.count();
        }
      } finally {
        line.end();
      }
    },
    async *[Symbol.asyncIterator]() {
      const line = meter();
      try {
        for await (const each of values) {
          yield each;
          line.count();
        }
      } finally {
        line.end();
      }
    },
  };
}
