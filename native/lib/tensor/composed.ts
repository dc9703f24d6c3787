// Functions of elements that are made of the table's operations.
import type { DType } from "../memory/dtype.ts";
import type { FloatOf } from "../memory/promotion.ts";
import { apply } from "../ops/core/apply.ts";
import { TensorError } from "../errors.ts";
import { count, define, flag, free, number, tensor } from "./arguments.ts";
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

/** x = mantissa · 2^exponent. */
export interface Frexp<D extends DType = DType> {
  readonly mantissa: Tensor<FloatOf<D>>;
  readonly exponent: Tensor<"int32">;
}

/**
 * x as mantissa · 2^exponent, where the mantissa's size is at least ½ and below 1; 0, infinities and NaN are their own
 * mantissas, with the exponent 0. The exponent has no gradient.
 * @example
 * frexp(tensor([8, -0.75]));
 * // → {
 * //   mantissa: tensor([0.50, -0.75], shape [2], float32, cpu),
 * //   exponent: tensor([4, 0], shape [2], int32, cpu)
 * // }
 */
export const frexp: <D extends DType>(x: Tensor<D>) => Frexp<D> = define("frexp", {}, (x) => ({
  mantissa: apply("frexpMantissa", [x], {}) as Tensor,
  exponent: (apply("frexpExponent", [x.detach()], {}) as Tensor).to("int32"),
}));

/** More slopes than anybody takes, and no powers that overflow. */
const mostSlopes = 1000;

/**
 * The n-th slope of {@link Tensor.digamma} at x, for n from 0 to 1000. At 0, −1, −2, … it has poles: ∞ for an odd n,
 * NaN for an even one. Throws TensorError.
 * @example
 * polygamma(1, tensor([1, 2])); // → tensor([1.644930, 0.644934], shape [2], float32, cpu)
 */
export const polygamma: <D extends DType>(n: number, x: Tensor<D>) => Tensor<FloatOf<D>> = free(
  "polygamma",
  { required: { n: count, x: tensor } },
  ({ n, x }) => {
    if (n > mostSlopes) throw new TensorError("VALUE", `polygamma takes an n of up to ${mostSlopes} but got ${n}.`);
    return apply("polygamma", [x], { n }) as never;
  },
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
