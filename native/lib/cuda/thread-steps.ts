// What one thread of a launch does, step by step: takes what the device kept of it (engine/cpu/check/steps.cc), and finds
// what each step changed.
import { CheckError } from "../errors.ts";
import { dtypes, factsOf, type DType } from "../memory/dtype.ts";
import { formatShape, sizeOf } from "../memory/shape.ts";
import { Scoped } from "../scoped.ts";
import { listed } from "../wording.ts";
import type { CheckedTensor, Subject } from "./check-sentences.ts";
import type { CountedSource } from "./line-counts.ts";
import type { Size } from "./plan.ts";

/** What memory or a variable holds. A pointer is text, `x[3]`, or its address where it is no tensor's. */
export type TracedValue = number | bigint | boolean | string | readonly (number | bigint | boolean | string)[];

/** An element that a step reads or writes, of a tensor or of shared memory. */
export interface StepAccess {
  readonly how: "read" | "write" | "change";
  /** The parameter, or the variable of shared memory. */
  readonly name: string;
  /** Of the first element in memory, whatever the tensor's axes. */
  readonly index: number;
  /** What was read, or is there after the write; a list of a vector's; `null` where its type is not known. */
  readonly value: TracedValue | null;
}

/** A statement, or the condition of a branch or a loop, that the thread came to. */
export interface ThreadStep {
  /** As messages call the source: "Cell [3]". */
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly function: string;
  /** Parameters and variables before the step. What was given no value yet is left out. */
  readonly values: Readonly<Record<string, TracedValue>>;
  /** What the step gave another value, or its first. */
  readonly changed: Readonly<Record<string, TracedValue>>;
  readonly accesses: readonly StepAccess[];
}

/** As the device process writes it. */
interface DeviceStep {
  readonly file: string;
  readonly line: number;
  readonly function: string;
  readonly values: readonly {
    readonly name: string;
    readonly index: number;
    readonly kind: "b" | "i" | "u" | "f" | "d" | "p";
    readonly bits: string;
    readonly subject: number;
    readonly offset: number;
  }[];
  readonly accesses: readonly {
    readonly how: StepAccess["how"];
    readonly subject: number;
    readonly offset: number;
    readonly bytes: number;
    readonly held: string;
  }[];
}

/** The launch of which a thread is followed. */
export interface SteppedLaunch {
  readonly kernel: string;
  readonly sources: readonly CountedSource[];
  readonly tensors: readonly CheckedTensor[];
  readonly subjects: readonly Subject[];
}

/** Takes the steps of a thread of the first launch. */
export class StepCollector {
  readonly #block: Size;
  readonly #thread: Size;
  kernel: string | null = null;
  /** All that there were, of which the first are kept. */
  count = 0;
  steps: readonly ThreadStep[] = [];
  /** Along x, y and z. */
  block: readonly number[] = [];
  thread: readonly number[] = [];

  constructor(block: Size, thread: Size) {
    this.#block = block;
    this.#thread = thread;
  }

  get isDone(): boolean {
    return this.kernel !== null;
  }

