// The scheduler that lowers the learning rate where a figure no longer gets better.
import { TensorError } from "../errors.ts";
import { atLeast, count, either, numbers, oneOf, reader, scalarOrTensor, type Kind } from "../tensor/arguments.ts";
import { Tensor } from "../tensor/tensor.ts";
import type { Optimizer } from "./optimizer.ts";
import { LRScheduler, optimizerKind, type Place } from "./scheduler.ts";

const factor: Kind<number> = {
  wanted: "a number from 0 to below 1",
  has: (value) => typeof value === "number" && value >= 0 && value < 1,
};
const read = reader("ReduceLROnPlateau", {
  written: "new optim.ReduceLROnPlateau",
  required: { optimizer: optimizerKind },
  options: {
    mode: oneOf("min", "max"),
    factor,
    patience: count,
    threshold: atLeast(0),
    thresholdMode: oneOf("rel", "abs"),
    cooldown: count,
    minLr: either(atLeast(0), numbers),
    eps: atLeast(0),
  },
  bare: ["mode"],
});
const readStep = reader("step", { required: { metric: scalarOrTensor }, written: "scheduler.step" });

/**
 * `mode`: whether the figure should get smaller, "min", or larger, "max". `factor`: by which rates are multiplied, 0.1
 * when left out, once more than `patience` steps, 10, have brought nothing better than the best by `threshold`, 10⁻⁴,
 * as a share of it ("rel") or as such ("abs" as `thresholdMode`). `cooldown`: steps that count for nothing after that;
 * `minLr`: the least rate, or that of each group; a change of no more than `eps`, 10⁻⁸, is left out.
 */
export interface PlateauOptions {
  readonly mode?: "min" | "max";
  readonly factor?: number;
  readonly patience?: number;
  readonly threshold?: number;
  readonly thresholdMode?: "rel" | "abs";
  readonly cooldown?: number;
  readonly minLr?: number | readonly number[];
  readonly eps?: number;
}

/**
 * Lowers rates where a figure, such as the loss of data that are not trained with, no longer gets better:
 * `scheduler.step(loss)` after each epoch, see {@link PlateauOptions}. As PyTorch's. Throws TensorError.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.SGD([w], { lr: 1 });
 * const scheduler = new optim.ReduceLROnPlateau(optimizer, { patience: 1 });
 * for (const loss of [3, 2, 2, 2]) scheduler.step(loss);
 * optimizer.lr; // → 0.1
 */
export class ReduceLROnPlateau extends LRScheduler {
  readonly #isBetter: (figure: number) => boolean;
  readonly #options: { readonly factor: number; readonly patience: number; readonly cooldown: number };
  readonly #least: readonly number[];
  readonly #eps: number;
  #best: number;
  #bad = 0;
  #cooling = 0;

  /** Throws TensorError. */
  constructor(optimizer: Optimizer, ...given: [options?: PlateauOptions] | ["min" | "max", options?: PlateauOptions]) {
    const {
      mode = "min",
      factor = 0.1,
      patience = 10,
      threshold = 1e-4,
      thresholdMode = "rel",
      cooldown = 0,
      minLr = 0,
      eps = 1e-8,
    } = read([optimizer, ...given]);
    super(optimizer);
    const groups = optimizer.groups.length;
    if (typeof minLr !== "number" && minLr.length !== groups)
      throw new TensorError(
        "OPTIONS",
        `ReduceLROnPlateau takes a minLr for each of ${groups} groups but got ${minLr.length}.`,
      );
    this.#options = { factor, patience, cooldown };
    this.#least = typeof minLr === "number" ? Array<number>(groups).fill(minLr) : [...minLr];
    this.#eps = eps;
    this.#best = mode === "min" ? Infinity : -Infinity;
    const sign = mode === "min" ? -1 : 1;
    this.#isBetter = (figure) => {
      const needed = thresholdMode === "rel" ? this.#best * (1 + sign * threshold) : this.#best + sign * threshold;
      return mode === "min" ? figure < needed : figure > needed;
    };
    this.begin();
  }

  /** Goes on by a step with the figure, a number or a tensor of one, for which it waits. Throws TensorError. */
  override step(metric?: number | Tensor): void {
    const given = readStep([metric]).metric;
    const figure = Number(given instanceof Tensor ? given.item() : given);
    const { patience, cooldown } = this.#options;
    if (this.#isBetter(figure)) {
      this.#best = figure;
      this.#bad = 0;
    } else this.#bad += 1;
    if (this.#cooling > 0) {
      this.#cooling -= 1;
      this.#bad = 0;
    }
    this.lastEpoch += 1;
    if (this.#bad > patience) {
      this.update();
      this.#cooling = cooldown;
      this.#bad = 0;
    }
    this.noteRates();
  }

  protected rate({ step, lr, group }: Place): number {
    if (step === 0) return lr;
    const lower = Math.max(lr * this.#options.factor, this.#least[group]!);
    return lr - lower > this.#eps ? lower : lr;
  }

  protected override get numbers(): Record<string, number> {
    return { best: this.#best, bad: this.#bad, cooling: this.#cooling };
  }
  protected override resume({ best, bad, cooling }: Record<string, number>): void {
    this.#best = best!;
    this.#bad = bad!;
    this.#cooling = cooling!;
  }
}
