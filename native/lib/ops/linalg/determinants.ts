// Determinants, from the factors L · U of matrices.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import { call } from "../core/calls.ts";
import type { Computation } from "../core/operation.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { blocksFor } from "../kernels/blocks.ts";
import { KernelFamily } from "../kernels/library.ts";
import { fill } from "../shape/copy.ts";
import { imaginaryOf, isComplex } from "../complex/parts.ts";
import { matrixDType, sizeDType, squaresOf, type MatrixDType } from "./matrices.ts";
import { factorFacts, factorise, withFactors, type Keeping } from "./solving.ts";
import { asColumn, conj, flip, onDiagonal, swapped, toDType } from "./terms.ts";

const kernel = new KernelFamily("linalg", ["float32", "float64"], (type) => `determinants<${type}>`, [
  "place",
  "place",
  "out",
  "out",
  "out",
  "i64",
  "i64",
]);

const ofComplex = new KernelFamily("linalg", ["complex64", "complex128"], (type) => `complex_determinants<${type}>`, [
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
    multiply(on, factors, pivots, { whole, sign, logarithm });
  });
}

/** Of factors. */
function multiply(on: Execution, factors: DeviceArray, pivots: DeviceArray, { whole, sign, logarithm }: Wanted): void {
  const { count, rows } = squaresOf("det", factors);
  const isReal = kernel.has(factors.dtype);
  const blocks = blocksFor(on.device, count, { serial: Math.ceil(1024 / rows), each: isReal ? 1 / 32 : 1 });
  const args = [factors, pivots, whole, sign, logarithm, count, rows];
  (isReal ? kernel : ofComplex).launch(on, factors.dtype, blocks, args);
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

const epsilon = ({ dtype }: DeviceArray) => (sizeDType(dtype as MatrixDType) === "float32" ? 2 ** -23 : 2 ** -52);

/** Inputs factors and pivots that `det` keeps; output the determinants. */
const factoredDeterminant: Computation<[factors: DeviceArray, pivots: DeviceArray], Readonly<Record<string, never>>> = {
  inPlace: false,
  infer: ([factors]) => [{ shape: factors.shape.slice(0, -2), dtype: factors.dtype }],
  run([out], [factors, pivots], _, on) {
    multiply(on, factors, pivots, { whole: out!, sign: null, logarithm: null });
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
      isDifferentiated || factors === undefined
        ? scaled(swapped(call("inverse", [x])), y!)
        : cofactors(factors, pivots!);
    return [toDType(scaled(conj(found), g!), x)];
  },
  cost,
};

/** Outputs the signs of the determinants, the logarithms of their magnitudes and, where they are kept, the factors. */
const slogdet: Computation<[x: DeviceArray], Keeping> = {
  inPlace: false,
  infer([x], { keep }) {
    const { batch } = squaresOf("slogdet", x);
    const dtype = matrixDType("slogdet", x);
    return [{ shape: batch, dtype }, { shape: batch, dtype: sizeDType(dtype) }, ...factorFacts(keep, x.shape, dtype)];
  },
  run([sign, logarithm, ...kept], [x], _, on) {
    determinantsInto(on, x, { whole: null, sign: sign!, logarithm: logarithm! }, kept);
  },
  // A real sign has the slope 0, and a complex one turns with the imaginary part of tr(x⁻¹ · dx).
  gradient: ([gSign, gLogarithm], { inputs: [x], outputs: [sign, , factors, pivots], isDifferentiated }) => {
    const turn = gSign && isComplex(sign!) ? imaginaryOf(call("mul", [gSign, conj(sign)])) : null;
    const g =
      turn === null ? gLogarithm : call("complex", [gLogarithm ?? call("fullLike", [turn], { value: 0 }), turn]);
    if (!g) return [null];
    if (x.size === 0) return [call("fullLike", [x], { value: 0 })];
    const ones = () => onDiagonal(call("fullLike", [asDiagonal(x)], { value: 1 }));
    const back =
      isDifferentiated || factors === undefined
        ? flip(call("inverse", [x]))
        : conj(call("solveFactored", [factors, pivots!, ones()], { isTransposed: true }));
    return [toDType(scaled(back, g), x)];
  },
  cost,
};

const asDiagonal = (x: DeviceArray) =>
  call("diagonal", [x], { offset: 0, axes: [x.shape.length - 2, x.shape.length - 1] });

export const determinantRows = { det, slogdet, factoredDeterminant } as const;
