// Functions of whole rows as methods and functions: softmax, layer and RMS normalisation, and dropout.
import { apply, applyAll } from "../ops/core/apply.ts";
import { isShortColumn } from "../ops/rows/softmax.ts";
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import type { FloatOf } from "../memory/promotion.ts";
import { checkedAxis, formatShape } from "../memory/shape.ts";
import { atLeast, axis, define, flag, install, number, oneOf, orNull, tensor, type FunctionOf } from "./arguments.ts";
import { drawOf, randomSource, type RandomSource } from "./generator.ts";
import { Tensor } from "./tensor.ts";

/** `axis`: the last when left out; negative ones count from the end. */
export interface SoftmaxOptions {
  readonly axis?: number;
  readonly dim?: number;
}
/** `dtype`: what the elements become first, and the dtype of the result. */
export interface ConvertingSoftmaxOptions<E extends DType = DType> extends SoftmaxOptions {
  readonly dtype?: E;
}
/**
 * `eps` is added to the variance; `axes`: how many of the last axes are normalised together (those of the weight, else
 * 1).
 */
export interface NormalizationOptions {
  readonly eps?: number;
  readonly axes?: number;
}
/**
 * `seed` or `generator`: what draws the mask, the same on every device, see {@link RandomSource}. `training: false`:
 * nothing is dropped.
 */
export interface DropoutOptions extends RandomSource {
  readonly p?: number;
  readonly training?: boolean;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * e^x / Σe^x along an axis, the last when left out: positive numbers whose sum is 1, without overflow. A slice of
     * −∞ alone gives NaN. With `dtype` the elements become that first. Throws TensorError for an axis that is not
     * there.
     * @example
     * tensor([[1, 2, 3], [1, 1, 1]]).softmax();
     * // → tensor([[0.090031, 0.244728, 0.665241], [0.333333, 0.333333, 0.333333]], shape [2, 3], float32, cpu)
     */
    softmax<E extends DType = FloatOf<D>>(
      axis?: number | ConvertingSoftmaxOptions<E>,
      options?: ConvertingSoftmaxOptions<E>,
    ): Tensor<E>;
    /**
     * log(softmax(x)) along an axis, the last when left out. Throws TensorError for an axis that is not there.
     * @example
     * tensor([1, 2, 3]).logSoftmax(); // → tensor([-2.407610, -1.407610, -0.407606], shape [3], float32, cpu)
     */
    logSoftmax<E extends DType = FloatOf<D>>(
      axis?: number | ConvertingSoftmaxOptions<E>,
      options?: ConvertingSoftmaxOptions<E>,
    ): Tensor<E>;
    /**
     * Each element 0 with probability `p`, 0.5 when left out, and the others divided by 1 − p. The same seed gives the
     * same elements on every device. Throws TensorError for a number that is not a probability.
     * @example
     * const y = ones([1000]).dropout({ p: 0.5, seed: 1 });
     * y.unique().values; // → tensor([0, 2], shape [2], float32, cpu)
     */
    dropout(p?: number | DropoutOptions, options?: DropoutOptions): Tensor<FloatOf<D>>;
  }
}

function alongAxis(name: "softmax" | "logSoftmax", x: Tensor, axis = -1): Tensor {
  const rank = x.shape.length;
  if (rank === 0) {
    using line = x.reshape([1]);
    using found = alongAxis(name, line, checkedAxis(axis, 1));
    return found.reshape([]);
  }
  const at = checkedAxis(axis, rank);
  if (at === rank - 1) return apply(name, [x], {}) as Tensor;
  if (isShortColumn(x, at)) return apply(name, [x], { axis: at }) as Tensor;
  // There and back: swapping two axes undoes itself.
  const order = x.shape.map((_, index) => (index === at ? rank - 1 : index === rank - 1 ? at : index));
  using turned = x.transpose(order);
  using found = apply(name, [turned], {}) as Tensor;
  return found.transpose(order);
}

