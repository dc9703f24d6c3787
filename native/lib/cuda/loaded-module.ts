// A compiled artifact in a device process: gives it and its kernels their numbers and loads it, again where a new process
// has not got it.
import { afterCollection } from "../device/collection.ts";
import { WarpcellError } from "../errors.ts";
import { describeKernels } from "../device/origins.ts";
import type { DeviceProcess } from "../device/process.ts";
import { Op } from "../wire/commands.ts";
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
    const { residents } = device;
    residents.sweep();
    const entry: Entry = { module: next.module, firstKernel: next.kernel, artifact, lowered };
    next.module += 1;
    next.kernel += lowered.length;
    const send = () => device.request("module_load", entry).kernels;
    const facts = send().map((kernel) => JSON.parse(kernel) as LoadedKernel);
    if (facts.length !== lowered.length) {
      throw new WarpcellError(
        "PROTOCOL",
        `${name} has ${lowered.length} kernels, but ${device.name} described ${facts.length}.`,
      );
    }
    const resident = residents.add(Op.launch, entry.firstKernel, lowered.length, {
      send,
      release: () => writeUnload(device.direct, entry.module),
    });
    const entries = entriesOf(device).add(entry);
    kernels.forEach((kernel, index) => kernelNames.set(entry.firstKernel + index, kernel));
    const module = new LoadedModule(entry, facts);
    afterCollection(module, () => {
      entries.delete(entry);
      residents.drop(resident);
      forgetSamples(entry.firstKernel, lowered.length);
    });
    return module;
  }
}
