// Operations on whole rows as rows of the table: softmax, normalisation and cross entropy along the last axes, each one launch, and dropout.
import { DeviceArray } from "../memory/array.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { floatOf } from "../memory/promotion.ts";
import { formatShape, sizeOf, type Shape } from "../memory/shape.ts";
import type { DeviceProcess } from "../device/process.ts";
import { call, callAll } from "./calls.ts";
import { contiguous, fill, withFlat } from "./copy.ts";
import { bytesMoved } from "./elementwise.ts";
import { KernelFamily, type LibraryArgument, type ParameterKind } from "./library.ts";
import { sameShape } from "./map.ts";
import type { Computation, Facts, Operand } from "./operation.ts";
import { accumulatorOf } from "./reduce.ts";
import { mul, of, sub } from "./terms.ts";

const floats: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
/**
 * How a GPU holds a row (device/include/warpcell/block_line.cuh): `each` elements a thread for a block of at most `threads`, in packs of 16 bytes or one by one; without
 * `each` it is read by every pass. The first that takes a row is taken. Elements of 8 bytes are half as many.
 */
interface Line {
  readonly type: (type: string, held: Held) => string;
  readonly packed: boolean;
  readonly each?: number;
  readonly threads: number /** The row alone is what fills the registers. */;
  readonly alone?: true;
}
interface Held {
  readonly each: number;
  readonly threads: number;
}
const packed = (each: number, threads: number, alone?: true): Line => ({
  type: (type, { each, threads }) => `Packed<${type}, ${each}, ${threads}>`,
  packed: true,
  each,
  threads,
  ...(alone ? { alone } : {}),
});
const others: readonly Line[] = [
  { type: (type) => `PackedLong<${type}>`, packed: true, threads: 1024 },
  { type: (type, { each }) => `Single<${type}, ${each}>`, packed: false, each: 8, threads: 1024 },
  { type: (type) => `SingleLong<${type}>`, packed: false, threads: 1024 },
];
// Sums over rows are kept beside the row, so that there is room for half as much of it.
const linesOf = {
  row: [packed(16, 512, true), packed(16, 1024, true), ...others],
  pair: [packed(16, 512), packed(16, 1024), ...others],
  summing: [packed(8, 1024, true), packed(16, 1024), ...others],
} as const satisfies Record<string, readonly Line[]>;
/** Elements of 16 bits lie two in a register: half as many threads hold a row, and a processor has twice as many rows at a time. */
function heldBy({ each = 0, threads, alone }: Line, dtype: DType): Held {
  const { bytes } = factsOf(dtype);
  return alone && bytes === 2
    ? { each: 2 * each, threads: threads / 2 }
    : { each: bytes === 8 ? each / 2 : each, threads };
}

/** The kernels of one operation, one for each line. */
interface Rowwise {
  readonly lines: readonly Line[];
  readonly families: readonly KernelFamily[];
}
function family(
  instance: (type: string, line: string) => string,
  kinds: readonly ParameterKind[],
  lines: readonly Line[] = linesOf.row,
): Rowwise {
  return {
    lines,
    families: lines.map(
      (line) =>
        new KernelFamily(
          "rowwise",
          floats,
          (type, dtype) => instance(type, line.type(type, heldBy(line, dtype))),
          kinds,
        ),
    ),
  };
}

const normGradient = (isCentered: boolean, hasSums: boolean): Rowwise =>
  family(
    (type, line) => `normalize_gradient<${type}, ${isCentered}, ${hasSums}, ${line}>`,
    ["place", "place", "place", "place", "place", "out", "out", "i64", "i64"],
    linesOf.summing,
  );

// Elements that one block takes on a processor.
const serialElements = 16384;

