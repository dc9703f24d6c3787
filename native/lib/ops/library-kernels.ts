// The library's own kernels: a file of native/device/ops and an instance into a loaded kernel, compiled when it is first used.
import { readFileSync } from "node:fs";
import { deviceSources } from "../wire/binding.ts";
import { declareTemplates, type CudaModule } from "../cuda/module.ts";
import { type Kernel, KernelTemplate } from "../cuda/kernel.ts";
import { dtypes } from "../memory/dtype.ts";
import { WarpcellError } from "../errors.ts";
import type { DeviceProcess } from "../device/process.ts";

// The headers of 16-bit floats come with the CUDA toolkit and take time to compile: only kernels on them are compiled with them.
const sixteenBits = new Set<string | number>([dtypes.float16.c, dtypes.bfloat16.c]);

const modules = new WeakMap<DeviceProcess, Map<string, CudaModule>>();

/** The instance of template `name` in `ops/<file>.cu` on a device, e.g. `libraryKernel(device, "elementwise", "binary", "Add", "float")`. */
export function libraryKernel(device: DeviceProcess, file: string, name: string, ...args: (string | number)[]): Kernel {
  let loaded = modules.get(device);
  if (loaded === undefined) modules.set(device, (loaded = new Map()));
  const defines = args.some((argument) => sixteenBits.has(argument)) ? ["WARPCELL_SIXTEEN_BITS"] : [];
  const key = [file, ...defines].join(" ");
  let module = loaded.get(key);
  if (module === undefined) {
    const source = readFileSync(`${deviceSources}ops/${file}.cu`, "utf8");
    loaded.set(key, (module = declareTemplates(source, { name: `${file}.cu`, device: device.name, defines })));
  }
  const template = module.kernels[name];
  if (template instanceof KernelTemplate) return template.as(...args);
  throw new WarpcellError("LIBRARY", `Expected a kernel template ${name} in ${file}.cu but there is none. Install the library again.`);
}
