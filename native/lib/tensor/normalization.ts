// Functions of whole rows as methods and functions: softmax, layer and RMS normalisation, and dropout.
import { apply, applyAll } from "../ops/apply.ts";
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { checkedAxis, formatShape } from "../memory/shape.ts";
import { worded } from "../wording.ts";
import { stateOf } from "./random.ts";
import { Tensor } from "./tensor.ts";

export interface SoftmaxOptions {
  readonly axis?: number;
}
/** `eps` is added to the variance; `axes`: how many of the last axes are normalised together (those of the weight, else 1). */
export interface NormalizationOptions {
  readonly eps?: number;
  readonly axes?: number;
}
/** The same seed gives the same mask on every device. Without one the generator of `seed` goes on. `training: false`: nothing is dropped. */
export interface DropoutOptions {
  readonly seed?: number | bigint;
  readonly training?: boolean;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /** e^x / Σe^x along an axis, the last when left out. A slice of −∞ alone gives NaN. */
    softmax(options?: SoftmaxOptions): Tensor;
    /** log(softmax(x)) along an axis, the last when left out. */
    logSoftmax(options?: SoftmaxOptions): Tensor;
    /** See {@link dropout}. */
    dropout(p?: number, options?: DropoutOptions): Tensor;
  }
}

function alongAxis(name: "softmax" | "logSoftmax", x: Tensor, { axis = -1 }: SoftmaxOptions): Tensor {
  const rank = x.shape.length;
  if (rank === 0) return alongAxis(name, x.reshape([1]), {}).reshape([]);
  const at = checkedAxis(axis, rank);
  if (at === rank - 1) return apply(name, [x], {}) as Tensor;
  // There and back: swapping two axes undoes itself.
  const order = x.shape.map((_, index) => (index === at ? rank - 1 : index === rank - 1 ? at : index));
  return (apply(name, [x.transpose(order)], {}) as Tensor).transpose(order);
}

/** e^x / Σe^x along an axis, the last when left out. Throws TensorError for an axis that is not there. */
export function softmax(x: Tensor, options: SoftmaxOptions = {}): Tensor {
  return alongAxis("softmax", x, options);
}
/** log(softmax(x)) along an axis, the last when left out. Throws TensorError for an axis that is not there. */
export function logSoftmax(x: Tensor, options: SoftmaxOptions = {}): Tensor {
  return alongAxis("logSoftmax", x, options);
}

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
      `${name} of a tensor of shape ${formatShape(x.shape)} normalises over its last 1 to ${x.shape.length} axes but got ${worded(count)}.`,
    );
  if (!(eps >= 0))
    throw new TensorError("VALUE", `The eps of ${name} is a number of at least 0 but got ${worded(eps)}.`);
  const parameters = [weight, bias].filter((each) => each !== null);
  return applyAll(name, [x, ...parameters], {
    eps,
    axes: count,
    hasWeight: weight !== null,
    hasBias: bias !== null,
  })[0] as Tensor;
}

/** (x − mean)/√(variance + eps) over the last axes, times `weight`, plus `bias`, which have the shape of those axes. Statistics are kept in float32 at least. Throws TensorError. */
export function layerNorm(
  x: Tensor,
  weight: Tensor | null = null,
  bias: Tensor | null = null,
  options: NormalizationOptions = {},
): Tensor {
  return norm("layerNorm", x, weight, bias, options);
}
/** x/√(mean(x²) + eps) over the last axes, times `weight`, which has the shape of those axes. Throws TensorError. */
export function rmsNorm(x: Tensor, weight: Tensor | null = null, options: NormalizationOptions = {}): Tensor {
  return norm("rmsNorm", x, weight, null, options);
}

/** Each element 0 with probability `p`, the others divided by 1 − p. Throws TensorError. */
export function dropout(x: Tensor, p = 0.5, { seed, training = true }: DropoutOptions = {}): Tensor {
  if (!(p >= 0 && p <= 1))
    throw new TensorError("VALUE", `dropout takes a probability from 0 to 1 but got ${worded(p)}.`);
  if (!training || p === 0) return x.reshape(x.shape);
  return apply("dropout", [x], { p, ...stateOf(seed === undefined ? {} : { seed }) }) as Tensor;
}

const methods = { softmax, logSoftmax, dropout };
for (const [name, method] of Object.entries(methods) as [string, (x: Tensor, ...args: never[]) => Tensor][]) {
  Object.defineProperty(Tensor.prototype, name, {
    value(this: Tensor, ...args: never[]) {
      return method(this, ...args);
    },
    writable: true,
    configurable: true,
  });
}
