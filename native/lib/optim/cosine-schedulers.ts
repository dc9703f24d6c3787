// Schedulers along half a cosine, once or again and again.
import { TensorError } from "../errors.ts";
import { atLeast, finite, reader } from "../tensor/arguments.ts";
import { size as steps } from "../nn/options.ts";
import type { Optimizer } from "./optimizer.ts";
import { LRScheduler, optimizerKind, type Place } from "./scheduler.ts";

const readCosine = reader("CosineAnnealingLR", {
  written: "new optim.CosineAnnealingLR",
  required: { optimizer: optimizerKind, tMax: steps },
  options: { etaMin: finite },
  bare: ["etaMin"],
});
const readRestarts = reader("CosineAnnealingWarmRestarts", {
  written: "new optim.CosineAnnealingWarmRestarts",
  required: { optimizer: optimizerKind, t0: steps },
  options: { tMult: steps, etaMin: finite },
  bare: ["tMult"],
});
const readEpoch = reader("step", { options: { epoch: atLeast(0) }, bare: ["epoch"] });

/**
 * Rates go along half a cosine from the first to `etaMin`, 0 when left out, at step `tMax`, and up again behind it:
 * etaMin + (lr − etaMin) · (1 + cos(π · step / tMax)) / 2 (Loshchilov and Hutter, arXiv 1608.03983). As PyTorch's,
 * whose `T_max` and `eta_min` they are. Throws TensorError.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.SGD([w], { lr: 1 });
 * const scheduler = new optim.CosineAnnealingLR(optimizer, 10);
 * for (let epoch = 0; epoch < 5; epoch++) scheduler.step();
 * optimizer.lr.toFixed(6); // → '0.500000'
 */
export class CosineAnnealingLR extends LRScheduler {
  readonly #length: number;
  readonly #least: number;

  /** Throws TensorError. */
  constructor(optimizer: Optimizer, tMax: number, options: number | { readonly etaMin?: number } = {}) {
    const { etaMin = 0 } = readCosine([optimizer, tMax, options]);
    super(optimizer);
    this.#length = tMax;
    this.#least = etaMin;
    this.begin();
  }

  protected rate({ step, lr, base }: Place): number {
    if (step === 0) return lr;
    const length = this.#length,
      least = this.#least;
    // From the end of a half the factor before is 0.
    if ((step - 1 - length) % (2 * length) === 0) return lr + ((base - least) * (1 - Math.cos(Math.PI / length))) / 2;
    const height = (at: number) => 1 + Math.cos((Math.PI * at) / length);
    return (height(step) / height(step - 1)) * (lr - least) + least;
  }
}

/** `tMult`: how much longer each cosine is than the one before, 1 when left out; `etaMin`: where they end, 0. */
export interface RestartOptions {
  readonly tMult?: number;
  readonly etaMin?: number;
}

/**
 * Rates go along half a cosine from the first to `etaMin` in `t0` steps, then again from the first, each time `tMult`
 * times as long (Loshchilov and Hutter, arXiv 1608.03983). `step(epoch)` sets the rates of any time, with a fraction
 * between epochs: `scheduler.step(epoch + batch / batches)`. As PyTorch's, whose `T_0` and `T_mult` they are. Throws
 * TensorError.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.SGD([w], { lr: 1 });
 * const scheduler = new optim.CosineAnnealingWarmRestarts(optimizer, 4);
 * scheduler.step(2);
 * optimizer.lr; // → 0.5
 */
export class CosineAnnealingWarmRestarts extends LRScheduler {
  readonly #first: number;
  readonly #growth: number;
  readonly #least: number;
  /** The step within the cosine, and the cosine's length. */
  #current = 0;
  #length: number;

  /** Throws TensorError. */
  constructor(optimizer: Optimizer, t0: number, options: number | RestartOptions = {}) {
    const { tMult = 1, etaMin = 0 } = readRestarts([optimizer, t0, options]);
    super(optimizer);
    this.#first = this.#length = t0;
    this.#growth = tMult;
    this.#least = etaMin;
    this.begin();
  }

  /** @internal Sets the rates of step 0. */
  override begin(isAnew = false): void {
    this.#current = 0;
    this.#length = this.#first;
    super.begin(isAnew);
  }

  /** Goes on by a step, or to any time. Throws TensorError. */
  override step(epoch?: number): void {
    readEpoch(epoch === undefined ? [] : [epoch]);
    if (epoch === undefined) {
      this.lastEpoch += 1;
      this.#current += 1;
      if (this.#current >= this.#length) {
        this.#current -= this.#length;
        this.#length *= this.#growth;
      }
    } else {
      let start = 0;
      this.#length = this.#first;
      if (this.#growth === 1) start = Math.floor(epoch / this.#first) * this.#first;
      else for (; epoch >= start + this.#length; this.#length *= this.#growth) start += this.#length;
      this.#current = epoch - start;
      this.lastEpoch = Math.floor(epoch);
    }
    this.update();
  }

  protected rate({ base }: Place): number {
    const least = this.#least;
    return least + ((base - least) * (1 + Math.cos((Math.PI * this.#current) / this.#length))) / 2;
  }

  protected override get numbers(): Record<string, number> {
    return { current: this.#current, length: this.#length };
  }
  protected override resume({ current, length }: Record<string, number>): void {
    this.#current = current!;
    this.#length = length!;
  }
}
