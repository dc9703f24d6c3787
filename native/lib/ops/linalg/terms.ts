// Linear algebra as gradients write it: products, transposes, diagonals and triangles of batches of matrices, by
// operations that have gradients themselves.
import type { DeviceArray } from "../../memory/array.ts";
import { call } from "../core/calls.ts";
import { conjugate, isComplex } from "../complex/parts.ts";
import { turnedAxes } from "./matrices.ts";

type One = (x: DeviceArray) => DeviceArray;
type Pair = (a: DeviceArray, b: DeviceArray) => DeviceArray;

export const product: Pair = (a, b) => call("matmul", [a, b]);
/** Transposed matrices. */
export const swapped: One = (x) => call("permute", [x], { axes: turnedAxes(x.shape.length) });
/** Of complex numbers the conjugates, of others themselves. */
export const conj: One = (x) => (isComplex(x) ? conjugate(x) : x);
/** Adjoint matrices: of real numbers the transposed ones. */
export const flip: One = (x) => swapped(conj(x));
export const lower = (x: DeviceArray, offset = 0): DeviceArray => call("triangle", [x], { isLower: true, offset });
export const upper = (x: DeviceArray, offset = 0): DeviceArray => call("triangle", [x], { isLower: false, offset });
export const half: One = (x) => call("mul", [x, 0.5]);

/** A vector as the one row of a matrix, or as its one column. */
export const asRow: One = (x) => withAxis(x, x.shape.length - 1);
export const asColumn: One = (x) => withAxis(x, x.shape.length);
const withAxis = (x: DeviceArray, axis: number) => call("slice", [x], { slices: [], added: [axis] });

/** Square matrices with vectors on their diagonals, and 0 elsewhere. */
export function onDiagonal(x: DeviceArray): DeviceArray {
  const rank = x.shape.length;
  const diagonal = { offset: 0, axes: [rank - 1, rank] as const };
  return call("onDiagonal", [x], { diagonal, shape: [...x.shape, x.shape.at(-1)!] });
}

/** x − xᴴ. */
export const skew: One = (x) => call("sub", [x, flip(x)]);

/** vⱼ − vᵢ, and 1 on the diagonal: what is divided by it has 0 there. */
export function gaps(v: DeviceArray): DeviceArray {
  const ones = call("fullLike", [v], { value: 1 });
  return call("add", [call("sub", [asRow(v), asColumn(v)]), onDiagonal(ones)]);
}

/** The sum of gradients, of which some may be none. */
export function total(...parts: readonly (DeviceArray | null)[]): DeviceArray | null {
  return parts.reduce((sum, part) => (sum === null || part === null ? (sum ?? part) : call("add", [sum, part])), null);
}

/** A gradient in the dtype of what it is the gradient of. */
export const toDType = (gradient: DeviceArray, { dtype }: DeviceArray): DeviceArray =>
  gradient.dtype === dtype ? gradient : call("convert", [gradient], { dtype });