type Rows = <D extends DType, E extends DType = FloatOf<D>>(
  x: Tensor<D>,
  axis?: number | ConvertingSoftmaxOptions<E>,
  options?: ConvertingSoftmaxOptions<E>,
) => Tensor<E>;
const floatDType = oneOf("float32", "float64", "float16", "bfloat16");
const rows = (name: "softmax" | "logSoftmax"): Rows =>
  define(name, { options: { axis, dtype: floatDType }, bare: ["axis"] }, (x, { axis, dtype }) =>
    alongAxis(name, dtype === undefined ? x : x.to(dtype), axis),
  );

/** {@link Tensor.softmax} as a function. */
export const softmax: Rows = rows("softmax");
/** {@link Tensor.logSoftmax} as a function. */
export const logSoftmax: Rows = rows("logSoftmax");

const options = { eps: atLeast(0), axes: number };

function norm(
  name: "layerNorm" | "rmsNorm",
  x: Tensor,
  weight: Tensor | null,
  bias: Tensor | null,
  { eps = 1e-5, axes }: NormalizationOptions,
): Tensor {
  const count = axes ?? weight?.shape.length ?? bias?.shape.length ?? 1;
  if (!Number.isInteger(count) || count < 1 || count > x.shape.length)
    throw new TensorError(
      "AXES",
      `${name} of a tensor of shape ${formatShape(x.shape)} normalises over its last 1 to ${x.shape.length} axes but got ${count}.`,
    );
  const parameters = [weight, bias].filter((each) => each !== null);
  const attributes = { eps, axes: count, hasWeight: weight !== null, hasBias: bias !== null };
  return applyAll(name, [x, ...parameters], attributes)[0] as Tensor;
}

/**
 * Layer normalisation: (x − mean)/√(variance + eps) over the last axes, times `weight`, plus `bias`, which have the
 * shape of those axes; the last axis and eps 1e-5 when left out. Statistics are kept in float32 at least. Throws
 * TensorError for shapes that do not fit.
 * @example
 * layerNorm(tensor([[1, 2, 3]])); // → tensor([[-1.22474, 0.00000, 1.22474]], shape [1, 3], float32, cpu)
 */
export const layerNorm: <D extends DType>(
  x: Tensor<D>,
  weight?: Tensor | null,
  bias?: Tensor | null,
  options?: NormalizationOptions,
) => Tensor<FloatOf<D>> = define(
  "layerNorm",
  { options: { weight: orNull(tensor), bias: orNull(tensor), ...options }, bare: ["weight", "bias"] },
  (x, { weight = null, bias = null, ...given }) => norm("layerNorm", x, weight, bias, given),
);

/**
 * Normalisation by the root of the mean square: x/√(mean(x²) + eps) over the last axes, times `weight`, which has the
 * shape of those axes; the last axis and eps 1e-5 when left out. Throws TensorError for shapes that do not fit.
 * @example
 * rmsNorm(tensor([[3, 4]])); // → tensor([[0.848528, 1.131370]], shape [1, 2], float32, cpu)
 */
export const rmsNorm: <D extends DType>(
  x: Tensor<D>,
  weight?: Tensor | null,
  options?: NormalizationOptions,
) => Tensor<FloatOf<D>> = define(
  "rmsNorm",
  { options: { weight: orNull(tensor), ...options }, bare: ["weight"] },
  (x, { weight = null, ...given }) => norm("rmsNorm", x, weight, null, given),
);

/** {@link Tensor.dropout} as a function. */
export const dropout: FunctionOf<"dropout"> = define(
  "dropout",
  { options: { p: number, training: flag, ...randomSource }, bare: ["p"] },
  (x, { p = 0.5, training = true, ...source }) => {
    if (p < 0 || p > 1) throw new TensorError("VALUE", `dropout takes a probability from 0 to 1 but got ${p}.`);
    if (!training || p === 0) return x.reshape(x.shape);
    return apply("dropout", [x], { p, ...drawOf(source) });
  },
);

install(Tensor.prototype, { softmax, logSoftmax, dropout });
