// Products of float8 matrices with scales: by a device's library where it has them, else of their floats.
import type { Execution } from "../../device/execution.ts";
import { LibraryPlan } from "../../device/library-plan.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import type { DType } from "../../memory/dtype.ts";
import { TensorError } from "../../errors.ts";
import { formatShape, stretch, transposed, windowed, type Shape } from "../../memory/shape.ts";
import { mayTake, refusal, takes } from "../core/dispatch.ts";
import type { Computation } from "../core/operation.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { blocksFor, onDevice, type Blocks } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import { matmulInto } from "../linear/matrix-product.ts";
import { contiguous, copy, fill, withFlat } from "../shape/copy.ts";

/** `fast`: sums may be kept in fewer bits than float32 has. */
export interface ScaledAttributes {
  readonly dtype: DType;
  readonly fast: boolean;
}

const stored: readonly DType[] = ["float8_e4m3", "float8_e5m2"];
const decoding = new KernelFamily("scaled", stored, (type) => `decode<${type}>`, [
  "place",
  "place",
  "out",
  "i64",
  "i64",
  "i64",
  "i64",
]);
const facts = kernelFacts("scaled", { threads: "kDecodeThreads" });

/** Elements along each side of what has one scale, where it is not a line. */
const side = 128;
const stretches = (size: number) => Math.ceil(size / side);

/**
 * What has a scale of its own, in a matrix whose lines go along k: all, a line, 128 elements of a line, or of 128
 * lines.
 */
type ScaleKind = "one" | "line" | "vector" | "block";
const shapesOf = (lines: number, k: number): readonly (readonly [ScaleKind, Shape])[] => [
  ["one", [1, 1]],
  ["line", [lines, 1]],
  ["vector", [lines, stretches(k)]],
  ["block", [stretches(lines), stretches(k)]],
];

/** A matrix by lines [lines, k], with its scales. */
interface Scaled {
  readonly matrix: DeviceArray;
  /** float32, of a shape of {@link shapesOf}. */
  readonly scales: DeviceArray;
  readonly kind: ScaleKind;
}

const flipped = (shape: Shape): Shape => [...shape].reverse();

/** The kind of scales, given as they lie beside their matrix. Throws TensorError for a shape that none has. */
function kindOf(name: string, scales: DeviceArray, shape: Shape, isTurned: boolean): ScaleKind {
  const [lines, k] = (isTurned ? flipped(shape) : shape) as [number, number];
  const own = scales.shape.length === 2 ? scales.shape : scales.size === 1 ? [1, 1] : scales.shape;
  const wanted = shapesOf(lines, k).map(([kind, of]) => [kind, isTurned ? flipped(of) : of] as const);
  const found = wanted.find(([, of]) => formatShape(of) === formatShape(own));
  if (found === undefined)
    throw new TensorError(
      "SHAPE",
      `scaledMatmul takes one scale or scales of shape ${wanted
        .slice(1)
        .map(([, of]) => formatShape(of))
        .join(", ")} as ${name} of a matrix ${formatShape(shape)} but got ${formatShape(scales.shape)}.`,
    );
  return found[0];
}

/** Calls `use` with an operand by lines: what is not is turned. */
function byLines(
  on: Execution,
  matrix: DeviceArray,
  scales: DeviceArray,
  isTurned: boolean,
  use: (scaled: Scaled) => void,
): void {
  const kind = kindOf(isTurned ? "scaleB" : "scaleA", scales, matrix.shape, isTurned);
  const turn = (array: DeviceArray) => (isTurned ? viewOf(array, transposed(array, [1, 0])) : viewOf(array, array));
  using square = scales.shape.length === 2 ? viewOf(scales, scales) : viewOf(scales, oneByOne(scales));
  using turnedMatrix = turn(matrix);
  using turnedScales = turn(square);
  using lines = contiguous(on, turnedMatrix);
  withFlat(on, turnedScales, "float32", (flat) => use({ matrix: lines, scales: flat, kind }));
}
const oneByOne = ({ offset }: DeviceArray) => ({ shape: [1, 1], strides: [1, 1], offset });

