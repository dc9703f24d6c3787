// Random tensors of the shape, dtype and device of another.
import { factsOf, type DType } from "../memory/dtype.ts";
import { define, device, dtype, finite, wholeNumber } from "./arguments.ts";
import { randomSource, type RandomSource } from "./generator.ts";
import { rand, randint, randn } from "./random.ts";
import type { Tensor } from "./tensor.ts";

/** What is other than of the tensor, and what draws, see {@link RandomSource}. */
export interface RandomLikeOptions<E extends DType = DType> extends RandomSource {
  readonly dtype?: E;
  readonly device?: string;
}

const like = { dtype, device, ...randomSource };
const own = (x: Tensor) => ({ dtype: x.dtype as "float32", device: x.device });

/**
 * {@link rand} of the tensor's shape, dtype and device, or those that are named. Throws TensorError for integers.
 * @example
 * randLike(zeros([2, 3])).shape; // → [ 2, 3 ]
 */
export const randLike: <D extends DType, E extends DType = D>(
  x: Tensor<D>,
  options?: RandomLikeOptions<E> & { readonly low?: number; readonly high?: number },
) => Tensor<E> = define("randLike", { options: { ...like, low: finite, high: finite } }, (x, given) =>
  rand(x.shape, { ...own(x), ...given } as object),
);

/**
 * {@link randn} of the tensor's shape, dtype and device, or those that are named: noise for it. Throws TensorError for
 * integers.
 * @example
 * const x = ones([2, 3], { dtype: "float64" });
 * x.add(randnLike(x).mul(0.1)).dtype; // → 'float64'
 */
export const randnLike: <D extends DType, E extends DType = D>(
  x: Tensor<D>,
  options?: RandomLikeOptions<E> & { readonly mean?: number; readonly std?: number },
) => Tensor<E> = define("randnLike", { options: { ...like, mean: finite, std: finite } }, (x, given) =>
  randn(x.shape, { ...own(x), ...given } as object),
);

/**
 * {@link randint} from `low` to below `high` of the tensor's shape, dtype and device, or those that are named; of floats
 * whole numbers as floats.
 * @example
 * randintLike(zeros([2, 3]), 0, 1).sum().item(); // → 0
 */
export const randintLike: <D extends DType, E extends DType = D>(
  x: Tensor<D>,
  low: number,
  high: number,
  options?: RandomLikeOptions<E>,
) => Tensor<E> = define(
  "randintLike",
  { required: { low: wholeNumber, high: wholeNumber }, options: like },
  (x, { low, high, dtype: wanted = x.dtype, ...given }) => {
    const drawn = ["int64", "int32", "uint8"].includes(wanted) ? wanted : "int64";
    const found = randint(low, high, x.shape, { device: x.device, ...given, dtype: drawn } as object) as Tensor;
    return factsOf(wanted).kind === "float" || drawn !== wanted ? found.to(wanted) : found;
  },
);
