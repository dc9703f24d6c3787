// What PyTorch has as classes of optimisers and schedules and has another form here, or none: each name is an error that
// says what to write. None is declared: see instead.ts of the library.
import { absent, refuseAccess } from "../instead.ts";
import { Optimizer } from "./optimizer.ts";

const schedule = (name: string, write: string) =>
  absent(`optim.${name}`, `const rate = ${write}, and optimizer.lr = rate(step) before each step`);
const optimizer = (name: string) => absent(`optim.${name}`, "optim.AdamW, Adam, RMSprop or SGD");

/** @internal */
export const StepLR = schedule("StepLR", "optim.stepwise({ lr: 0.1, every: 30 })");
/** @internal */
export const MultiStepLR = schedule("MultiStepLR", "(step) => (step < 30 ? 0.1 : 0.01)");
/** @internal */
export const ExponentialLR = schedule("ExponentialLR", "optim.stepwise({ lr: 0.1, every: 1, factor: 0.95 })");
/** @internal */
export const CosineAnnealingLR = schedule("CosineAnnealingLR", "optim.cosine({ lr: 0.1, steps: 100 })");
/** @internal */
export const OneCycleLR = schedule("OneCycleLR", "optim.cosine({ lr: 0.1, steps: 100, warmup: 30 })");
/** @internal */
export const LinearLR = schedule("LinearLR", "optim.linear({ lr: 0.1, steps: 100 })");
/** @internal */
export const LambdaLR = schedule("LambdaLR", "(step) => 0.1 * 0.95 ** step");
/** @internal */
export const ReduceLROnPlateau = absent(
  "optim.ReduceLROnPlateau",
  "optimizer.lr *= 0.1 where the loss no longer falls",
);
/** @internal */
export const lr_scheduler = {
  StepLR,
  MultiStepLR,
  ExponentialLR,
  CosineAnnealingLR,
  OneCycleLR,
  LinearLR,
  LambdaLR,
  ReduceLROnPlateau,
} as const;
/** @internal */
export const lrScheduler = lr_scheduler;
/** @internal */
export const Adagrad = optimizer("Adagrad");
/** @internal */
export const Adadelta = optimizer("Adadelta");
/** @internal */
export const NAdam = optimizer("NAdam");
/** @internal */
export const LBFGS = optimizer("LBFGS");

refuseAccess(Optimizer.prototype, "An optimiser", {
  param_groups: "optimizer.groups, or optimizer.lr",
  paramGroups: "optimizer.groups, or optimizer.lr",
});
