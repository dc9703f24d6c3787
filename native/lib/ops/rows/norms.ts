// Layer norm and RMS norm as rows of the table, with their gradients, over the last axes.
import type { Execution } from "../../device/execution.ts";
import type { DeviceProcess } from "../../device/process.ts";
import { DeviceArray } from "../../memory/array.ts";
import type { DType } from "../../memory/dtype.ts";
import { TensorError } from "../../errors.ts";
import { floatOf } from "../../memory/promotion.ts";
import { formatShape, sizeOf, type Shape } from "../../memory/shape.ts";
import { callAll } from "../core/calls.ts";
import { fill, withFlat } from "../shape/copy.ts";
import { blocksFor, onDevice, threadsOf, type Blocks } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import { sameShape } from "../kernels/map.ts";
import type { Computation, Facts, Operand } from "../core/operation.ts";
import { accumulatorOf } from "../reduce/reducers.ts";
import { normGradients } from "./row-gradients.ts";
import { cost, floatDType, floats, linesOf, RowKernels } from "./row-lines.ts";

const norm = (isCentered: boolean) =>
  new RowKernels(
    (type, line) => `normalize<${type}, ${isCentered}, ${line}>`,
    ["place", "place", "place", "out", "out", "out", "i64", "i64", "f64"],
  );
const normGradient = (isCentered: boolean, hasSums: boolean) =>
  new RowKernels(
    (type, line) => `normalize_gradient<${type}, ${isCentered}, ${hasSums}, ${line}>`,
    ["place", "place", "place", "place", "place", "out", "out", "i64", "i64"],
    hasSums ? linesOf.summing : linesOf.pair,
    2,
  );
const kernels = {
  layerNorm: norm(true),
  rmsNorm: norm(false),
  layerNormGradient: normGradient(true, false),
  layerNormGradientSums: normGradient(true, true),
  rmsNormGradient: normGradient(false, false),
  rmsNormGradientSums: normGradient(false, true),
} as const;
const totalSums = new KernelFamily("rowwise", floats, (type) => `total_sums<${type}>`, [
  "place",
  "out",
  "out",
  "i64",
  "i64",
]);

const ownSums = (isCentered: boolean) =>
  new KernelFamily("rowwise", floats, (type) => `normalize_sums<${type}, ${isCentered}>`, [
    "place",
    "place",
    "place",
    "place",
    "out",
    "i64",
    "i64",
    "i64",
  ]);
const sumsOf = { layerNorm: ownSums(true), rmsNorm: ownSums(false) } as const;

const facts = kernelFacts("rowwise", {
  totalColumns: "kTotalColumns",
  totalThreads: "32 * kTotalWarps",
  sumColumns: "kSumColumns",
  sumWarps: "kSumWarps",
});

/** `axes`: how many of the last axes are one row. */
export interface NormAttributes {
  readonly eps: number;
  readonly axes: number;
  readonly hasWeight: boolean;
  readonly hasBias: boolean;
}

const normedShape = (x: DeviceArray, { axes }: NormAttributes): Shape => x.shape.slice(x.shape.length - axes);
const outerShape = (x: DeviceArray, { axes }: NormAttributes): Shape => x.shape.slice(0, x.shape.length - axes);

function parametersOf(
  parameters: readonly DeviceArray[],
  { hasWeight, hasBias }: NormAttributes,
): { weight: DeviceArray | null; bias: DeviceArray | null } {
  return {
    weight: hasWeight ? parameters[0]! : null,
    bias: hasBias ? parameters[hasWeight ? 1 : 0]! : null,
  };
}

/** Parameters in the dtype of the rows, one after the other without gaps. */
function withParameter(
  on: Execution,
  parameter: DeviceArray | null,
  dtype: DType,
  use: (parameter: DeviceArray | null) => void,
): void {
  if (parameter === null) use(null);
  else withFlat(on, parameter, dtype, use);
}

/**
 * Inputs x, weight?, bias?; outputs y and what the gradient uses of the rows: the means, less the first elements (layer
 * norm only), and 1/σ.
 */
function normRow(
  name: "layerNorm" | "rmsNorm",
): Computation<[x: DeviceArray, ...parameters: DeviceArray[]], NormAttributes> {
  const isCentered = name === "layerNorm";
  return {
    inPlace: false,
    infer(inputs, attributes) {
      const x = inputs[0];
      const dtype = floatDType(name, x);
      const { weight, bias } = parametersOf(inputs.slice(1), attributes);
      for (const [what, parameter] of [
        ["weight", weight],
        ["bias", bias],
      ] as const) {
        if (parameter !== null && !sameShape(parameter.shape, normedShape(x, attributes))) {
          throw new TensorError(
            "SHAPE",
            `${name} over the last axes ${formatShape(normedShape(x, attributes))} takes a ${what} of that shape but got ${formatShape(parameter.shape)}.`,
          );
        }
      }
      const statistics: Facts = { shape: outerShape(x, attributes), dtype: accumulatorOf(dtype) };
      return [{ shape: x.shape, dtype }, ...(isCentered ? [statistics] : []), statistics];
    },
    run(outputs, inputs, attributes, on) {
      const [y, first, second] = outputs;
      const [means, rstds] = isCentered ? [first!, second!] : [null, first!];
      const length = sizeOf(normedShape(y!, attributes));
      const rows = y!.size / length;
      if (y!.size === 0) return;
      const { weight, bias } = parametersOf(inputs.slice(1), attributes);
      withFlat(on, inputs[0], y!.dtype, (x) =>
        withParameter(on, weight, y!.dtype, (w) =>
          withParameter(on, bias, y!.dtype, (b) => {
            kernels[name].launch(on, y!.dtype, rows, length, [x, w, b, y!, means, rstds, rows, length, attributes.eps]);
          }),
        ),
      );
    },
    gradient(gradients, { inputs, outputs, attributes, wanted, isDifferentiated }) {
      if (gradients.slice(1).some((each) => each !== null))
        throw new TensorError(
          "OPERANDS",
          `The statistics of ${name} have no gradient: compute them from its input, with mean() and variance().`,
        );
      const x = inputs[0];
      const { weight, bias } = parametersOf(inputs.slice(1), attributes);
      if (isDifferentiated) {
        const found = normGradients(gradients[0]!, x, weight, { ...attributes, isCentered });
        return [found.input, ...(weight === null ? [] : [found.weight]), ...(bias === null ? [] : [found.bias])];
      }
      const hasSums = wanted.slice(1).some(Boolean);
      const found = callAll(
        `${name}Gradient`,
        [gradients[0]!, x, ...outputs.slice(1), ...(weight === null ? [] : [weight])],
        { ...attributes, hasSums },
      );
      return [
        found[0]!,
        ...(weight === null ? [] : [hasSums ? found[1]! : null]),
        ...(bias === null ? [] : [hasSums ? found[2]! : null]),
      ];
    },
    cost: cost(8),
  };
}

