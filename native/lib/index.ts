// The public surface of the library: all that `import … from "warpcell"` gives.
export type { MemoryStatistics } from "./wire/binding.ts";
export type { CompileOptions } from "./cuda/compilation.ts";
export { cacheDirectory } from "./cuda/cache.ts";
export { arange, full, linspace, ones, tensor, zeros, type CreateOptions } from "./tensor/create.ts";
export { compile, CudaModule, type KernelDeclarationText } from "./cuda/module.ts";
export { defaultDevice, type DefaultDevice } from "./device/choice.ts";
export { devices, synchronize } from "./device/devices.ts";
export { dtypes, type DType, type ElementOf, type TypedArrayOf } from "./memory/dtype.ts";
export {
  CompileError, DeviceError, DeviceFault, DeviceUnavailable, InterruptedError, LaunchError, OutOfMemory, TensorError, WarpcellError, GradientError, type Diagnostic, type FaultCandidate,
} from "./errors.ts";
export { Kernel, KernelTemplate, type KernelInfo, type Occupancy, type TimeConfig } from "./cuda/kernel.ts";
export type { LaunchConfig, Size } from "./cuda/plan.ts";
export { memory, trim } from "./memory/map.ts";
export type { DeviceProperties, LibraryProperties } from "./wire/properties.ts";
export { rand, randn, seed, type RandomOptions } from "./tensor/random.ts";
export type { AxisSlice, Shape } from "./memory/shape.ts";
export { Tensor, type Nested, type ReduceOptions } from "./tensor/tensor.ts";
export type { Timing } from "./cuda/timing.ts";
export { detectAnomaly, enableGrad, grad, gradients, noGrad, valueAndGrad, type BackwardOptions } from "./autograd/gradients.ts";
export { AutogradFunction, FunctionContext } from "./autograd/function.ts";
export * from "./tensor/functions.ts";
import "./tensor/indexing.ts";
export type { Indices } from "./tensor/indexing.ts";
export { newAxis, type IndexEntry } from "./tensor/index-entries.ts";
import "./tensor/shaping.ts";
export type { MemoryFormat } from "./tensor/shaping.ts";
export type { PadMode, PadOptions } from "./tensor/padding.ts";
export { cat, diag, empty, emptyLike, eye, fullLike, meshgrid, onesLike, stack, zerosLike } from "./tensor/joining.ts";
