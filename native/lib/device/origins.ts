// Where a command came from: turns the numbers that travel with launches into "Cell [3]:4" and kernel names. The numbers belong to others (the session's table
// of call sites, the modules' kernel ids), which register how to read them.

/** The call site of the next command: whoever runs cells sets it before a launch. 0: nobody knows. */
export const origin = { current: 0 };

type Describe = (number: number) => string | undefined;

const readers: { origins: Describe; kernels: Describe } = { origins: () => undefined, kernels: () => undefined };

/** Registers what turns an origin into text such as "Cell [3]:4". */
export function describeOrigins(describe: Describe): void {
  readers.origins = describe;
}

/** Registers what turns a kernel id into its name. */
export function describeKernels(describe: Describe): void {
  readers.kernels = describe;
}

export function originText(number: number): string | undefined {
  return number === 0 ? undefined : readers.origins(number);
}

export function kernelName(id: number): string {
  return readers.kernels(id) ?? `number ${id}`;
}
