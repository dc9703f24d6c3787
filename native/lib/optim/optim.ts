// Optimisers and schedulers: what `import { optim } from "warpcell"` gives.
export { Adadelta, type AdadeltaOptions } from "./adadelta.ts";
export { Adagrad, type AdagradOptions } from "./adagrad.ts";
export { Adam, AdamW, type AdamOptions } from "./adam.ts";
export { Adamax } from "./adamax.ts";
export { ASGD, type ASGDOptions } from "./asgd.ts";
export { clipGradNorm, clipGradValue } from "./clip.ts";
export {
  CosineAnnealingLR,
  CosineAnnealingWarmRestarts,
  type RestartOptions,
} from "./cosine-schedulers.ts";
export { CyclicLR, OneCycleLR, type CyclicOptions, type OneCycleOptions } from "./cyclic-schedulers.ts";
export * from "./instead.ts";
export { ChainedScheduler, SequentialLR } from "./joined-schedulers.ts";
export { LBFGS, type LBFGSOptions } from "./lbfgs.ts";
export { NAdam, type NAdamOptions } from "./nadam.ts";
export { Optimizer, type ParameterGroup, type Parameters } from "./optimizer.ts";
export { ReduceLROnPlateau, type PlateauOptions } from "./plateau-scheduler.ts";
export { RAdam, type RAdamOptions } from "./radam.ts";
export { RMSprop, type RMSpropOptions } from "./rmsprop.ts";
export { Rprop, type RpropOptions } from "./rprop.ts";
export { LRScheduler, type Place } from "./scheduler.ts";
export { cosine, linear, stepwise, type Schedule } from "./schedules.ts";
export { SGD, type SGDOptions } from "./sgd.ts";
export {
  ConstantLR,
  ExponentialLR,
  LambdaLR,
  LinearLR,
  MultiplicativeLR,
  MultiStepLR,
  PolynomialLR,
  StepLR,
  type ConstantOptions,
  type GammaOptions,
  type LinearOptions,
  type PolynomialOptions,
  type RateFunction,
} from "./step-schedulers.ts";
