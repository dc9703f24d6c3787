// Losses of classes: of the numbers of classes, or of how likely each is.
import { TensorError } from "../errors.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import type { FloatOf } from "../memory/promotion.ts";
import { formatShape } from "../memory/shape.ts";
import { apply, applyAll } from "../ops/core/apply.ts";
import { sameShape } from "../ops/kernels/map.ts";
import { define, number, tensor, wholeNumber } from "./arguments.ts";
import { reduced, reductionOption, type LossOptions } from "./losses.ts";
import type { Tensor } from "./tensor.ts";

/**
 * `weight`: a number for each class. `ignoreIndex`: elements with that target count for nothing, −100 when left out.
 */
export interface NllOptions extends LossOptions {
  readonly weight?: Tensor;
  readonly ignoreIndex?: number;
}
/** `labelSmoothing`: the part of a target that is spread over all classes, from 0 to 1. */
export interface CrossEntropyOptions extends NllOptions {
  readonly labelSmoothing?: number;
}

const isFloat = ({ dtype }: Tensor) => factsOf(dtype).kind === "float";

export function checkedTargets(name: string, targets: Tensor): Tensor<"int64"> {
  if (isFloat(targets) || targets.dtype === "bool")
    throw new TensorError("DTYPE", `${name} takes integer class numbers as targets but got ${targets.dtype}.`);
  return targets.to("int64");
}

export function checkedWeight(name: string, weight: Tensor | undefined, count: number): void {
  if (weight !== undefined && !sameShape(weight.shape, [count]))
    throw new TensorError(
      "SHAPE",
      `${name} of ${count} classes takes a weight of shape [${count}] but got ${formatShape(weight.shape)}.`,
    );
}

/** −weight[target] · input[target] along axis 1, 0 where the target is ignored, and the sum of the weights that count. */
function classLosses(
  name: string,
  input: Tensor,
  classes: Tensor<"int64">,
  weight: Tensor | undefined,
  ignoreIndex: number,
): { losses: Tensor; total: () => Tensor } {
  const [rows, count, ...rest] = input.shape;
  const isCounted = classes.ne(ignoreIndex);
  const places = apply("classPlaces", [classes], { name, count: count!, ignoreIndex }) as Tensor;
  const chosen = (apply("takeAlong", [input, places.reshape([rows!, 1, ...rest])], { axis: 1 }) as Tensor)
    .reshape(classes.shape)
    .neg();
  const weights = weight === undefined ? null : (apply("takeAt", [weight, places], { lead: 1 }) as Tensor);
  const losses = (weights === null ? chosen : chosen.mul(weights)).where(isCounted, 0);
  return {
    losses,
    total: () => (weights === null ? isCounted.sum().to(losses.dtype) : weights.where(isCounted, 0).sum()),
  };
}

/**
 * −weight[target] · input[target] of logarithms of probabilities [N, C] or [N, C, …] and integer targets [N] or [N, …].
 * The mean is over the weights of the targets that are not ignored. Throws TensorError, at the
 * next wait also for a target that is no class.
 * @example
 * nllLoss(tensor([[2, 0], [0, 2]]).logSoftmax(), tensor([0, 1], { dtype: "int64" }));
 * // → tensor(0.126928, shape [], float32, cpu)
 */
export const nllLoss: <D extends DType>(input: Tensor<D>, targets: Tensor, options?: NllOptions) => Tensor<FloatOf<D>> =
  define(
    "nllLoss",
    { required: { targets: tensor }, options: { ...reductionOption, weight: tensor, ignoreIndex: wholeNumber } },
    (input, { targets, reduction = "mean", weight, ignoreIndex = -100 }) => {
      const [rows, count, ...rest] = input.shape;
      if (rows === undefined || count === undefined || count === 0 || !sameShape(targets.shape, [rows, ...rest]))
        throw new TensorError(
          "SHAPE",
          `nllLoss takes an input of shape [N, C, …] and targets of shape [N, …] but got ${formatShape(input.shape)} and ${formatShape(targets.shape)}.`,
        );
      checkedWeight("nllLoss", weight, count);
      const classes = checkedTargets("nllLoss", targets);
      const { losses, total } = classLosses("nllLoss", input, classes, weight, ignoreIndex);
      return reduced(losses, reduction, total);
    },
  );

