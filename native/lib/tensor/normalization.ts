// Functions of whole rows as methods and functions: softmax, layer and RMS normalisation, dropout, and losses.
import { apply, applyAll } from "../ops/apply.ts";
import { TensorError } from "../errors.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { checkedAxis, formatShape } from "../memory/shape.ts";
import { sameShape } from "../ops/map.ts";
import { worded } from "../wording.ts";
import { stateOf } from "./random.ts";
import { Tensor } from "./tensor.ts";

export interface SoftmaxOptions { readonly axis?: number; }
/** `eps` is added to the variance; `axes`: how many of the last axes are normalised together (those of the weight, else 1). */
export interface NormalizationOptions { readonly eps?: number; readonly axes?: number; }
/** The same seed gives the same mask on every device. Without one the generator of `seed` goes on. `training: false`: nothing is dropped. */
export interface DropoutOptions { readonly seed?: number | bigint; readonly training?: boolean; }
export type Reduction = "mean" | "sum" | "none";
/** `ignoreIndex`: rows with that target count for nothing. `labelSmoothing`: the part of a target that is spread over all classes, from 0 to 1. */
export interface CrossEntropyOptions { readonly reduction?: Reduction; readonly ignoreIndex?: number; readonly labelSmoothing?: number; }

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
export function softmax(x: Tensor, options: SoftmaxOptions = {}): Tensor { return alongAxis("softmax", x, options); }
/** log(softmax(x)) along an axis, the last when left out. Throws TensorError for an axis that is not there. */
export function logSoftmax(x: Tensor, options: SoftmaxOptions = {}): Tensor { return alongAxis("logSoftmax", x, options); }

function norm(name: "layerNorm" | "rmsNorm", x: Tensor, weight: Tensor | null, bias: Tensor | null, { eps = 1e-5, axes }: NormalizationOptions): Tensor {
  const count = axes ?? weight?.shape.length ?? bias?.shape.length ?? 1;
  if (!Number.isInteger(count) || count < 1 || count > x.shape.length) throw new TensorError("AXES", `${name} of a tensor of shape ${formatShape(x.shape)} normalises over its last 1 to ${x.shape.length} axes but got ${worded(count)}.`);
  if (!(eps >= 0)) throw new TensorError("VALUE", `The eps of ${name} is a number of at least 0 but got ${worded(eps)}.`);
  const parameters = [weight, bias].filter((each) => each !== null);
  return applyAll(name, [x, ...parameters], { eps, axes: count, hasWeight: weight !== null, hasBias: bias !== null })[0] as Tensor;
}

/** (x − mean)/√(variance + eps) over the last axes, times `weight`, plus `bias`, which have the shape of those axes. Statistics are kept in float32 at least. Throws TensorError. */
export function layerNorm(x: Tensor, weight: Tensor | null = null, bias: Tensor | null = null, options: NormalizationOptions = {}): Tensor { return norm("layerNorm", x, weight, bias, options); }
/** x/√(mean(x²) + eps) over the last axes, times `weight`, which has the shape of those axes. Throws TensorError. */
export function rmsNorm(x: Tensor, weight: Tensor | null = null, options: NormalizationOptions = {}): Tensor { return norm("rmsNorm", x, weight, null, options); }

/** Each element 0 with probability `p`, the others divided by 1 − p. Throws TensorError. */
export function dropout(x: Tensor, p = 0.5, { seed, training = true }: DropoutOptions = {}): Tensor {
  if (!(p >= 0 && p <= 1)) throw new TensorError("VALUE", `dropout takes a probability from 0 to 1 but got ${worded(p)}.`);
  if (!training || p === 0) return x.reshape(x.shape);
  return apply("dropout", [x], { p, ...stateOf(seed === undefined ? {} : { seed }) }) as Tensor;
}

function reduced(losses: Tensor, reduction: Reduction, count: () => Tensor | number): Tensor {
  if (reduction === "none") return losses;
  if (reduction !== "sum" && reduction !== "mean") throw new TensorError("OPTIONS", `A loss is reduced by "mean", "sum" or "none" but got ${worded(reduction)}.`);
  const sum = losses.sum();
  return reduction === "sum" ? sum : sum.div(count() as number);
}

/**
 * −log softmax(logits)[target] of logits [N, C] and integer targets [N]; float32 at least. The mean is over the rows that are not ignored.
 * A target that is no class gives NaN. Throws TensorError.
 */
export function crossEntropy(logits: Tensor, targets: Tensor, { reduction = "mean", ignoreIndex = -100, labelSmoothing = 0 }: CrossEntropyOptions = {}): Tensor {
  if (logits.shape.length !== 2 || logits.shape[1] === 0 || targets.shape.length !== 1 || targets.shape[0] !== logits.shape[0]) {
    throw new TensorError("SHAPE", `crossEntropy takes logits of shape [N, C] and targets of shape [N] but got ${formatShape(logits.shape)} and ${formatShape(targets.shape)}.`);
  }
  if (factsOf(targets.dtype).kind === "float" || targets.dtype === "bool") throw new TensorError("DTYPE", `crossEntropy takes targets that are integers, the numbers of classes, but got ${targets.dtype}.`);
  if (!(labelSmoothing >= 0 && labelSmoothing <= 1)) throw new TensorError("VALUE", `labelSmoothing is a number from 0 to 1 but got ${worded(labelSmoothing)}.`);
  const classes = targets.to("int64");
  const [losses] = applyAll("crossEntropyRows", [logits, classes], { ignoreIndex, labelSmoothing });
  return reduced(losses as Tensor, reduction, () => classes.ne(ignoreIndex).sum().to(losses!.dtype));
}

/** (input − target)², of one shape: their mean, sum, or each. Throws TensorError. */
export function mse(input: Tensor, target: Tensor, { reduction = "mean" }: { readonly reduction?: Reduction } = {}): Tensor {
  if (!sameShape(input.shape, target.shape)) throw new TensorError("SHAPE", `mse takes tensors of one shape but got ${formatShape(input.shape)} and ${formatShape(target.shape)}.`);
  return reduced(input.sub(target).square(), reduction, () => input.size);
}

const methods = { softmax, logSoftmax, dropout };
for (const [name, method] of Object.entries(methods) as [string, (x: Tensor, ...args: never[]) => Tensor][]) {
  Object.defineProperty(Tensor.prototype, name, { value(this: Tensor, ...args: never[]) { return method(this, ...args); }, writable: true, configurable: true });
}
