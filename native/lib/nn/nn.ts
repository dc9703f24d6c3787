// Models of layers: what `import { nn } from "warpcell"` gives.
export { attention, SelfAttention, type AttentionOptions } from "./attention.ts";
export { Dropout, Embedding, LayerNorm, Linear, RMSNorm, Sequential } from "./layers.ts";
export { Module, type Layer, type ParameterOptions } from "./module.ts";
