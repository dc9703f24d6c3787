// Losses as functions: of two tensors of one shape, and of classes by their numbers.
import { TensorError } from "../errors.ts";
import { factsOf } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { apply, applyAll } from "../ops/apply.ts";
import type { LossReduction } from "../ops/losses.ts";
import { worded } from "../wording.ts";
import type { Tensor } from "./tensor.ts";

/** What becomes of the losses of all elements: their mean, their sum, or nothing. */
export type Reduction = LossReduction;
export interface LossOptions {
  readonly reduction?: Reduction;
}
/** `ignoreIndex`: rows with that target count for nothing. `labelSmoothing`: the part of a target that is spread over all classes, from 0 to 1. */
export interface CrossEntropyOptions extends LossOptions {
  readonly ignoreIndex?: number;
  readonly labelSmoothing?: number;
}
/** `weight`: a number for each class. */
export interface NllOptions extends LossOptions {
  readonly weight?: Tensor;
  readonly ignoreIndex?: number;
}
/** Both broadcast: `weight` multiplies the losses, `posWeight` those of the targets that are 1. */
export interface BceOptions extends LossOptions {
  readonly weight?: Tensor;
  readonly posWeight?: Tensor;
}

function checkedReduction(reduction: Reduction): Reduction {
  if (reduction === "none" || reduction === "sum" || reduction === "mean") return reduction;
  throw new TensorError("OPTIONS", `A loss is reduced by "mean", "sum" or "none" but got ${worded(reduction)}.`);
}

function reduced(losses: Tensor, reduction: Reduction, count: () => Tensor | number): Tensor {
  if (checkedReduction(reduction) === "none") return losses;
  const sum = losses.sum();
  return reduction === "sum" ? sum : sum.div(count() as number);
}

type ElementLoss = "mseLoss" | "l1Loss" | "smoothL1Loss" | "huberLoss" | "bceWithLogitsLoss";
const loss = (name: ElementLoss, input: Tensor, target: Tensor, reduction: Reduction = "mean", parameter = 0): Tensor =>
  apply(name, [input, target], { reduction: checkedReduction(reduction), parameter }) as Tensor;

/** (input − target)², of one shape: their mean, sum, or each. Throws TensorError. */
export function mseLoss(input: Tensor, target: Tensor, { reduction }: LossOptions = {}): Tensor {
  return loss("mseLoss", input, target, reduction);
}

/** |input − target|, of one shape: their mean, sum, or each. Throws TensorError. */
export function l1Loss(input: Tensor, target: Tensor, { reduction }: LossOptions = {}): Tensor {
  return loss("l1Loss", input, target, reduction);
}

/** ½d²/beta where |d| < beta, else |d| − ½beta, of d = input − target: their mean, sum, or each. Throws TensorError. */
export function smoothL1Loss(
  input: Tensor,
  target: Tensor,
  { reduction, beta = 1 }: LossOptions & { readonly beta?: number } = {},
): Tensor {
  if (!(beta >= 0))
    throw new TensorError("VALUE", `The beta of smoothL1Loss is a number of at least 0 but got ${worded(beta)}.`);
  return loss("smoothL1Loss", input, target, reduction, beta);
}

/** ½d² where |d| ≤ delta, else delta · (|d| − ½delta), of d = input − target: their mean, sum, or each. Throws TensorError. */
export function huberLoss(
  input: Tensor,
  target: Tensor,
  { reduction, delta = 1 }: LossOptions & { readonly delta?: number } = {},
): Tensor {
  if (!(delta > 0))
    throw new TensorError("VALUE", `The delta of huberLoss is a number above 0 but got ${worded(delta)}.`);
  return loss("huberLoss", input, target, reduction, delta);
}

/** −target · log σ(input) − (1 − target) · log(1 − σ(input)), of one shape, without overflow: their mean, sum, or each. Throws TensorError. */
export function bceWithLogitsLoss(
  input: Tensor,
  target: Tensor,
  { reduction = "mean", weight, posWeight }: BceOptions = {},
): Tensor {
  if (weight === undefined && posWeight === undefined) return loss("bceWithLogitsLoss", input, target, reduction);
  const plain = loss("bceWithLogitsLoss", input, target, "none");
  // Of the part of a target that is 1, log(1 + e^−x) counts posWeight times.
  const losses = posWeight === undefined ? plain : plain.add(target.mul(posWeight.sub(1)).mul(input.neg().softplus()));
  return reduced((weight === undefined ? losses : losses.mul(weight)) as Tensor, reduction, () => input.size);
}