/**
 * −log softmax(logits)[target] of logits [N, C], [N, C, …] or [C], and targets that are the numbers of classes, [N],
 * [N, …] or [], or of the logits' shape how likely each class is; float32 at least. The mean is over the weights of the
 * targets that are not ignored, of likelihoods over their number. Throws TensorError, at the
 * next wait also for a target that is no class.
 * @example
 * crossEntropy(tensor([[2, 0, 0], [0, 2, 0]]), tensor([0, 2], { dtype: "int64" }));
 * // → tensor(1.23954, shape [], float32, cpu)
 */
export const crossEntropy: <D extends DType>(
  logits: Tensor<D>,
  targets: Tensor,
  options?: CrossEntropyOptions,
) => Tensor<D extends "float64" ? D : "float32"> = define(
  "crossEntropy",
  {
    required: { targets: tensor },
    options: { ...reductionOption, weight: tensor, ignoreIndex: wholeNumber, labelSmoothing: number },
  },
  (logits, { targets, reduction = "mean", weight, ignoreIndex = -100, labelSmoothing = 0 }) => {
    if (labelSmoothing < 0 || labelSmoothing > 1)
      throw new TensorError("VALUE", `labelSmoothing must be a number from 0 to 1 but got ${labelSmoothing}.`);
    const at = logits.shape.length === 1 ? 0 : 1;
    const count = logits.shape[at] ?? 0;
    const others = logits.shape.filter((_, axis) => axis !== at);
    const isLikely = isFloat(targets) && sameShape(targets.shape, logits.shape);
    if (count === 0 || (!isLikely && !sameShape(targets.shape, others)))
      throw new TensorError(
        "SHAPE",
        `crossEntropy takes logits of shape [N, C, …] and targets of shape [N, …], or of the logits' own, but got ${formatShape(logits.shape)} and ${formatShape(targets.shape)}.`,
      );
    checkedWeight("crossEntropy", weight, count);
    // A row of classes for each target.
    const rows = (x: Tensor) => (x.shape.length === 2 ? x : x.moveAxis(at, -1).reshape([-1, count]));
    const flat = rows(logits);
    const size = flat.shape[0]!;
    const shaped = (losses: Tensor) => reduced(losses.reshape(others), reduction, () => size);
    if (isLikely) {
      const likely = rows(targets);
      const smooth = labelSmoothing === 0 ? likely : likely.mul(1 - labelSmoothing).add(labelSmoothing / count);
      const surprise = wide(flat).logSoftmax().mul(smooth);
      return shaped((weight === undefined ? surprise : surprise.mul(weight)).sum({ axis: -1 }).neg());
    }
    const classes = checkedTargets("crossEntropy", targets).reshape([-1]);
    const isCounted = () => classes.ne(ignoreIndex);
    if (weight === undefined) {
      const [losses] = applyAll("crossEntropyRows", [flat, classes], { ignoreIndex, labelSmoothing });
      if (reduction === "mean") return applyAll("crossEntropyMean", [losses!, classes], { ignoreIndex })[0] as Tensor;
      return reduced((losses as Tensor).reshape(others), reduction, () => size);
    }
    const logs = wide(flat).logSoftmax();
    const { losses: own, total } = classLosses("crossEntropy", logs, classes, weight, ignoreIndex);
    const spread = () => logs.mul(weight).sum({ axis: -1 }).neg().where(isCounted(), 0);
    const losses = labelSmoothing === 0 ? own : own.mul(1 - labelSmoothing).add(spread().mul(labelSmoothing / count));
    return reduced(losses.reshape(others), reduction, total);
  },
);

/** In float32 at least. */
const wide = (x: Tensor): Tensor => (x.dtype === "float64" ? x : x.to("float32"));
