// Schedulers of schedulers: one after the other, and all together.
import { TensorError } from "../errors.ts";
import { reader, wholeNumbers, type Kind } from "../tensor/arguments.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { Optimizer } from "./optimizer.ts";
import { LRScheduler, optimizerKind, type Place } from "./scheduler.ts";

const list: Kind<readonly LRScheduler[]> = {
  wanted: "a list of at least one scheduler",
  has: (value) => Array.isArray(value) && value.length > 0 && value.every((each) => each instanceof LRScheduler),
};
const readSequential = reader("SequentialLR", {
  written: "new optim.SequentialLR",
  required: { optimizer: optimizerKind, schedulers: list, milestones: wholeNumbers },
});
const readChained = reader("ChainedScheduler", {
  written: "new optim.ChainedScheduler",
  required: { schedulers: list },
});

/** Schedulers of one optimiser, whose rates they set. */
abstract class JoinedScheduler extends LRScheduler {
  /** The schedulers, in their order. */
  readonly schedulers: readonly LRScheduler[];

  constructor(name: string, optimizer: Optimizer, schedulers: readonly LRScheduler[]) {
    if (schedulers.some((each) => each.optimizer !== optimizer))
      throw new TensorError("OPERANDS", `${name} takes schedulers of one optimiser, but they have several.`);
    super(optimizer);
    this.schedulers = [...schedulers];
  }

  protected rate({ lr }: Place): number {
    return lr;
  }

  override stateDict(): Record<string, Tensor> {
    const inner = this.schedulers.flatMap((each, at) =>
      Object.entries(each.stateDict()).map(([name, value]): [string, Tensor] => [`${at}.${name}`, value]),
    );
    return { ...super.stateDict(), ...Object.fromEntries(inner) };
  }
  override loadStateDict(state: Readonly<Record<string, Tensor>>): void {
    const entries = Object.entries(state);
    this.schedulers.forEach((each, at) => {
      const own = entries.filter(([name]) => name.startsWith(`${at}.`));
      each.loadStateDict(Object.fromEntries(own.map(([name, value]) => [name.slice(`${at}.`.length), value])));
    });
    const isInner = (name: string) => this.schedulers.some((_, at) => name.startsWith(`${at}.`));
    super.loadStateDict(Object.fromEntries(entries.filter(([name]) => !isInner(name))));
  }
}

/**
 * Schedulers one after the other: the first until the first of `milestones`, the next from there on, as from its
 * beginning. As PyTorch's. Throws TensorError.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.SGD([w], { lr: 1 });
 * const warm = new optim.LinearLR(optimizer, { startFactor: 0.5, totalIters: 2 });
 * const fall = new optim.ExponentialLR(optimizer, 0.5);
 * const scheduler = new optim.SequentialLR(optimizer, [warm, fall], [2]);
 * for (let epoch = 0; epoch < 3; epoch++) scheduler.step();
 * optimizer.lr; // → 0.5
 */
export class SequentialLR extends JoinedScheduler {
  readonly #milestones: readonly number[];

  /** Throws TensorError. */
  constructor(optimizer: Optimizer, schedulers: readonly LRScheduler[], milestones: readonly number[]) {
    readSequential([optimizer, schedulers, milestones]);
    super("SequentialLR", optimizer, schedulers);
    const isRising = milestones.every((each, at) => each > (milestones[at - 1] ?? 0));
    if (milestones.length !== schedulers.length - 1 || !isRising)
      throw new TensorError(
        "OPTIONS",
        `SequentialLR of ${schedulers.length} schedulers takes ${schedulers.length - 1} milestones that rise from 1 on but got [${milestones.join(", ")}].`,
      );
    this.#milestones = [...milestones];
    this.begin();
  }

  /** @internal Sets the rates of step 0. */
  override begin(): void {
    // What they did when they were made is undone.
    this.schedulers[0]!.begin(true);
    super.begin();
  }

  override step(): void {
    this.lastEpoch += 1;
    const at = this.#milestones.filter((each) => each <= this.lastEpoch).length;
    const current = this.schedulers[at]!;
    if (at > 0 && this.#milestones[at - 1] === this.lastEpoch) current.begin(true);
    else current.step();
    this.noteRates();
  }
}

/**
 * Schedulers together: each changes in every step what those before it left. As PyTorch's. Throws TensorError.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.SGD([w], { lr: 1 });
 * const one = new optim.ConstantLR(optimizer, { factor: 0.5, totalIters: 4 });
 * const other = new optim.ExponentialLR(optimizer, 0.5);
 * new optim.ChainedScheduler([one, other]).step();
 * optimizer.lr; // → 0.25
 */
export class ChainedScheduler extends JoinedScheduler {
  /** Throws TensorError. */
  constructor(schedulers: readonly LRScheduler[]) {
    readChained([schedulers]);
    super("ChainedScheduler", schedulers[0]!.optimizer, schedulers);
    this.begin();
  }

  override step(): void {
    this.lastEpoch += 1;
    for (const each of this.schedulers) each.step();
    this.noteRates();
  }
}
