// The loss of sequences whose labels stand in order, but nobody knows where, as rows of the table: a loss for each, and
// its gradient, each in one launch.
import { DeviceArray } from "../../memory/array.ts";
import type { DType } from "../../memory/dtype.ts";
import { GradientError, TensorError } from "../../errors.ts";
import { call } from "../core/calls.ts";
import type { Computation } from "../core/operation.ts";
import { watched } from "../core/outside.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { threadsOf } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily, type ParameterKind } from "../kernels/library.ts";
import { contiguous, fill } from "../shape/copy.ts";

const dtypes: readonly DType[] = ["float32", "float64"];
const sizes: readonly ParameterKind[] = ["i64", "i64", "i64", "i64", "i64"];
const read = (count: number): readonly ParameterKind[] => Array<ParameterKind>(count).fill("place");
const kernels = {
  losses: new KernelFamily("ctc", dtypes, (type) => `ctc_loss<${type}>`, [...read(4), "out", "out", ...sizes, "at"]),
  slopes: new KernelFamily("ctc", dtypes, (type) => `ctc_slopes<${type}>`, [
    ...read(7),
    "out",
    "out",
    "out",
    "out",
    ...sizes,
    "i32",
  ]),
};
const facts = kernelFacts("ctc", { threads: "kCtcThreads" });

/** `blank`: the label that stands for none. `zeroInfinity`: what no way leads to has a loss, and a gradient, of 0. */
export interface CtcAttributes {
  readonly blank: number;
  readonly zeroInfinity: boolean;
}

type Sequences = [logs: DeviceArray, targets: DeviceArray, lengths: DeviceArray, counts: DeviceArray];

/** Steps, batch, classes, labels. */
const sizesOf = ([logs, targets]: Readonly<Sequences>) => [...logs.shape, targets.shape[1]!] as const;

/**
 * Inputs logarithms of probabilities [T, N, C], labels [N, S], how many steps and how many labels each sequence has
 * [N] (all int64, without gaps); outputs losses [N], and for each step and place the logarithm of the probability of
 * all ways there.
 */
const ctcLoss: Computation<Sequences, CtcAttributes> = {
  inPlace: false,
  infer(inputs) {
    const [steps, batch, , width] = sizesOf(inputs) as [number, number, number, number];
    const { dtype } = inputs[0];
    return [
      { shape: [batch], dtype },
      { shape: [batch, steps, 2 * width + 1], dtype },
    ];
  },
  run([losses, ways], inputs, { blank }, on) {
    const [steps, batch, classes, width] = sizesOf(inputs) as [number, number, number, number];
    const [logs, targets, lengths, counts] = inputs;
    if (batch === 0) return;
    const oddOne = (odd: bigint) =>
      new TensorError(
        "INDEX",
        odd & 1n
          ? `ctcLoss of ${steps} steps and up to ${width} labels takes lengths within those, but there is ${odd >> 1n}.`
          : `ctcLoss of ${classes} classes takes targets from 0 to ${classes - 1} other than the blank, ${blank}, but there is ${odd >> 1n}.`,
      );
    using input = contiguous(on, logs);
    watched(on, oddOne, (odd) =>
      kernels.losses.launch(on, logs.dtype, { grid: batch, block: threadsOf(on.device, facts().threads) }, [
        ...[input, targets, lengths, counts, losses!, ways!],
        ...[steps, batch, classes, width, blank],
        odd,
      ]),
    );
  },
  gradient: ([g, other], { inputs, outputs: [losses, ways], attributes }) => {
    if (other !== null) throw new TensorError("OPERANDS", "Of ctcLoss only the losses have a gradient.");
    return [call("ctcLossGradient", [g!, ...inputs, losses!, ways!], attributes), null, null, null];
  },
  cost: (inputs, outputs) => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs),
    flops: 20 * outputs[1]!.size,
  }),
};

/** Inputs the gradients of the losses, and what {@link ctcLoss} had and made. */
const ctcLossGradient: Computation<
  [g: DeviceArray, ...sequences: Sequences, losses: DeviceArray, ways: DeviceArray],
  CtcAttributes
> = {
  inPlace: false,
  infer: ([, { shape, dtype }]) => [{ shape, dtype }],
  run([out], [g, logs, targets, lengths, counts, losses, ways], { blank, zeroInfinity }, on) {
    const { dtype } = logs;
    const [steps, batch, classes, width] = sizesOf([logs, targets, lengths, counts]) as [
      number,
      number,
      number,
      number,
    ];
    fill(on, out!, 0);
    const places = 2 * width + 1;
    using input = contiguous(on, logs);
    using above = contiguous(on, g);
    using rest = DeviceArray.allocate(on.device, dtype, [batch, 2, places]);
    using shares = DeviceArray.allocate(on.device, dtype, [batch, places]);
    using next = DeviceArray.allocate(on.device, "int64", [batch, Math.max(1, width)]);
    kernels.slopes.launch(on, dtype, { grid: batch, block: threadsOf(on.device, facts().threads) }, [
      ...[above, input, targets, lengths, counts, losses, ways],
      ...[rest, shares, next, out!],
      ...[steps, batch, classes, width, blank],
      Number(zeroInfinity),
    ]);
  },
  gradient: () => {
    throw new GradientError(
      "NO_GRADIENT",
      "ctcLoss has no gradient of its gradient: write its sums over ways with logsumexp where you need one.",
    );
  },
  cost: (inputs, outputs) => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs),
    flops: 30 * inputs[6].size,
  }),
};

export const ctcRows = { ctcLoss, ctcLossGradient } as const;