/**
 * Blocks that each sum over their rows: few, so that there is little to sum after. Of a long row one fills a GPU's
 * processor; of small blocks it takes more.
 */
function summingBlocks(device: DeviceProcess, length: number, { block }: Blocks): number {
  const threads = typeof block === "number" ? block : block[0] * block[1];
  const perProcessor = onDevice(device, {
    serial: 4,
    threads: Math.max(1, Math.min(Math.max(8, 1024 / threads), Math.floor(8192 / length))),
  });
  return device.properties.multiprocessors * Math.floor(perProcessor);
}

/**
 * Parts of rows whose sums are made by themselves: eight blocks for each processor, and few enough rows in each that
 * roundings do not pile up.
 */
const ownParts = (device: DeviceProcess, rows: number, length: number) =>
  Math.ceil(Math.max(rows / 4096, (8 * device.properties.multiprocessors) / Math.ceil(length / facts().sumColumns)));

/** Inputs g, x, the statistics, weight?; outputs the gradients of x and, with `hasSums`, of weight and bias. */
function normGradientRow(
  name: "layerNorm" | "rmsNorm",
): Computation<
  [g: DeviceArray, x: DeviceArray, ...rest: DeviceArray[]],
  NormAttributes & { readonly hasSums: boolean }
> {
  const statistics = name === "layerNorm" ? 2 : 1;
  return {
    inPlace: false,
    infer(inputs, attributes) {
      const x = inputs[1];
      const dtype = floatOf(x.dtype);
      const parameter: Facts = { shape: normedShape(x, attributes), dtype };
      return [{ shape: x.shape, dtype }, ...(attributes.hasSums ? [parameter, parameter] : [])];
    },
    run([out, ...parameters], inputs, attributes, on) {
      const { device } = on;
      const length = sizeOf(normedShape(out!, attributes));
      if (out!.size === 0) return parameters.forEach((each) => fill(on, each, 0));
      const rows = out!.size / length;
      const [g, x, ...rest] = inputs;
      const [means, rstds] = statistics === 2 ? [rest[0]!, rest[1]!] : [null, rest[0]!];
      const weight = attributes.hasWeight ? rest[statistics]! : null;
      withFlat(on, g!, out!.dtype, (above) =>
        withFlat(on, x, out!.dtype, (input) =>
          withParameter(on, weight, out!.dtype, (w) => {
            const read = [above, input, means, rstds] as const;
            const { dtype } = out!;
            const alone = kernels[`${name}Gradient`];
            if (!attributes.hasSums)
              return alone.launch(on, dtype, rows, length, [...read, w, out!, null, rows, length]);
            const both = kernels[`${name}GradientSums`];
            const shape = both.blocks(device, dtype, rows, length, [above, input, w, out!]);
            const most = Math.min(
              rows,
              shape === null ? ownParts(device, rows, length) : summingBlocks(device, length, shape),
            );
            const chunk = Math.ceil(rows / most);
            const parts = shape === null ? Math.ceil(rows / chunk) : Math.min(most, shape.grid);
            using sums = DeviceArray.allocate(device, accumulatorOf(dtype), [parts, 2, length]);
            const { totalColumns, totalThreads, sumColumns, sumWarps } = facts();
            if (shape === null) {
              alone.launch(on, dtype, rows, length, [...read, w, out!, null, rows, length]);
              const blocks = { grid: Math.ceil(length / sumColumns) * parts, block: threadsOf(device, [32, sumWarps]) };
              sumsOf[name].launch(on, dtype, blocks, [...read, sums, rows, length, chunk]);
            } else {
              both.launch(on, dtype, rows, length, [...read, w, out!, sums, rows, length], parts);
            }
            totalSums.launch(
              on,
              dtype,
              blocksFor(device, 2 * length, { threads: totalThreads, each: totalColumns / totalThreads }),
              [sums, parameters[0]!, parameters[1]!, parts, length],
            );
          }),
        ),
      );
    },
    gradient: null,
    cost: cost(14),
  };
}

export const normRows = {
  layerNorm: normRow("layerNorm"),
  rmsNorm: normRow("rmsNorm"),
  layerNormGradient: normGradientRow("layerNorm"),
  rmsNormGradient: normGradientRow("rmsNorm"),
} as const;
