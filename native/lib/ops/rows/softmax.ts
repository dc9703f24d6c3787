// Softmax and its logarithm as rows of the table, with their gradients: each one launch along the last axis.
import { DeviceArray } from "../../memory/array.ts";
import { call } from "../core/calls.ts";
import { withFlat } from "../shape/copy.ts";
import type { Computation, None } from "../core/operation.ts";
import { cost, floatDType, linesOf, RowKernels, rowsOf } from "./row-lines.ts";
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

/** Along the last axis; the functions of tensor/normalization.ts move another one there. */
function softmaxRow(name: "softmax" | "logSoftmax"): Computation<[x: DeviceArray], None> {
  return {
    inPlace: false,
    infer([x]) {
      const input = x;
      return [{ shape: input.shape, dtype: floatDType(name, input) }];
    },
    run([out], [x], _, on) {
      const { rows, length } = rowsOf(out!);
      withFlat(on, x, out!.dtype, (input) =>
        kernels[name].launch(on, out!.dtype, rows, length, [input, out!, rows, length]),
      );
    },
    gradient: ([g], { outputs: [y] }) => [call(`${name}Gradient`, [g!, y!])],
    cost: cost(14),
  };
}

const last = (x: DeviceArray) => ({ axes: [x.shape.length - 1], keepdims: true });

function softmaxGradientRow(
  name: "softmaxGradient" | "logSoftmaxGradient",
): Computation<[g: DeviceArray, y: DeviceArray], None> {
  return {
    inPlace: false,
    infer: ([g]) => [{ shape: g.shape, dtype: g.dtype }],
    run([out], [g, y], _, on) {
      const { rows, length } = rowsOf(out!);
      withFlat(on, g, out!.dtype, (above) =>
        withFlat(on, y, out!.dtype, (result) => {
          kernels[name].launch(on, out!.dtype, rows, length, [above, result, out!, rows, length]);
        }),
      );
    },
    gradient([h], { inputs: [g, y] }) {
      const [above, result] = [g, y];
      const sum = (x: DeviceArray) => call("sum", [x], last(x));
      if (name === "softmaxGradient")
        return [
          call(name, [h!, result]),
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
