// Models of layers: what `import { nn } from "warpcell"` gives.
export { attention, SelfAttention, type AttentionOptions, type AttentionWithLse } from "./attention.ts";
/** First values of parameters, as PyTorch has them: `nn.init.kaimingUniform`, … */
export * as init from "./init.ts";
export { ModuleDict, ModuleList, Sequential } from "./containers.ts";
export { Dropout, Embedding, LayerNorm, Linear, RMSNorm } from "./layers.ts";
export { Module, type ForwardHook, type ForwardPreHook, type Layer, type ParameterOptions } from "./module.ts";
export * from "./instead.ts";
