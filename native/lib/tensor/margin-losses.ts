// Losses of scores by how far they are from the wrong side: of two classes, of one of many, and of several of many.
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import { sameShape } from "../ops/kernels/map.ts";
import { define, number, tensor } from "./arguments.ts";
import { checkedTargets, checkedWeight } from "./class-losses.ts";
import { arange, zeros } from "./create.ts";
import type { MarginOptions } from "./embedding-losses.ts";
import { reduced, reduction } from "./loss-reduction.ts";
import type { LossOptions } from "./losses.ts";
import type { Tensor } from "./tensor.ts";

/** `weight`: a number for each class. */
export interface WeightedLossOptions extends LossOptions {
  readonly weight?: Tensor;
}
/** `p`: the power of what is too near, 1 when left out, or 2. `margin`: how far apart is far enough, 1 when left out. */
export interface ClassMarginOptions extends WeightedLossOptions, MarginOptions {
  readonly p?: number;
}

function checkShapes(name: string, input: Tensor, target: Tensor): void {
  if (!sameShape(input.shape, target.shape))
    throw new TensorError(
      "SHAPE",
      `${name} takes a target of the input's shape, ${formatShape(input.shape)}, but got ${formatShape(target.shape)}.`,
    );
}

/**
 * log(1 + e^(−target · input)) of scores, with targets of 1 or −1 of the same shape, without overflow. Their mean, or
 * by `reduction` the sum, or each. Throws TensorError.
 * @example
 * softMarginLoss(tensor([2, -1]), tensor([1, 1])); // → tensor(0.720095, shape [], float32, cpu)
 */
export const softMarginLoss: (input: Tensor, target: Tensor, options?: LossOptions) => Tensor = define(
  "softMarginLoss",
  { required: { target: tensor }, options: { reduction } },
  (input, { target, reduction: by }) => {
    checkShapes("softMarginLoss", input, target);
    return reduced(input.mul(target).neg().softplus(), by);
  },
);

/**
 * Distances where the target is 1, max(0, margin − distance) where it is −1, of the same shape; `margin` is 1 when left
 * out. Their mean, or by `reduction` the sum, or each. Throws TensorError.
 * @example
 * hingeEmbeddingLoss(tensor([0.25, 0.25]), tensor([1, -1])); // → tensor(0.5, shape [], float32, cpu)
 */
export const hingeEmbeddingLoss: (input: Tensor, target: Tensor, options?: MarginOptions) => Tensor = define(
  "hingeEmbeddingLoss",
  { required: { target: tensor }, options: { margin: number, reduction } },
  (input, { target, margin = 1, reduction: by }) => {
    checkShapes("hingeEmbeddingLoss", input, target);
    return reduced(input.where(target.gt(0), input.neg().add(margin).relu()), by);
  },
);

/** Rows of scores of classes, of which a list is one. */
function classRows(name: string, input: Tensor): Tensor {
  const { shape } = input;
  if (shape.length !== 1 && shape.length !== 2)
    throw new TensorError("SHAPE", `${name} takes scores of shape [C] or [N, C] but got ${formatShape(shape)}.`);
  return shape.length === 1 ? input.unsqueeze(0) : input;
}

/**
 * By how much the scores of other classes come near that of the target, Σ max(0, margin − x[target] + x[i])ᵖ/C over i ≠
 * target, of scores [N, C] or [C] and integer targets [N] or []; `weight` multiplies by that of the target, see
 * {@link ClassMarginOptions}. Their mean, or by `reduction` the sum, or each. Throws TensorError, at the next wait also
 * for a target that is no class.
 * @example
 * multiMarginLoss(tensor([[0, 2, 1.5]]), tensor([1], { dtype: "int64" }));
 * // → tensor(0.166667, shape [], float32, cpu)
 */
