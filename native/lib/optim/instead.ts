// What PyTorch has as classes and has another form here, or none: each name is an error that says what to write. None
// is declared: see instead.ts of the library.
import { absent, refuseAccess } from "../instead.ts";
import { Optimizer } from "./optimizer.ts";

/** Classes that stand among the optimisers here. */
const schedulers = [
  ...["StepLR(optimizer, 30)", "MultiStepLR(optimizer, [30, 80])", "ExponentialLR(optimizer, 0.95)"],
  ...["CosineAnnealingLR(optimizer, 100)", "CosineAnnealingWarmRestarts(optimizer, 10)"],
  ...["OneCycleLR(optimizer, 0.1, { totalSteps: 100 })", "CyclicLR(optimizer, 0.001, 0.1)", "LinearLR(optimizer)"],
  ...["ConstantLR(optimizer)", "PolynomialLR(optimizer)", "LambdaLR(optimizer, (step) => 0.95 ** step)"],
  ...["MultiplicativeLR(optimizer, () => 0.95)", "ReduceLROnPlateau(optimizer)"],
  ...["SequentialLR(optimizer, [warm, fall], [10])", "ChainedScheduler([one, other])"],
];
/** @internal */
export const lr_scheduler: Readonly<Record<string, () => never>> = Object.fromEntries(
  schedulers.map((written) => {
    const [name] = written.split("(") as [string];
    return [name, absent(`optim.lr_scheduler.${name}`, `new optim.${written}`)];
  }),
);
/** @internal */
export const lrScheduler = lr_scheduler;
/** @internal */
export const SparseAdam = absent("optim.SparseAdam", "optim.Adam, since gradients of tables are dense");
/** @internal */
export const Adafactor = absent("optim.Adafactor", "optim.AdamW");
/** @internal */
export const Muon = absent("optim.Muon", "optim.AdamW");
/** @internal */
export const clip_grad_norm_ = absent("optim.clip_grad_norm_", "optim.clipGradNorm(model.parameters(), 1)");

refuseAccess(Optimizer.prototype, "An optimiser", {
  param_groups: "optimizer.groups, or optimizer.lr",
  paramGroups: "optimizer.groups, or optimizer.lr",
});
