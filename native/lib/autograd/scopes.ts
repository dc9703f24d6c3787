// Functions that run a function in a scope of their own: one that is async would go on behind its end.
import { TensorError } from "../errors.ts";
import { worded } from "../wording.ts";

const asyncFunction = (async () => {}).constructor;

/**
 * What `run` returns, which runs `fn` in the scope of `name`. Throws TensorError for what is no function, and for one
 * that is async or returns a promise, with `advice`.
 */
export function withoutWaiting<T>(name: string, advice: string, fn: () => T, run: () => T): T {
  if (typeof fn !== "function")
    throw new TensorError(
      "OPERANDS",
      `${name} takes a function, ${name}(() => x.mul(2).sum()), but got ${worded(fn)}.`,
    );
  const refusal = () => new TensorError("ASYNC", `${name} takes a function that is not async: ${advice}.`);
  if (fn instanceof asyncFunction) throw refusal();
  const result = run();
  if (typeof (result as { then?: unknown } | null | undefined)?.then === "function") throw refusal();
  return result;
}