const kernels = {
  softmax: family((type, line) => `softmax<${type}, false, ${line}>`, ["place", "out", "i64", "i64"]),
  logSoftmax: family((type, line) => `softmax<${type}, true, ${line}>`, ["place", "out", "i64", "i64"]),
  softmaxGradient: family(
    (type, line) => `softmax_gradient<${type}, false, ${line}>`,
    ["place", "place", "out", "i64", "i64"],
    linesOf.pair,
  ),
  logSoftmaxGradient: family(
    (type, line) => `softmax_gradient<${type}, true, ${line}>`,
    ["place", "place", "out", "i64", "i64"],
    linesOf.pair,
  ),
  layerNorm: family(
    (type, line) => `normalize<${type}, true, ${line}>`,
    ["place", "place", "place", "out", "out", "out", "i64", "i64", "f64"],
  ),
  rmsNorm: family(
    (type, line) => `normalize<${type}, false, ${line}>`,
    ["place", "place", "place", "out", "out", "out", "i64", "i64", "f64"],
  ),
  layerNormGradient: normGradient(true, false),
  layerNormGradientSums: normGradient(true, true),
  rmsNormGradient: normGradient(false, false),
  rmsNormGradientSums: normGradient(false, true),
  crossEntropy: family(
    (type, line) => `cross_entropy<${type}, ${line}>`,
    ["place", "place", "out", "out", "i64", "i64", "i64", "f64"],
  ),
  crossEntropyGradient: family(
    (type, line) => `cross_entropy_gradient<${type}, ${line}>`,
    ["place", "place", "place", "place", "out", "i64", "i64", "i64", "f64"],
  ),
} as const;
const totalSums = new KernelFamily("rowwise", floats, (type) => `total_sums<${type}>`, [
  "place",
  "out",
  "out",
  "i64",
  "i64",
]);
const dropouts = new KernelFamily("rowwise", floats, (type) => `dropout<${type}>`, [
  "place",
  "out",
  "i64",
  "f64",
  "u64",
  "u64",
]);

function floatDType(name: string, { dtype }: DeviceArray): DType {
  if (factsOf(dtype).isStorage || !floats.includes(floatOf(dtype)))
    throw new TensorError(
      "DTYPE",
      `${name} takes numbers that compute but got ${dtype}: convert it, e.g. with .to("float32").`,
    );
  return floatOf(dtype);
}

function launch(
  kernel: keyof typeof kernels,
  device: DeviceProcess,
  dtype: DType,
  rows: number,
  length: number,
  args: readonly LibraryArgument[],
  blocks = rowBlocks(device, rows, length),
): void {
  const { lines, families } = kernels[kernel];
  const isPacked =
    (length * factsOf(dtype).bytes) % 16 === 0 &&
    args.every((each) => !(each instanceof DeviceArray) || each.dtype !== dtype || each.placeLow % 16 === 0);
  const at = lines.findIndex(
    (line) =>
      line.packed === isPacked &&
      (line.each === undefined || length <= heldBy(line, dtype).each * heldBy(line, dtype).threads),
  );
  const { each, threads: most } = heldBy(lines[at]!, dtype);
  const threads = each === 0 ? most : Math.max(32, Math.ceil(length / each / 32) * 32);
  families[at]!.on(device, dtype).launch(blocks, device.properties.libraryBlock === 1 ? 1 : threads, args);
}

function rowBlocks(device: DeviceProcess, rows: number, length: number): number {
  return device.properties.libraryBlock === 1
    ? Math.min(rows, Math.ceil((rows * length) / serialElements))
    : Math.min(rows, 2 ** 31 - 1);
}

const cost = (flops: number) => (inputs: readonly Operand[], outputs: readonly DeviceArray[]) => ({
  bytes: bytesMoved(inputs) + bytesMoved(outputs),
  flops: flops * (inputs[0] as DeviceArray).size,
});
const rowsOf = ({ size, shape }: DeviceArray) => ({ rows: size / shape.at(-1)!, length: shape.at(-1)! });

/** Along the last axis; the functions of tensor/normalization.ts move another one there. */
function softmaxRow(name: "softmax" | "logSoftmax"): Computation<object> {
  return {
    inPlace: false,
    infer([x]) {
      const input = x as DeviceArray;
      return [{ shape: input.shape, dtype: floatDType(name, input) }];
    },
    run([out], [x]) {
      const { rows, length } = rowsOf(out!);
      withFlat(x as DeviceArray, out!.dtype, (input) =>
        launch(name, out!.living().device, out!.dtype, rows, length, [input, out!, rows, length]),
      );
    },
    gradient: ([g], { outputs: [y] }) => [call(`${name}Gradient`, [g!, y!])],
    cost: cost(14),
  };
}

const last = (x: DeviceArray) => ({ axes: [x.shape.length - 1], keepdims: true });

