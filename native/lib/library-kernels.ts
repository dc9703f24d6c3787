// The library's own kernels: a file of native/device/ops and an instance into a loaded kernel, compiled when it is first used. It must not know operations.
import { readFileSync } from "node:fs";
import { deviceSources } from "./binding.ts";
import { declareTemplates, type CudaModule } from "./cuda-module.ts";
import { type Kernel, KernelTemplate } from "./kernel.ts";
import { WarpcellError } from "./errors.ts";
import type { DeviceProcess } from "./process.ts";

const modules = new WeakMap<DeviceProcess, Map<string, CudaModule>>();

/** The instance of template `name` in `ops/<file>.cu` on a device, e.g. `libraryKernel(device, "elementwise", "binary", "Add", "float")`. */
export function libraryKernel(device: DeviceProcess, file: string, name: string, ...args: (string | number)[]): Kernel {
  let loaded = modules.get(device);
  if (loaded === undefined) modules.set(device, (loaded = new Map()));
  let module = loaded.get(file);
  if (module === undefined) {
    const source = readFileSync(`${deviceSources}ops/${file}.cu`, "utf8");
    loaded.set(file, (module = declareTemplates(source, { name: `${file}.cu`, device: device.name })));
  }
  const template = module.kernels[name];
  if (template instanceof KernelTemplate) return template.as(...args);
  throw new WarpcellError("LIBRARY", `Expected a kernel template ${name} in ${file}.cu but there is none. Install the library again.`);
}
