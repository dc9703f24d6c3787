// Where a command came from: turns the numbers that travel with launches into places in code and kernel names. The
// numbers belong to others (the session's table of call sites, the modules' kernel ids), which register how to read
// them.

/** A cell of a notebook. */
export interface CodeCell {
  /** The front end's id of the cell; `null` where it has told none. */
  readonly cell: string | null;
  /** The cell's execution count; 0 for code that is not a cell. */
  readonly count: number;
}

/** A line of a notebook's code. */
export interface CodePlace extends CodeCell {
  /** What messages call the cell: "Cell [3]". */
  readonly label: string;
  /** From 1. */
  readonly line: number;
}

/** As messages name it: "Cell [3]:4". */
export const placeText = ({ label, line }: CodePlace): string => `${label}:${line}`;

/** The call site of the next command, set by what runs cells. 0: unknown. */
export const origin = { current: 0 };

/** Where a function is declared; "cell": the code of a cell itself. "ours": not the user's. `undefined`: nobody knows. */
export type FunctionPlace = CodePlace | "cell" | "ours" | undefined;

type Describe<T> = (number: number) => T | undefined;

/** Plans of libraries travel among the kernels with this bit set (`kFlightOfPlan` of addon/client/flights.h). */
export const planBit = 2 ** 31;
/** And graphs with this one (`kFlightOfGraph`). */
export const graphBit = planBit + 2 ** 30;

const readers: {
  origins: Describe<CodePlace>;
  kernels: Describe<string>;
  plans: Describe<string>;
  graphs: Describe<string>;
  caller: () => CodePlace | undefined;
  functions: (url: string, line: number, column: number) => FunctionPlace;
} = {
  origins: () => undefined,
  kernels: () => undefined,
  plans: () => undefined,
  graphs: () => undefined,
  caller: () => undefined,
  functions: () => undefined,
};

/** Registers what turns an origin into a place. */
export function describeOrigins(describe: Describe<CodePlace>): void {
  readers.origins = describe;
}

/** Registers what says which place of the user's code is running. */
export function describeCaller(describe: () => CodePlace | undefined): void {
  readers.caller = describe;
}

/** Registers what says where the function is declared that V8 has found at a line and column, from 1, of a script. */
export function describeFunctions(describe: typeof readers.functions): void {
  readers.functions = describe;
}

/** Registers what turns a kernel id into its name. */
export function describeKernels(describe: Describe<string>): void {
  readers.kernels = describe;
}

/** Registers what turns the number of a plan into the name of what it runs. */
export function describePlans(describe: Describe<string>): void {
  readers.plans = describe;
}

/** Registers what turns the number of a graph into its name. */
export function describeGraphs(describe: Describe<string>): void {
  readers.graphs = describe;
}

/** From this number on, origins are those of {@link originOf}. */
const firstOwn = 2 ** 30;
const own: CodePlace[] = [];
const ownNumbers = new Map<string, number>();

/** The origin of a place that is known here: a launch in a host function. */
export function originOf(place: CodePlace): number {
  const key = `${place.cell}\0${place.count}\0${placeText(place)}`;
  const known = ownNumbers.get(key) ?? firstOwn + own.push(place) - 1;
  ownNumbers.set(key, known);
  return known;
}

/** Where an origin is; `undefined` where nobody knows. */
export function originPlace(number: number): CodePlace | undefined {
  if (number >= firstOwn) return own[number - firstOwn];
  return number === 0 ? undefined : readers.origins(number);
}

/** The place in the user's code from which this is called; it costs a stack trace. */
export function callerPlace(): CodePlace | undefined {
  return readers.caller();
}

export function functionPlace(url: string, line: number, column: number): FunctionPlace {
  return readers.functions(url, line, column);
}

export function kernelName(id: number): string {
  const name =
    id >= graphBit ? readers.graphs(id - graphBit) : id >= planBit ? readers.plans(id - planBit) : readers.kernels(id);
  return name ?? `number ${id}`;
}
