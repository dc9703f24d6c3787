// Pools of powers: between the mean and the largest.
import type { DType } from "../memory/dtype.ts";
import type { FloatOf } from "../memory/promotion.ts";
import { TensorError } from "../errors.ts";
import { either, define, flag, number, numbers } from "./arguments.ts";
import { avgPool1d, avgPool2d, avgPool3d } from "./pooling.ts";
import type { PerAxis } from "./per-axis.ts";
import type { Tensor } from "./tensor.ts";

/** `stride`: the kernel's size when left out; `ceilMode`: a window may end beyond the border. */
export interface PowerPoolOptions {
  readonly stride?: PerAxis;
  readonly ceilMode?: boolean;
}
type PowerPool = <D extends DType>(
  x: Tensor<D>,
  p: number,
  kernel: PerAxis,
  options?: PowerPoolOptions,
) => Tensor<FloatOf<D>>;

const pools = [avgPool1d, avgPool2d, avgPool3d] as const;
const over = (axes: 1 | 2 | 3): PowerPool => {
  const name = `lpPool${axes}d`;
  const average = pools[axes - 1] as (x: Tensor, kernel: PerAxis, options: object) => Tensor;
  return define(
    name,
    {
      required: { p: number, kernel: either(number, numbers) },
      options: { stride: either(number, numbers), ceilMode: flag },
      bare: ["stride"],
    },
    (x, { p, kernel, ...given }) => {
      if (!(p > 0)) throw new TensorError("VALUE", `${name} takes a p above 0 but got ${p}.`);
      const sums = average(x.pow(p), kernel, { ...given, divisorOverride: 1 });
      // The root has no slope at 0.
      const isThere = sums.ne(0);
      return sums
        .where(isThere, 1)
        .pow(1 / p)
        .where(isThere, 0);
    },
  );
};

/**
 * (Σ xᵖ)^(1/p) over windows of [images, channels, length] or [channels, length], see {@link PowerPoolOptions}: the sum
 * for p = 1, nearly the largest for a large p. NaN where an odd power's sum is negative. Throws TensorError.
 * @example
 * lpPool1d(tensor([[3, 4, 0, 5]]), 2, 2); // → tensor([[5, 5]], shape [1, 2], float32, cpu)
 */
export const lpPool1d: PowerPool = over(1);
/**
 * {@link lpPool1d} of images [images, channels, height, width] or [channels, height, width].
 * @example
 * lpPool2d(ones([1, 1, 2, 2]), 2, 2).item(); // → 2
 */
export const lpPool2d: PowerPool = over(2);
/**
 * {@link lpPool1d} of volumes [images, channels, depth, height, width] or [channels, depth, height, width].
 * @example
 * lpPool3d(ones([1, 1, 1, 2, 2]), 2, [1, 2, 2]).item(); // → 2
 */
export const lpPool3d: PowerPool = over(3);
