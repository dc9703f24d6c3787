// Cross entropy of classes as rows of the table: a loss for each row of logits, and its gradient, each in one launch.
import { DeviceArray } from "../../memory/array.ts";
import { TensorError } from "../../errors.ts";
import type { DType } from "../../memory/dtype.ts";
import { floatOf } from "../../memory/promotion.ts";
import { call } from "../core/calls.ts";
import { contiguous, fill, withFlat } from "../shape/copy.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { blocksFor, threadsOf } from "../kernels/blocks.ts";
import { KernelFamily } from "../kernels/library.ts";
import type { Computation, Facts } from "../core/operation.ts";
import { watched } from "../core/outside.ts";
import { div } from "../core/terms.ts";
import { accumulatorOf } from "../reduce/reducers.ts";
import { rowParts } from "../reduce/reduce-plans.ts";
import { crossEntropySlopes } from "./row-gradients.ts";
import { cost, floatDType, RowKernels, rowsOf } from "./row-lines.ts";

const kernels = {
  losses: new RowKernels(
    (type, line) => `cross_entropy<${type}, ${line}>`,
    ["place", "place", "out", "out", "i64", "i64", "i64", "f64", "at"],
  ),
  gradient: new RowKernels(
    (type, line) => `cross_entropy_gradient<${type}, ${line}>`,
    ["place", "place", "place", "place", "out", "i64", "i64", "i64", "f64"],
  ),
} as const;
const sums: readonly DType[] = ["float32", "float64"];
const countedMean = new KernelFamily("losses", sums, (type) => `counted_mean<${type}>`, [
  "place",
  "place",
  "out",
  "out",
  "out",
  "out",
  "i64",
  "i64",
  "i64",
]);
const joinCounted = new KernelFamily("losses", sums, (type) => `join_counted<${type}>`, [
  "place",
  "place",
  "out",
  "out",
  "i64",
]);
const meanThreads = 256;

const places = new KernelFamily("axis", ["int64"], () => "class_places", ["place", "out", "i64", "i64", "i64", "at"]);
/** What is said of a target that is no class. */
const noClass = (name: string, count: number, mayIgnore: boolean) => (target: bigint) => {
  const advice = mayIgnore ? ": give that one as ignoreIndex to leave it out." : ".";
  const range = `${count} class${count === 1 ? "" : "es"} takes targets from 0 to ${count - 1}`;
  return new TensorError("INDEX", `${name} of ${range}, but there is ${target}${advice}`);
};

/**
 * The function, for what is said of a target that is no class, how many classes there are, and the target that counts
 * for nothing, where the function has one.
 */
export interface ClassAttributes {
  readonly name: string;
  readonly count: number;
  readonly ignoreIndex: number | null;
}
/** No target is it. */
const nothing = Number.MIN_SAFE_INTEGER;

export interface CrossEntropyAttributes {
  readonly ignoreIndex: number;
  readonly labelSmoothing: number;
}

/** Targets (int64) as places among the classes; those that are ignored stand at 0. */
const classPlaces: Computation<[targets: DeviceArray], ClassAttributes> = {
  inPlace: false,
  infer: ([targets]) => [{ shape: targets.shape, dtype: "int64" }],
  run([out], [targets], { name, count, ignoreIndex }, on) {
    withFlat(on, targets, "int64", (classes) =>
      watched(on, noClass(name, count, ignoreIndex !== null), (outside) =>
        places.launch(on, "int64", blocksFor(on.device, out!.size), [
          classes,
          out!,
          out!.size,
          count,
          ignoreIndex ?? nothing,
          outside,
        ]),
      ),
    );
  },
  gradient: null,
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: 0 }),
};

/**
 * Inputs logits [N, C] and targets [N] (int64); outputs a loss per row and log Σe^x. For a target that is no class the
 * next wait for the device throws TensorError.
 */
