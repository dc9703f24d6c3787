// Losses that are negative logarithms of likelihoods, and the divergence of two distributions.
import { TensorError } from "../errors.ts";
import { broadcast, formatShape } from "../memory/shape.ts";
import { flag, free, number, oneOf, tensor } from "./arguments.ts";
import { xlogy } from "./functions.ts";
import { reduced, reduction } from "./loss-reduction.ts";
import type { LossOptions } from "./losses.ts";
import type { Tensor } from "./tensor.ts";

/** `logTarget`: the target is logarithms, too. "batchmean": the sum over the size of axis 0. */
export interface DivergenceOptions {
  readonly reduction?: "mean" | "sum" | "none" | "batchmean";
  readonly logTarget?: boolean;
}
/** `weight` multiplies the losses; it broadcasts. */
export interface BinaryCrossEntropyOptions extends LossOptions {
  readonly weight?: Tensor;
}
/**
 * `logInput`: the input is the logarithm of the rate, true when left out. `full`: with Stirling's log target! above 1.
 * `eps` is added to a rate whose logarithm is taken, 1e-8 when left out.
 */
export interface PoissonOptions extends LossOptions {
  readonly logInput?: boolean;
  readonly full?: boolean;
  readonly eps?: number;
}
/** `full`: with ½ log 2π. `eps`: the least variance, 1e-6 when left out. */
export interface GaussianOptions extends LossOptions {
  readonly full?: boolean;
  readonly eps?: number;
}

/**
 * The Kullback–Leibler divergence from logarithms of probabilities: target · (log target − input). Its mean, or by
 * `reduction` the sum, each, or "batchmean", see {@link DivergenceOptions}. Throws TensorError for shapes that do not
 * broadcast.
 * @example
 * klDiv(tensor([0.5, 0.5]).log(), tensor([0.25, 0.75]), { reduction: "sum" });
 * // → tensor(0.130812, shape [], float32, cpu)
 */
export const klDiv: (input: Tensor, target: Tensor, options?: DivergenceOptions) => Tensor = free(
  "klDiv",
  {
    required: { input: tensor, target: tensor },
    options: { reduction: oneOf("mean", "sum", "none", "batchmean"), logTarget: flag },
  },
  ({ input, target, reduction: by = "mean", logTarget = false }) => {
    const losses = logTarget ? target.exp().mul(target.sub(input)) : xlogy(target, target).sub(target.mul(input));
    return by === "batchmean" ? losses.sum().div(losses.shape[0] ?? 1) : reduced(losses, by);
  },
);

/** log x, at least −100; at 0 it goes on steeply, so that a certain mistake has a gradient. */
function boundedLog(x: Tensor): Tensor {
  const isPositive = x.gt(0);
  return x.where(isPositive, 1).log().maximum(-100).where(isPositive, x.mul(1e12).sub(100));
}

/**
 * The cross entropy of two classes, from probabilities: −target · log(input) − (1 − target) · log(1 − input), of one
 * shape, each logarithm at least −100. Its mean, or by `reduction` the sum, or each. Throws TensorError for shapes that
 * differ.
 * @example
 * binaryCrossEntropy(tensor([0.9, 0.2]), tensor([1, 0])); // → tensor(0.164252, shape [], float32, cpu)
 */
export const binaryCrossEntropy: (input: Tensor, target: Tensor, options?: BinaryCrossEntropyOptions) => Tensor = free(
  "binaryCrossEntropy",
  { required: { input: tensor, target: tensor }, options: { reduction, weight: tensor } },
  ({ input, target, reduction: by, weight }) => {
    if (formatShape(input.shape) !== formatShape(target.shape))
      throw new TensorError(
        "SHAPE",
        `binaryCrossEntropy takes an input and a target of one shape but got ${formatShape(input.shape)} and ${formatShape(target.shape)}.`,
      );
    const wanted = target.to(input.dtype);
    const rest = wanted.neg().add(1);
    const losses = wanted
      .mul(boundedLog(input))
      .add(rest.mul(boundedLog(input.neg().add(1))))
      .neg();
    return reduced(weight === undefined ? losses : losses.mul(weight), by);
  },
);

/**
 * e^input − target · input of counts, see {@link PoissonOptions}: their mean, sum, or each. Throws TensorError.
 * @example
 * poissonNllLoss(tensor([0, 1]), tensor([1, 2])); // → tensor(0.859141, shape [], float32, cpu)
 */
export const poissonNllLoss: (input: Tensor, target: Tensor, options?: PoissonOptions) => Tensor = free(
  "poissonNllLoss",
  {
    required: { input: tensor, target: tensor },
    options: { reduction, logInput: flag, full: flag, eps: number },
  },
  ({ input, target, reduction: by, logInput = true, full = false, eps = 1e-8 }) => {
    const losses = logInput ? input.exp().sub(target.mul(input)) : input.sub(target.mul(input.add(eps).log()));
    if (!full) return reduced(losses, by);
    const above = target.gt(1);
    const safe = target.where(above, 1);
    const stirling = xlogy(safe, safe)
      .sub(safe)
      .add(
        safe
          .mul(2 * Math.PI)
          .log()
          .mul(0.5),
      );
    return reduced(losses.add(stirling.where(above, 0)), by);
  },
);

/**
 * ½ (log variance + (input − target)² / variance), whose variance may have size 1 or no last axis, see
 * {@link GaussianOptions}: their mean, sum, or each. Throws TensorError.
 * @example
 * gaussianNllLoss(tensor([1, 2]), tensor([1, 4]), tensor([1, 1])); // → tensor(1, shape [], float32, cpu)
 */
export const gaussianNllLoss: (input: Tensor, target: Tensor, variance: Tensor, options?: GaussianOptions) => Tensor =
  free(
    "gaussianNllLoss",
    {
      required: { input: tensor, target: tensor, variance: tensor },
      options: { reduction, full: flag, eps: number },
    },
    ({ input, target, variance, reduction: by, full = false, eps = 1e-6 }) => {
      const isWhole = variance.shape.length === input.shape.length;
      const spread = (isWhole ? variance : variance.unsqueeze(-1)).maximum(eps);
      const shape = broadcast(input.shape, target.shape);
      if (formatShape(broadcast(shape, spread.shape)) !== formatShape(shape))
        throw new TensorError(
          "SHAPE",
          `gaussianNllLoss of shape ${formatShape(shape)} takes a variance that broadcasts to it but got ${formatShape(variance.shape)}.`,
        );
      const losses = spread.log().add(input.sub(target).square().div(spread)).mul(0.5);
      return reduced(full ? losses.add(0.5 * Math.log(2 * Math.PI)) : losses, by);
    },
  );
