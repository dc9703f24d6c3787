// Schedulers that multiply the learning rate: after so many steps, in each, along a line, or by a function.
import { TensorError } from "../errors.ts";
import { atLeast, count, finite, reader, wholeNumbers, type Kind } from "../tensor/arguments.ts";
import { worded } from "../wording.ts";
import { size as steps } from "../nn/options.ts";
import type { Optimizer } from "./optimizer.ts";
import { LRScheduler, optimizerKind, type Place } from "./scheduler.ts";

const factor = atLeast(0);
const functions: Kind<RateFunction | readonly RateFunction[]> = {
  wanted: "a function of the step, or a list of one for each group,",
  has: (value) =>
    typeof value === "function" || (Array.isArray(value) && value.every((each) => typeof each === "function")),
};
const optimizer = { optimizer: optimizerKind };
const readers = {
  StepLR: reader("StepLR", {
    written: "new optim.StepLR",
    required: { ...optimizer, stepSize: steps },
    options: { gamma: factor },
    bare: ["gamma"],
  }),
  MultiStepLR: reader("MultiStepLR", {
    written: "new optim.MultiStepLR",
    required: { ...optimizer, milestones: wholeNumbers },
    options: { gamma: factor },
    bare: ["gamma"],
  }),
  ConstantLR: reader("ConstantLR", {
    written: "new optim.ConstantLR",
    required: optimizer,
    options: { factor, totalIters: count },
  }),
  LinearLR: reader("LinearLR", {
    written: "new optim.LinearLR",
    required: optimizer,
    options: { startFactor: factor, endFactor: factor, totalIters: count },
  }),
  PolynomialLR: reader("PolynomialLR", {
    written: "new optim.PolynomialLR",
    required: optimizer,
    options: { totalIters: count, power: finite },
  }),
  ExponentialLR: reader("ExponentialLR", {
    written: "new optim.ExponentialLR",
    required: { ...optimizer, gamma: factor },
  }),
  LambdaLR: reader("LambdaLR", {
    written: "new optim.LambdaLR",
    required: { ...optimizer, lrLambda: functions },
  }),
  MultiplicativeLR: reader("MultiplicativeLR", {
    written: "new optim.MultiplicativeLR",
    required: { ...optimizer, lrLambda: functions },
  }),
};

/** A factor by the number of the step, from 0. */
export type RateFunction = (step: number) => number;

/** `gamma`: by what rates are multiplied, 0.1 when left out. */
export interface GammaOptions {
  readonly gamma?: number;
}

/**
 * Rates times `gamma` after every `stepSize` steps. As PyTorch's. Throws TensorError.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.SGD([w], { lr: 1 });
 * const scheduler = new optim.StepLR(optimizer, 2, { gamma: 0.5 });
 * for (let epoch = 0; epoch < 4; epoch++) scheduler.step();
 * optimizer.lr; // → 0.25
 */
export class StepLR extends LRScheduler {
  readonly #size: number;
  readonly #gamma: number;

  /** Throws TensorError. */
  constructor(optimizer: Optimizer, stepSize: number, options: number | GammaOptions = {}) {
    const { gamma = 0.1 } = readers.StepLR([optimizer, stepSize, options]);
    super(optimizer);
    this.#size = stepSize;
    this.#gamma = gamma;
    this.begin();
  }

  protected rate({ step, lr }: Place): number {
    return step === 0 || step % this.#size !== 0 ? lr : lr * this.#gamma;
  }
}

/**
 * Rates times `gamma` at each of the steps in `milestones`. As PyTorch's. Throws TensorError.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.SGD([w], { lr: 1 });
 * const scheduler = new optim.MultiStepLR(optimizer, [1, 3], { gamma: 0.5 });
 * for (let epoch = 0; epoch < 3; epoch++) scheduler.step();
 * optimizer.lr; // → 0.25
 */