const crossEntropy: Computation<[x: DeviceArray, targets: DeviceArray], CrossEntropyAttributes> = {
  inPlace: false,
  infer([x]) {
    const input = x;
    const facts: Facts = { shape: input.shape.slice(0, 1), dtype: accumulatorOf(floatDType("crossEntropy", input)) };
    return [facts, facts];
  },
  run([losses, logs], [x, targets], { ignoreIndex, labelSmoothing }, on) {
    const dtype = floatOf(x.dtype);
    withFlat(on, x, dtype, (input) =>
      withFlat(on, targets, "int64", (classes) => {
        const { rows, length } = rowsOf(input);
        watched(on, noClass("crossEntropy", length, true), (outside) =>
          kernels.losses.launch(on, dtype, rows, length, [
            input,
            classes,
            losses!,
            logs!,
            rows,
            length,
            ignoreIndex,
            labelSmoothing,
            outside,
          ]),
        );
      }),
    );
  },
  gradient: ([g, other], { inputs: [x, targets], outputs: [, logs], attributes }) => {
    if (other !== null)
      throw new TensorError("OPERANDS", "The logarithms of crossEntropyRows have no gradient: use logsumexp().");
    return [call("crossEntropyGradient", [g!, x, targets, logs!], attributes), null];
  },
  cost: cost(14),
};

/** Inputs the gradients of the losses, logits, targets and log Σe^x. */
const crossEntropyGradient: Computation<
  [g: DeviceArray, x: DeviceArray, targets: DeviceArray, logs: DeviceArray],
  CrossEntropyAttributes
> = {
  inPlace: false,
  infer: ([, x]) => [{ shape: x.shape, dtype: floatOf(x.dtype) }],
  run([out], [g, x, targets, logs], { ignoreIndex, labelSmoothing }, on) {
    const { rows, length } = rowsOf(out!);
    using above = contiguous(on, g);
    withFlat(on, x, out!.dtype, (input) =>
      withFlat(on, targets, "int64", (classes) => {
        kernels.gradient.launch(on, out!.dtype, rows, length, [
          above,
          input,
          classes,
          logs,
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
    ...crossEntropySlopes(h!, inputs, attributes),
    null,
    // The logarithms are the logits', and in what theirs is.
    null,
  ],
  cost: cost(14),
};

/**
 * Inputs losses [N] and targets [N] (int64), of which those that are ignored have a loss of 0; outputs the sum of the
 * losses over the number of the others, and that number.
 */
const crossEntropyMean: Computation<[losses: DeviceArray, targets: DeviceArray], { readonly ignoreIndex: number }> = {
  inPlace: false,
  infer: ([{ dtype }]) => [
    { shape: [], dtype },
    { shape: [], dtype },
  ],
  run([mean, total], [losses, targets], { ignoreIndex }, on) {
    const { device } = on;
    const { dtype, size } = losses;
    if (size === 0) {
      fill(on, mean!, NaN);
      return fill(on, total!, 0);
    }
    const { parts, chunk } = rowParts(device, 1, size);
    const block = threadsOf(device, meanThreads);
    using found = parts === 1 ? null : DeviceArray.allocate(device, dtype, [parts]);
    using counts = parts === 1 ? null : DeviceArray.allocate(device, "int64", [parts]);
    withFlat(on, losses, dtype, (each) =>
      withFlat(on, targets, "int64", (classes) =>
        countedMean.launch(on, dtype, { grid: parts, block }, [
          each,
          classes,
          found,
          counts,
          mean!,
          total!,
          size,
          chunk,
          ignoreIndex,
        ]),
      ),
    );
    if (parts > 1) joinCounted.launch(on, dtype, { grid: 1, block }, [found, counts, mean!, total!, parts]);
  },
  // The number does not depend on the losses.
  gradient: ([g], { inputs: [{ shape }], outputs: [, total] }) => [
    g === null ? null : call("expand", [div(g!, total!)], { shape }),
    null,
  ],
  cost: cost(1),
};

export const crossEntropyRows = {
  classPlaces,
  crossEntropyRows: crossEntropy,
  crossEntropyGradient,
  crossEntropyMean,
} as const;
