// Determinants, from the factors L · U of matrices.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import { call } from "../core/calls.ts";
import type { Computation } from "../core/operation.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { blocksFor } from "../kernels/blocks.ts";
import { KernelFamily } from "../kernels/library.ts";
import { fill } from "../shape/copy.ts";
import { matrixDType, squaresOf, type MatrixDType } from "./matrices.ts";
import { factorFacts, factorise, withFactors, type Keeping } from "./solving.ts";
import { asColumn, asRow, flip, onDiagonal, toDType } from "./terms.ts";

const kernel = new KernelFamily("linalg", ["float32", "float64"], (type) => `determinants<${type}>`, [
  "place",
  "place",
  "out",
  "out",
  "out",
  "i64",
  "i64",
]);

/** What is wanted of the determinants; the others are `null`. */
interface Wanted {
  readonly whole: DeviceArray | null;
  readonly sign: DeviceArray | null;
  readonly logarithm: DeviceArray | null;
}

function determinantsInto(
  on: Execution,
  x: DeviceArray,
  { whole, sign, logarithm }: Wanted,
  kept: readonly DeviceArray[],
): void {
  const sizes = squaresOf("det", x);
  const { count, rows } = sizes;
  const dtype = (whole ?? sign)!.dtype as MatrixDType;
  if (rows === 0) {
    for (const one of [whole, sign]) if (one !== null) fill(on, one, 1);
    if (logarithm !== null) fill(on, logarithm, 0);
    return;
  }
  withFactors(on, kept, dtype, sizes, ({ factors, pivots }) => {
    // A matrix without a pivot has the determinant 0.
    factorise(on, { factors, pivots }, x, sizes);
    const blocks = blocksFor(on.device, count, { serial: Math.ceil(1024 / rows), each: 1 / 32 });
    kernel.launch(on, dtype, blocks, [factors, pivots, whole, sign, logarithm, count, rows]);
  });
}

const cost = (inputs: readonly DeviceArray[], outputs: readonly DeviceArray[]) => ({
  bytes: bytesMoved(inputs) + bytesMoved(outputs),
  flops: (2 / 3) * inputs[0]!.size * inputs[0]!.shape.at(-1)!,
});

const scaled = (matrices: DeviceArray, by: DeviceArray) => call("mul", [matrices, asColumn(asColumn(by))]);

/**
 * det(a) · a⁻ᵀ, the cofactors, from the factors; where a pivot is 0, of a matrix beside a that has a tiny one instead.
 */
function cofactors(factors: DeviceArray, pivots: DeviceArray): DeviceArray {
  const rank = factors.shape.length;
  const diagonal = call("diagonal", [factors], { offset: 0, axes: [rank - 2, rank - 1] });
  const axes = [rank - 2, rank - 1];
  const largest = call("max", [call("abs", [factors])], { axes, keepdims: true });
  const scale = call("where", [call("eq", [largest, 0]), 1, largest]);
  const size = call("mul", [
    call("reshapeTo", [scale], { shape: [...factors.shape.slice(0, -2), 1] }),
    epsilon(factors),
  ]);
  const tiny = call("where", [call("eq", [diagonal, 0]), call("expand", [size], { shape: diagonal.shape }), 0]);
  const beside = call("add", [factors, onDiagonal(tiny)]);
  const determinant = call("factoredDeterminant", [beside, pivots]);
  const ones = onDiagonal(call("fullLike", [diagonal], { value: 1 }));
  return scaled(call("solveFactored", [beside, pivots, ones], { isTransposed: true }), determinant);
}

const epsilon = ({ dtype }: DeviceArray) => (dtype === "float32" ? 2 ** -23 : 2 ** -52);

/** Inputs factors and pivots that `det` keeps; output the determinants. */
const factoredDeterminant: Computation<[factors: DeviceArray, pivots: DeviceArray], Readonly<Record<string, never>>> = {
  inPlace: false,
  infer: ([factors]) => [{ shape: factors.shape.slice(0, -2), dtype: factors.dtype }],
  run([out], [factors, pivots], _, on) {
    const { count, rows } = squaresOf("det", factors);
    const blocks = blocksFor(on.device, count, { serial: Math.ceil(1024 / rows), each: 1 / 32 });
    kernel.launch(on, out!.dtype, blocks, [factors, pivots, out!, null, null, count, rows]);
  },
  gradient: null,
  cost,
};

/** Outputs the determinants and, where they are kept, the factors. */
const det: Computation<[x: DeviceArray], Keeping> = {
  inPlace: false,
  infer([x], { keep }) {
    const { batch } = squaresOf("det", x);
    const dtype = matrixDType("det", x);
    return [{ shape: batch, dtype }, ...factorFacts(keep, x.shape, dtype)];
  },
  run([out, ...kept], [x], _, on) {
    determinantsInto(on, x, { whole: out!, sign: null, logarithm: null }, kept);
  },
  gradient([g], { inputs: [x], outputs: [y, factors, pivots], isDifferentiated }) {
    if (x.size === 0) return [call("fullLike", [x], { value: 0 })];
    const found =
      isDifferentiated || factors === undefined ? scaled(flip(call("inverse", [x])), y!) : cofactors(factors, pivots!);
    return [toDType(scaled(found, g!), x)];
  },
  cost,
};

/** Outputs the signs of the determinants, the logarithms of their magnitudes and, where they are kept, the factors. */
const slogdet: Computation<[x: DeviceArray], Keeping> = {
  inPlace: false,
  infer([x], { keep }) {
    const { batch } = squaresOf("slogdet", x);
    const dtype = matrixDType("slogdet", x);
    return [{ shape: batch, dtype }, { shape: batch, dtype }, ...factorFacts(keep, x.shape, dtype)];
  },
  run([sign, logarithm, ...kept], [x], _, on) {
    determinantsInto(on, x, { whole: null, sign: sign!, logarithm: logarithm! }, kept);
  },
  // The sign has the slope 0.
  gradient: ([, g], { inputs: [x], outputs: [, , factors, pivots], isDifferentiated }) => {
    if (!g) return [null];
    if (x.size === 0) return [call("fullLike", [x], { value: 0 })];
    const ones = () => onDiagonal(call("fullLike", [asDiagonal(x)], { value: 1 }));
    const back =
      isDifferentiated || factors === undefined
        ? flip(call("inverse", [x]))
        : call("solveFactored", [factors, pivots!, ones()], { isTransposed: true });
    return [toDType(scaled(back, g), x)];
  },
  cost,
};

const asDiagonal = (x: DeviceArray) =>
  call("diagonal", [x], { offset: 0, axes: [x.shape.length - 2, x.shape.length - 1] });

export const determinantRows = { det, slogdet, factoredDeterminant } as const;
