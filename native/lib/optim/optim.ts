// Optimisers: what `import { optim } from "warpcell"` gives.
export { Adam, AdamW, type AdamOptions } from "./adam.ts";
export { clipGradNorm } from "./clip.ts";
export * from "./instead.ts";
export { Optimizer, type ParameterGroup, type Parameters } from "./optimizer.ts";
export { RMSprop, type RMSpropOptions } from "./rmsprop.ts";
export { cosine, linear, stepwise, type Schedule } from "./schedules.ts";
export { SGD, type SGDOptions } from "./sgd.ts";