function checkedTargets(name: string, targets: Tensor): Tensor<"int64"> {
  if (factsOf(targets.dtype).kind === "float" || targets.dtype === "bool")
    throw new TensorError(
      "DTYPE",
      `${name} takes targets that are integers, the numbers of classes, but got ${targets.dtype}.`,
    );
  return targets.to("int64");
}

/**
 * −weight[target] · input[target] of logarithms of probabilities [N, C] or [N, C, …] and integer targets [N] or [N, …]. The mean is over the weights of the targets that
 * are not ignored. A target that is no class gives NaN. Throws TensorError.
 */
export function nllLoss(
  input: Tensor,
  targets: Tensor,
  { reduction = "mean", weight, ignoreIndex = -100 }: NllOptions = {},
): Tensor {
  const [rows, count, ...rest] = input.shape;
  if (
    rows === undefined ||
    count === undefined ||
    count === 0 ||
    formatShape(targets.shape) !== formatShape([rows, ...rest])
  ) {
    throw new TensorError(
      "SHAPE",
      `nllLoss takes an input of shape [N, C, …] and targets of shape [N, …] but got ${formatShape(input.shape)} and ${formatShape(targets.shape)}.`,
    );
  }
  if (weight !== undefined && formatShape(weight.shape) !== formatShape([count]))
    throw new TensorError(
      "SHAPE",
      `nllLoss of ${count} classes takes a weight of shape [${count}] but got ${formatShape(weight.shape)}.`,
    );
  const classes = checkedTargets("nllLoss", targets);
  const isIgnored = classes.eq(ignoreIndex);
  const isClass = classes.ge(0).logicalAnd(classes.lt(count));
  const places = classes.where(isClass, 0);
  const chosen = (apply("takeAlong", [input, places.reshape([rows, 1, ...rest])], { axis: 1 }) as Tensor)
    .reshape(targets.shape)
    .neg();
  const weights = weight === undefined ? null : (apply("takeAt", [weight, places], { lead: 1 }) as Tensor);
  const weighed = weights === null ? chosen : chosen.mul(weights);
  const losses = weighed.where(isClass, NaN).where(isIgnored.logicalNot(), 0);
  return reduced(losses, reduction, () =>
    weights === null ? isIgnored.logicalNot().sum().to(losses.dtype) : weights.where(isIgnored.logicalNot(), 0).sum(),
  );
}

/**
 * −log softmax(logits)[target] of logits [N, C] and integer targets [N]; float32 at least. The mean is over the rows that are not ignored.
 * A target that is no class gives NaN. Throws TensorError.
 */
export function crossEntropy(
  logits: Tensor,
  targets: Tensor,
  { reduction = "mean", ignoreIndex = -100, labelSmoothing = 0 }: CrossEntropyOptions = {},
): Tensor {
  if (
    logits.shape.length !== 2 ||
    logits.shape[1] === 0 ||
    targets.shape.length !== 1 ||
    targets.shape[0] !== logits.shape[0]
  ) {
    throw new TensorError(
      "SHAPE",
      `crossEntropy takes logits of shape [N, C] and targets of shape [N] but got ${formatShape(logits.shape)} and ${formatShape(targets.shape)}.`,
    );
  }
  const classes = checkedTargets("crossEntropy", targets);
  if (!(labelSmoothing >= 0 && labelSmoothing <= 1))
    throw new TensorError("VALUE", `labelSmoothing is a number from 0 to 1 but got ${worded(labelSmoothing)}.`);
  const [losses] = applyAll("crossEntropyRows", [logits, classes], { ignoreIndex, labelSmoothing });
  return reduced(losses as Tensor, reduction, () => classes.ne(ignoreIndex).sum().to(losses!.dtype));
}
