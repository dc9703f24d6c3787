// Learning rates over time: functions of the number of a step, from 0. `optimizer.lr = schedule(step)`.
import { TensorError } from "../errors.ts";
import { atLeast, count, optionsOf, type Kind, type OptionsOf } from "../tensor/arguments.ts";

/** The learning rate of each step, from 0. */
export type Schedule = (step: number) => number;

const rate = atLeast(0);

/** Reads what a schedule takes. Throws TensorError for options that are none, and for a missing one of `needed`. */
function read<O extends Readonly<Record<string, Kind<unknown>>>, N extends keyof O & string>(
  name: string,
  kinds: O,
  needed: readonly N[],
  given: unknown,
): OptionsOf<O> & Required<Pick<OptionsOf<O>, N>> {
  const found = optionsOf(name, kinds, given);
  const missing = needed.find((key) => found[key] === undefined);
  if (missing !== undefined)
    throw new TensorError("OPTIONS", `${name} takes ${kinds[missing]!.wanted} as ${missing} but got nothing.`);
  return found as OptionsOf<O> & Required<Pick<OptionsOf<O>, N>>;
}

const line = { lr: rate, steps: count, warmup: count, least: rate };

/** A learning rate that goes up to `lr` over `warmup` steps and down to `least` at `steps`. */
export interface LineOptions {
  readonly lr: number;
  readonly steps: number;
  readonly warmup?: number;
  readonly least?: number;
}

function readLine(name: string, options: LineOptions): Required<LineOptions> {
  const { lr, steps, warmup = 0, least = 0 } = read(name, line, ["lr", "steps"], options);
  if (steps <= warmup)
    throw new TensorError("OPTIONS", `${name} takes more steps than its warmup of ${warmup} but got ${steps}.`);
  return { lr, steps, warmup, least };
}

/**
 * Up to `lr` in a line over `warmup` steps, then along half a cosine down to `least` at `steps`, where it stays
 * (Loshchilov and Hutter, arXiv 1608.03983, without restarts). Throws TensorError.
 * @example
 * const rate = optim.cosine({ lr: 1, steps: 100, warmup: 10 });
 * rate(10); // → 1
 */
export function cosine(options: LineOptions): Schedule {
  const { lr, steps, warmup, least } = readLine("cosine", options);
  return (step) =>
    step < warmup
      ? (lr * (step + 1)) / warmup
      : least +
        ((lr - least) / 2) * (1 + Math.cos((Math.PI * Math.min(step - warmup, steps - warmup)) / (steps - warmup)));
}

/**
 * Up to `lr` in a line over `warmup` steps, then down to `least` in a line. Throws TensorError.
 * @example
 * const rate = optim.linear({ lr: 1, steps: 100 });
 * rate(50); // → 0.5
 */
export function linear(options: LineOptions): Schedule {
  const { lr, steps, warmup, least } = readLine("linear", options);
  return (step) =>
    step < warmup ? (lr * (step + 1)) / warmup : lr + (least - lr) * Math.min(1, (step - warmup) / (steps - warmup));
}

/**
 * `lr`, multiplied by `factor` after every so many steps. Throws TensorError.
 * @example
 * const rate = optim.stepwise({ lr: 1, every: 30, factor: 0.1 });
 * rate(30); // → 0.1
 */
export function stepwise(options: { readonly lr: number; readonly every: number; readonly factor?: number }): Schedule {
  const {
    lr,
    every,
    factor = 0.1,
  } = read("stepwise", { lr: rate, every: count, factor: rate }, ["lr", "every"], options);
  if (every === 0) throw new TensorError("OPTIONS", "stepwise takes at least 1 as every.");
  return (step) => lr * factor ** Math.floor(step / every);
}
