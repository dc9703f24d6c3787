// Numbers for each axis that windows slide along: one for all, or a list.
import { TensorError } from "../errors.ts";
import { listed, worded } from "../wording.ts";
import { count, either, wholeNumbers, type Kind } from "./arguments.ts";
import type { Tensor } from "./tensor.ts";

/** One number for all axes, or one for each. */
export type PerAxis = number | readonly number[];

export const perAxis: Kind<PerAxis> = either(count, wholeNumbers);

/** A number for each of `axes`, all at least `least`. Throws TensorError with the option's name. */
export function spreadOver(name: string, what: string, given: PerAxis, axes: number, least: number): number[] {
  const list = typeof given === "number" ? Array<number>(axes).fill(given) : [...given];
  if (list.length !== axes || list.some((each) => !Number.isSafeInteger(each) || each < least || each >= 2 ** 31))
    throw new TensorError(
      "VALUE",
      `${name} takes a whole number of at least ${least} as ${what}${axes === 1 ? "" : `, or a list of ${axes}`}, but got ${typeof given === "number" ? worded(given) : listed(given)}.`,
    );
  return list;
}

/** Images without their first axis, as one: what `compute` makes of it has none either. */
export function perImage<R extends Tensor | readonly Tensor[]>(x: Tensor, axes: number, compute: (x: Tensor) => R): R {
  if (x.shape.length !== axes + 1) return compute(x);
  const found = compute(x.unsqueeze(0));
  return (Array.isArray(found) ? found.map((each: Tensor) => each.squeeze(0)) : (found as Tensor).squeeze(0)) as R;
}
