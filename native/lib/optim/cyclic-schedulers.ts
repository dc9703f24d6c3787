// Schedulers that go up and down between two rates, once or again and again, and momentum the other way.
import { TensorError } from "../errors.ts";
import { atLeast, finite, flag, numbers, oneOf, reader, either, type Kind } from "../tensor/arguments.ts";
import { size as steps } from "../nn/options.ts";
import type { Optimizer } from "./optimizer.ts";
import { LRScheduler, optimizerKind, type Place } from "./scheduler.ts";

const rates = either(finite, numbers);
const share: Kind<number> = {
  wanted: "a number from 0 to 1",
  has: (value) => typeof value === "number" && value >= 0 && value <= 1,
};
const positive: Kind<number> = {
  wanted: "a finite number above 0",
  has: (value) => Number.isFinite(value) && (value as number) > 0,
};
const scale: Kind<(at: number) => number> = { wanted: "a function", has: (value) => typeof value === "function" };
const momenta = { cycleMomentum: flag, baseMomentum: rates, maxMomentum: rates };
const readCyclic = reader("CyclicLR", {
  written: "new optim.CyclicLR",
  required: { optimizer: optimizerKind, baseLr: rates, maxLr: rates },
  options: {
    stepSizeUp: steps,
    stepSizeDown: steps,
    mode: oneOf("triangular", "triangular2", "exp_range"),
    gamma: atLeast(0),
    scaleFn: scale,
    scaleMode: oneOf("cycle", "iterations"),
    ...momenta,
  },
});
const readOneCycle = reader("OneCycleLR", {
  written: "new optim.OneCycleLR",
  required: { optimizer: optimizerKind, maxLr: rates },
  options: {
    totalSteps: steps,
    epochs: steps,
    stepsPerEpoch: steps,
    pctStart: share,
    annealStrategy: oneOf("cos", "linear"),
    divFactor: positive,
    finalDivFactor: positive,
    threePhase: flag,
    ...momenta,
  },
});

/** One number for each group. Throws TensorError. */
function perGroup(name: string, option: string, optimizer: Optimizer, given: number | readonly number[]): number[] {
  const count = optimizer.groups.length;
  if (typeof given === "number") return Array<number>(count).fill(given);
  if (given.length !== count)
    throw new TensorError("OPTIONS", `${name} takes a ${option} for each of ${count} groups but got ${given.length}.`);
  return [...given];
}

/** What both kinds share. Momentum is that of SGD and RMSprop, or the first beta of Adam and its kin. */
abstract class MomentumScheduler extends LRScheduler {
  readonly #cyclesMomentum: boolean;

  constructor(name: string, optimizer: Optimizer, cyclesMomentum: boolean) {
    super(optimizer);
    this.#cyclesMomentum = cyclesMomentum;
    if (cyclesMomentum && !optimizer.groups.every((group) => "momentum" in group || "betas" in group))
      throw new TensorError(
        "OPTIONS",
        `${name} changes momentum, which ${optimizer.constructor.name} has not: write { cycleMomentum: false }.`,
      );
  }

  /** The momentum of a group. */
  protected abstract momentum(group: number): number;

  protected override update(): void {
    super.update();
    if (!this.#cyclesMomentum) return;
    (this.optimizer.groups as readonly { momentum?: number; betas?: readonly number[] }[]).forEach((group, at) => {
      if (group.betas === undefined) group.momentum = this.momentum(at);
      else group.betas = [this.momentum(at), ...group.betas.slice(1)];
    });
  }
}

/**
 * `stepSizeUp`: steps from the first rate to the largest, 2000 when left out; `stepSizeDown`: and back, as many when
 * left out. `mode`: "triangular", "triangular2", where each cycle is half as high, or "exp_range", where it is
 * gamma^step as high; or `scaleFn` says how high, by the number of the cycle, from 1, or with `scaleMode: "iterations"`
 * of the step. `cycleMomentum`, true when left out: momentum goes down from `maxMomentum`, 0.9, to `baseMomentum`, 0.8,
 * as rates go up.
 */
export interface CyclicOptions {
  readonly stepSizeUp?: number;
  readonly stepSizeDown?: number;
  readonly mode?: "triangular" | "triangular2" | "exp_range";
  readonly gamma?: number;
  readonly scaleFn?: (at: number) => number;
  readonly scaleMode?: "cycle" | "iterations";
  readonly cycleMomentum?: boolean;
  readonly baseMomentum?: number | readonly number[];
  readonly maxMomentum?: number | readonly number[];
}

/**
 * Rates go in lines from `baseLr` up to `maxLr` and down again, over and over (Smith, arXiv 1506.01186), see
 * {@link CyclicOptions}. As PyTorch's. Throws TensorError.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.SGD([w], { lr: 1, momentum: 0.9 });
 * const scheduler = new optim.CyclicLR(optimizer, 0, 1, { stepSizeUp: 4 });
 * scheduler.step();
 * optimizer.lr; // → 0.25
 */
export class CyclicLR extends MomentumScheduler {
  readonly #base: readonly number[];
  readonly #most: readonly number[];
  readonly #momenta: readonly [base: readonly number[], most: readonly number[]];
  readonly #total: number;
  readonly #ratio: number;
  readonly #scale: (at: number) => number;
  readonly #mode: "cycle" | "iterations";

