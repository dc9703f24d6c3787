// Losses of how near vectors or scores are to each other.
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { flag, free, number, tensor, type Kind } from "./arguments.ts";
import { cosineSimilarity, pairwiseDistance } from "./distances.ts";
import { reduced, reduction } from "./loss-reduction.ts";
import type { LossOptions } from "./losses.ts";
import type { Tensor } from "./tensor.ts";

const callable: Kind<(a: Tensor, b: Tensor) => Tensor> = {
  wanted: "a function of two tensors",
  has: (value) => typeof value === "function",
};

/** `margin`: how far apart is far enough. */
export interface MarginOptions extends LossOptions {
  readonly margin?: number;
}
/**
 * `p`: of the norm, 2 when left out; `eps` is added to differences, 1e-6; `swap`: the nearer of anchor and positive.
 */
export interface TripletOptions extends MarginOptions {
  readonly p?: number;
  readonly eps?: number;
  readonly swap?: boolean;
}

/**
 * By how much an anchor is nearer to a vector of its kind than to another one: max(0, ‖anchor − positive‖ − ‖anchor −
 * negative‖ + margin) of vectors along the last axis; `margin` is 1 when left out, see {@link TripletOptions}. Its
 * mean, or by `reduction` the sum, or each. Throws TensorError for shapes that do not broadcast.
 * @example
 * tripletMarginLoss(tensor([[0, 0]]), tensor([[0, 1]]), tensor([[3, 4]]));
 * // → tensor(0, shape [], float32, cpu)
 */
export const tripletMarginLoss: (
  anchor: Tensor,
  positive: Tensor,
  negative: Tensor,
  options?: TripletOptions,
) => Tensor = free(
  "tripletMarginLoss",
  {
    required: { anchor: tensor, positive: tensor, negative: tensor },
    options: { margin: number, p: number, eps: number, swap: flag, reduction },
  },
  ({ anchor, positive, negative, margin = 1, p = 2, eps = 1e-6, swap = false, reduction: by }) => {
    if (anchor.shape.length === 0)
      throw new TensorError(
        "SHAPE",
        "tripletMarginLoss takes vectors along the last axis but got a tensor without axes.",
      );
    const distance = (a: Tensor, b: Tensor) => a.sub(b).add(eps).norm({ ord: p, axis: -1 });
    const apart = distance(anchor, negative);
    const far = swap ? apart.minimum(distance(positive, negative)) : apart;
    return reduced(distance(anchor, positive).sub(far).add(margin).relu(), by);
  },
);

/** `distance`: what says how far two tensors are apart, {@link pairwiseDistance} when left out. */
export interface DistanceTripletOptions extends MarginOptions {
  readonly distance?: (a: Tensor, b: Tensor) => Tensor;
  readonly swap?: boolean;
}

/**
 * {@link tripletMarginLoss} with a distance of one's own, see {@link DistanceTripletOptions}.
 * @example
 * const distance = (a: Tensor, b: Tensor) => a.sub(b).abs().max(-1);
 * tripletMarginWithDistanceLoss(tensor([[0, 0]]), tensor([[0, 2]]), tensor([[1, 1]]), { distance });
 * // → tensor(2, shape [], float32, cpu)
 */
export const tripletMarginWithDistanceLoss: (
  anchor: Tensor,
  positive: Tensor,
  negative: Tensor,
  options?: DistanceTripletOptions,
) => Tensor = free(
  "tripletMarginWithDistanceLoss",
  {
    required: { anchor: tensor, positive: tensor, negative: tensor },
    options: { distance: callable, margin: number, swap: flag, reduction },
  },
  ({ anchor, positive, negative, distance = pairwiseDistance, margin = 1, swap = false, reduction: by }) => {
    const apart = distance(anchor, negative);
    const far = swap ? apart.minimum(distance(positive, negative)) : apart;
    return reduced(distance(anchor, positive).sub(far).add(margin).relu(), by);
  },
);

/** Targets of 1 and −1. */
const checkedSides = (name: string, target: Tensor, shape: readonly number[]): Tensor => {
  if (formatShape(target.shape) !== formatShape(shape))
    throw new TensorError(
      "SHAPE",
      `${name} takes a target of 1 and −1 of shape ${formatShape(shape)} but got ${formatShape(target.shape)}.`,
    );
  return target;
};

/**
 * 1 − cos(a, b) where the target is 1, max(0, cos(a, b) − margin) where it is −1, of vectors along the last axis: their
 * mean, sum, or each. Throws TensorError.
 * @example
 * cosineEmbeddingLoss(tensor([[1, 0]]), tensor([[0, 1]]), tensor([1])); // → tensor(1, shape [], float32, cpu)
 */
export const cosineEmbeddingLoss: (a: Tensor, b: Tensor, target: Tensor, options?: MarginOptions) => Tensor = free(
  "cosineEmbeddingLoss",
  { required: { a: tensor, b: tensor, target: tensor }, options: { margin: number, reduction } },
  ({ a, b, target, margin = 0, reduction: by }) => {
    const cosine = cosineSimilarity(a, b, { axis: -1 });
    const side = checkedSides("cosineEmbeddingLoss", target, cosine.shape);
    return reduced(cosine.neg().add(1).where(side.gt(0), cosine.sub(margin).relu()), by);
  },
);

/**
 * max(0, margin − target · (a − b)) of scores, with a target of 1 or −1: their mean, sum, or each. Throws TensorError.
 * @example
 * marginRankingLoss(tensor([1, 5]), tensor([2, 3]), tensor([1, 1])); // → tensor(0.5, shape [], float32, cpu)
 */
export const marginRankingLoss: (a: Tensor, b: Tensor, target: Tensor, options?: MarginOptions) => Tensor = free(
  "marginRankingLoss",
  { required: { a: tensor, b: tensor, target: tensor }, options: { margin: number, reduction } },
  ({ a, b, target, margin = 0, reduction: by }) => {
    const difference = a.sub(b);
    const side = checkedSides("marginRankingLoss", target, difference.shape).to(difference.dtype);
    return reduced(side.mul(difference).neg().add(margin).relu(), by);
  },
);