export const multiMarginLoss: (input: Tensor, targets: Tensor, options?: ClassMarginOptions) => Tensor = define(
  "multiMarginLoss",
  { required: { targets: tensor }, options: { p: number, margin: number, weight: tensor, reduction } },
  (input, { targets, p = 1, margin = 1, weight, reduction: by }) => {
    const name = "multiMarginLoss";
    const rows = classRows(name, input);
    const [, count] = rows.shape as [number, number];
    if (!sameShape(targets.shape, input.shape.slice(0, -1)))
      throw new TensorError(
        "SHAPE",
        `${name} takes a target for each row of ${formatShape(input.shape)} but got shape ${formatShape(targets.shape)}.`,
      );
    if (p !== 1 && p !== 2) throw new TensorError("VALUE", `${name} takes a p of 1 or 2 but got ${p}.`);
    checkedWeight(name, weight, count);
    const classes = checkedTargets(name, targets).reshape([-1, 1]);
    const places = apply("classPlaces", [classes], { name, count, ignoreIndex: null }) as Tensor<"int64">;
    const near = rows.sub(rows.takeAlongAxis(places, 1)).add(margin).relu();
    const each = p === 2 ? near.square() : near;
    const counted = weight === undefined ? each : each.mul(weight.get(places));
    const isOther = arange(count, { dtype: "int64", device: input.device }).ne(places);
    const losses = counted.where(isOther, 0).sum(1).div(count);
    return reduced(losses.reshape(targets.shape), by);
  },
);

/**
 * By how much the scores of other classes come near those of several targets, Σ max(0, 1 − x[j] + x[i])/C over all
 * targets j and all i that are none, of scores [N, C] or [C] and integer targets of the same shape: class numbers up to
 * the first −1. Their mean, or by `reduction` the sum, or each. Throws TensorError, at the next wait also for a target
 * that is no class.
 * @example
 * multilabelMarginLoss(tensor([0.5, 0, 2]), tensor([2, -1, 0], { dtype: "int64" }));
 * // → tensor(0, shape [], float32, cpu)
 */
export const multilabelMarginLoss: (input: Tensor, targets: Tensor, options?: LossOptions) => Tensor = define(
  "multilabelMarginLoss",
  { required: { targets: tensor }, options: { reduction } },
  (input, { targets, reduction: by }) => {
    const name = "multilabelMarginLoss";
    const rows = classRows(name, input);
    const [size, count] = rows.shape as [number, number];
    checkShapes(name, input, targets);
    const given = checkedTargets(name, targets).reshape(rows.shape);
    const isCounted = given.ge(0).to("int64").cumprod(1).ne(0);
    const places = apply("classPlaces", [given.where(isCounted, 0)], {
      name,
      count,
      ignoreIndex: null,
    }) as Tensor<"int64">;
    const { device } = input;
    // What counts for nothing goes to a column more.
    const isTarget = zeros([size, count + 1], { dtype: "bool", device })
      .scatter(1, places.where(isCounted, count), true)
      .slice(null, [0, count]);
    const near = rows.unsqueeze(1).sub(rows.takeAlongAxis(places, 1).unsqueeze(2)).add(1).relu();
    const isPair = isCounted.unsqueeze(2).logicalAnd(isTarget.logicalNot().unsqueeze(1));
    const losses = near.where(isPair, 0).sum([1, 2]).div(count);
    return reduced(losses.reshape(input.shape.slice(0, -1)), by);
  },
);

/**
 * The cross entropy of each class by itself, of scores and targets from 0 to 1 of the same shape [..., C]: the mean of
 * −target · log σ(input) − (1 − target) · log(1 − σ(input)) over the classes, each times its `weight`, see
 * {@link WeightedLossOptions}. Their mean, or by `reduction` the sum, or each. Throws TensorError.
 * @example
 * multilabelSoftMarginLoss(tensor([[2, -1]]), tensor([[1, 0]])); // → tensor(0.220095, shape [], float32, cpu)
 */
export const multilabelSoftMarginLoss: (input: Tensor, target: Tensor, options?: WeightedLossOptions) => Tensor =
  define(
    "multilabelSoftMarginLoss",
    { required: { target: tensor }, options: { weight: tensor, reduction } },
    (input, { target, weight, reduction: by }) => {
      const name = "multilabelSoftMarginLoss";
      checkShapes(name, input, target);
      checkedWeight(name, weight, input.shape.at(-1) ?? 0);
      const each = input.softplus().sub(input.mul(target));
      return reduced((weight === undefined ? each : each.mul(weight)).mean(-1), by);
    },
  );