export class MultiStepLR extends LRScheduler {
  readonly #milestones: readonly number[];
  readonly #gamma: number;

  /** Throws TensorError. */
  constructor(optimizer: Optimizer, milestones: readonly number[], options: number | GammaOptions = {}) {
    const { gamma = 0.1 } = readers.MultiStepLR([optimizer, milestones, options]);
    super(optimizer);
    this.#milestones = [...milestones];
    this.#gamma = gamma;
    this.begin();
  }

  protected rate({ step, lr }: Place): number {
    return lr * this.#gamma ** this.#milestones.filter((each) => each === step).length;
  }
}

/** `factor`: of the first steps, 1/3 when left out; `totalIters`: how many they are, 5 when left out. */
export interface ConstantOptions {
  readonly factor?: number;
  readonly totalIters?: number;
}

/**
 * Rates times `factor` until step `totalIters`, whole from then on. As PyTorch's. Throws TensorError.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.SGD([w], { lr: 1 });
 * const scheduler = new optim.ConstantLR(optimizer, { factor: 0.5, totalIters: 2 });
 * optimizer.lr; // → 0.5
 */
export class ConstantLR extends LRScheduler {
  readonly #factor: number;
  readonly #total: number;

  /** Throws TensorError. */
  constructor(optimizer: Optimizer, options: ConstantOptions = {}) {
    const { factor = 1 / 3, totalIters = 5 } = readers.ConstantLR([optimizer, options]);
    if (!(factor > 0 && factor <= 1))
      throw new TensorError("OPTIONS", `ConstantLR takes a factor above 0 and at most 1 but got ${worded(factor)}.`);
    super(optimizer);
    this.#factor = factor;
    this.#total = totalIters;
    this.begin();
  }

  protected rate({ step, lr }: Place): number {
    if (step === 0) return lr * this.#factor;
    return step === this.#total ? lr * (1 / this.#factor) : lr;
  }
}

/**
 * Factors at the first step and from step `totalIters` on, 5 when left out: `startFactor`, 1/3 when left out, and
 * `endFactor`, 1.
 */
export interface LinearOptions {
  readonly startFactor?: number;
  readonly endFactor?: number;
  readonly totalIters?: number;
}

/**
 * Rates times a factor that goes from `startFactor` to `endFactor` in a line. As PyTorch's. Throws TensorError.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.SGD([w], { lr: 1 });
 * const scheduler = new optim.LinearLR(optimizer, { startFactor: 0.5, totalIters: 4 });
 * for (let epoch = 0; epoch < 2; epoch++) scheduler.step();
 * optimizer.lr; // → 0.75
 */
export class LinearLR extends LRScheduler {
  readonly #start: number;
  readonly #end: number;
  readonly #total: number;

  /** Throws TensorError. */
  constructor(optimizer: Optimizer, options: LinearOptions = {}) {
    const { startFactor = 1 / 3, endFactor = 1, totalIters = 5 } = readers.LinearLR([optimizer, options]);
    if (!(startFactor > 0 && startFactor <= 1) || !(endFactor <= 1))
      throw new TensorError(
        "OPTIONS",
        `LinearLR takes a startFactor above 0 and an endFactor, both at most 1, but got ${startFactor} and ${endFactor}.`,
      );
    super(optimizer);
    this.#start = startFactor;
    this.#end = endFactor;
    this.#total = totalIters;
    this.begin();
  }

