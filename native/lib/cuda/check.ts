// Runs a function with the launches of all user's kernels checked.
import { DeviceProcess } from "../device/process.ts";
import { Scoped } from "../scoped.ts";

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
  const scope = checking.begin(true);
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
