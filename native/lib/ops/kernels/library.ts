// The library's own kernels: families of instances of the templates in native/device/ops, loaded from what was compiled
// with the project, and launched.
import { existsSync, readFileSync } from "node:fs";
import { deviceSources, kernelsFolder } from "../../wire/binding.ts";
import { LaunchLayout, launchWords, nullWord, putSizes } from "../../wire/launch.ts";
import { putLong } from "../../wire/long.ts";
import type { Room } from "../../wire/target.ts";
import { Capture } from "../../device/capture.ts";
import type { Execution } from "../../device/execution.ts";
import type { DeviceProcess } from "../../device/process.ts";
import { factsOf, wideOf, type DType, type WideType } from "../../memory/dtype.ts";
import { DeviceArray } from "../../memory/array.ts";
import { Compilation } from "../../cuda/compilation.ts";
import { LoadedModule } from "../../cuda/loaded-module.ts";
import { WarpcellError } from "../../errors.ts";
import type { Blocks } from "./blocks.ts";
import { claimsOf, markOf } from "./kernel-facts.ts";
import { ArrayList } from "./lists.ts";

/**
 * How a parameter of a kernel is written. place: pointer to an array's first element, read; out: the same, written; at:
 * pointer to what no array owns;
 * i64, i32, f64, …: a number; wide: a number of the type that the dtype computes in; struct: words; list: rows of
 * arrays (lists.ts), the first parameter.
 */
export type ParameterKind =
  | "list"
  | "place"
  | "at"
  | "out"
  | "wide"
  | "struct"
  | "f32"
  | "f64"
  | "i32"
  | "u32"
  | "i64"
  | "u64";
/** Where something lies in a device's memory, or in memory that it shares. */
export interface Place {
  readonly placeLow: number;
  readonly placeHigh: number;
}
export type LibraryArgument = DeviceArray | Place | ArrayList | number | bigint | Uint32Array | null;

/** Which architectures ("x86-64-v4", "sm_90a") have what a file's kernels use. */
export type Reach = (architecture: string) => boolean;
const everywhere: Reach = () => true;

/** Instances of one file for one dtype: compiled together, loaded together. */
interface Unit {
  readonly file: string;
  readonly dtype: DType;
  readonly expressions: string[];
  readonly isFor: Reach;
}
const units = new Map<string, Unit>();

/** Every unit, for those who compile them ahead; of an architecture, those that it has the instructions for. */
export function libraryUnits(architecture?: string): readonly Unit[] {
  const all = [...units.values()];
  return architecture === undefined ? all : all.filter(({ isFor }) => isFor(architecture));
}

const narrow = new Set<DType>(["float16", "bfloat16"]);

/** The options of a compilation that names these instances or constants. */
export function unitOptions({ dtype, expressions }: { dtype?: DType; expressions: readonly string[] }): {
  defines: string[];
} {
  return {
    defines:
      (dtype !== undefined && narrow.has(dtype)) ||
      expressions.some((expression) => /__half|__nv_bfloat16/.test(expression))
        ? ["WARPCELL_SIXTEEN_BITS"]
        : [],
  };
}

/** A file of device/ops as it is. */
export function kernelFile(file: string): string {
  return readFileSync(`${deviceSources}ops/${file}.cu`, "utf8");
}

/** What is compiled for a unit: its file, and what the library takes the file's constants for. */
export function unitSource({ file, dtype }: Pick<Unit, "file" | "dtype">): string {
  return `${kernelFile(file)}\n${claimsOf(file, dtype)}`;
}

const mostOfPart = 32;

/**
 * What of a unit is compiled ahead and loaded together. A GPU's driver takes 0.1 ms and more for each kernel, a CPU's
 * loader 0.03, and the first use of an operation waits for all that comes with it; but a module for each would copy its
 * file and its names a thousand times.
 */
export function unitParts({ expressions }: Pick<Unit, "expressions">): string[][] {
  const parts = Math.ceil(expressions.length / mostOfPart);
  const size = Math.ceil(expressions.length / parts);
  return Array.from({ length: parts }, (_, part) => expressions.slice(part * size, (part + 1) * size));
}

/** The file of a part, beside that of the first. */
export function partFile(artifact: string, part: number): string {
  return part === 0 ? artifact : `${artifact}.${part}`;
}

