// A compiled artifact in a device process: gives it and its kernels their numbers, loads it, and loads it again into
// every new process.
import { afterCollection } from "../device/collection.ts";
import { WarpcellError } from "../errors.ts";
import { describeKernels } from "../device/origins.ts";
import type { DeviceProcess } from "../device/process.ts";
import { writeUnload } from "../wire/mark.ts";
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

interface Loads {
  readonly entries: Map<number, Entry>;
  readonly dropped: number[];
}

const loads = new WeakMap<DeviceProcess, Loads>();
const kernelNames = new Map<number, string>();
const next = { module: 1, kernel: 1 };

describeKernels((id) => kernelNames.get(id));

function loadsOf(device: DeviceProcess): Loads {
  const known = loads.get(device);
  if (known !== undefined) return known;
  const fresh: Loads = { entries: new Map(), dropped: [] };
  loads.set(device, fresh);
  device.onRestart(() => {
    fresh.dropped.length = 0;
    for (const entry of fresh.entries.values()) send(device, entry);
  });
  return fresh;
}

function send(device: DeviceProcess, { module, firstKernel, artifact, lowered }: Entry): LoadedKernel[] {
  const { kernels } = device.request("module_load", { module, firstKernel, artifact, lowered });
  return kernels.map((kernel) => JSON.parse(kernel) as LoadedKernel);
}

// What follows a collection must not talk to a device, which may answer with a fault: what it finds is unloaded before
// the next load.
function drop(device: DeviceProcess, module: number): void {
  const { entries, dropped } = loadsOf(device);
  if (entries.delete(module)) dropped.push(module);
}

/** The kernels of a device whose symbol in machine code this is. */
export function kernelsWithSymbol(device: DeviceProcess, symbol: string): number[] {
  return [...loadsOf(device).entries.values()].flatMap(({ firstKernel, lowered }) =>
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
  ): LoadedModule {
    const { entries, dropped } = loadsOf(device);
    for (const module of dropped.splice(0)) writeUnload(device.execution, module);

    const entry: Entry = { module: next.module, firstKernel: next.kernel, artifact, lowered };
    next.module += 1;
    next.kernel += lowered.length;
    const facts = send(device, entry);
    if (facts.length !== lowered.length) {
      throw new WarpcellError(
        "PROTOCOL",
        `${name} has ${lowered.length} kernels, but ${device.name} described ${facts.length}.`,
      );
    }
    entries.set(entry.module, entry);
    kernels.forEach((kernel, index) => kernelNames.set(entry.firstKernel + index, kernel));
    const loaded = new LoadedModule(entry, facts);
    afterCollection(loaded, () => {
      drop(device, entry.module);
      forgetSamples(entry.firstKernel, lowered.length);
    });
    return loaded;
  }
}
