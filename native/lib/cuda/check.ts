// Which launches of users' kernels are checked: those of a function, or all from now on.
import { followStreams, hazards } from "../device/hazards.ts";
import { DeviceProcess } from "../device/process.ts";
import { CheckError } from "../errors.ts";
import { Scoped } from "../scoped.ts";
import { worded } from "../wording.ts";

/** Whether launches are checked that are not so by themselves. */
export const checking = new Scoped(false);

/**
 * Runs `fn` with every launch of a user's kernel on the `cpu` device checked, as those of `%%cuda --check` are, and
 * returns what it returns. Kernels are compiled once more for it when they are first launched, with the same variables
 * (`__device__`). Throws CheckError for what the launches did wrong; what `fn` throws.
 * @example
 * const { kernels } = await compile('extern "C" __global__ void last(float* x, int n) { x[n] = 1; }');
 * const x = zeros([3]);
 * try {
 *   check(() => (kernels.last as Kernel).launch({ grid: 1, block: 1 }, x, 3));
 * } catch (error) {
 *   error.code; // → 'CHECK'
 * }
 */
export function check<R>(fn: () => R): R {
  return withChecking(true, fn);
}

/**
 * `launches`: of users' kernels on the `cpu` device, in all that they do. `streams`: on every device, whether work waits
 * for the work on other streams that it has to come after. What is left out stays as it is.
 */
export interface Checking {
  readonly launches?: boolean;
  readonly streams?: boolean;
}

/**
 * Has every launch of a user's kernel on the `cpu` device followed from now on, in all cells, as {@link check} has those
 * of a function; `false`: only those that are asked for. A GPU follows none, so that what begins with it runs there,
 * too. `kernel.time` follows none. It holds until what is returned is disposed of, which `using` does at the end of a
 * block.
 *
 * `{ streams: true }` follows, on every device, what work on streams uses: where one reads or writes a tensor, or part
 * of it, that another one writes or reads, and neither waits for the other, the next wait throws CheckError STREAMS
 * with the lines of both. A pointer of a kernel that is not `const` counts as written; what a graph uses, and what is
 * used of another device, is not followed. Throws CheckError for anything else.
 * @example
 * const { kernels } = await compile('extern "C" __global__ void last(float* x, int n) { x[n] = 1; }');
 * const following = setChecking(true);
 * (kernels.last as Kernel).launch({ grid: 1, block: 1 }, zeros([3]), 3);
 * await synchronize().catch((error) => error.code); // → 'CHECK'
 * following[Symbol.dispose]();
 */
export function setChecking(what: boolean | Checking): Disposable {
  if (typeof what === "boolean") return checking.begin(what);
  const kinds = ["launches", "streams"];
  const isKnown =
    typeof what === "object" &&
    what !== null &&
    Object.entries(what).every(([name, isOn]) => kinds.includes(name) && typeof isOn === "boolean");
  if (!isKnown)
    throw new CheckError(
      "ARGUMENTS",
      `setChecking takes true, false, or { launches, streams } with true or false, but got ${worded(what)}.`,
    );
  const { launches, streams } = what;
  const scopes = [
    ...(launches === undefined ? [] : [checking.begin(launches)]),
    ...(streams === undefined ? [] : [streams ? followStreams() : hazards.begin(null)]),
  ];
  return { [Symbol.dispose]: () => scopes.forEach((scope) => scope[Symbol.dispose]()) };
}

/** Runs `fn`, and waits for the devices, while launches are followed or are not. */
export function withChecking<R>(isOn: boolean, fn: () => R): R {
  const scope = checking.begin(isOn);
  let isAsync = false;
  try {
    const result = fn();
    if (result instanceof Promise) {
      isAsync = true;
      return ended(result, scope) as R;
    }
    for (const device of DeviceProcess.all()) device.synchronize();
    return result;
  } finally {
    if (!isAsync) scope[Symbol.dispose]();
  }
}

async function ended<T>(result: Promise<T>, scope: Disposable): Promise<T> {
  try {
    const value = await result;
    for (const device of DeviceProcess.all()) await device.synchronizeAsync();
    return value;
  } finally {
    scope[Symbol.dispose]();
  }
}
