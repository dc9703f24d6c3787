// Normalisation by neighbouring channels.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { floatOf, type FloatOf } from "../memory/promotion.ts";
import { formatShape } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import { define, number, wholeNumber } from "./arguments.ts";
import { avgPool2d } from "./pooling.ts";
import type { Tensor } from "./tensor.ts";

/** `alpha`: the factor of the mean of squares (1e-4); `beta`: the power (0.75); `k`: what is added before (1). */
export interface LocalResponseNormOptions {
  readonly alpha?: number;
  readonly beta?: number;
  readonly k?: number;
}

/**
 * Each element of [images, channels, …] divided by (k + alpha · mean)^beta, where the mean is that of the squares in
 * the `size` channels around its own, with zeros beside the first and last one (Krizhevsky et al., 2012), see {@link
 * LocalResponseNormOptions}. 16-bit floats are computed in float32. Throws TensorError.
 * @example
 * const x = tensor([[[3], [4]]]);
 * localResponseNorm(x, 1, { alpha: 1, beta: 0.5, k: 0 }); // → tensor([[[1], [1]]], shape [1, 2, 1], float32, cpu)
 */
export const localResponseNorm: <D extends DType>(
  x: Tensor<D>,
  size: number,
  alpha?: number | LocalResponseNormOptions,
  beta?: number | LocalResponseNormOptions,
  k?: number | LocalResponseNormOptions,
) => Tensor<FloatOf<D>> = define(
  "localResponseNorm",
  {
    required: { size: wholeNumber },
    options: { alpha: number, beta: number, k: number },
    bare: ["alpha", "beta", "k"],
  },
  (x, { size, alpha = 1e-4, beta = 0.75, k = 1 }) => {
    if (size < 1) throw new TensorError("VALUE", `localResponseNorm takes a size of at least 1 but got ${size}.`);
    if (x.shape.length < 3)
      throw new TensorError(
        "SHAPE",
        `localResponseNorm takes tensors of shape [images, channels, …], with at least 3 axes, but got ${formatShape(x.shape)}.`,
      );
    const dtype = floatOf(x.dtype);
    if (x.size === 0) return x.to(dtype);
    const floats = x.to(dtype === "float64" ? dtype : "float32");
    const [images, channels] = x.shape as [number, number];
    const below = Math.floor(size / 2);
    const squares = apply("padConstant", [floats.square().reshape([images, 1, channels, -1])], {
      before: [0, 0, below, 0],
      after: [0, 0, size - 1 - below, 0],
      value: 0,
    }) as Tensor;
    const means = avgPool2d(squares, [size, 1], { stride: 1 }).reshape(x.shape);
    return floats.div(means.mul(alpha).add(k).pow(beta)).to(dtype);
  },
);
