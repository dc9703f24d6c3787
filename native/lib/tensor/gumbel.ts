// Softmax of negated scores, and of scores with noise, which draws classes so that gradients flow.
import type { DType } from "../memory/dtype.ts";
import { floatOf, type FloatOf } from "../memory/promotion.ts";
import { checkedAxis } from "../memory/shape.ts";
import { axis, define, flag, number } from "./arguments.ts";
import { randomSource, type RandomSource } from "./generator.ts";
import { softmax, type SoftmaxOptions } from "./normalization.ts";
import { rand } from "./random.ts";
import { arange } from "./create.ts";
import type { Tensor } from "./tensor.ts";

/**
 * {@link Tensor.softmax} of −x along an axis, the last when left out.
 * @example
 * softmin(tensor([0, Math.log(3)])); // → tensor([0.75, 0.25], shape [2], float32, cpu)
 */
export const softmin: <D extends DType>(x: Tensor<D>, axis?: number | SoftmaxOptions) => Tensor<FloatOf<D>> = define(
  "softmin",
  { options: { axis }, bare: ["axis"] },
  (x, { axis: at = -1 }) => softmax(x.neg(), at),
);

/**
 * `tau`: the temperature, 1 when left out: near 0 results are nearly one-hot. `hard`: they are one-hot, and the gradient
 * is that of the soft ones. `seed` or `generator`: see {@link RandomSource}.
 */
export interface GumbelOptions extends SoftmaxOptions, RandomSource {
  readonly tau?: number;
  readonly hard?: boolean;
}

/**
 * Draws a class along an axis, the last when left out, in proportion to e^x, so that gradients flow: the softmax of (x
 * − log(−log u)) / tau for uniform u (Jang et al. 2017), see {@link GumbelOptions}.
 * @example
 * gumbelSoftmax(tensor([[0, 50]]), { hard: true }); // → tensor([[0, 1]], shape [1, 2], float32, cpu)
 */
export const gumbelSoftmax: <D extends DType>(x: Tensor<D>, options?: GumbelOptions) => Tensor<FloatOf<D>> = define(
  "gumbelSoftmax",
  { options: { tau: number, hard: flag, axis, ...randomSource }, bare: ["tau", "hard"] },
  (given, { tau = 1, hard = false, axis: named = -1, ...source }) => {
    const x = given.to(floatOf(given.dtype));
    const at = checkedAxis(named, x.shape.length);
    // The wider numbers: 1 − u of float32 has no more than 24 bits, and −log of it none beyond 17.
    const waits = rand(x.shape, { ...source, dtype: "float64", device: x.device })
      .neg()
      .log1p()
      .neg();
    const soft = softmax(x.sub(waits.log().to(x.dtype)).div(tau), at);
    if (!hard) return soft;
    const shape = x.shape.map((size, each) => (each === at ? size : 1));
    const places = arange(x.shape[at]!, { dtype: "int64", device: x.device }).reshape(shape);
    const chosen = soft.detach().argmax({ axis: at, keepdims: true }).eq(places).to(x.dtype);
    // The value of the one, the gradient of the other.
    return chosen.sub(soft.detach()).add(soft);
  },
);