/** The file with (the first part of) a unit compiled ahead for an architecture ("x86-64-v4", "sm_90a"). */
export function unitArtifact(
  architecture: string,
  { file, dtype }: Pick<Unit, "file" | "dtype">,
  folder = kernelsFolder,
): string {
  return `${folder}${architecture}/${file}.${dtype}`;
}

/** What stands beside a unit that was compiled ahead: a mark of the claims it was made with, and its symbols. */
export function namesText(unit: Pick<Unit, "file" | "dtype">, lowered: readonly string[]): string {
  return [markOf(unit.file, unit.dtype), ...lowered].join("\n");
}

/**
 * The file of a unit compiled ahead, for the first of these architectures that has one, with its symbols; `null` where
 * none has, or only one of other kernels than the library's. Throws WarpcellError where its kernels were made with
 * other numbers than arrays are allocated by.
 */
export function findPrebuilt(
  architectures: readonly string[],
  unit: Unit,
  folder?: string,
): { path: string; lowered: string[] } | null {
  for (const architecture of architectures) {
    const path = unitArtifact(architecture, unit, folder);
    if (!existsSync(`${path}.names`)) continue;
    const [mark, ...lowered] = readFileSync(`${path}.names`, "utf8").split("\n");
    if (lowered.length !== unit.expressions.length) continue;
    if (mark !== markOf(unit.file, unit.dtype))
      throw new WarpcellError(
        "LIBRARY",
        `${path} was compiled with other numbers than the library uses. Build the library again: npm run build.`,
      );
    return { path, lowered };
  }
  return null;
}

/** The first of these architectures that kernels were compiled ahead for; `null` where they are at their first use. */
export function compiledAhead(architectures: readonly string[], folder = kernelsFolder): string | null {
  return architectures.find((architecture) => existsSync(`${folder}${architecture}`)) ?? null;
}

/** A kernel in a module that has been loaded. */
interface LoadedInstance {
  readonly module: LoadedModule;
  readonly index: number;
}

/** A unit that was compiled ahead; its parts are loaded when one of their kernels is first used. */
interface Prebuilt {
  readonly instance: (index: number) => LoadedInstance;
}
const prebuiltUnits = new WeakMap<DeviceProcess, Map<Unit, Prebuilt | null>>();

/** The unit, where it was compiled ahead for this device; `null` where it was not. */
function prebuilt(device: DeviceProcess, unit: Unit): Prebuilt | null {
  let known = prebuiltUnits.get(device);
  if (known === undefined) prebuiltUnits.set(device, (known = new Map()));
  const found = known.get(unit);
  if (found !== undefined) return found;
  const opened = openPrebuilt(device, unit);
  known.set(unit, opened);
  return opened;
}

function openPrebuilt(device: DeviceProcess, unit: Unit): Prebuilt | null {
  const found = findPrebuilt(device.properties.architectures, unit);
  if (found === null) return null;
  const { path, lowered } = found;
  const parts = unitParts(unit);
  const size = parts[0]!.length;
  const modules: LoadedModule[] = [];
  return {
    instance: (index) => {
      const part = Math.floor(index / size),
        first = part * size;
      const module = (modules[part] ??= LoadedModule.load(
        device,
        readFileSync(partFile(path, part)),
        lowered.slice(first, first + size),
        `${unit.file}.${unit.dtype}`,
        parts[part]!,
      ));
      return { module, index: index - first };
    },
  };
}

/** One instance: of its unit, or compiled alone, from the cache after the first time. */
function load(device: DeviceProcess, unit: Unit, index: number): LoadedInstance {
  const ready = prebuilt(device, unit);
  if (ready !== null) return ready.instance(index);
  const { defines } = unitOptions(unit);
  const expression = unit.expressions[index]!;
  const { artifact, lowered } = new Compilation(unitSource(unit), {
    name: `${unit.file}.cu`,
    device: device.name,
    defines,
    isLibrary: true,
  }).obtain([expression]);
  return { module: LoadedModule.load(device, artifact, lowered, `${unit.file}.${unit.dtype}`, [expression]), index: 0 };
}

/** Bytes of a parameter; `null`: as many as its struct has. */
const parameterBytes: Readonly<Record<ParameterKind, number | null>> = {
  place: 8,
  out: 8,
  at: 8,
  i64: 8,
  u64: 8,
  f64: 8,
  i32: 4,
  u32: 4,
  f32: 4,
  wide: null,
  struct: null,
  list: null,
};

