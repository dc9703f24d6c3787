// Quantised matrices as operations: codes of 8 or 4 bits with a scale for each group of a row are made, made floats
// again, and multiplied (device/ops/quantized.cu). What a user holds is tensor/quantized.ts.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { TensorError } from "../../errors.ts";
import { formatShape, sizeOf, transposed, type Shape } from "../../memory/shape.ts";
import { call } from "../core/calls.ts";
import { mayTake, refusal, takes } from "../core/dispatch.ts";
import type { Computation } from "../core/operation.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { blocksFor, onDevice, type Blocks } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import { matmulInto } from "../linear/matrix-product.ts";
import { withFlat } from "../shape/copy.ts";
import { tileProductInto } from "./tiles.ts";

/** Bits of a code. */
export type CodeBits = 8 | 4;
/** `length`: elements of a row, since 4 bits do not say whether it is odd. */
export interface CodeFacts {
  readonly bits: CodeBits;
  readonly groupSize: number;
  readonly length: number;
}

const floats: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
/** A product in float64 is of floats that are written. */
const multiplied: readonly DType[] = ["float32", "float16", "bfloat16"];
const both = <V>(of: (bits: CodeBits) => V): Record<CodeBits, V> => ({ 8: of(8), 4: of(4) });

const quantizing = both(
  (bits) =>
    new KernelFamily("quantized", floats, (type) => `quantize<${type}, ${bits}>`, [
      "place",
      "out",
      "out",
      "out",
      "i64",
      "i64",
      "i64",
    ]),
);
const dequantizing = both(
  (bits) =>
    new KernelFamily("quantized", floats, (type) => `dequantize<${type}, ${bits}>`, [
      "place",
      "place",
      "place",
      "out",
      "i64",
      "i64",
      "i64",
    ]),
);
const operands = ["place", "place", "place", "place", "out", "i64", "i64", "i64", "i64"] as const;
const products = both((bits) => {
  const together = (rows: string) =>
    new KernelFamily("quantized", multiplied, (type) => `product<${type}, ${bits}, ${rows}>`, [...operands, "i32"]);
  return { one: together("1"), several: together("kTogetherRows") };
});
const anyProducts = both(
  (bits) => new KernelFamily("quantized", multiplied, (type) => `any_product<${type}, ${bits}>`, operands),
);

const facts = kernelFacts("quantized", {
  quantizeThreads: "kQuantizeThreads",
  expandThreads: "kExpandThreads",
  expanded: "kExpanded",
  warps: "kProductWarps",
  lines: "kLines",
  mostRows: "kMostProductRows",
  together: "kTogetherRows",
});

const bytesOfRow = ({ bits, length }: CodeFacts) => (bits === 8 ? length : Math.ceil(length / 2));
const groupsOf = ({ groupSize, length }: CodeFacts) => Math.ceil(length / groupSize);
const isFloat = (dtype: DType) => floats.includes(dtype);

function checkedFloat(name: string, dtype: DType): DType {
  if (!isFloat(dtype))
    throw new TensorError("DTYPE", `${name} takes floats but got ${dtype}: convert them, e.g. with .to("float32").`);
  return dtype;
}

type Quantize = CodeFacts & { readonly symmetric: boolean };
/** Input x [rows, length]; outputs codes, scales and, unless it is symmetric, zero points. */
const quantize: Computation<[x: DeviceArray], Quantize> = {
  inPlace: false,
  infer([x], attributes) {
    checkedFloat("quantize", x.dtype);
    const rows = x.shape.slice(0, -1);
    const groups = [...rows, groupsOf(attributes)];
    return [
      {
        shape: [...rows, bytesOfRow(attributes)],
        dtype: attributes.bits === 8 && attributes.symmetric ? "int8" : "uint8",
      },
      { shape: groups, dtype: "float32" },
      ...(attributes.symmetric ? [] : [{ shape: groups, dtype: "uint8" as const }]),
    ];
  },
  run([codes, scales, zeros], [x], { bits, groupSize, length }, on) {
    const rows = x.size / length;
    const { quantizeThreads: threads } = facts();
    const share = { serial: Math.max(1, Math.floor(16384 / groupSize)), threads, each: 1 / 32 };
    withFlat(on, x, x.dtype, (flat) =>
      quantizing[bits].launch(on, x.dtype, bounded(blocksFor(on.device, scales!.size, share)), [
        flat,
        codes!,
        scales!,
        zeros ?? null,
        rows,
        length,
        groupSize,
      ]),
    );
  },
  gradient: null,
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: 4 * inputs[0].size }),
};