function softmaxGradientRow(name: "softmaxGradient" | "logSoftmaxGradient"): Computation<object> {
  return {
    inPlace: false,
    infer: ([g]) => [{ shape: (g as DeviceArray).shape, dtype: (g as DeviceArray).dtype }],
    run([out], [g, y]) {
      const { rows, length } = rowsOf(out!);
      withFlat(g as DeviceArray, out!.dtype, (above) =>
        withFlat(y as DeviceArray, out!.dtype, (result) => {
          launch(name, out!.living().device, out!.dtype, rows, length, [above, result, out!, rows, length]);
        }),
      );
    },
    gradient([h], { inputs: [g, y] }) {
      const [above, result] = [g as DeviceArray, y as DeviceArray];
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
  inputs: readonly Operand[],
  first: number,
  { hasWeight, hasBias }: NormAttributes,
): { weight: DeviceArray | null; bias: DeviceArray | null } {
  return {
    weight: hasWeight ? (inputs[first] as DeviceArray) : null,
    bias: hasBias ? (inputs[first + (hasWeight ? 1 : 0)] as DeviceArray) : null,
  };
}

/** Parameters in the dtype of the rows, one after the other without gaps. */
function withParameter(
  parameter: DeviceArray | null,
  dtype: DType,
  use: (parameter: DeviceArray | null) => void,
): void {
  if (parameter === null) use(null);
  else withFlat(parameter, dtype, use);
}

/** Inputs x, weight?, bias?; outputs y and what the gradient uses of the rows: the means, less the first elements (layer norm only), and 1/σ. */
function normRow(name: "layerNorm" | "rmsNorm"): Computation<NormAttributes> {
  const isCentered = name === "layerNorm";
  return {
    inPlace: false,
    infer(inputs, attributes) {
      const x = inputs[0] as DeviceArray;
      const dtype = floatDType(name, x);
      const { weight, bias } = parametersOf(inputs, 1, attributes);
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
    run(outputs, inputs, attributes) {
      const [y, first, second] = outputs;
      const [means, rstds] = isCentered ? [first!, second!] : [null, first!];
      const length = sizeOf(normedShape(y!, attributes));
      const rows = y!.size / length;
      if (y!.size === 0) return;
      const { weight, bias } = parametersOf(inputs, 1, attributes);
      withFlat(inputs[0] as DeviceArray, y!.dtype, (x) =>
        withParameter(weight, y!.dtype, (w) =>
          withParameter(bias, y!.dtype, (b) => {
            launch(name, y!.living().device, y!.dtype, rows, length, [
              x,
              w,
              b,
              y!,
              means,
              rstds,
              rows,
              length,
              attributes.eps,
            ]);
          }),
        ),
      );
    },
    gradient(gradients, { inputs, outputs, attributes, wanted }) {
      if (gradients.slice(1).some((each) => each !== null))
        throw new TensorError(
          "OPERANDS",
          `The statistics of ${name} have no gradient: compute them from its input, with mean() and variance().`,
        );
      const x = inputs[0] as DeviceArray;
      const { weight, bias } = parametersOf(inputs, 1, attributes);
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

/** Inputs g, x, the statistics, weight?; outputs the gradients of x and, with `hasSums`, of weight and bias. */
function normGradientRow(name: "layerNorm" | "rmsNorm"): Computation<NormAttributes & { readonly hasSums: boolean }> {
  const statistics = name === "layerNorm" ? 2 : 1;
  return {
    inPlace: false,
    infer(inputs, attributes) {
      const x = inputs[1] as DeviceArray;
      const dtype = floatOf(x.dtype);
      const parameter: Facts = { shape: normedShape(x, attributes), dtype };
      return [{ shape: x.shape, dtype }, ...(attributes.hasSums ? [parameter, parameter] : [])];
    },
    run([out, ...parameters], inputs, attributes) {
      const { device } = out!.living();
      const length = sizeOf(normedShape(out!, attributes));
      if (out!.size === 0) return parameters.forEach((each) => fill(each, 0));
      const rows = out!.size / length;
      const [g, x, ...rest] = inputs as readonly DeviceArray[];
      const [means, rstds] = statistics === 2 ? [rest[0]!, rest[1]!] : [null, rest[0]!];
      const weight = attributes.hasWeight ? rest[statistics]! : null;
      const { multiprocessors, libraryBlock } = device.properties;
      // Each block sums over its rows: few blocks, so that there is little to sum after. Of a long row one fills a GPU's processor.
      const perProcessor = libraryBlock === 1 ? 4 : Math.max(1, Math.min(8, Math.floor(8192 / length)));
      const blocks = attributes.hasSums
        ? Math.min(rows, multiprocessors * perProcessor, rowBlocks(device, rows, length))
        : rowBlocks(device, rows, length);
      using sums = attributes.hasSums
        ? DeviceArray.allocate(device, accumulatorOf(out!.dtype), [blocks, 2, length])
        : null;
      withFlat(g!, out!.dtype, (above) =>
        withFlat(x!, out!.dtype, (input) =>
          withParameter(weight, out!.dtype, (w) => {
            launch(
              `${name}Gradient${attributes.hasSums ? "Sums" : ""}`,
              device,
              out!.dtype,
              rows,
              length,
              [above, input, means, rstds, w, out!, sums, rows, length],
              blocks,
            );
          }),
        ),
      );
      if (sums === null) return;
      const [perBlock, threads] = libraryBlock === 1 ? [serialElements, 1] : [32, 1024];
      totalSums
        .on(device, out!.dtype)
        .launch(Math.ceil((2 * length) / perBlock), threads, [sums, parameters[0]!, parameters[1]!, blocks, length]);
    },
    gradient: null,
    cost: cost(14),
  };
}

export interface CrossEntropyAttributes {
  readonly ignoreIndex: number;
  readonly labelSmoothing: number;
}

const crossEntropyRows = {
  /** Inputs logits [N, C] and targets [N] (int64); outputs a loss per row and log Σe^x. */
  crossEntropyRows: {
    inPlace: false,
    infer([x]) {
      const input = x as DeviceArray;
      const facts: Facts = { shape: input.shape.slice(0, 1), dtype: accumulatorOf(floatDType("crossEntropy", input)) };
      return [facts, facts];
    },
    run([losses, logs], [x, targets], { ignoreIndex, labelSmoothing }) {
      const dtype = floatOf((x as DeviceArray).dtype);
      withFlat(x as DeviceArray, dtype, (input) =>
        withFlat(targets as DeviceArray, "int64", (classes) => {
          const { rows, length } = rowsOf(input);
          launch("crossEntropy", losses!.living().device, dtype, rows, length, [
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
    run([out], [g, x, targets, logs], { ignoreIndex, labelSmoothing }) {
      const { rows, length } = rowsOf(out!);
      using above = contiguous(g as DeviceArray);
      withFlat(x as DeviceArray, out!.dtype, (input) =>
        withFlat(targets as DeviceArray, "int64", (classes) => {
          launch("crossEntropyGradient", out!.living().device, out!.dtype, rows, length, [
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
    gradient: null,
    cost: cost(14),
  } satisfies Computation<CrossEntropyAttributes> as Computation<CrossEntropyAttributes>,
};

export interface DropoutAttributes {
  readonly p: number;
  readonly seed: bigint;
  readonly stream: bigint;
}

const dropoutRow: Computation<DropoutAttributes> = {
  inPlace: false,
  infer: ([x]) => [{ shape: (x as DeviceArray).shape, dtype: floatDType("dropout", x as DeviceArray) }],
  run([out], [x], { p, seed, stream }) {
    const { device } = out!.living();
    const perBlock = device.properties.libraryBlock === 1 ? serialElements : 4 * device.properties.libraryBlock;
    withFlat(x as DeviceArray, out!.dtype, (input) => {
      dropouts
        .on(device, out!.dtype)
        .launch(Math.ceil(out!.size / perBlock), device.properties.libraryBlock, [
          input,
          out!,
          out!.size,
          p,
          seed,
          stream,
        ]);
    });
  },
  // The same mask again.
  gradient: ([g], { attributes }) => [call("dropout", [g!], attributes)],
  cost: cost(2),
};

export const rowwiseRows = {
  softmax: softmaxRow("softmax"),
  logSoftmax: softmaxRow("logSoftmax"),
  softmaxGradient: softmaxGradientRow("softmaxGradient"),
  logSoftmaxGradient: softmaxGradientRow("logSoftmaxGradient"),
  layerNorm: normRow("layerNorm"),
  rmsNorm: normRow("rmsNorm"),
  layerNormGradient: normGradientRow("layerNorm"),
  rmsNormGradient: normGradientRow("rmsNorm"),
  ...crossEntropyRows,
  dropout: dropoutRow,
} as const;
