// Losses of two tensors of one shape, as functions.
import { TensorError } from "../errors.ts";
import { apply } from "../ops/core/apply.ts";
import type { DType } from "../memory/dtype.ts";
import type { FloatOf, Promoted } from "../memory/promotion.ts";
import { formatShape } from "../memory/shape.ts";
import type { LossReduction } from "../ops/rows/losses.ts";
import { atLeast, define, number, oneOf, tensor } from "./arguments.ts";
import type { Tensor } from "./tensor.ts";

/** What becomes of the losses of all elements: their mean, their sum, or nothing. */
export type Reduction = LossReduction;
/** `reduction`: "mean" when left out. */
export interface LossOptions {
  readonly reduction?: Reduction;
}
/** `weight` multiplies the losses, and broadcasts; the mean is by its sum, as PyTorch's is. */
export interface WeightedOptions extends LossOptions {
  readonly weight?: Tensor;
}
/** Both broadcast: `weight` multiplies the losses, `posWeight` those of the targets that are 1. */
export interface BceOptions extends LossOptions {
  readonly weight?: Tensor;
  readonly posWeight?: Tensor;
}

/** What every loss takes. */
export const reductionOption = { reduction: oneOf("mean", "sum", "none") };

/** Each loss, their sum, or that by their count. */
export function reduced(losses: Tensor, reduction: Reduction, count: () => Tensor | number): Tensor {
  if (reduction === "none") return losses;
  const sum = losses.sum();
  return reduction === "sum" ? sum : sum.div(count() as number);
}

type ElementLoss = "mseLoss" | "l1Loss" | "smoothL1Loss" | "huberLoss" | "bceWithLogitsLoss";
const loss = (name: ElementLoss, input: Tensor, target: Tensor, reduction: Reduction = "mean", parameter = 0): Tensor =>
  apply(name, [input, target], { reduction, parameter }) as Tensor;

type Loss<O> = <D extends DType, E extends DType>(
  input: Tensor<D>,
  target: Tensor<E>,
  options?: LossOptions & O,
) => Tensor<FloatOf<Promoted<D, E>>>;
const weighted = { ...reductionOption, weight: tensor };

/** The losses of all elements times a weight that broadcasts to them. Throws TensorError for one that does not. */
const weigh = (name: string, losses: Tensor, weight: Tensor): Tensor => {
  const missing = losses.shape.length - weight.shape.length;
  if (missing < 0 || weight.shape.some((size, axis) => size !== 1 && size !== losses.shape[missing + axis]))
    throw new TensorError(
      "SHAPE",
      `${name} takes a weight that broadcasts to the losses, ${formatShape(losses.shape)}, but got ${formatShape(weight.shape)}.`,
    );
  return losses.mul(weight);
};
const plain = (name: "mseLoss" | "l1Loss"): Loss<WeightedOptions> =>
  define(name, { required: { target: tensor }, options: weighted }, (input, { target, reduction = "mean", weight }) => {
    if (weight === undefined) return loss(name, input, target, reduction);
    const losses = weigh(name, loss(name, input, target, "none"), weight);
    return reduced(losses, reduction, () => weight.expand(losses.shape).sum());
  });

/**
 * The squared difference: (input − target)², of one shape, times `weight`, see {@link WeightedOptions}. Its mean, or by
 * `reduction` the sum, or each. Throws TensorError for shapes that differ.
 * @example
 * mseLoss(tensor([1, 2]), tensor([2, 4])); // → tensor(2.5, shape [], float32, cpu)
 * mseLoss(tensor([1, 2]), tensor([2, 4]), { reduction: "none" }); // → tensor([1, 4], shape [2], float32, cpu)
 */
export const mseLoss: Loss<WeightedOptions> = plain("mseLoss");

/**
 * The absolute difference: |input − target|, of one shape, times `weight`, see {@link WeightedOptions}. Its mean, or by
 * `reduction` the sum, or each. Throws TensorError for shapes that differ.
 * @example
 * l1Loss(tensor([1, 2]), tensor([2, 4])); // → tensor(1.5, shape [], float32, cpu)
 */
export const l1Loss: Loss<WeightedOptions> = plain("l1Loss");

/**
 * A difference that counts squared while it is small: ½d²/beta where |d| < beta, else |d| − ½beta, of d = input −
 * target; beta is 1 when left out. Its mean, or by `reduction` the sum, or each. Throws TensorError for shapes that
 * differ.
 * @example
 * smoothL1Loss(tensor([0, 5]), tensor([0.5, 0])); // → tensor(2.3125, shape [], float32, cpu)
 */
export const smoothL1Loss: Loss<{ readonly beta?: number }> = define(
  "smoothL1Loss",
  { required: { target: tensor }, options: { ...reductionOption, beta: atLeast(0) } },
  (input, { target, reduction, beta = 1 }) => loss("smoothL1Loss", input, target, reduction, beta),
);

/**
 * A difference that counts squared while it is small: ½d² where |d| ≤ delta, else delta · (|d| − ½delta), of d = input
 * − target; delta is 1 when left out. Its mean, or by `reduction` the sum, or each. Throws TensorError for shapes that
 * differ.
 * @example
 * huberLoss(tensor([0, 5]), tensor([0.5, 0])); // → tensor(2.3125, shape [], float32, cpu)
 */
export const huberLoss: Loss<{ readonly delta?: number }> = define(
  "huberLoss",
  { required: { target: tensor }, options: { ...reductionOption, delta: number } },
  (input, { target, reduction, delta = 1 }) => {
    if (delta <= 0) throw new TensorError("VALUE", `The delta of huberLoss must be a number above 0 but got ${delta}.`);
    return loss("huberLoss", input, target, reduction, delta);
  },
);

/**
 * The cross entropy of two classes, from logits and without overflow: −target · log σ(input) − (1 − target) · log(1 −
 * σ(input)), of one shape. Its mean, or by `reduction` the sum, or each. Throws TensorError for shapes that differ.
 * @example
 * bceWithLogitsLoss(tensor([2, -1]), tensor([1, 0])); // → tensor(0.220095, shape [], float32, cpu)
 */
export const bceWithLogitsLoss: Loss<BceOptions> = define(
  "bceWithLogitsLoss",
  { required: { target: tensor }, options: { ...reductionOption, weight: tensor, posWeight: tensor } },
  (input, { target, reduction = "mean", weight, posWeight }) => {
    if (weight === undefined && posWeight === undefined) return loss("bceWithLogitsLoss", input, target, reduction);
    const each = loss("bceWithLogitsLoss", input, target, "none");
    // Of the part of a target that is 1, log(1 + e^−x) counts posWeight times.
    const losses = posWeight === undefined ? each : each.add(target.mul(posWeight.sub(1)).mul(input.neg().softplus()));
    return reduced(weight === undefined ? losses : losses.mul(weight), reduction, () => input.size);
  },
);