const mostBlocks = 2 ** 20;
/** The kernel goes on with the next groups where blocks are fewer. */
const bounded = ({ grid, block }: Blocks): Blocks => ({ grid: Math.min(grid, mostBlocks), block });

type Coded = [codes: DeviceArray, scales: DeviceArray, ...zeros: DeviceArray[]];

/** Fills `out` [rows, length] with what codes stand for. */
function expandInto(on: Execution, out: DeviceArray, [codes, scales, zeros]: Readonly<Coded>, coded: CodeFacts): void {
  const { bits, groupSize, length } = coded;
  const { expandThreads: threads, expanded } = facts();
  const rows = out.size / length;
  withFlat(on, codes, codes.dtype, (bytes) =>
    withFlat(on, scales, "float32", (steps) =>
      withZeros(on, zeros, (points) => {
        const blocks = onDevice<Blocks>(on.device, {
          serial: blocksFor(on.device, rows, { serial: Math.max(1, Math.floor(16384 / length)) }),
          threads: { grid: Math.ceil((rows * Math.ceil(length / expanded)) / threads), block: threads },
        });
        dequantizing[bits].launch(on, out.dtype, blocks, [bytes, steps, points, out, rows, length, groupSize]);
      }),
    ),
  );
}

function withZeros(on: Execution, zeros: DeviceArray | undefined, use: (zeros: DeviceArray | null) => void): void {
  if (zeros === undefined) use(null);
  else withFlat(on, zeros, "uint8", use);
}

/** Inputs codes [rows, bytes], scales and perhaps zero points [rows, groups]; the floats [rows, length]. */
const dequantize: Computation<Coded, CodeFacts & { readonly dtype: DType }> = {
  inPlace: false,
  infer: ([codes], { length, dtype }) => [
    { shape: [...codes.shape.slice(0, -1), length], dtype: checkedFloat("dequantize", dtype) },
  ],
  run: ([out], inputs, attributes, on) => expandInto(on, out!, inputs, attributes),
  gradient: null,
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: 2 * outputs[0]!.size }),
};

/** How far to shift the number of a pack of 16 bytes for that of its group; `null`: a pack may have two groups. */
function groupShift({ bits, groupSize, length }: CodeFacts): number | null {
  const codes = 128 / bits;
  if (length % codes !== 0) return null;
  if (groupSize >= length) return 31;
  const shift = Math.log2(groupSize / codes);
  return Number.isInteger(shift) && shift >= 0 ? shift : null;
}

const isAligned = ({ placeLow }: DeviceArray) => placeLow % 16 === 0;

type Codes = readonly [codes: DeviceArray, scales: DeviceArray, zeros: DeviceArray | null];