/** [lines, 128-element stretches of k] from any kind: a view whose memory `scales` has. */
function spread({ matrix, scales, kind }: Scaled): DeviceArray {
  const [lines, k] = matrix.shape as [number, number];
  const shape = [lines, stretches(k)];
  return kind === "block" ? viewOf(scales, scales) : viewOf(scales, stretch(scales, shape));
}

/** Scales as the library takes them for a kind, see host/matmul_terms.cc. */
function arranged(on: Execution, scaled: Scaled, kind: ScaleKind): DeviceArray {
  const { matrix, scales } = scaled;
  const [lines, k] = matrix.shape as [number, number];
  if (kind === "one") return viewOf(scales, scales);
  if (kind === "line") {
    using stretched = viewOf(scales, stretch(scales, [lines, 1]));
    return contiguous(on, stretched);
  }
  const [groups, count] = [stretches(lines), stretches(k)];
  if (kind === "block") {
    const filled = DeviceArray.allocate(on.device, "float32", [groups, Math.ceil(count / 4) * 4]);
    fill(on, filled, 0);
    using part = viewOf(filled, windowed(filled, { slices: [null, [0, count]] }));
    copy(on, part, scales);
    return filled;
  }
  using wide = spread(scaled);
  if (scaled.kind !== "block") {
    using turned = viewOf(wide, transposed(wide, [1, 0]));
    return contiguous(on, turned);
  }
  // Every 128 lines have the same.
  const all = DeviceArray.allocate(on.device, "float32", [count, lines]);
  for (let group = 0; group < groups; group++) {
    using part = viewOf(all, windowed(all, { slices: [null, [group * side, Math.min(lines, (group + 1) * side)]] }));
    using row = viewOf(scales, windowed(scales, { slices: [[group, group + 1]] }));
    using column = viewOf(row, transposed(row, [1, 0]));
    copy(on, part, column);
  }
  return all;
}

/** The kinds that the library takes together: not all go with all. */
function kindsTogether(a: ScaleKind, b: ScaleKind): readonly [ScaleKind, ScaleKind] {
  if (a === "one" && b === "one") return ["one", "one"];
  if ([a, b].every((kind) => kind === "one" || kind === "line")) return ["line", "line"];
  if (a === "block" && b !== "block") return ["block", "vector"];
  return ["vector", b === "block" ? "block" : "vector"];
}

/** A device that has no library for this has none for any. */
const sample =
  "matmul m=64 n=64 k=64 compute=float32 type=bfloat16 a.type=float8_e4m3 b.type=float8_e4m3 b.transposed=1 a.scales=one b.scales=one";

/** Whether a library of the device filled `out` [m, n] with the product of a [m, k] and the transpose of b [n, k]. */
function libraryInto(on: Execution, out: DeviceArray, a: Scaled, b: Scaled, fast: boolean): boolean {
  const [m, n, k] = [a.matrix.shape[0]!, b.matrix.shape[0]!, a.matrix.shape[1]!];
  const [kindA, kindB] = kindsTogether(a.kind, b.kind);
  const hasParts = kindA === "vector" || kindB === "vector";
  if (k % 16 !== 0 || n % 16 !== 0 || (hasParts && m % 4 !== 0)) return false;
  if (LibraryPlan.find(on.device, sample) === null) return false;
  const text =
    `matmul m=${m} n=${n} k=${k} compute=float32 type=${out.dtype} a.type=${a.matrix.dtype} b.type=${b.matrix.dtype} b.transposed=1` +
    ` a.scales=${kindA} b.scales=${kindB}${fast ? " fast=1" : ""}` +
    [
      ["out", out],
      ["a", a.matrix],
      ["b", b.matrix],
    ]
      .map(([name, array]) => [name, (array as DeviceArray).place] as const)
      .filter(([, place]) => place % 256 !== 0)
      .map(([name, place]) => ` ${name}.alignment=${(place % 256) & -(place % 256)}`)
      .join("");
  using scalesA = arranged(on, a, kindA);
  using scalesB = arranged(on, b, kindB);
  const places = [out.place, a.matrix.place, b.matrix.place, scalesA.place, scalesB.place];
  const scalars = [1, 0];
  const plan = LibraryPlan.find(on.device, text, { places, scalars });
  if (plan === null) return false;
  const sequence = plan.run(on, places, scalars);
  takes(on, "scaledMatmul", "library", plan.chosen);
  if (sequence > 0) out.living().written(sequence, out.bytes);
  return true;
}

