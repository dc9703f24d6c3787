// Learning rates over time: functions of the number of a step, from 0. `optimizer.lr = schedule(step)`.
import { TensorError } from "../errors.ts";
import { worded } from "../wording.ts";

export type Schedule = (step: number) => number;

function checked(name: string, numbers: Record<string, unknown>, wholes: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(numbers))
    if (typeof value !== "number" || !(value >= 0))
      throw new TensorError("OPTIONS", `${name} takes a number of at least 0 as ${key} but got ${worded(value)}.`);
  for (const [key, value] of Object.entries(wholes))
    if (!Number.isSafeInteger(value) || (value as number) < 0)
      throw new TensorError(
        "OPTIONS",
        `${name} takes a whole number of at least 0 as ${key} but got ${worded(value)}.`,
      );
}

/** Up to `lr` in a line over `warmup` steps, then along half a cosine down to `least` at `steps`, where it stays (Loshchilov and Hutter, arXiv 1608.03983, without restarts). Throws TensorError. */
export function cosine({
  lr,
  steps,
  warmup = 0,
  least = 0,
}: {
  readonly lr: number;
  readonly steps: number;
  readonly warmup?: number;
  readonly least?: number;
}): Schedule {
  checked("cosine", { lr, least }, { steps, warmup });
  if (steps <= warmup)
    throw new TensorError("OPTIONS", `cosine takes more steps than its warmup of ${warmup} but got ${steps}.`);
  return (step) =>
    step < warmup
      ? (lr * (step + 1)) / warmup
      : least +
        ((lr - least) / 2) * (1 + Math.cos((Math.PI * Math.min(step - warmup, steps - warmup)) / (steps - warmup)));
}

/** Up to `lr` in a line over `warmup` steps, then down to `least` in a line. Throws TensorError. */
export function linear({
  lr,
  steps,
  warmup = 0,
  least = 0,
}: {
  readonly lr: number;
  readonly steps: number;
  readonly warmup?: number;
  readonly least?: number;
}): Schedule {
  checked("linear", { lr, least }, { steps, warmup });
  if (steps <= warmup)
    throw new TensorError("OPTIONS", `linear takes more steps than its warmup of ${warmup} but got ${steps}.`);
  return (step) =>
    step < warmup ? (lr * (step + 1)) / warmup : lr + (least - lr) * Math.min(1, (step - warmup) / (steps - warmup));
}

/** `lr`, multiplied by `factor` after every so many steps. Throws TensorError. */
export function stepwise({
  lr,
  every,
  factor = 0.1,
}: {
  readonly lr: number;
  readonly every: number;
  readonly factor?: number;
}): Schedule {
  checked("stepwise", { lr, factor }, { every });
  if (every === 0) throw new TensorError("OPTIONS", "stepwise takes at least 1 as every.");
  return (step) => lr * factor ** Math.floor(step / every);
}
