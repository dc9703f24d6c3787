// Cross entropy of classes as rows of the table: a loss for each row of logits, and its gradient, each in one launch.
import { DeviceArray } from "../../memory/array.ts";
import { TensorError } from "../../errors.ts";
import { floatOf } from "../../memory/promotion.ts";
import { call } from "../core/calls.ts";
import { contiguous, withFlat } from "../shape/copy.ts";
import type { Computation, Facts } from "../core/operation.ts";
import { accumulatorOf } from "../reduce/reducers.ts";
import { crossEntropySlopes } from "./row-gradients.ts";
import { cost, floatDType, RowKernels, rowsOf } from "./row-lines.ts";

const kernels = {
  losses: new RowKernels(
    (type, line) => `cross_entropy<${type}, ${line}>`,
    ["place", "place", "out", "out", "i64", "i64", "i64", "f64"],
  ),
  gradient: new RowKernels(
    (type, line) => `cross_entropy_gradient<${type}, ${line}>`,
    ["place", "place", "place", "place", "out", "i64", "i64", "i64", "f64"],
  ),
} as const;

export interface CrossEntropyAttributes {
  readonly ignoreIndex: number;
  readonly labelSmoothing: number;
}

export const crossEntropyRows = {
  /** Inputs logits [N, C] and targets [N] (int64); outputs a loss per row and log Σe^x. */
  crossEntropyRows: {
    inPlace: false,
    infer([x]) {
      const input = x as DeviceArray;
      const facts: Facts = { shape: input.shape.slice(0, 1), dtype: accumulatorOf(floatDType("crossEntropy", input)) };
      return [facts, facts];
    },
    run([losses, logs], [x, targets], { ignoreIndex, labelSmoothing }, on) {
      const dtype = floatOf((x as DeviceArray).dtype);
      withFlat(on, x as DeviceArray, dtype, (input) =>
        withFlat(on, targets as DeviceArray, "int64", (classes) => {
          const { rows, length } = rowsOf(input);
          kernels.losses.launch(on, dtype, rows, length, [
            input,
            classes,
            losses!,
            logs!,
            rows,
            length,
            ignoreIndex,
            labelSmoothing,
          ]);
        }),
      );
    },
    gradient: ([g, other], { inputs: [x, targets], outputs: [, logs], attributes }) => {
      if (other !== null)
        throw new TensorError("OPERANDS", "The logarithms of crossEntropyRows have no gradient: use logsumexp().");
      return [call("crossEntropyGradient", [g!, x!, targets!, logs!], attributes), null];
    },
    cost: cost(14),
  } satisfies Computation<CrossEntropyAttributes> as Computation<CrossEntropyAttributes>,
  /** Inputs the gradients of the losses, logits, targets and log Σe^x. */
  crossEntropyGradient: {
    inPlace: false,
    infer: ([, x]) => [{ shape: (x as DeviceArray).shape, dtype: floatOf((x as DeviceArray).dtype) }],
    run([out], [g, x, targets, logs], { ignoreIndex, labelSmoothing }, on) {
      const { rows, length } = rowsOf(out!);
      using above = contiguous(on, g as DeviceArray);
      withFlat(on, x as DeviceArray, out!.dtype, (input) =>
        withFlat(on, targets as DeviceArray, "int64", (classes) => {
          kernels.gradient.launch(on, out!.dtype, rows, length, [
            above,
            input,
            classes,
            logs as DeviceArray,
            out!,
            rows,
            length,
            ignoreIndex,
            labelSmoothing,
          ]);
        }),
      );
    },
    gradient: ([h], { inputs, attributes }) => [
      ...crossEntropySlopes(h!, inputs as [DeviceArray, DeviceArray, DeviceArray, DeviceArray], attributes),
      null,
      // The logarithms are the logits', and in what theirs is.
      null,
    ],
    cost: cost(14),
  } satisfies Computation<CrossEntropyAttributes> as Computation<CrossEntropyAttributes>,
};
