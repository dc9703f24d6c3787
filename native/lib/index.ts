// The public surface of the library: all that `import … from "warpcell"` gives.
export type { MemoryStatistics } from "./binding.ts";
export type { CompileOptions } from "./compilation.ts";
export { cacheDirectory } from "./compile-cache.ts";
export { arange, full, linspace, ones, tensor, zeros, type CreateOptions } from "./create.ts";
export { compile, CudaModule, type KernelDeclarationText } from "./cuda-module.ts";
export { defaultDevice, type DefaultDevice } from "./device-choice.ts";
export { devices, synchronize } from "./devices.ts";
export { dtypes, type DType, type ElementOf, type TypedArrayOf } from "./dtype.ts";
export {
  CompileError, DeviceError, DeviceFault, DeviceUnavailable, InterruptedError, LaunchError, OutOfMemory, TensorError, WarpcellError, type Diagnostic, type FaultCandidate,
} from "./errors.ts";
export { Kernel, KernelTemplate, type KernelInfo, type Occupancy, type TimeConfig } from "./kernel.ts";
export type { LaunchConfig, Size } from "./launch-plan.ts";
export { memory, trim } from "./memory.ts";
export type { DeviceProperties, LibraryProperties } from "./properties.ts";
export { rand, randn, seed, type RandomOptions } from "./random.ts";
export type { AxisSlice, Shape } from "./shape.ts";
export { Tensor, type Nested, type ReduceOptions } from "./tensor.ts";
export type { Timing } from "./timing.ts";
