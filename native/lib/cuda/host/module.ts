// The host functions of one cell, loaded: sends their code to the device process, again where a new one has not got it, and
// makes a function of each.
import { afterCollection } from "../../device/collection.ts";
import type { CodeCell } from "../../device/origins.ts";
import type { DeviceProcess } from "../../device/process.ts";
import type { DeviceArray } from "../../memory/array.ts";
import { Op } from "../../wire/commands.ts";
import { writeHostUnload } from "../../wire/mark.ts";
import type { RequestOf } from "../../wire/messages.ts";
import type { Compilation } from "../compilation.ts";
import type { Kernel } from "../kernel.ts";
import type { DeviceVariable } from "../variable.ts";
import { file, type HostCode } from "../program/host-code.ts";
import { HostCall } from "./call.ts";
import { HostFunction } from "./host-function.ts";
import { symbolOf } from "./wrappers.ts";

const next = { module: 1, tensor: 1 };

/** Memory that functions have from cudaMalloc, by its numbers: it lives as long as the process. */
const allocations = new WeakMap<DeviceProcess, { process: number; readonly blocks: Map<number, DeviceArray> }>();

export class HostModule {
  readonly device: DeviceProcess;
  readonly number: number;
  /** What messages call the cell, and what the compiler does. */
  readonly name: string;
  readonly file = file;
  readonly cell: CodeCell | null;
  /** Those that the functions launch, by their numbers. */
  readonly kernels: ReadonlyMap<number, Kernel>;

  /** Variables of the device that the cell knows, by their symbols. */
  readonly variables: ReadonlyMap<string, DeviceVariable>;

  private constructor({ device, name, cell, variables }: Compilation, kernels: readonly Kernel[]) {
    this.device = device;
    this.number = next.module++;
    this.name = name;
    this.cell = cell;
    this.variables = new Map(variables.map(({ variable }) => [symbolOfVariable(variable.name), variable]));
    this.kernels = new Map(kernels.map((kernel) => [kernel.number, kernel]));
  }

  /** `kernels`: those of the code's symbols, in their order. */
  static load(compilation: Compilation, code: HostCode, kernels: readonly Kernel[]): HostFunction[] {
    const module = new HostModule(compilation, kernels);
    module.#send(code, kernels);
    return compilation.host!.functions.map(
      (declaration, index) =>
        new HostFunction(declaration, compilation, (args) =>
          new HostCall(module, declaration).run(symbolOf(index), args),
        ),
    );
  }

  #send({ object, symbols }: HostCode, kernels: readonly Kernel[]): void {
    const { device, number } = this;
    const request: RequestOf<"host_load"> = {
      module: number,
      object,
      kernels: kernels.map((kernel, index) => {
        const { parameters, maxThreads } = kernel.info;
        const places = parameters.map(({ offset, size }) => `${offset}:${size}`);
        const most = maxThreads ?? device.properties.maxThreadsPerBlock;
        return [symbols[index]!, kernel.number, most, ...places].join(" ");
      }),
      device: factsOf(device),
    };
    const send = () => void device.request("host_load", request);
    send();
    const resident = device.residents.add(Op.host_call, number, 1, {
      send,
      release: () => void writeHostUnload(device.direct, number),
    });
    afterCollection(this, () => device.residents.drop(resident));
  }

  nextNumber(): number {
    return next.tensor++;
  }

  get allocated(): Map<number, DeviceArray> {
    const { process } = this.device.residents;
    const known = allocations.get(this.device);
    if (known?.process === process) return known.blocks;
    // The process that knew their addresses is gone.
    for (const array of known?.blocks.values() ?? []) array.dispose();
    const blocks = new Map<number, DeviceArray>();
    allocations.set(this.device, { process, blocks });
    return blocks;
  }

  get occupancyFacts(): { readonly kind: string; readonly multiprocessors: number } {
    return { kind: this.device.kind, multiprocessors: this.device.properties.multiprocessors };
  }
}

/** "_ZN2ns6filterE" of "ns::filter". */
function symbolOfVariable(name: string): string {
  const parts = name.split("::");
  return parts.length === 1 ? name : `_ZN${parts.map((part) => `${part.length}${part}`).join("")}E`;
}

/** What host code may ask of the device, "name value" each. */
function factsOf({ properties }: DeviceProcess): string[] {
  const { maxBlock, maxGrid, arch } = properties;
  const [, major = "8", minor = "0"] = /^sm_(\d+)(\d)/.exec(arch) ?? [];
  const facts: Record<string, string | number> = {
    name: properties.name,
    memoryTotal: properties.memoryTotal,
    sharedPerBlock: properties.sharedPerBlock,
    sharedPerBlockOptin: properties.sharedPerBlockOptin,
    registersPerBlock: properties.registersPerBlock ?? 65536,
    warpSize: properties.warpSize,
    maxThreadsPerBlock: properties.maxThreadsPerBlock,
    multiprocessors: properties.multiprocessors,
    major,
    minor,
    ...Object.fromEntries(maxBlock.map((length, axis) => [`maxBlock${axis}`, length])),
    ...Object.fromEntries(maxGrid.map((length, axis) => [`maxGrid${axis}`, length])),
  };
  return Object.entries(facts).map(([fact, value]) => `${fact} ${String(value).replace(/\n/g, " ")}`);
}
