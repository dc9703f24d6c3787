// Functions of elements that are made of the table's operations.
import type { DType } from "../memory/dtype.ts";
import { floatOf, type FloatOf } from "../memory/promotion.ts";
import { digamma as slopeOfLgamma } from "../ops/elementwise/digamma.ts";
import { define, flag, number, tensor } from "./arguments.ts";
import type { Tensor } from "./tensor.ts";

/**
 * log(x / (1 − x)), the inverse of the sigmoid; `eps`: what x is kept away from 0 and 1. NaN outside.
 * @example
 * logit(tensor([0.5, 0.75])); // → tensor([0.00000, 1.09861], shape [2], float32, cpu)
 */
export const logit: <D extends DType>(x: Tensor<D>, eps?: number | { readonly eps?: number }) => Tensor<FloatOf<D>> =
  define("logit", { options: { eps: number }, bare: ["eps"] }, (x, { eps }) => {
    const inside = (eps === undefined ? x : x.clamp({ min: eps, max: 1 - eps })) as Tensor;
    return inside.log().sub(inside.neg().log1p());
  });

/**
 * ψ(x) = Γ′(x)/Γ(x), the slope of {@link Tensor.lgamma}. NaN at 0, −1, −2, …, where Γ has poles.
 * @example
 * digamma(tensor([1, 2])); // → tensor([-0.577216,  0.422784], shape [2], float32, cpu)
 */
export const digamma: <D extends DType>(x: Tensor<D>) => Tensor<FloatOf<D>> = define(
  "digamma",
  {},
  (x) => slopeOfLgamma(x.to(floatOf(x.dtype))) as Tensor,
);

/** `right`: a value equal to a boundary belongs to the bucket above it. */
export interface BucketOptions {
  readonly right?: boolean;
}

/**
 * Which of the buckets between rising boundaries each element is in: how many boundaries are below it, see {@link
 * BucketOptions}.
 * @example
 * bucketize(tensor([1, 3, 6]), tensor([1, 3, 5])); // → tensor([0, 1, 3], shape [3], int64, cpu)
 */
export const bucketize: (x: Tensor, boundaries: Tensor, options?: BucketOptions) => Tensor<"int64"> = define(
  "bucketize",
  { required: { boundaries: tensor }, options: { right: flag } },
  (x, { boundaries, right = false }) => boundaries.searchsorted(x, { right }),
);