/** One instance on one device, ready to launch. */
export class LibraryKernel {
  readonly #kinds: readonly ParameterKind[];
  /** Where each parameter begins. */
  readonly #offsets: readonly number[];
  /** By the rows of the list; one without a list has one. */
  readonly #layouts: LaunchLayout[] = [];
  readonly #layoutOf: (pointers: readonly number[]) => LaunchLayout;
  /** The parameters that are pointers. */
  readonly #pointers: readonly number[];
  /** Held, so that it stays loaded. */
  readonly module: LoadedModule;

  constructor(name: string, { module, index }: LoadedInstance, kinds: readonly ParameterKind[]) {
    const { parameters } = module.kernels[index]!;
    const id = module.firstKernel + index;
    if (parameters.length !== kinds.length)
      throw new WarpcellError(
        "LIBRARY",
        `Kernel ${name} takes ${parameters.length} parameters where the library passes ${kinds.length}: its parts are from different versions. Build the library again.`,
      );
    kinds.forEach((kind, index) => {
      const { size } = parameters[index]!;
      const expected = parameterBytes[kind];
      if (expected !== null && size !== expected)
        throw new WarpcellError(
          "LIBRARY",
          `Parameter ${index} of kernel ${name} has ${size} bytes where the library passes ${expected}: its parts are from different versions. Build the library again.`,
        );
    });
    const pointers = kinds.flatMap((kind, index) =>
      kind === "place" || kind === "out" || kind === "at" ? [parameters[index]!.offset] : [],
    );
    const argumentBytes = parameters.reduce((end, { offset, size }) => Math.max(end, offset + size), 0);
    this.module = module;
    this.#kinds = kinds;
    this.#offsets = parameters.map(({ offset }) => offset);
    this.#pointers = pointers;
    this.#layoutOf = (all) => new LaunchLayout(id, argumentBytes, all);
  }

  #layout(first: LibraryArgument | undefined): LaunchLayout {
    const isList = first instanceof ArrayList;
    const rows = isList ? first.rows.length : 0;
    return (this.#layouts[rows] ??= this.#layoutOf(isList ? [...first.pointers(), ...this.#pointers] : this.#pointers));
  }