  protected rate({ step, lr }: Place): number {
    if (step === 0) return lr * this.#start;
    if (step > this.#total) return lr;
    const change = this.#end - this.#start;
    return lr * (1 + change / (this.#total * this.#start + (step - 1) * change));
  }
}

/** `totalIters`: the step at which rates are 0, 5 when left out; `power`: 1 when left out, a line. */
export interface PolynomialOptions {
  readonly totalIters?: number;
  readonly power?: number;
}

/**
 * Rates times (1 − step / totalIters)^power, 0 from there on. As PyTorch's. Throws TensorError.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.SGD([w], { lr: 1 });
 * const scheduler = new optim.PolynomialLR(optimizer, { totalIters: 4 });
 * scheduler.step();
 * optimizer.lr; // → 0.75
 */
export class PolynomialLR extends LRScheduler {
  readonly #total: number;
  readonly #power: number;

  /** Throws TensorError. */
  constructor(optimizer: Optimizer, options: PolynomialOptions = {}) {
    const { totalIters = 5, power = 1 } = readers.PolynomialLR([optimizer, options]);
    super(optimizer);
    this.#total = totalIters;
    this.#power = power;
    this.begin();
  }

  protected rate({ step, lr }: Place): number {
    if (step === 0 || step > this.#total) return lr;
    return lr * ((1 - step / this.#total) / (1 - (step - 1) / this.#total)) ** this.#power;
  }
}

/**
 * Rates times `gamma` in each step. As PyTorch's. Throws TensorError.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.SGD([w], { lr: 1 });
 * const scheduler = new optim.ExponentialLR(optimizer, 0.5);
 * for (let epoch = 0; epoch < 3; epoch++) scheduler.step();
 * optimizer.lr; // → 0.125
 */
export class ExponentialLR extends LRScheduler {
  readonly #gamma: number;

  /** Throws TensorError. */
  constructor(optimizer: Optimizer, gamma: number) {
    readers.ExponentialLR([optimizer, gamma]);
    super(optimizer);
    this.#gamma = gamma;
    this.begin();
  }

  protected rate({ step, lr }: Place): number {
    return step === 0 ? lr : lr * this.#gamma;
  }
}

/** A scheduler by functions, one for all groups or one for each. */
abstract class FunctionScheduler extends LRScheduler {
  readonly #functions: RateFunction | readonly RateFunction[];

  constructor(
    name: "LambdaLR" | "MultiplicativeLR",
    optimizer: Optimizer,
    given: RateFunction | readonly RateFunction[],
  ) {
    readers[name]([optimizer, given]);
    if (typeof given !== "function" && given.length !== optimizer.groups.length)
      throw new TensorError(
        "OPTIONS",
        `${name} takes a function for each of ${optimizer.groups.length} groups but got ${given.length}.`,
      );
    super(optimizer);
    this.#functions = given;
    this.begin();
  }

  /** What the function of a group gives. */
  protected factor({ step, group }: Place): number {
    const given = this.#functions;
    return (typeof given === "function" ? given : given[group]!)(step);
  }
}

/**
 * The first rates times what a function of the step gives. As PyTorch's. Throws TensorError.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.SGD([w], { lr: 1 });
 * const scheduler = new optim.LambdaLR(optimizer, (step) => 1 / (1 + step));
 * scheduler.step();
 * optimizer.lr; // → 0.5
 */
export class LambdaLR extends FunctionScheduler {
  /** Throws TensorError. */
  constructor(optimizer: Optimizer, lrLambda: RateFunction | readonly RateFunction[]) {
    super("LambdaLR", optimizer, lrLambda);
  }

  protected rate(place: Place): number {
    return place.base * this.factor(place);
  }
}

/**
 * Rates times what a function of the step gives, from step 1 on. As PyTorch's. Throws TensorError.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.SGD([w], { lr: 1 });
 * const scheduler = new optim.MultiplicativeLR(optimizer, () => 0.5);
 * for (let epoch = 0; epoch < 2; epoch++) scheduler.step();
 * optimizer.lr; // → 0.25
 */
export class MultiplicativeLR extends FunctionScheduler {
  /** Throws TensorError. */
  constructor(optimizer: Optimizer, lrLambda: RateFunction | readonly RateFunction[]) {
    super("MultiplicativeLR", optimizer, lrLambda);
  }

  protected rate(place: Place): number {
    return place.step === 0 ? place.lr : place.lr * this.factor(place);
  }
}
