// What all schedulers share: an optimiser whose learning rates they set, step by step, and where they are as tensors.
import { TensorError } from "../errors.ts";
import { refuseAccess } from "../instead.ts";
import { tensor } from "../tensor/create.ts";
import type { Kind } from "../tensor/arguments.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { formatShape } from "../memory/shape.ts";
import { Optimizer } from "./optimizer.ts";

type Group = Optimizer["groups"][number];

/** The rate that each group had when its first scheduler was made. */
const bases = new WeakMap<Group, number>();

/** An optimiser as constructors of schedulers take it. */
export const optimizerKind: Kind<Optimizer> = {
  wanted: "an optimiser",
  has: (value) => value instanceof Optimizer,
};

/** Where a group is: the step, from 0, the rate that it has now, and that which it had at first. */
export interface Place {
  readonly step: number;
  readonly lr: number;
  readonly base: number;
  /** The number of the group. */
  readonly group: number;
}

/**
 * Sets the learning rates of an optimiser's groups: when it is made, and in each {@link step} after `optimizer.step()`.
 * What PyTorch's base class `LRScheduler` is, also to schedulers of one's own, which say the rate at a {@link Place}.
 * @example
 * const w = tensor([1]);
 * w.requiresGrad = true;
 * const optimizer = new optim.SGD([w], { lr: 1 });
 * const scheduler: optim.LRScheduler = new optim.ExponentialLR(optimizer, 0.5);
 * scheduler.step();
 * optimizer.lr; // → 0.5
 */
export abstract class LRScheduler {
  /** Whose rates it sets. */
  readonly optimizer: Optimizer;
  /** The rates of the groups when the first scheduler was made. */
  readonly baseLrs: readonly number[];
  #epoch = 0;
  #last: readonly number[] = [];

  /** A subclass calls `begin()` at the end of its constructor. */
  protected constructor(optimizer: Optimizer) {
    this.optimizer = optimizer;
    this.baseLrs = optimizer.groups.map((group) => {
      const base = bases.get(group) ?? group.lr;
      bases.set(group, base);
      return base;
    });
  }

  /** The rate of a group at its place. */
  protected abstract rate(place: Place): number;

  /** How often {@link step} has been called since it began. */
  get lastEpoch(): number {
    return this.#epoch;
  }
  protected set lastEpoch(epoch: number) {
    this.#epoch = epoch;
  }

  /** The rates that it set last, of each group. */
  getLastLr(): number[] {
    return [...this.#last];
  }

  /** @internal Sets the rates of step 0, from those of the beginning where it begins anew. */
  begin(isAnew = false): void {
    if (isAnew) this.optimizer.groups.forEach((group, at) => (group.lr = this.baseLrs[at]!));
    this.#epoch = 0;
    this.update();
  }

  /** Goes on by a step: sets the rates that follow. Call it after `optimizer.step()`. */
  step(): void {
    this.#epoch += 1;
    this.update();
  }

  /** Sets the rates of where it is. */
  protected update(): void {
    const { groups } = this.optimizer;
    // All are worked out before any is set.
    const rates = groups.map(({ lr }, group) =>
      this.rate({ step: this.#epoch, lr, base: this.baseLrs[group]!, group }),
    );
    groups.forEach((group, at) => (group.lr = rates[at]!));
    this.noteRates();
  }

  /** @internal What the groups have now is what it set last. */
  noteRates(): void {
    this.#last = this.optimizer.groups.map(({ lr }) => lr);
  }

  /** The numbers that it goes on from, by name, beside its step. A subclass that has some reads them in `resume`. */
  protected get numbers(): Readonly<Record<string, number>> {
    return {};
  }
  /** Takes those numbers over. */
  protected resume(_numbers: Readonly<Record<string, number>>): void {}

  /** Where it is, as tensors for `io.save`, as {@link Optimizer.stateDict}, which has the rates themselves. */
  stateDict(): Record<string, Tensor> {
    return Object.fromEntries(
      Object.entries({ lastEpoch: this.#epoch, ...this.numbers }).map(([name, value]) => [
        name,
        tensor(value, { dtype: "float64", device: "cpu" }),
      ]),
    );
  }

  /** Goes on from where {@link stateDict} was taken; load the optimiser's state, too. Throws TensorError. */
  loadStateDict(state: Readonly<Record<string, Tensor>>): void {
    const wanted = ["lastEpoch", ...Object.keys(this.numbers)];
    const lacking = wanted.filter((name) => state[name] === undefined);
    const surplus = Object.keys(state).filter((name) => !wanted.includes(name));
    const odd = wanted.find((name) => (state[name]?.size ?? 1) !== 1);
    if (lacking.length + surplus.length > 0)
      throw new TensorError(
        "STATE",
        `${this.constructor.name} goes on from ${wanted.join(", ")}, but the state has ${lacking.length > 0 ? `no ${lacking.join(", ")}` : surplus.join(", ")}.`,
      );
    if (odd !== undefined)
      throw new TensorError(
        "STATE",
        `${this.constructor.name} goes on from one number as ${odd} but got ${formatShape(state[odd]!.shape)}.`,
      );
    const { lastEpoch, ...numbers } = Object.fromEntries(wanted.map((name) => [name, Number(state[name]!.item())]));
    this.#epoch = lastEpoch!;
    this.resume(numbers as Record<string, number>);
    this.noteRates();
  }

  /** Its name, its step and the rates of the groups. */
  toString(): string {
    return `${this.constructor.name}: step ${this.#epoch}, lr ${this.getLastLr().join(", ")}`;
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}

refuseAccess(LRScheduler.prototype, "A scheduler", {
  get_last_lr: "scheduler.getLastLr()",
  last_epoch: "scheduler.lastEpoch",
  base_lrs: "scheduler.baseLrs",
  state_dict: "scheduler.stateDict()",
  load_state_dict: "scheduler.loadStateDict(state)",
});
