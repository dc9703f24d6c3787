// The public surface of the library: all that `import … from "warpcell"` gives.
// What front ends ask for: nothing of it is exported, but its kernels are the library's.
import "./tensor/tiles.ts";

export type { MemoryStatistics } from "./wire/binding.ts";
export type { CompileOptions } from "./cuda/compilation.ts";
export { cacheDirectory } from "./cuda/cache.ts";
export {
  arange,
  empty,
  full,
  linspace,
  ones,
  tensor,
  zeros,
  type CreateOptions,
  type Scalar,
  type TensorOptions,
} from "./tensor/create.ts";
import "./tensor/host-functions.ts";
import "./tensor/rounding.ts";
export { check } from "./cuda/check.ts";
export type { MemoryCounters, SourceCounterRow } from "./cuda/line-counts.ts";
export { sourceCounters, SourceCounters } from "./profile/source-counters.ts";
export { traceThread, ThreadTrace, type ThreadChoice } from "./profile/thread-trace.ts";
export type { StepAccess, ThreadStep, TracedValue } from "./cuda/thread-steps.ts";
export { runProgram, type ProgramOptions, type ProgramResult } from "./cuda/program/program.ts";
export { compile, CudaModule, type KernelDeclarationText } from "./cuda/module.ts";
export { defaultDevice, type DefaultDevice } from "./device/choice.ts";
export { devices, synchronize } from "./device/devices.ts";
export type { CodePlace } from "./device/origins.ts";
export {
  dtypes,
  type Complex,
  type ComplexDType,
  type DType,
  type RealOf,
  type ElementOf,
  type ItemOf,
  type TypedArrayOf,
} from "./memory/dtype.ts";
export type { FloatOf, Promoted, PromotedWith, SumOf } from "./memory/promotion.ts";
export {
  CompileError,
  DeviceError,
  CheckError,
  type CheckFinding,
  DeviceFault,
  DeviceUnavailable,
  HostFunctionError,
  InterruptedError,
  LaunchError,
  OutOfMemory,
  ProgramError,
  TensorError,
  WarpcellError,
  GradientError,
  FormatError,
  TensorCheckError,
  type Diagnostic,
  type FaultCandidate,
} from "./errors.ts";
export { Kernel, KernelTemplate, type KernelInfo, type TimeConfig } from "./cuda/kernel.ts";
export type { ArchitectureOccupancy, Occupancy } from "./cuda/occupancy.ts";
export { HostFunction } from "./cuda/host/host-function.ts";
export { DeviceVariable } from "./cuda/variable.ts";
export type { LaunchConfig, Size } from "./cuda/plan.ts";
export { Surface, Texture, type AddressMode, type Sampling } from "./cuda/texture.ts";
export { surface, texture, type SurfaceOptions, type TextureOptions } from "./tensor/texture.ts";
export { memory, setMemoryLimit, trim } from "./memory/map.ts";
export type { DeviceProperties } from "./wire/properties.ts";
export { Generator, generatorState, seed, setGeneratorState, type RandomSource } from "./tensor/generator.ts";
export { bernoulli, multinomial } from "./tensor/draws.ts";
export {
  rand,
  randint,
  randn,
  randperm,
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
export { ctcLoss, type CtcOptions } from "./tensor/sequence-losses.ts";
export { crossEntropy, nllLoss, type CrossEntropyOptions, type NllOptions } from "./tensor/class-losses.ts";
export {
  bceWithLogitsLoss,
  huberLoss,
  l1Loss,
  mseLoss,
  smoothL1Loss,
  type BceOptions,
  type LossOptions,
  type WeightedOptions,
} from "./tensor/losses.ts";
export {
  celu,
  elu,
  gelu,
  glu,
  hardshrink,
  hardtanh,
  leakyRelu,
  prelu,
  softshrink,
  threshold,
} from "./tensor/activations.ts";
export { addcdiv, addcmul, clamp, lerp, where, type Bounds } from "./tensor/mixing.ts";
export { linear, matmul, type LinearOptions } from "./tensor/linear.ts";
export { lastDispatch, setPath, type Dispatch, type DispatchedOperation, type PathOf } from "./ops/core/dispatch.ts";
export { float32Precision, setFloat32Precision, type Float32Precision } from "./ops/linear/precision.ts";
export {
  quantizeFp8,
  scaledMatmul,
  type Fp8,
  type QuantizeFp8Options,
  type ScaledMatmulOptions,
} from "./tensor/float8.ts";
export { quantize, QuantizedTensor, type QuantizeOptions } from "./tensor/quantized.ts";
export {
  angle,
  complex,
  conj,
  isComplex,
  polar,
  viewAsComplex,
  viewAsReal,
  type ComplexOf,
} from "./tensor/complex.ts";
export { embedding, type EmbeddingOptions } from "./tensor/embedding.ts";
export { embeddingBag, type EmbeddingBagOptions } from "./tensor/embedding-bag.ts";
export { channelShuffle, pixelShuffle, pixelUnshuffle } from "./tensor/pixels.ts";
export { affineGrid, gridSample, type GridOptions, type GridSampleOptions } from "./tensor/sampling.ts";
export {
  bucketize,
  frexp,
  isneginf,
  isposinf,
  logit,
  mvlgamma,
  polygamma,
  sphericalBesselJ0,
  type BucketOptions,
  type Frexp,
} from "./tensor/composed.ts";
export type { AxisSlice, Shape } from "./memory/shape.ts";
export { checkTensor, type TensorRequirements } from "./tensor/check.ts";
export { assertClose, type AssertCloseOptions, type Comparable } from "./tensor/assert-close.ts";
export { TensorLayout, type LayoutOptions } from "./tensor/layout.ts";
export { validateLaunch, type LaunchToValidate } from "./cuda/launch-check.ts";
export { setChecking, type Checking } from "./cuda/check.ts";
export { benchmark, type Benchmark, type BenchmarkOptions, type KernelBenchmarkOptions } from "./profile/benchmark.ts";
export { profile, Profile, range, type ProfileEvent, type ProfileOptions, type ProfileRow } from "./profile/profile.ts";
export { tidy } from "./autograd/tidy.ts";
export type { Axes, NormOptions, ReduceOptions, TotalOptions, VarianceOptions } from "./tensor/reductions.ts";
export { einsum } from "./tensor/einsum.ts";
export type { SearchOptions, SortOptions, TopOptions } from "./tensor/sorting.ts";
export type { AxisOptions, CumulativeOptions, Selected } from "./tensor/scans.ts";
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
export { hessian, jacobian, jvp, vjp, type PulledBack, type PushedForward } from "./autograd/jacobians.ts";
export * from "./tensor/functions.ts";
export { gather, indexSelect, take, type Indices } from "./tensor/indexing.ts";
export { takeAlongAxis } from "./tensor/along-axis.ts";
export {
  indexAdd,
  indexCopy,
  indexFill,
  indexReduce,
  scatter,
  scatterAdd,
  scatterReduce,
  type ScatterOptions,
} from "./tensor/scattering.ts";
export { maskedFill, maskedSelect, nonzero } from "./tensor/masks.ts";
export { newAxis, type IndexEntry } from "./tensor/index-entries.ts";
export {
  broadcastTo,
  chunk,
  flatten,
  flip,
  moveAxis,
  pad,
  permute,
  repeat,
  repeatInterleave,
  roll,
  split,
  squeeze,
  swapAxes,
  tile,
  unbind,
  unflatten,
  unsqueeze,
} from "./tensor/shaping.ts";
export type { MemoryFormat } from "./tensor/shaping.ts";
export type { PadMode, PadOptions } from "./tensor/padding.ts";
export { cat, diag, emptyLike, eye, fullLike, meshgrid, onesLike, stack, zerosLike } from "./tensor/joining.ts";
export type { JoinOptions } from "./tensor/joining.ts";
/** Tensors in files: `io.load`, `io.save`, `io.encode`, `io.metadata`, `io.toArrow`, `io.fromArrow`. */
export * as io from "./io/files.ts";
export { mean, norm, prod, std, sum, variance } from "./tensor/reductions.ts";
export { cummax, cummin, cumprod, cumsum, logcumsumexp } from "./tensor/scans.ts";
export {
  argsort,
  bincount,
  histogram,
  kthvalue,
  searchsorted,
  sort,
  topk,
} from "./tensor/sorting.ts";
export {
  median,
  nanmedian,
  nanquantile,
  quantile,
  type QuantileInterpolation,
  type QuantileOptions,
} from "./tensor/quantiles.ts";
export {
  canCast,
  finfo,
  iinfo,
  isdtype,
  resultType,
  type DTypeKind,
  type FloatLimits,
  type IntegerLimits,
} from "./tensor/dtype-facts.ts";
export { broadcastArrays, broadcastShapes } from "./tensor/broadcasting.ts";
export { allclose, arrayEqual, equal, isclose, type CloseOptions } from "./tensor/closeness.ts";
export { countNonzero, isin } from "./tensor/membership.ts";
export { mode } from "./tensor/mode.ts";
export { aminmax, type Extremes } from "./tensor/extremes.ts";
export { vander, type VanderOptions } from "./tensor/vander.ts";
export { maxUnpool1d, maxUnpool2d, maxUnpool3d, type UnpoolOptions } from "./tensor/unpooling.ts";
export { unique, uniqueAll, uniqueConsecutive, type Unique } from "./tensor/unique.ts";
export {
  cumulativeTrapezoid,
  diff,
  gradient,
  trapezoid,
  type AreaOptions,
  type DifferenceOptions,
  type SlopeOptions,
} from "./tensor/differences.ts";
export {
  addmm,
  baddbmm,
  cross,
  dot,
  inner,
  outer,
  tensordot,
  trace,
  vecdot,
  type ProductAxes,
  type ProductSumOptions,
  type TraceOptions,
} from "./tensor/products.ts";
export {
  average,
  corrcoef,
  cov,
  stdMean,
  varMean,
  type AverageOptions,
  type CovarianceOptions,
} from "./tensor/covariance.ts";
export {
  nanmax,
  nanmean,
  nanmin,
  nanprod,
  nanstd,
  nansum,
  nanToNum,
  nanvar,
  type ReplacementOptions,
} from "./tensor/nan-reductions.ts";
export { interp, type InterpolationOptions } from "./tensor/interpolation.ts";
export { geomspace, logspace, type LogarithmicOptions } from "./tensor/spacing.ts";
export { fliplr, flipud, rot90, type TurnOptions } from "./tensor/turning.ts";
export { blockDiag, columnStack, dstack, hstack, vstack } from "./tensor/stacking.ts";
export { maskedScatter, oneHot, type OneHotOptions } from "./tensor/selecting.ts";
export { diagEmbed, diagonal, tril, trilIndices, triu, triuIndices, type TriangleOptions } from "./tensor/triangles.ts";
export {
  bartlett,
  blackman,
  cosineWindow,
  exponentialWindow,
  gaussianWindow,
  generalHamming,
  hamming,
  hann,
  kaiser,
  nuttall,
  type WindowOptions,
} from "./tensor/windows.ts";
export { deg2rad, rad2deg } from "./tensor/angles.ts";
export * from "./tensor/polynomials.ts";
export { cartesianProd, combinations, type CombinationOptions } from "./tensor/combinations.ts";
export { dsplit, hsplit, tensorSplit, vsplit } from "./tensor/splitting.ts";
export { alphaDropout, dropout1d, dropout2d, dropout3d, featureAlphaDropout } from "./tensor/feature-dropout.ts";
export { rrelu, type RreluOptions } from "./tensor/random-slopes.ts";
export { randintLike, randLike, randnLike, type RandomLikeOptions } from "./tensor/random-like.ts";
export { gumbelSoftmax, softmin, type GumbelOptions } from "./tensor/gumbel.ts";
export { lpPool1d, lpPool2d, lpPool3d, type PowerPoolOptions } from "./tensor/power-pooling.ts";
export { ravelMultiIndex, unravelIndex } from "./tensor/positions.ts";
export { convolve, correlate, type ConvolutionMode } from "./tensor/convolution.ts";
export {
  conv1d,
  conv2d,
  conv3d,
  convTranspose1d,
  convTranspose2d,
  convTranspose3d,
  type ConvolutionOptions,
  type TransposedConvolutionOptions,
} from "./tensor/image-convolution.ts";
export {
  adaptiveAvgPool1d,
  adaptiveAvgPool2d,
  adaptiveAvgPool3d,
  adaptiveMaxPool1d,
  adaptiveMaxPool2d,
  adaptiveMaxPool3d,
  avgPool1d,
  avgPool2d,
  avgPool3d,
  maxPool1d,
  maxPool1dWithIndices,
  maxPool2d,
  maxPool2dWithIndices,
  maxPool3d,
  maxPool3dWithIndices,
  type AdaptiveSize,
  type AveragePoolOptions,
  type MaxPoolOptions,
  type Pooled,
} from "./tensor/pooling.ts";
export {
  batchNorm,
  groupNorm,
  instanceNorm,
  type BatchNormOptions,
  type GroupNormOptions,
} from "./tensor/channel-norms.ts";
export { localResponseNorm, type LocalResponseNormOptions } from "./tensor/local-response-norm.ts";
export { interpolate, type InterpolateOptions, type InterpolationMode } from "./tensor/resizing.ts";
export { col2im, im2col, type WindowColumnsOptions } from "./tensor/window-columns.ts";
export type { PerAxis } from "./tensor/per-axis.ts";
export { istft, stft, type InverseStftOptions, type StftOptions } from "./tensor/stft.ts";
export { unfold } from "./tensor/unfold.ts";
export {
  cdist,
  cosineSimilarity,
  normalize,
  pairwiseDistance,
  pdist,
  renorm,
  type LengthOptions,
} from "./tensor/distances.ts";
export {
  binaryCrossEntropy,
  gaussianNllLoss,
  klDiv,
  poissonNllLoss,
  type BinaryCrossEntropyOptions,
  type DivergenceOptions,
  type GaussianOptions,
  type PoissonOptions,
} from "./tensor/likelihoods.ts";
export {
  cosineEmbeddingLoss,
  marginRankingLoss,
  tripletMarginLoss,
  tripletMarginWithDistanceLoss,
  type DistanceTripletOptions,
  type MarginOptions,
  type TripletOptions,
} from "./tensor/embedding-losses.ts";
export {
  hingeEmbeddingLoss,
  multiMarginLoss,
  multilabelMarginLoss,
  multilabelSoftMarginLoss,
  softMarginLoss,
  type ClassMarginOptions,
  type WeightedLossOptions,
} from "./tensor/margin-losses.ts";
export { Event } from "./device/event.ts";
export { Stream } from "./device/stream.ts";
export { withStream } from "./graph/with-stream.ts";
export { graph, type Graph, type GraphOptions } from "./graph/graph.ts";
export { fuse, type Fused, type FusedParts, type FuseOptions } from "./fuse/fuse.ts";
export { checkpoint } from "./autograd/checkpoint.ts";
export { offload } from "./autograd/offload.ts";
export { autocast, type AutocastOptions } from "./amp/autocast.ts";
export { GradScaler, type GradScalerOptions } from "./amp/grad-scaler.ts";
export { DataLoader, type DataLoaderOptions } from "./data/data-loader.ts";
export type { BatchOf, Data, Samples } from "./data/sources.ts";
export { progress, type Counted, type ProgressOptions, type ShownValues } from "./data/progress.ts";
export {
  Exercise,
  exercise,
  ExerciseList,
  exercises,
  type CheckResult,
  type ExerciseOptions,
} from "./exercise/exercise.ts";
/** Models: `nn.Module`, `nn.Linear`, `nn.Sequential`, `nn.SelfAttention`, … */
export * as nn from "./nn/nn.ts";
/** Optimisers: `optim.SGD`, `optim.Adam`, `optim.AdamW`, schedules of learning rates, `optim.clipGradNorm`. */
export * as optim from "./optim/optim.ts";
/** Sparse matrices: `sparse.csr`, `sparse.bsr`, `sparse.prune24`, `sparse.compress24`. */
export * as sparse from "./tensor/sparse.ts";
/** Linear algebra of batches of matrices: `linalg.solve`, `linalg.cholesky`, `linalg.eigh`, `linalg.svd`, … */
export * as linalg from "./linalg/linalg.ts";
export * from "./tensor/instead.ts";
/** Discrete Fourier transforms: `fft.fft`, `fft.rfft`, `fft.fft2`, `fft.fftfreq`, … */
export * as fft from "./fft/fft.ts";
/** Curves, clouds of points, histograms and images: `plot`, `plot.scatter`, `plot.histogram`, `plot.image`. */
export { plot, type Plot, type PlotSeries } from "./plot/plot.ts";
export { Chart, type PlotScalar } from "./plot/chart.ts";
export { Picture, type ImageOptions } from "./plot/image.ts";
export type { PlotKind, PlotOptions } from "./plot/figure.ts";
export type { PointOptions } from "./plot/scatter.ts";
export type { HistogramOptions } from "./plot/bins.ts";
export type { PlotValues } from "./plot/values.ts";
export type { VegaLiteSpec } from "./plot/vega-lite.ts";
