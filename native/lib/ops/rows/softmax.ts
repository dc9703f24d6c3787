// Softmax and its logarithm as rows of the table, with their gradients: each one launch, along the last axis or a short
// one before it.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import { sizeOf } from "../../memory/shape.ts";
import { call } from "../core/calls.ts";
import { withFlat } from "../shape/copy.ts";
import { blocksFor, serialElements } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import type { Computation } from "../core/operation.ts";
import { cost, floatDType, floats, linesOf, RowKernels, rowsOf } from "./row-lines.ts";
import { mul, of, sub } from "../core/terms.ts";

const kernels = {
  softmax: new RowKernels((type, line) => `softmax<${type}, false, ${line}>`, ["place", "out", "i64", "i64"]),
  logSoftmax: new RowKernels((type, line) => `softmax<${type}, true, ${line}>`, ["place", "out", "i64", "i64"]),
  softmaxGradient: new RowKernels(
    (type, line) => `softmax_gradient<${type}, false, ${line}>`,
    ["place", "place", "out", "i64", "i64"],
    linesOf.pair,
    2,
  ),
  logSoftmaxGradient: new RowKernels(
    (type, line) => `softmax_gradient<${type}, true, ${line}>`,
    ["place", "place", "out", "i64", "i64"],
    linesOf.pair,
    2,
  ),
} as const;

const facts = kernelFacts("columnwise", {
  most: "kMostOfColumn",
  few: "kFewOfColumn",
  least: "kLeastOfColumn",
  threads: "kShortThreads",
});

/** `axis`: one that is not the last, and short; the last when left out. */
export interface Along {
  readonly axis?: number;
}
/** Whether softmax goes along an axis before the last: a thread holds its elements. */
export const isShortColumn = ({ shape, isContiguous }: DeviceArray, axis: number): boolean =>
  isContiguous && shape[axis]! <= facts().most;

const columnKernels = (instance: (type: string) => string, inputs: number) => {
  const kinds = [...Array<"place">(inputs).fill("place"), "out", "i64", "i64", "i64"] as const;
  const family = (most: string) =>
    new KernelFamily("columnwise", floats, (type) => `${instance(type)}, ${most}>`, kinds);
  return { least: family("kLeastOfColumn"), few: family("kFewOfColumn"), most: family("kMostOfColumn") };
};
const columns = {
  softmax: columnKernels((type) => `softmax_columns<${type}, false`, 1),
  logSoftmax: columnKernels((type) => `softmax_columns<${type}, true`, 1),
  softmaxGradient: columnKernels((type) => `softmax_columns_gradient<${type}, false`, 2),
  logSoftmaxGradient: columnKernels((type) => `softmax_columns_gradient<${type}, true`, 2),
} as const;

/** Launches one of them on contiguous arrays of one shape, of which `out` is the last. */
function launch(on: Execution, name: keyof typeof kernels, arrays: readonly DeviceArray[], { axis }: Along): void {
  const out = arrays.at(-1)!;
  const { dtype, shape } = out;
  if (axis === undefined) {
    const { rows, length } = rowsOf(out);
    return kernels[name].launch(on, dtype, rows, length, [...arrays, rows, length]);
  }
  const [outer, length, inner] = [sizeOf(shape.slice(0, axis)), shape[axis]!, sizeOf(shape.slice(axis + 1))];
  const { least, few, most, threads } = facts();
  const size = length <= least ? "least" : length <= few ? "few" : "most";
  const share = { serial: Math.ceil(serialElements / length), threads, each: most / facts()[size] };
  columns[name][size].launch(on, dtype, blocksFor(on.device, outer * inner, share), [...arrays, outer, length, inner]);
}

function softmaxRow(name: "softmax" | "logSoftmax"): Computation<[x: DeviceArray], Along> {
  return {
    inPlace: false,
    infer([x]) {
      const input = x;
      return [{ shape: input.shape, dtype: floatDType(name, input) }];
    },
    run([out], [x], along, on) {
      if (out!.size > 0) withFlat(on, x, out!.dtype, (input) => launch(on, name, [input, out!], along));
    },
    gradient: ([g], { outputs: [y], attributes }) => [call(`${name}Gradient`, [g!, y!], attributes)],
    cost: cost(14),
  };
}

function softmaxGradientRow(
  name: "softmaxGradient" | "logSoftmaxGradient",
): Computation<[g: DeviceArray, y: DeviceArray], Along> {
  return {
    inPlace: false,
    infer: ([g]) => [{ shape: g.shape, dtype: g.dtype }],
    run([out], [g, y], along, on) {
      if (out!.size > 0)
        withFlat(on, g, out!.dtype, (above) =>
          withFlat(on, y, out!.dtype, (result) => launch(on, name, [above, result, out!], along)),
        );
    },
    gradient([h], { inputs: [g, y], attributes }) {
      const [above, result] = [g, y];
      const axes = [attributes.axis ?? y.shape.length - 1];
      const sum = (x: DeviceArray) => call("sum", [x], { axes, keepdims: true });
      if (name === "softmaxGradient")
        return [
          call(name, [h!, result], attributes),
          sub(mul(h!, sub(above, sum(mul(above, result)))), mul(above, sum(mul(h!, result)))),
        ];
      const part = mul(h!, of("exp", result));
      return [sub(h!, sum(part)), of("neg", mul(part, sum(above)))];
    },
    cost: cost(4),
  };
}

export const softmaxRows = {
  softmax: softmaxRow("softmax"),
  logSoftmax: softmaxRow("logSoftmax"),
  softmaxGradient: softmaxGradientRow("softmaxGradient"),
  logSoftmaxGradient: softmaxGradientRow("logSoftmaxGradient"),
} as const;
