// A leaky relu whose slopes are drawn.
import type { DType } from "../memory/dtype.ts";
import { floatOf, type FloatOf } from "../memory/promotion.ts";
import { TensorError } from "../errors.ts";
import { leakyRelu } from "./activations.ts";
import { define, finite, flag } from "./arguments.ts";
import { randomSource, type RandomSource } from "./generator.ts";
import { rand } from "./random.ts";
import type { Tensor } from "./tensor.ts";

/** Slopes from `lower`, 1/8, to `upper`, 1/3, drawn in `training`; else the middle, as when left out. */
export interface RreluOptions extends RandomSource {
  readonly lower?: number;
  readonly upper?: number;
  readonly training?: boolean;
}

/**
 * {@link Tensor.leakyRelu} with a slope of its own for each element, drawn uniformly, see {@link RreluOptions}: x where
 * it is ≥ 0, else slope · x. Throws TensorError for an upper slope below the lower one.
 * @example
 * rrelu(tensor([-2, 3]), { lower: 0.25, upper: 0.75 }); // → tensor([-1, 3], shape [2], float32, cpu)
 */
export const rrelu: <D extends DType>(x: Tensor<D>, options?: RreluOptions) => Tensor<FloatOf<D>> = define(
  "rrelu",
  { options: { lower: finite, upper: finite, training: flag, ...randomSource }, bare: ["lower", "upper", "training"] },
  (x, { lower = 1 / 8, upper = 1 / 3, training = false, ...source }) => {
    if (upper < lower)
      throw new TensorError("VALUE", `rrelu takes an upper slope of at least ${lower} but got ${upper}.`);
    if (!training) return leakyRelu(x, (lower + upper) / 2);
    const dtype = floatOf(x.dtype) as "float32";
    const slopes = rand(x.shape, { ...source, low: lower, high: upper, dtype, device: x.device });
    return x.where(x.ge(0), x.mul(slopes)).to(dtype);
  },
);
