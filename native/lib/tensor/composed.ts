// Functions of elements that are made of the table's operations.
import type { DType } from "../memory/dtype.ts";
import { floatOf, type FloatOf } from "../memory/promotion.ts";
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

/**
 * log Γₚ(x) = ¼ p(p − 1) log π + Σ log Γ(x − ½i) over i from 0 to p − 1, of x > ½(p − 1): what the Wishart distribution
 * is normalised by.
 * @example
 * mvlgamma(tensor([2]), 2); // → tensor([0.451583], shape [1], float32, cpu)
 */
export const mvlgamma: <D extends DType>(x: Tensor<D>, p: number) => Tensor<FloatOf<D>> = define(
  "mvlgamma",
  { required: { p: count } },
  (x, { p }) =>
    Array.from({ length: p }, (_, i) => x.sub(i / 2).lgamma()).reduce<Tensor>(
      (sum, each) => sum.add(each),
      x
        .to(floatOf(x.dtype))
        .mul(0)
        .add((p * (p - 1) * Math.log(Math.PI)) / 4),
    ),
);

/**
 * sin x / x, which is 1 at 0: the spherical Bessel function j₀.
 * @example
 * sphericalBesselJ0(tensor([0, 1])); // → tensor([1.000000, 0.841471], shape [2], float32, cpu)
 */
export const sphericalBesselJ0: <D extends DType>(x: Tensor<D>) => Tensor<FloatOf<D>> = define(
  "sphericalBesselJ0",
  {},
  (x) => {
    const float = x.to(floatOf(x.dtype));
    const isInside = float.abs().gt(0.5);
    // Near 0 by its power series, whose next term is below 1e-17; beyond ∞ it is 0.
    const square = float.square();
    const near = [1 / 6227020800, -1 / 39916800, 1 / 362880, -1 / 5040, 1 / 120, -1 / 6, 1].reduce<Tensor>(
      (sum, factor, at) => (at === 0 ? square.mul(0).add(factor) : sum.mul(square).add(factor)),
      square,
    );
    const away = float.where(isInside, 1);
    const far = away.sin().div(away).where(away.isinf().logicalNot(), 0);
    return far.where(isInside, near.where(isInside.logicalNot(), 1));
  },
);

/**
 * Whether elements are ∞.
 * @example
 * isposinf(tensor([1, Infinity, -Infinity])); // → tensor([false,  true, false], shape [3], bool, cpu)
 */
export const isposinf: (x: Tensor) => Tensor<"bool"> = define("isposinf", {}, (x) => x.isinf().logicalAnd(x.gt(0)));
/**
 * Whether elements are −∞.
 * @example
 * isneginf(tensor([1, Infinity, -Infinity])); // → tensor([false, false,  true], shape [3], bool, cpu)
 */
export const isneginf: (x: Tensor) => Tensor<"bool"> = define("isneginf", {}, (x) => x.isinf().logicalAnd(x.lt(0)));

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
