// Random matrices for tests of linear algebra, and their arithmetic in float64 as lists of rows, without the library.
import { tensor, type Tensor } from "../../native/lib/index.ts";
import { poison, rounded, roundoff } from "./numbers.ts";
import { type Random } from "../helpers/random.ts";

export type Rows = readonly (readonly number[])[];
export type MatrixDType = "float32" | "float64";

const make = (rows: number, columns: number, of: (i: number, j: number) => number): number[][] =>
  Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => of(i, j)));
export const times = (a: Rows, b: Rows): number[][] =>
  make(a.length, b[0]?.length ?? 0, (i, j) => a[i]!.reduce((sum, each, k) => sum + each * b[k]![j]!, 0));
export const flipped = (a: Rows): number[][] => make(a[0]?.length ?? 0, a.length, (i, j) => a[j]![i]!);
export const minus = (a: Rows, b: Rows): number[][] => a.map((row, i) => row.map((each, j) => each - b[i]![j]!));
export const unit = (n: number): number[][] => make(n, n, (i, j) => (i === j ? 1 : 0));
export const diagonal = (values: readonly number[]): number[][] =>
  make(values.length, values.length, (i, j) => (i === j ? values[i]! : 0));
export const triangle = (a: Rows, isUpper: boolean): number[][] =>
  a.map((row, i) => row.map((each, j) => ((isUpper ? j >= i : j <= i) ? each : 0)));
/** The largest sum of magnitudes of a row. */
export const size = (a: Rows): number =>
  a.reduce(
    (most, row) =>
      Math.max(
        most,
        row.reduce((sum, each) => sum + Math.abs(each), 0),
      ),
    0,
  );

/** Roundings that a result with n steps may have: 16 for each, of the dtype. */
export const bound = (n: number, dtype: MatrixDType): number => 16 * Math.max(1, n) * roundoff[dtype]!;

/** The matrices of a tensor, one after the other. */
export function matricesOf(x: Tensor): number[][][] {
  const [rows, columns] = [x.shape.at(-2)!, x.shape.at(-1)!];
  const flat = x.reshape([-1]).toArray() as number[];
  return Array.from({ length: x.size / Math.max(1, rows * columns) }, (_, at) =>
    make(rows, columns, (i, j) => flat[(at * rows + i) * columns + j]!),
  );
}

/** The vectors along the last axis of a tensor. */
export const vectorsOf = (x: Tensor): number[][] => matricesOf(x.unsqueeze(-2)).map(([row]) => row!);

/** How the memory of a tensor lies that is made for a test. */
export const layouts = ["row-major", "transposed", "with gaps"] as const;
export type Layout = (typeof layouts)[number];

/** Makes random batches of matrices, and poisons what results will be written to. */
export function matrixMaker(random: Random, device: string) {
  const number = (dtype: MatrixDType) => rounded(random() * 2 - 1, dtype);
  /** A tensor of matrices in some layout. */
  const shown = (
    batch: readonly number[],
    matrices: readonly Rows[],
    [rows, columns]: readonly [number, number],
    dtype: MatrixDType,
    layout: Layout,
  ): Tensor => {
    const lists = layout === "transposed" ? matrices.map(flipped) : matrices;
    const shape = layout === "transposed" ? [columns, rows] : [rows, columns];
    const x = tensor(lists.flat(2), { dtype, device }).reshape([...batch, ...shape]);
    poison(device, Math.max(1, 2 * x.size));
    if (layout === "transposed") return x.swapAxes(-1, -2);
    if (layout === "row-major") return x;
    const axes = x.shape.map(() => null);
    return x.repeatInterleave(2, { axis: -1 }).slice(...axes.slice(1), [0, 2 * columns, 2]);
  };
  return {
    any(batch: readonly number[], rows: number, columns: number, dtype: MatrixDType, layout: Layout = "row-major") {
      const matrices = batch
        .reduce<null[]>((all, length) => all.flatMap(() => Array<null>(length).fill(null)), [null])
        .map(() => make(rows, columns, () => number(dtype)));
      return { x: shown(batch, matrices, [rows, columns], dtype, layout), matrices };
    },
    /** m · mᵀ + n · 1. */
    definite(batch: readonly number[], n: number, dtype: MatrixDType, layout: Layout = "row-major") {
      const { matrices } = this.any(batch, n, n, dtype);
      const definite = matrices.map((m) => {
        const square = times(m, flipped(m));
        return make(n, n, (i, j) => rounded(square[Math.max(i, j)]![Math.min(i, j)]! + (i === j ? n : 0), dtype));
      });
      return { x: shown(batch, definite, [n, n], dtype, layout), matrices: definite };
    },
  };
}
