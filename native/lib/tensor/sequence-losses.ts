// The loss of sequences whose labels stand in order at places that nobody knows: speech, handwriting.
import { TensorError } from "../errors.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { applyAll } from "../ops/core/apply.ts";
import { sameShape } from "../ops/kernels/map.ts";
import { define, either, flag, tensor as tensorKind, wholeNumber, wholeNumbers } from "./arguments.ts";
import { full, tensor } from "./create.ts";
import { reduced, reductionOption, type LossOptions } from "./losses.ts";
import type { Tensor } from "./tensor.ts";

/**
 * `inputLengths`, `targetLengths`: the steps and the labels of each sequence, all when left out. `blank`: the class that
 * stands for no label, 0 when left out. `zeroInfinity`: sequences that are too short for their labels have a loss and a
 * gradient of 0, instead of infinity and NaN.
 */
export interface CtcOptions extends LossOptions {
  readonly inputLengths?: Tensor | readonly number[];
  readonly targetLengths?: Tensor | readonly number[];
  readonly blank?: number;
  readonly zeroInfinity?: boolean;
}

const lengths = either(tensorKind, wholeNumbers);
const isInteger = ({ dtype }: Tensor) => factsOf(dtype).kind !== "float" && dtype !== "bool";

/**
 * −log of the probability that sequences say their labels, over all ways to place them (Graves et al., 2006): each
 * label once or several times in a row, with blanks before, between and behind them, and always between two that are
 * the same. Takes logarithms of probabilities [T, N, C], as `logSoftmax` gives them, or [T, C], and labels [N, S], or
 * [S], of which those behind `targetLengths` are not looked at; float32 at least. The mean is that of each loss over its
 * number of labels. Throws TensorError, at the next wait also for a label that is no class or is the blank, and for a
 * length that is none.
 * @example
 * const logits = tensor([[[0, 2, 0]], [[2, 0, 0]], [[0, 0, 2]]]); // 3 steps, 1 sequence, 3 classes
 * ctcLoss(logits.logSoftmax(2), tensor([[1, 2]], { dtype: "int64" }), { reduction: "sum" });
 * // → tensor(0.450669, shape [], float32, cpu)
 */
export const ctcLoss: <D extends DType>(
  logProbabilities: Tensor<D>,
  targets: Tensor,
  options?: CtcOptions,
) => Tensor<D extends "float64" ? D : "float32"> = define(
  "ctcLoss",
  {
    required: { targets: tensorKind },
    options: {
      ...reductionOption,
      inputLengths: lengths,
      targetLengths: lengths,
      blank: wholeNumber,
      zeroInfinity: flag,
    },
  },
  (given, { targets: labels, reduction = "mean", inputLengths, targetLengths, blank = 0, zeroInfinity = false }) => {
    const isOne = given.shape.length === 2;
    const logs = isOne ? given.reshape([given.shape[0]!, 1, given.shape[1]!]) : given;
    const targets = isOne && labels.shape.length === 1 ? labels.reshape([1, labels.shape[0]!]) : labels;
    const [steps, batch, classes] = logs.shape;
    if (logs.shape.length !== 3 || targets.shape.length !== 2 || targets.shape[0] !== batch)
      throw new TensorError(
        "SHAPE",
        `ctcLoss takes logarithms of probabilities [T, N, C] and targets [N, S], or [T, C] and [S], but got ${formatShape(given.shape)} and ${formatShape(labels.shape)}.`,
      );
    if (!isInteger(targets))
      throw new TensorError("DTYPE", `ctcLoss takes integer class numbers as targets but got ${targets.dtype}.`);
    if (blank < 0 || blank >= classes!)
      throw new TensorError("VALUE", `ctcLoss of ${classes} classes takes one of them as blank but got ${blank}.`);
    const { device } = logs;
    const counted = (name: string, of: Tensor | readonly number[] | undefined, all: number): Tensor => {
      if (of === undefined) return full([batch!], all, { dtype: "int64", device });
      const found = Array.isArray(of) ? tensor([...of], { dtype: "int64", device }) : (of as Tensor);
      if (!isInteger(found) || !sameShape(found.shape, [batch!]))
        throw new TensorError(
          "SHAPE",
          `ctcLoss takes ${name} as integers of shape [${batch}] but got ${found.dtype} of shape ${formatShape(found.shape)}.`,
        );
      return found.to("int64").contiguous() as Tensor;
    };
    const inputs = [
      logs.to(logs.dtype === "float64" ? "float64" : "float32"),
      targets.to("int64").contiguous(),
      counted("inputLengths", inputLengths, steps!),
      counted("targetLengths", targetLengths, targets.shape[1]!),
    ] as const;
    const all = applyAll("ctcLoss", inputs as never, { blank, zeroInfinity })[0] as Tensor;
    const losses = (zeroInfinity ? all.where(all.ne(Infinity), 0) : all) as Tensor;
    const found = reduction === "mean" ? losses.div(inputs[3].clamp({ min: 1 }).to(losses.dtype)) : losses;
    const result = reduced(found as Tensor, reduction, () => batch!);
    return isOne && reduction === "none" ? result.reshape([]) : result;
  },
);
