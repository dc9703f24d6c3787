// Where a profiler found the warps of kernels: the last samples of each kernel that has some, kept for its listings.

/** How often a warp was found at an instruction, by its bytes from the kernel's first one. */
export type Samples = ReadonlyMap<number, number>;

const byKernel = new Map<number, Samples>();

/** Whether somebody can list the kernel: those of the library have no listings. */
export function hasListing(kernel: number): boolean {
  return byKernel.has(kernel);
}

/** Empty for a kernel that has just been made, and can be listed from then on. */
export function keepSamples(kernel: number, samples: Samples): void {
  byKernel.set(kernel, samples);
}

/** Empty where none were taken. */
export function samplesOf(kernel: number): Samples {
  return byKernel.get(kernel) ?? new Map();
}

/** Of the kernels of a module that is gone. */
export function forgetSamples(first: number, count: number): void {
  for (let kernel = first; kernel < first + count; kernel++) byKernel.delete(kernel);
}
