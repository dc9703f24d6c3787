// The smallest and the largest element at once.
import type { DType } from "../memory/dtype.ts";
import { define, install, type FunctionOf } from "./arguments.ts";
import { bareReduction, reduceOptions, type Axes, type ReduceOptions } from "./reductions.ts";
import { Tensor } from "./tensor.ts";

/** What {@link Tensor.aminmax} gives. */
export interface Extremes<D extends DType = DType> {
  readonly min: Tensor<D>;
  readonly max: Tensor<D>;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * The smallest and the largest element, over all axes or those named, as {@link Tensor.min} and {@link Tensor.max}.
     * @example
     * tensor([[1, 5], [7, 2]]).aminmax(1);
     * // → {
     * //   min: tensor([1, 2], shape [2], float32, cpu),
     * //   max: tensor([5, 7], shape [2], float32, cpu)
     * // }
     */
    aminmax(axis?: Axes | ReduceOptions, keepdims?: boolean): Extremes<D>;
  }
}

/** {@link Tensor.aminmax} as a function. */
export const aminmax: FunctionOf<"aminmax"> = define(
  "aminmax",
  { options: reduceOptions, bare: bareReduction },
  (x, given) => ({ min: x.min(given), max: x.max(given) }),
);

install(Tensor.prototype, { aminmax });