  /** Throws TensorError. */
  constructor(
    optimizer: Optimizer,
    baseLr: number | readonly number[],
    maxLr: number | readonly number[],
    given: CyclicOptions = {},
  ) {
    const {
      stepSizeUp = 2000,
      stepSizeDown = stepSizeUp,
      mode = "triangular",
      gamma = 1,
      scaleFn,
      scaleMode = "cycle",
      cycleMomentum = true,
      baseMomentum = 0.8,
      maxMomentum = 0.9,
    } = readCyclic([optimizer, baseLr, maxLr, given]);
    super("CyclicLR", optimizer, cycleMomentum);
    const each = (option: string, value: number | readonly number[]) => perGroup("CyclicLR", option, optimizer, value);
    this.#base = each("baseLr", baseLr);
    this.#most = each("maxLr", maxLr);
    this.#momenta = [each("baseMomentum", baseMomentum), each("maxMomentum", maxMomentum)];
    this.#total = stepSizeUp + stepSizeDown;
    this.#ratio = stepSizeUp / this.#total;
    const scales = {
      triangular: () => 1,
      triangular2: (cycle: number) => 1 / 2 ** (cycle - 1),
      exp_range: (step: number) => gamma ** step,
    };
    this.#scale = scaleFn ?? scales[mode];
    this.#mode = scaleFn === undefined && mode === "exp_range" ? "iterations" : scaleMode;
    this.begin();
  }

  /** The share of the way up, scaled. */
  get #height(): number {
    const step = this.lastEpoch;
    const cycle = Math.floor(1 + step / this.#total);
    const x = 1 + step / this.#total - cycle;
    const factor = x <= this.#ratio ? x / this.#ratio : (x - 1) / (this.#ratio - 1);
    return factor * this.#scale(this.#mode === "cycle" ? cycle : step);
  }

