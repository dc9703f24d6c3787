// A compiled artifact in a device process: gives it and its kernels their numbers and loads it, again where a new process
// has not got it.
import { afterCollection } from "../device/collection.ts";
import { CompileError, WarpcellError } from "../errors.ts";
import { describeKernels } from "../device/origins.ts";
import type { DeviceProcess } from "../device/process.ts";
import { Op } from "../wire/commands.ts";
import { writeUnload } from "../wire/mark.ts";
import type { DeviceVariable, VariableCopy } from "./variable.ts";
import { forgetSamples } from "./samples.ts";

/** What the device says of one loaded kernel; `null`: it does not know. Bytes, registers per thread. */
export interface LoadedKernel {
  name: string;
  registers: number | null;
  /** Static shared memory of a block. */
  shared: number | null;
  /** Local memory of a thread. */
  local: number | null;
  constant: number | null;
  /** Most threads of a block. */
  maxThreads: number | null;
  /** Bytes of registers spilled to memory. */
  spillStores: number | null;
  spillLoads: number | null;
  /** The architecture of the code. */
  binary: number | string | null;
  parameters: { offset: number; size: number }[];
}

interface Entry {
  readonly module: number;
  readonly firstKernel: number;
  readonly artifact: Uint8Array;
  readonly lowered: readonly string[];
}

/** A variable that a module has. */
export interface ModuleVariable {
  readonly variable: DeviceVariable;
  readonly symbol: string;
  /** It was declared again with this module. */
  readonly isNew: boolean;
}

/** Of each device, as long as they are not collected. */
const loaded = new WeakMap<DeviceProcess, Set<Entry>>();
const kernelNames = new Map<number, string>();
const next = { module: 1, kernel: 1 };

describeKernels((id) => kernelNames.get(id));

function entriesOf(device: DeviceProcess): Set<Entry> {
  const known = loaded.get(device) ?? new Set();
  loaded.set(device, known);
  return known;
}

/** The kernels of a device whose symbol in machine code this is. */
export function kernelsWithSymbol(device: DeviceProcess, symbol: string): number[] {
  return [...entriesOf(device)].flatMap(({ firstKernel, lowered }) =>
    lowered.flatMap((name, index) => (name === symbol ? [firstKernel + index] : [])),
  );
}

/** One artifact, loaded. It is unloaded some time after the last reference to it is gone. */
export class LoadedModule {
  readonly firstKernel: number;
  readonly kernels: readonly LoadedKernel[];
  readonly artifact: Uint8Array;
  /** Symbols of the kernels. */
  readonly lowered: readonly string[];
  readonly #copies: VariableCopy[] = [];
  /** Its variables that kernels write, each with the module's copy. */
  readonly #written: [DeviceVariable, VariableCopy][] = [];

  private constructor(entry: Entry, kernels: readonly LoadedKernel[]) {
    this.firstKernel = entry.firstKernel;
    this.artifact = entry.artifact;
    this.lowered = entry.lowered;
    this.kernels = kernels;
  }

  /** Loads `artifact`; `lowered` are its symbols and `kernels` their names for people, in one order. */
  static load(
    device: DeviceProcess,
    artifact: Uint8Array,
    lowered: readonly string[],
    name: string,
    kernels: readonly string[],
    variables: readonly ModuleVariable[] = [],
  ): LoadedModule {
    const { residents } = device;
    residents.sweep();
    const entry: Entry = { module: next.module, firstKernel: next.kernel, artifact, lowered };
    next.module += 1;
    // Variables are numbered behind the kernels.
    const firstVariable = entry.firstKernel + lowered.length;
    const numbers = lowered.length + variables.length;
    next.kernel += numbers;
    let loads = 0;
    const send = () => {
      const { kernels: described } = device.request("module_load", entry);
      if (variables.length > 0) {
        const values = variables.map(({ variable }) => variable.initial);
        const symbols = variables.map(({ symbol }) => symbol);
        const { bytes } = device.request("variables_find", {
          module: entry.module,
          first: firstVariable,
          symbols,
          values,
        });
        checkSizes(variables, bytes);
      }
      loads += 1;
      return described;
    };
    const facts = send().map((kernel) => JSON.parse(kernel) as LoadedKernel);
    if (facts.length !== lowered.length) {
      throw new WarpcellError(
        "PROTOCOL",
        `${name} has ${lowered.length} kernels, but ${device.name} described ${facts.length}.`,
      );
    }
    const resident = residents.add(Op.launch, entry.firstKernel, numbers, {
      send,
      release: () => writeUnload(device.direct, entry.module),
    });
    const entries = entriesOf(device).add(entry);
    kernels.forEach((kernel, index) => kernelNames.set(entry.firstKernel + index, kernel));
    const module = new LoadedModule(entry, facts);
    for (const [index, { variable, isNew }] of variables.entries()) {
      const copy = new LoadedVariable(module, device, firstVariable + index, () => loads);
      module.#copies.push(copy);
      variable.attach(copy, isNew);
      if (variable.space !== "constant") module.#written.push([variable, copy]);
    }
    afterCollection(module, () => {
      entries.delete(entry);
      residents.drop(resident);
      forgetSamples(entry.firstKernel, lowered.length);
    });
    return module;
  }

  /** Its kernels are launched next: they see what those of other modules have written to variables of both. */
  claim(): void {
    for (const [variable, copy] of this.#written) variable.claim(copy);
  }
}

/** A variable in a module, which it keeps. */
class LoadedVariable implements VariableCopy {
  readonly module: LoadedModule;
  readonly device: DeviceProcess;
  readonly number: number;
  readonly #loads: () => number;

  constructor(module: LoadedModule, device: DeviceProcess, number: number, loads: () => number) {
    this.module = module;
    this.device = device;
    this.number = number;
    this.#loads = loads;
  }

  get loads(): number {
    return this.#loads();
  }
}

function checkSizes(variables: readonly ModuleVariable[], bytes: readonly string[]): void {
  const at = variables.findIndex(({ variable }, index) => variable.bytes !== Number(bytes[index]));
  if (at < 0) return;
  const { name, bytes: own } = variables[at]!.variable;
  throw new CompileError(
    `The variable ${name} has ${own} bytes, as its declaration was read, but ${bytes[at]} as compiled. Write its type and lengths out, without macros that depend on the device.`,
    "",
  );
}
