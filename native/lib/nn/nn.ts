// Models of layers: what `import { nn } from "warpcell"` gives.
export { attention, SelfAttention, type AttentionOptions, type AttentionWithLse } from "./attention.ts";
export { blockLayout, type BlockLayout } from "./block-layout.ts";
export type { MaskFunction, ScoreFunction, ScorePlace } from "./score-function.ts";
export type { SequenceLengths } from "./sequence-lengths.ts";
/** First values of parameters, as PyTorch has them: `nn.init.kaimingUniform`, … */
export * as init from "./init.ts";
export {
  BatchNorm1d,
  BatchNorm2d,
  BatchNorm3d,
  GroupNorm,
  InstanceNorm1d,
  InstanceNorm2d,
  InstanceNorm3d,
  LocalResponseNorm,
} from "./channel-norms.ts";
export {
  Conv1d,
  Conv2d,
  Conv3d,
  ConvTranspose1d,
  ConvTranspose2d,
  ConvTranspose3d,
  type ConvolutionLayerOptions,
  type TransposedConvolutionLayerOptions,
} from "./convolution.ts";
export {
  AdaptiveAvgPool1d,
  AdaptiveAvgPool2d,
  AdaptiveAvgPool3d,
  AdaptiveMaxPool1d,
  AdaptiveMaxPool2d,
  AdaptiveMaxPool3d,
  AvgPool1d,
  AvgPool2d,
  AvgPool3d,
  Flatten,
  MaxPool1d,
  MaxPool2d,
  MaxPool3d,
  Upsample,
} from "./pooling.ts";
export { KeyValueCache } from "./key-value-cache.ts";
export { ModuleDict, ModuleList, Sequential } from "./containers.ts";
export { Dropout, Embedding, LayerNorm, Linear, RMSNorm } from "./layers.ts";
export { Float8Linear, type Float8Options } from "./float8-linear.ts";
export { QuantizedLinear } from "./quantized-linear.ts";
export {
  GRU,
  LSTM,
  RNN,
  type GRUResult,
  type GRUState,
  type LSTMResult,
  type LSTMState,
  type RecurrentOptions,
  type RNNOptions,
} from "./recurrent.ts";
export { MultiheadAttention, TransformerBlock, type TransformerBlockOptions } from "./transformer.ts";
export { Module, type ForwardHook, type ForwardPreHook, type Layer, type ParameterOptions } from "./module.ts";
export * from "./instead.ts";