  protected rate({ group }: Place): number {
    const base = this.#base[group]!;
    return base + (this.#most[group]! - base) * this.#height;
  }
  protected momentum(group: number): number {
    const [base, most] = [this.#momenta[0][group]!, this.#momenta[1][group]!];
    return most - (most - base) * this.#height;
  }
}

/**
 * How many steps there are: `totalSteps`, or `epochs` times `stepsPerEpoch`. `pctStart`: the share of them that goes
 * up, 0.3 when left out; `annealStrategy`: by half a "cos" or a "linear" way. The first rate is maxLr / `divFactor`,
 * 25, the last that / `finalDivFactor`, 10⁴. `threePhase`: down to the first rate as fast as up, and then to the last.
 * `cycleMomentum`, true when left out: momentum goes down from `maxMomentum`, 0.95, to `baseMomentum`, 0.85, as rates
 * go up.
 */
export interface OneCycleOptions {
  readonly totalSteps?: number;
  readonly epochs?: number;
  readonly stepsPerEpoch?: number;
  readonly pctStart?: number;
  readonly annealStrategy?: "cos" | "linear";
  readonly divFactor?: number;
  readonly finalDivFactor?: number;
  readonly threePhase?: boolean;
  readonly cycleMomentum?: boolean;
  readonly baseMomentum?: number | readonly number[];
  readonly maxMomentum?: number | readonly number[];
}

/** Which rates and momenta a part of the cycle goes between, and the step at which it ends. */
interface Phase {
  readonly end: number;
  readonly rates: readonly [from: "initial" | "most", to: "initial" | "most" | "least"];
  readonly momenta: readonly [from: "base" | "most", to: "base" | "most"];
}

/**
 * Rates go up to `maxLr` and down to far below the first, in all the steps that there are (Smith and Topin, arXiv
 * 1708.07120), see {@link OneCycleOptions}: a step after each batch. As PyTorch's. Throws TensorError, also for a step
 * too many.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.AdamW([w]);
 * const scheduler = new optim.OneCycleLR(optimizer, 1, { totalSteps: 10 });
 * optimizer.lr.toFixed(6); // → '0.040000'
 */
export class OneCycleLR extends MomentumScheduler {
  readonly #most: readonly number[];
  readonly #divisors: { readonly first: number; readonly last: number };
  readonly #momenta: Readonly<Record<"base" | "most", readonly number[]>>;
  readonly #phases: readonly Phase[];
  readonly #total: number;
  readonly #isLinear: boolean;

  /** Throws TensorError. */
  constructor(optimizer: Optimizer, maxLr: number | readonly number[], given: OneCycleOptions = {}) {
    const {
      totalSteps,
      epochs,
      stepsPerEpoch,
      pctStart = 0.3,
      annealStrategy = "cos",
      divFactor = 25,
      finalDivFactor = 1e4,
      threePhase = false,
      cycleMomentum = true,
      baseMomentum = 0.85,
      maxMomentum = 0.95,
    } = readOneCycle([optimizer, maxLr, given]);
    const total = totalSteps ?? (epochs ?? NaN) * (stepsPerEpoch ?? NaN);
    if (Number.isNaN(total))
      throw new TensorError(
        "OPTIONS",
        "OneCycleLR takes totalSteps, or both epochs and stepsPerEpoch: write { totalSteps: epochs * loader.length }.",
      );
    super("OneCycleLR", optimizer, cycleMomentum);
    const each = (option: string, value: number | readonly number[]) =>
      perGroup("OneCycleLR", option, optimizer, value);
    this.#most = each("maxLr", maxLr);
    this.#momenta = { base: each("baseMomentum", baseMomentum), most: each("maxMomentum", maxMomentum) };
    this.#divisors = { first: divFactor, last: finalDivFactor };
    this.#total = total;
    this.#isLinear = annealStrategy === "linear";
    const up: Phase = { end: pctStart * total - 1, rates: ["initial", "most"], momenta: ["most", "base"] };
    this.#phases = threePhase
      ? [
          up,
          { end: 2 * pctStart * total - 2, rates: ["most", "initial"], momenta: ["base", "most"] },
          { end: total - 1, rates: ["initial", "least"], momenta: ["most", "most"] },
        ]
      : [up, { end: total - 1, rates: ["most", "least"], momenta: ["base", "most"] }];
    this.begin();
  }

  override step(): void {
    if (this.lastEpoch >= this.#total)
      throw new TensorError("ORDER", `OneCycleLR was made for ${this.#total} steps, which have been taken.`);
    super.step();
  }

  #between(pick: (phase: Phase) => readonly [from: number, to: number]): number {
    const step = this.lastEpoch;
    const found = this.#phases.findIndex(({ end }) => step <= end);
    const at = found < 0 ? this.#phases.length - 1 : found;
    const phase = this.#phases[at]!;
    const start = at === 0 ? 0 : this.#phases[at - 1]!.end;
    const part = (step - start) / (phase.end - start);
    const [from, to] = pick(phase);
    return this.#isLinear ? (to - from) * part + from : to + ((from - to) / 2) * (1 + Math.cos(Math.PI * part));
  }

  protected rate({ group }: Place): number {
    const most = this.#most[group]!;
    const initial = most / this.#divisors.first;
    const of = { initial, most, least: initial / this.#divisors.last };
    return this.#between(({ rates: [from, to] }) => [of[from], of[to]]);
  }
  protected momentum(group: number): number {
    return this.#between(({ momenta: [from, to] }) => [this.#momenta[from][group]!, this.#momenta[to][group]!]);
  }
}