  /**
   * Runs the blocks, each with `shared` bytes of shared memory. Where it is recorded to be run again and again, each
   * run takes the `last` arguments anew.
   */
  launch(
    on: Execution,
    { grid, block }: Blocks,
    args: readonly LibraryArgument[],
    shared = 0,
    last?: () => readonly LibraryArgument[],
  ): void {
    const kinds = this.#kinds;
    const layout = this.#layout(args[0]);
    const room = layout.begin(on);
    const { words } = room;
    const isFlat = typeof block === "number";
    putSizes(words, launchWords.grid, grid, 1, 1);
    putSizes(words, launchWords.block, isFlat ? block : block[0], isFlat ? 1 : block[1], 1);
    words[launchWords.shared] = shared;
    words[launchWords.flags] = 0;
    for (let index = 0; index < kinds.length; index++)
      write(room, kinds[index]!, args[index]!, layout.parameters + this.#offsets[index]!);
    const sequence = on.target.commit();
    if (sequence === 0) {
      if (last !== undefined && on.target instanceof Capture)
        on.target.renew((again) => this.#writeLast(again, layout, last()));
      return on.target.keep(this.module);
    }
    for (let index = 0; index < kinds.length; index++) {
      const argument = args[index] as DeviceArray | null;
      if (kinds[index] === "out" && argument !== null) argument.storage!.written(sequence, argument.bytes);
    }
    if (args[0] instanceof ArrayList) args[0].written(sequence);
    if (on.device.notesUses) noteUses(on, args, kinds);
  }

  #writeLast(room: Room, { parameters }: LaunchLayout, values: readonly LibraryArgument[]): void {
    const first = this.#kinds.length - values.length;
    values.forEach((value, index) =>
      write(room, this.#kinds[first + index]!, value, parameters + this.#offsets[first + index]!),
    );
  }
}

function noteUses(on: Execution, args: readonly LibraryArgument[], kinds: readonly ParameterKind[]): void {
  for (let index = 0; index < args.length; index++) {
    const argument = args[index];
    if (argument instanceof DeviceArray) argument.usedOn(on.stream, kinds[index] === "out");
    else if (argument instanceof ArrayList) argument.usedOn(on.stream);
  }
}

function write(room: Room, kind: ParameterKind, value: LibraryArgument, byte: number): void {
  const { words } = room;
  switch (kind) {
    case "place":
    case "out": {
      const array = value as DeviceArray | null;
      array?.living();
      words[byte >> 2] = array === null ? nullWord : array.placeLow;
      words[(byte >> 2) + 1] = array === null ? nullWord : array.placeHigh;
      return;
    }
    case "at": {
      const { placeLow, placeHigh } = value as Place;
      words[byte >> 2] = placeLow;
      words[(byte >> 2) + 1] = placeHigh;
      return;
    }
    case "i64":
    case "u64":
      if (typeof value === "bigint") room.longs[byte >> 3] = value;
      else putLong(words, byte >> 2, value as number);
      return;
    case "i32":
    case "u32":
      words[byte >> 2] = Number(value);
      return;
    case "f32":
      room.floats[byte >> 2] = Number(value);
      return;
    case "f64":
      room.doubles[byte >> 3] = Number(value);
      return;
    case "list":
      return (value as ArrayList).write(room, byte);
    case "struct":
      room.bytes.set(new Uint8Array((value as Uint32Array).buffer), byte);
      return;
    case "wide":
      throw new WarpcellError("LIBRARY", "A number of the computing type was not resolved to a type.");
  }
}

/**
 * One template of one file, instantiated for several dtypes. Made when the library is loaded, so that all instances of
 * a unit are known before one is compiled.
 */
export class KernelFamily {
  readonly #name: string;
  readonly #kinds: readonly ParameterKind[];
  readonly #members = new Map<DType, { unit: Unit; index: number }>();
  readonly #kernels = new WeakMap<DeviceProcess, Map<DType, LibraryKernel>>();

  /**
   * `expression`: the instance for a dtype, whose C++ name is the argument. `isFor`: the architectures that the file is
   * made for, the same for all its families.
   */
  constructor(
    file: string,
    dtypes: readonly DType[],
    expression: (type: string, dtype: DType) => string,
    kinds: readonly ParameterKind[],
    isFor: Reach = everywhere,
  ) {
    this.#name = `${file}.cu`;
    this.#kinds = kinds;
    for (const dtype of dtypes) {
      const key = `${file}.${dtype}`;
      let unit = units.get(key);
      if (unit === undefined) units.set(key, (unit = { file, dtype, expressions: [], isFor }));
      const text = expression(factsOf(dtype).c, dtype);
      const known = unit.expressions.indexOf(text);
      this.#members.set(dtype, { unit, index: known >= 0 ? known : unit.expressions.push(text) - 1 });
    }
  }

  has(dtype: DType): boolean {
    return this.#members.has(dtype);
  }

  /** Runs the instance for a dtype: {@link LibraryKernel.launch}. */
  launch(
    on: Execution,
    dtype: DType,
    blocks: Blocks,
    args: readonly LibraryArgument[],
    shared = 0,
    last?: () => readonly LibraryArgument[],
  ): void {
    this.on(on.device, dtype).launch(on, blocks, args, shared, last);
  }

  /** The instance for a dtype, loaded. */
  on(device: DeviceProcess, dtype: DType): LibraryKernel {
    let known = this.#kernels.get(device);
    if (known === undefined) this.#kernels.set(device, (known = new Map()));
    return known.get(dtype) ?? this.#load(device, dtype, known);
  }

  #load(device: DeviceProcess, dtype: DType, known: Map<DType, LibraryKernel>): LibraryKernel {
    const member = this.#members.get(dtype);
    if (member === undefined) throw new WarpcellError("LIBRARY", `No kernel of ${this.#name} is made for ${dtype}.`);
    const instance = load(device, member.unit, member.index);
    const kinds = this.#kinds.map((kind) => (kind === "wide" ? (wideOf(dtype) as WideType) : kind));
    const name = member.unit.expressions[member.index]!;
    const kernel = new LibraryKernel(name, instance, kinds);
    known.set(dtype, kernel);
    return kernel;
  }
}