/** The floats of a matrix by lines. */
function decoded(on: Execution, { matrix, scales, kind }: Scaled): DeviceArray {
  const [lines, k] = matrix.shape as [number, number];
  const result = DeviceArray.allocate(on.device, "float32", [lines, k]);
  if (result.size === 0) return result;
  const height = { one: lines, line: 1, vector: 1, block: side }[kind];
  const width = { one: k, line: k, vector: side, block: side }[kind];
  const { threads } = facts();
  const blocks = onDevice<Blocks>(on.device, {
    serial: blocksFor(on.device, lines, { serial: Math.max(1, Math.floor(16384 / k)) }),
    threads: { grid: Math.min(2 ** 20, Math.ceil((lines * k) / threads)), block: threads },
  });
  decoding.launch(on, matrix.dtype, blocks, [matrix, scales, result, lines, k, height, width]);
  return result;
}

/** Inputs a [m, k] and b [k, n] in float8, and their scales. */
const scaledMatmul: Computation<
  [a: DeviceArray, b: DeviceArray, scaleA: DeviceArray, scaleB: DeviceArray],
  ScaledAttributes
> = {
  inPlace: false,
  infer([a, b, scaleA, scaleB], { dtype }) {
    for (const each of [a, b])
      if (!stored.includes(each.dtype))
        throw new TensorError(
          "DTYPE",
          `scaledMatmul takes float8_e4m3 or float8_e5m2 but got ${each.dtype}: quantizeFp8 makes them.`,
        );
    if (a.shape.length !== 2 || b.shape.length !== 2 || a.shape[1] !== b.shape[0])
      throw new TensorError(
        "SHAPE",
        `scaledMatmul takes matrices m × k and k × n but got shapes ${formatShape(a.shape)} and ${formatShape(b.shape)}.`,
      );
    kindOf("scaleA", scaleA, a.shape, false);
    kindOf("scaleB", scaleB, b.shape, true);
    return [{ shape: [a.shape[0]!, b.shape[1]!], dtype }];
  },
  run([out], [a, b, scaleA, scaleB], { fast }, on) {
    byLines(on, a, scaleA, false, (left) =>
      byLines(on, b, scaleB, true, (right) => {
        if (a.shape[1]! > 0 && mayTake("scaledMatmul", "library") && libraryInto(on, out!, left, right, fast)) return;
        if (!mayTake("scaledMatmul", "floats")) throw refusal("scaledMatmul");
        takes(on, "scaledMatmul", "floats");
        using x = decoded(on, left);
        using y = decoded(on, right);
        using turned = viewOf(y, transposed(y, [1, 0]));
        if (out!.dtype === "float32") return matmulInto(on, out!, x, turned);
        using product = DeviceArray.allocate(on.device, "float32", out!.shape);
        matmulInto(on, product, x, turned);
        copy(on, out!, product);
      }),
    );
  },
  gradient: null,
  cost: (inputs, outputs) => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs),
    flops: 2 * outputs[0]!.size * inputs[0].shape[1]!,
  }),
};

export const scaledRows = { scaledMatmul } as const;