/** Whether a kernel of few rows filled out [rows, lines] with x [rows, length]; all are contiguous. */
function productInto(on: Execution, out: DeviceArray, x: DeviceArray, codes: Codes, coded: CodeFacts): boolean {
  if (mayTake("quantizedMatmul", "tensorCores") && tileProductInto(on, out, x, codes, coded)) {
    takes(on, "quantizedMatmul", "tensorCores");
    return true;
  }
  const { bits, groupSize, length } = coded;
  const { warps, lines: linesOfWarp, together } = facts();
  const [rows, lines] = [x.shape[0]!, codes[0].shape[0]!];
  const args = [x, ...codes, out, rows, lines, length, groupSize] as const;
  const serial = blocksFor(on.device, lines, { serial: Math.max(1, Math.floor(65536 / (length * rows))) });
  const blocks = (grid: number) => onDevice<Blocks>(on.device, { serial, threads: { grid, block: 32 * warps } });
  const shift = isAligned(codes[0]) && isAligned(x) ? groupShift(coded) : null;
  if (shift !== null && mayTake("quantizedMatmul", "packs")) {
    const [name, each] = rows === 1 ? (["one", 1] as const) : (["several", together] as const);
    const grid = Math.ceil(lines / (linesOfWarp * warps)) * Math.ceil(rows / each);
    products[bits][name].launch(on, out.dtype, blocks(grid), [...args, shift]);
    takes(on, "quantizedMatmul", "packs");
    return true;
  }
  if (!mayTake("quantizedMatmul", "anywhere")) return false;
  anyProducts[bits].launch(on, out.dtype, blocks(Math.ceil((rows * lines) / warps)), args);
  takes(on, "quantizedMatmul", "anywhere");
  return true;
}

/** The last axis as columns, all others as rows: a view of a contiguous array. */
const flattened = (x: DeviceArray, columns: number): DeviceArray =>
  viewOf(x, { shape: [sizeOf(x.shape) / columns, columns], strides: [columns, 1], offset: x.offset });

function productShape(x: DeviceArray, codes: DeviceArray, { length }: CodeFacts): Shape {
  if (x.shape.at(-1) !== length)
    throw new TensorError(
      "SHAPE",
      `matmul with a quantised matrix of shape ${formatShape([length, codes.shape[0]!])} takes tensors of shape […, ${length}] but got ${formatShape(x.shape)}.`,
    );
  return [...x.shape.slice(0, -1), codes.shape[0]!];
}

/**
 * Inputs x […, length], and codes, scales and perhaps zero points of a matrix [lines, length]; x times its transpose.
 * Few rows are multiplied with the codes as they are, more with floats of x's dtype, which are made for the while.
 */
const quantizedMatmul: Computation<[x: DeviceArray, ...Coded], CodeFacts> = {
  inPlace: false,
  infer: ([x, codes], attributes) => {
    checkedFloat("matmul with a quantised matrix", x.dtype);
    return [{ shape: productShape(x, codes, attributes), dtype: x.dtype }];
  },
  run([out], [x, codes, scales, zeros], attributes, on) {
    const { length } = attributes;
    const lines = codes.shape[0]!;
    withFlat(on, x, x.dtype, (flat) => {
      using rows = flattened(flat, length);
      using result = flattened(out!, lines);
      let isDone = false;
      if (rows.shape[0]! <= facts().mostRows && multiplied.includes(x.dtype))
        withFlat(on, codes, codes.dtype, (bytes) =>
          withFlat(on, scales, "float32", (steps) =>
            withZeros(on, zeros, (points) => {
              isDone = productInto(on, result, rows, [bytes, steps, points], attributes);
            }),
          ),
        );
      if (isDone) return;
      if (!mayTake("quantizedMatmul", "floats")) throw refusal("quantizedMatmul");
      takes(on, "quantizedMatmul", "floats");
      using weight = DeviceArray.allocate(on.device, x.dtype, [lines, length]);
      expandInto(on, weight, zeros === undefined ? [codes, scales] : [codes, scales, zeros], attributes);
      using turned = viewOf(weight, transposed(weight, [1, 0]));
      matmulInto(on, result, rows, turned);
    });
  },
  gradient([g], { inputs: [x, ...coded], attributes, wanted }) {
    const weight = () => call("dequantize", coded as unknown as Coded, { ...attributes, dtype: x.dtype });
    return [wanted[0] ? call("matmul", [g!, weight()]) : null, ...coded.map(() => null)];
  },
  cost: (inputs, outputs) => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs),
    flops: 2 * outputs[0]!.size * (inputs[0].shape.at(-1) ?? 1),
  }),
};

export const quantizedRows = { quantize, dequantize, quantizedMatmul } as const;
