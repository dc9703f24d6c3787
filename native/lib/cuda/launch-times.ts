// How long the last launch of each kernel took that somebody timed or profiled, in milliseconds.

const byKernel = new Map<number, number>();

export function noteLaunchTime(kernel: number, milliseconds: number): void {
  byKernel.set(kernel, milliseconds);
}

/** `null`: none was timed. */
export function lastLaunchTime(kernel: number): number | null {
  return byKernel.get(kernel) ?? null;
}

/** Of the kernels of a module that is gone. */
export function forgetLaunchTimes(first: number, count: number): void {
  for (let kernel = first; kernel < first + count; kernel++) byKernel.delete(kernel);
}