  /** The block and the thread to follow, as the device takes them. Throws CheckError where the launch has none such. */
  followed(kernel: string, grid: readonly number[], block: readonly number[]): string {
    this.block = placeIn("block", kernel, this.#block, grid);
    this.thread = placeIn("thread", kernel, this.#thread, block);
    const linear = ([x, y, z]: readonly number[], [width, height]: readonly number[]): number =>
      x! + width! * (y! + height! * z!);
    return `${linear(this.block, grid)} ${linear(this.thread, block)}`;
  }

  add(launch: SteppedLaunch, texts: readonly string[]): void {
    const [head, ...steps] = texts.map((text) => JSON.parse(text) as unknown);
    this.kernel = launch.kernel;
    this.count = (head as { all: number }).all;
    this.steps = withChanges((steps as DeviceStep[]).map((step) => stepOf(launch, step)));
  }
}

/** A number, x first, or [x, y, z] as [x, y, z] below `sizes`. */
function placeIn(what: "block" | "thread", kernel: string, given: Size, sizes: readonly number[]): readonly number[] {
  const [width, height] = sizes as [number, number];
  const place =
    typeof given === "number"
      ? [given % width, Math.floor(given / width) % height, Math.floor(given / (width * height))]
      : [...given, 0, 0].slice(0, Math.max(3, given.length));
  const isIn = place.length === 3 && place.every((at, axis) => Number.isInteger(at) && at >= 0 && at < sizes[axis]!);
  if (!isIn)
    throw new CheckError(
      "THREAD",
      `traceThread follows a ${what} from 0 to ${sizeOf(sizes) - 1} of kernel ${kernel}, or [x, y, z] below ${formatShape(sizes)}, but got ${listed(given)}.`,
    );
  return place;
}

function stepOf(launch: SteppedLaunch, { file, line, function: name, values, accesses }: DeviceStep): ThreadStep {
  const source = launch.sources.find((each) => file === each.name || file.endsWith(`/${each.name}`));
  const held: Record<string, TracedValue> = {};
  for (const value of values) {
    const { name: variable, index } = value;
    const one = valueOf(launch, value);
    if (index < 0) held[variable] = one;
    else held[variable] = [...((held[variable] ?? []) as readonly (typeof one)[]), one];
  }
  return {
    file: source?.name ?? file,
    line,
    text: source?.source.split("\n")[line - 1]?.trim() ?? "",
    function: name,
    values: held,
    changed: {},
    accesses: accesses.map((access) => accessOf(launch, access)),
  };
}

const words = new DataView(new ArrayBuffer(8));

function valueOf(
  launch: SteppedLaunch,
  { kind, bits, subject, offset }: DeviceStep["values"][number],
): number | bigint | boolean | string {
  const raw = BigInt(bits);
  words.setBigUint64(0, raw, true);
  switch (kind) {
    case "b":
      return raw !== 0n;
    case "f":
      return words.getFloat32(0, true);
    case "d":
      return words.getFloat64(0, true);
    case "p": {
      if (raw === 0n) return "null";
      const to = subject < 0 ? null : placeOf(launch, subject, offset, null);
      return to === null ? `0x${raw.toString(16)}` : `${to.name}[${to.index}]`;
    }
    default: {
      const whole = kind === "i" ? BigInt.asIntN(64, raw) : raw;
      return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
    }
  }
}

interface Place {
  readonly name: string;
  readonly index: number;
  /** `null`: nobody knows. */
  readonly dtype: DType | null;
}

/** Which element lies there, of a tensor or of shared memory; without its type by the bytes of an access. */
function placeOf(launch: SteppedLaunch, subject: number, offset: number, bytes: number | null): Place {
  const tensor = launch.tensors[subject];
  if (tensor !== undefined) {
    const { name, dtype, element } = tensor;
    return { name, index: offset / element, dtype: bytes !== null && bytes % element !== 0 ? null : dtype };
  }
  const { name, space } = launch.subjects[subject]!;
  const shared = space === "dynamic" ? dynamicShared(launch.sources) : name;
  const dtype = declaredType(launch.sources, shared);
  const size = dtype === null ? (bytes ?? 1) : factsOf(dtype).bytes;
  return { name: shared, index: offset / size, dtype };
}

function accessOf(launch: SteppedLaunch, access: DeviceStep["accesses"][number]): StepAccess {
  const { how, subject, offset, bytes, held } = access;
  const { name, index, dtype } = placeOf(launch, subject, offset, bytes);
  return { how, name, index, value: dtype === null ? null : elementsOf(held, dtype, bytes) };
}

/** The elements of bytes in hexadecimal. */
function elementsOf(held: string, dtype: DType, bytes: number): TracedValue | null {
  const { array: Typed, decode } = dtypes[dtype];
  if (held.length / 2 < bytes || bytes % Typed.BYTES_PER_ELEMENT !== 0 || factsOf(dtype).kind === "complex")
    return null;
  const elements = new Typed(Uint8Array.from(Buffer.from(held, "hex")).buffer as ArrayBuffer);
  const values = Array.from(elements as unknown as Iterable<number | bigint>, (raw) => decode(raw));
  return values.length === 1 ? values[0]! : values;
}

const typeWords: Readonly<Record<string, DType>> = {
  float: "float32",
  double: "float64",
  int: "int32",
  unsigned: "uint32",
  "unsigned int": "uint32",
  char: "int8",
  "unsigned char": "uint8",
  short: "int16",
  "long long": "int64",
  half: "float16",
  __half: "float16",
  __nv_bfloat16: "bfloat16",
};

/** The dtype that shared memory of that name is declared with. */
function declaredType(sources: readonly CountedSource[], name: string): DType | null {
  const pattern = new RegExp(String.raw`__shared__\s+(?:__align__\([^)]*\)\s*)?([\w ]+?)\s+${name}\s*[[;]`);
  const spelled = sources.map(({ source }) => pattern.exec(source)?.[1]).find((each) => each !== undefined);
  return spelled === undefined ? null : (typeWords[spelled.replace(/\s+/g, " ")] ?? null);
}

/** The only array of dynamic shared memory, by its name. */
function dynamicShared(sources: readonly CountedSource[]): string {
  const names = sources.flatMap(({ source }) =>
    [...source.matchAll(/extern\s+__shared__\s+(?:__align__\([^)]*\)\s*)?[\w ]+?\s+(\w+)\s*\[/g)].map(
      ([, name]) => name!,
    ),
  );
  const [only, ...more] = new Set(names);
  return only === undefined || more.length > 0 ? "shared memory" : only;
}

const text = (value: TracedValue): string => (Array.isArray(value) ? value.map(String).join() : String(value));

/** What a step changes is seen at the next step in the same function. */
function withChanges(steps: readonly ThreadStep[]): ThreadStep[] {
  const changed = steps.map((): Record<string, TracedValue> => ({}));
  const last = new Map<string, number>();
  steps.forEach((step, at) => {
    const before = last.get(step.function);
    last.set(step.function, at);
    if (before === undefined) return;
    const known = steps[before]!.values;
    for (const [name, value] of Object.entries(step.values))
      if (!Object.hasOwn(known, name) || text(known[name]!) !== text(value)) changed[before]![name] = value;
  });
  return steps.map((step, at) => ({ ...step, changed: changed[at]! }));
}

/** Takes the steps of a thread, while one is followed. */
export const following = new Scoped<StepCollector | null>(null);
