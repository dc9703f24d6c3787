// Models of layers: what `import { nn } from "warpcell"` gives.
export { attention, SelfAttention, type AttentionOptions, type AttentionWithLse } from "./attention.ts";
export { blockLayout, type BlockLayout } from "./block-layout.ts";
export type { MaskFunction, ScoreFunction, ScorePlace } from "./score-function.ts";
export type { SequenceLengths } from "./sequence-lengths.ts";
/** First values of parameters, as PyTorch has them: `nn.init.kaimingUniform`, … */
export * as init from "./init.ts";
/** Parameters as a vector, sequences filled up, weights made of others: `nn.utils.padSequence`, … */
export * as utils from "./nn-utils.ts";
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
export {
  ReLU,
  ReLU6,
  GELU,
  LeakyReLU,
  ELU,
  CELU,
  SELU,
  SiLU,
  Mish,
  Sigmoid,
  LogSigmoid,
  Tanh,
  Tanhshrink,
  Softsign,
  Softplus,
  Hardsigmoid,
  Hardswish,
  Hardtanh,
  Hardshrink,
  Softshrink,
  GLU,
  Softmax,
  LogSoftmax,
  Softmin,
  Softmax2d,
  Threshold,
  RReLU,
  Identity,
  type GeluOptions,
  type SlopeOptions,
  type AlphaOptions,
  type SoftplusOptions,
  type BoundOptions,
  type ShrinkOptions,
} from "./activations.ts";
export {
  CrossEntropyLoss,
  NLLLoss,
  MSELoss,
  L1Loss,
  SmoothL1Loss,
  HuberLoss,
  BCELoss,
  BCEWithLogitsLoss,
  KLDivLoss,
  CTCLoss,
  PoissonNLLLoss,
  GaussianNLLLoss,
  MarginRankingLoss,
  CosineEmbeddingLoss,
  TripletMarginLoss,
  TripletMarginWithDistanceLoss,
  SoftMarginLoss,
  HingeEmbeddingLoss,
  MultiMarginLoss,
  MultiLabelMarginLoss,
  MultiLabelSoftMarginLoss,
} from "./losses.ts";
export {
  ZeroPad1d,
  ZeroPad2d,
  ZeroPad3d,
  ConstantPad1d,
  ConstantPad2d,
  ConstantPad3d,
  ReflectionPad1d,
  ReflectionPad2d,
  ReflectionPad3d,
  ReplicationPad1d,
  ReplicationPad2d,
  ReplicationPad3d,
  CircularPad1d,
  CircularPad2d,
  CircularPad3d,
} from "./padding.ts";
export {
  Dropout1d,
  Dropout2d,
  Dropout3d,
  AlphaDropout,
  FeatureAlphaDropout,
} from "./dropouts.ts";
export {
  PixelShuffle,
  PixelUnshuffle,
  ChannelShuffle,
  Unfold,
  Fold,
  Unflatten,
  UpsamplingNearest2d,
  UpsamplingBilinear2d,
  CosineSimilarity,
  PairwiseDistance,
  LPPool1d,
  LPPool2d,
  LPPool3d,
  MaxUnpool1d,
  MaxUnpool2d,
  MaxUnpool3d,
  type DistanceOptions,
} from "./rearranging.ts";
export {
  PReLU,
  Bilinear,
  type PreluOptions,
} from "./bilinear.ts";
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
export { GRUCell, LSTMCell, RNNCell, type CellOptions } from "./recurrent-cells.ts";
export { EmbeddingBag, type EmbeddingBagLayerOptions } from "./embedding-bag.ts";
export { ParameterDict, ParameterList } from "./parameter-lists.ts";
export {
  MultiheadAttention,
  TransformerBlock,
  type AttentionWithWeights,
  type MultiheadCallOptions,
  type TransformerBlockOptions,
} from "./transformer.ts";
export {
  TransformerDecoderLayer,
  TransformerEncoderLayer,
  type DecoderCallOptions,
  type EncoderCallOptions,
  type TransformerLayerOptions,
} from "./transformer-layers.ts";
export {
  Transformer,
  TransformerDecoder,
  TransformerEncoder,
  type TransformerCallOptions,
  type TransformerOptions,
} from "./transformer-models.ts";
export { Module, type ForwardHook, type ForwardPreHook, type Layer, type ParameterOptions } from "./module.ts";
export * from "./instead.ts";
