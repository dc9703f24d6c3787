// A compiled artifact in a device process: gives it and its kernels their numbers and loads it, again where a new process
// has not got it.
import { afterCollection } from "../device/collection.ts";
import { WarpcellError } from "../errors.ts";
import { describeKernels } from "../device/origins.ts";
import type { DeviceProcess } from "../device/process.ts";
import { Op } from "../wire/commands.ts";
import { writeUnload } from "../wire/mark.ts";
import type { DeviceVariable, VariableCopy } from "./variable.ts";
import { forgetLaunchTimes } from "./launch-times.ts";
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
  /** Blocks of a cluster along x, y and z, where `__cluster_dims__` says so. */
  cluster: [number, number, number] | null;
  /** The architecture of the code. */
  binary: number | string | null;
  /**
   * How the CPU runs the threads of a block: "loop", one after another; "split", loops from one barrier to the next or
   * through the rounds of a loop by strides; "fibers: …", by switches between them, and why.
   */
  execution: string | null;
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
  /** Its variables, which it keeps, each with the module's copy. */
  readonly #variables: [DeviceVariable, VariableCopy][] = [];
  /** Those that kernels write. */
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
    const loading = new Loading(device, entry, firstVariable, variables);
    const facts = loading.send().map((kernel) => JSON.parse(kernel) as LoadedKernel);
    if (facts.length !== lowered.length) {
      throw new WarpcellError(
        "PROTOCOL",
        `${name} has ${lowered.length} kernels, but ${device.name} described ${facts.length}.`,
      );
    }
    const resident = residents.add(Op.launch, entry.firstKernel, numbers, {
      send: () => void loading.send(),
      release: () => writeUnload(device.direct, entry.module),
    });
    const entries = entriesOf(device).add(entry);
    kernels.forEach((kernel, index) => kernelNames.set(entry.firstKernel + index, kernel));
    const module = new LoadedModule(entry, facts);
    for (const [index, { variable, isNew }] of variables.entries()) {
      const copy = new LoadedVariable(module, device, firstVariable + index, loading);
      module.#variables.push([variable, copy]);
      variable.attach(copy, isNew);
      if (variable.space !== "constant") module.#written.push([variable, copy]);
    }
    afterCollection(module, () => {
      entries.delete(entry);
      residents.drop(resident);
      forgetSamples(entry.firstKernel, lowered.length);
      forgetLaunchTimes(entry.firstKernel, lowered.length);
    });
    return module;
  }

  /** Its kernels are launched next: they see what those of other modules have written to variables of both. */
  claim(): void {
    for (const [variable, copy] of this.#written) variable.claim(copy);
  }
}

/** Loads a module into a process, and into each that follows it. It keeps no variable, which would keep the module. */
class Loading {
  /** How often it was. */
  loads = 0;
  readonly #device: DeviceProcess;
  readonly #entry: Entry;
  readonly #first: number;
  readonly #symbols: readonly string[];
  readonly #variables: readonly WeakRef<DeviceVariable>[];

  constructor(device: DeviceProcess, entry: Entry, first: number, variables: readonly ModuleVariable[]) {
    this.#device = device;
    this.#entry = entry;
    this.#first = first;
    this.#symbols = variables.map(({ symbol }) => symbol);
    this.#variables = variables.map(({ variable }) => new WeakRef(variable));
  }

  /** What the device says of the kernels. */
  send(): readonly string[] {
    const { kernels } = this.#device.request("module_load", this.#entry);
    this.loads += 1;
    if (this.#symbols.length === 0) return kernels;
    const variables = this.#variables.map((reference) => reference.deref());
    const { module } = this.#entry;
    const values = variables.map((variable) => variable?.initial ?? new Uint8Array(0));
    const request = { module, first: this.#first, symbols: this.#symbols, values };
    const { bytes } = this.#device.request("variables_find", request);
    for (const [index, variable] of variables.entries()) variable?.compiled(Number(bytes[index]));
    return kernels;
  }
}

/** A variable in a module, which it keeps. */
class LoadedVariable implements VariableCopy {
  readonly module: LoadedModule;
  readonly device: DeviceProcess;
  readonly number: number;
  readonly #loading: Loading;

  constructor(module: LoadedModule, device: DeviceProcess, number: number, loading: Loading) {
    this.module = module;
    this.device = device;
    this.number = number;
    this.#loading = loading;
  }

  get loads(): number {
    return this.#loading.loads;
  }
}
