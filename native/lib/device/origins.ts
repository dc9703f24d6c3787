// Where a command came from: turns the numbers that travel with launches into "Cell [3]:4" and kernel names. The
// numbers belong to others (the session's table of call sites, the modules' kernel ids), which register how to read
// them.

/** The call site of the next command, set by what runs cells. 0: unknown. */
export const origin = { current: 0 };

type Describe = (number: number) => string | undefined;

/** Plans of libraries travel among the kernels with this bit set (`kFlightOfPlan` of addon/client/flights.h). */
export const planBit = 2 ** 31;

const readers: {
  origins: Describe;
  cells: Describe;
  kernels: Describe;
  plans: Describe;
  caller: () => string | undefined;
} = {
  origins: () => undefined,
  cells: () => undefined,
  kernels: () => undefined,
  plans: () => undefined,
  caller: () => undefined,
};

/** Registers what turns an origin into text such as "Cell [3]:4". */
export function describeOrigins(describe: Describe): void {
  readers.origins = describe;
}

/** Registers what turns an origin into the front end's id of its cell. */
export function describeCells(describe: Describe): void {
  readers.cells = describe;
}

/** Registers what says which place of the user's code is running, such as "Cell [3]:4". */
export function describeCaller(describe: () => string | undefined): void {
  readers.caller = describe;
}

/** Registers what turns a kernel id into its name. */
export function describeKernels(describe: Describe): void {
  readers.kernels = describe;
}

/** Registers what turns the number of a plan into the name of what it runs. */
export function describePlans(describe: Describe): void {
  readers.plans = describe;
}

export function originText(number: number): string | undefined {
  return number === 0 ? undefined : readers.origins(number);
}

export function originCell(number: number): string | undefined {
  return number === 0 ? undefined : readers.cells(number);
}

/** The place in the user's code from which this is called; it costs a stack trace. */
export function callerText(): string | undefined {
  return readers.caller();
}

export function kernelName(id: number): string {
  const name = id >= planBit ? readers.plans(id - planBit) : readers.kernels(id);
  return name ?? `number ${id}`;
}
