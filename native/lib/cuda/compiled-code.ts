// What panels list of compiled code. Values are told by private fields, so that no code of the user's runs.
import type { CompiledCode } from "../payloads.ts";
import { HostFunction } from "./host/host-function.ts";
import { Kernel, KernelTemplate } from "./kernel.ts";

/**
 * The kernels and host functions that a value is, a template's instances among them, each with what is said of it;
 * `null`: the value is something else.
 */
export function compiledCodeOf(value: object): ReadonlyMap<object, CompiledCode> | null {
  const code = Kernel.described(value) ?? HostFunction.described(value);
  if (code !== null) return new Map([[value, code]]);
  const instances = KernelTemplate.instancesOf(value);
  return instances && new Map(instances.map((kernel) => [kernel, Kernel.described(kernel)!]));
}
