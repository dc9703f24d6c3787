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
  CompileError,
  DeviceError,
  DeviceFault,
  DeviceUnavailable,
  InterruptedError,
  LaunchError,
  OutOfMemory,
  TensorError,
  WarpcellError,
  GradientError,
  FormatError,
  TensorCheckError,
  type Diagnostic,
  type FaultCandidate,
} from "./errors.ts";
export { Kernel, KernelTemplate, type KernelInfo, type Occupancy, type TimeConfig } from "./cuda/kernel.ts";
export type { LaunchConfig, Size } from "./cuda/plan.ts";
export { memory, trim } from "./memory/map.ts";
export type { DeviceProperties, LibraryProperties } from "./wire/properties.ts";
export {
  bernoulli,
  multinomial,
  rand,
  randint,
  randn,
  randperm,
  seed,
  type NormalOptions,
  type RandomOptions,
  type UniformOptions,
} from "./tensor/random.ts";
export {
  dropout,
  layerNorm,
  logSoftmax,
  rmsNorm,
  softmax,
  type SoftmaxOptions,
  type DropoutOptions,
  type NormalizationOptions,
} from "./tensor/normalization.ts";
export {
  bceWithLogitsLoss,
  crossEntropy,
  huberLoss,
  l1Loss,
  mseLoss,
  nllLoss,
  smoothL1Loss,
  type BceOptions,
  type CrossEntropyOptions,
  type LossOptions,
  type NllOptions,
} from "./tensor/losses.ts";
export { celu, glu, hardshrink, hardtanh, prelu, softshrink, threshold } from "./tensor/activations.ts";
export { linear, type LinearOptions } from "./tensor/linear.ts";
export { embedding, type EmbeddingOptions } from "./tensor/embedding.ts";
export type { AxisSlice, Shape } from "./memory/shape.ts";
export { checkTensor, type TensorRequirements } from "./tensor/check.ts";
export { TensorLayout, type LayoutOptions } from "./tensor/layout.ts";
export { validateLaunch, type LaunchToValidate } from "./cuda/launch-check.ts";
export { benchmark, type Benchmark, type BenchmarkOptions, type KernelBenchmarkOptions } from "./profile/benchmark.ts";
export { profile, Profile, range, type ProfileEvent, type ProfileOptions, type ProfileRow } from "./profile/profile.ts";
export { tidy } from "./autograd/tidy.ts";
export type { NormOptions, ReduceOptions, VarianceOptions } from "./tensor/reductions.ts";
export { einsum } from "./tensor/einsum.ts";
export type { SortOptions, TopOptions, Unique } from "./tensor/sorting.ts";
export type { AxisOptions, Selected } from "./tensor/scans.ts";
export { Tensor, type Nested } from "./tensor/tensor.ts";
export type { Timing } from "./cuda/timing.ts";
export { AutogradFunction, FunctionContext } from "./autograd/function.ts";
export {
  detectAnomaly,
  enableGrad,
  grad,
  gradients,
  noGrad,
  valueAndGrad,
  type BackwardOptions,
} from "./autograd/gradients.ts";
export * from "./tensor/functions.ts";
import "./tensor/indexing.ts";
export type { Indices } from "./tensor/indexing.ts";
export { newAxis, type IndexEntry } from "./tensor/index-entries.ts";
import "./tensor/shaping.ts";
export type { MemoryFormat } from "./tensor/shaping.ts";
export type { PadMode, PadOptions } from "./tensor/padding.ts";
export { cat, diag, empty, emptyLike, eye, fullLike, meshgrid, onesLike, stack, zerosLike } from "./tensor/joining.ts";
/** Tensors in files: `io.load`, `io.save`, `io.encode`, `io.metadata`, `io.toArrow`, `io.fromArrow`. */
export * as io from "./io/files.ts";
import "./tensor/reductions.ts";
import "./tensor/scans.ts";
import "./tensor/sorting.ts";
export { fuse, type Fused, type FuseOptions } from "./fuse/fuse.ts";
/** Models: `nn.Module`, `nn.Linear`, `nn.Sequential`, `nn.SelfAttention`, … */
export * as nn from "./nn/nn.ts";
/** Optimisers: `optim.SGD`, `optim.Adam`, `optim.AdamW`, schedules of learning rates, `optim.clipGradNorm`. */
export * as optim from "./optim/optim.ts";
