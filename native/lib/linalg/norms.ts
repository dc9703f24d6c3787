// Sizes of vectors and matrices: norms, rank, condition and trace.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { checkedAxis } from "../memory/shape.ts";
import { matricesOf, matrixDType, squaresOf } from "../ops/linalg/matrices.ts";
import { axes, define, either, flag, number, oneOf } from "../tensor/arguments.ts";
import { norm as normOfAll } from "../tensor/reductions.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { bound, boundOf, defaultCutoff, rankOf } from "./least-squares.ts";
import type { SizeOf } from "./operands.ts";
import { inv } from "./solving.ts";
import { eigvalsh, svdvals } from "./spectra.ts";

/** `ord`: p of (Σ|x|ᵖ)^(1/p), 0 for a count, ±Infinity for the largest or smallest; 2 when left out. */
export interface VectorNormOptions {
  readonly ord?: number;
  readonly axis?: number | readonly number[];
  readonly keepdims?: boolean;
}
/**
 * "fro": √Σx²; "nuc": the sum of singular values; 2 and −2: the largest and smallest of them; 1 and −1: the largest and
 * smallest sum of magnitudes of a column; Infinity and −Infinity: of a row.
 */
export type MatrixOrder = "fro" | "nuc" | 1 | -1 | 2 | -2 | number;
/** `ord`: "fro" when left out, see {@link MatrixOrder}. */
export interface MatrixNormOptions {
  readonly ord?: MatrixOrder;
  readonly keepdims?: boolean;
}
/** `ord`: that of a matrix for two axes, or a matrix without `axis`; else that of vectors. */
export interface AnyNormOptions {
  readonly ord?: MatrixOrder;
  readonly axis?: number | readonly number[];
  readonly keepdims?: boolean;
}

/**
 * The norm of vectors, over all axes or those named, see {@link VectorNormOptions}.
 * @example
 * linalg.vectorNorm(tensor([3, -4]), { ord: Infinity }); // → tensor(4, shape [], float32, cpu)
 */
export const vectorNorm: <D extends DType>(x: Tensor<D>, options?: VectorNormOptions) => Tensor<D> = define(
  "vectorNorm",
  { options: { ord: number, axis: axes, keepdims: flag } },
  (x, given) => normOfAll(x, given),
);

const order = either(number, oneOf("fro", "nuc"));

/** Of the last two axes, which stay with size 1 or go. */
function matrixSize(x: Tensor, ord: number | "fro" | "nuc", keepdims: boolean): Tensor {
  matricesOf("matrixNorm", x);
  if (ord === "fro") return x.norm({ axis: [-2, -1], keepdims });
  const shaped = (sizes: Tensor) => (keepdims ? sizes.unsqueeze(-1).unsqueeze(-1) : sizes);
  if (ord === "nuc") return shaped(svdvals(x).sum(-1));
  const magnitude = Math.abs(ord);
  if (magnitude !== 1 && magnitude !== 2 && magnitude !== Infinity)
    throw new TensorError(
      "VALUE",
      `matrixNorm takes "fro", "nuc", 1, -1, 2, -2, Infinity or -Infinity as ord but got ${ord}.`,
    );
  const sums = magnitude === 2 ? svdvals(x) : x.abs().sum(magnitude === 1 ? -2 : -1);
  return shaped(ord > 0 ? sums.max({ axis: -1 }) : sums.min({ axis: -1 }));
}

/**
 * The norm of matrices, the last two axes, see {@link MatrixOrder}.
 * @example
 * linalg.matrixNorm(tensor([[1, -2], [3, 4]]), { ord: 1 }); // → tensor(6, shape [], float32, cpu)
 */
export const matrixNorm: <D extends DType>(x: Tensor<D>, options?: MatrixNormOptions) => Tensor<D> = define(
  "matrixNorm",
  { options: { ord: order, keepdims: flag }, bare: ["ord"] },
  (x, { ord = "fro", keepdims = false }) => matrixSize(x, ord, keepdims),
);

/**
 * NumPy's and PyTorch's norm: of two axes, or of a matrix for which an `ord` and no axis is given, {@link matrixNorm};
 * else {@link vectorNorm}, of all elements where nothing is said.
 * @example
 * linalg.norm(tensor([[3, 0], [0, 4]])); // → tensor(5, shape [], float32, cpu)
 * linalg.norm(tensor([[3, 0], [0, 4]]), { ord: "nuc" }); // → tensor(7, shape [], float32, cpu)
 */
export const norm: <D extends DType>(x: Tensor<D>, options?: AnyNormOptions) => Tensor<D> = define(
  "norm",
  { options: { ord: order, axis: axes, keepdims: flag }, bare: ["ord", "axis"] },
  (x, { ord, axis, keepdims = false }) => {
    const named = axis === undefined ? [] : typeof axis === "number" ? [axis] : axis;
    const isMatrix = ord !== undefined && (named.length === 2 || (axis === undefined && x.shape.length === 2));
    if (!isMatrix) {
      if (ord === "nuc" || ord === "fro")
        throw new TensorError("VALUE", `norm takes "${ord}" for matrices: name two axes, such as { axis: [-2, -1] }.`);
      return normOfAll(x, { ...(ord !== undefined && { ord }), ...(axis !== undefined && { axis }), keepdims });
    }
    const [rows, columns] = (axis === undefined ? [0, 1] : named).map((each) => checkedAxis(each, x.shape.length));
    const last = x.moveAxis([rows!, columns!], [-2, -1]);
    const found = matrixSize(last, ord, false);
    if (!keepdims) return found;
    const [first, second] = [Math.min(rows!, columns!), Math.max(rows!, columns!)];
    return found.unsqueeze(first).unsqueeze(second);
  },
);

/**
 * Singular values count as 0 up to `rtol` times the largest, or `atol`, whichever is more; rtol is max(m, n) · ε when
 * both are left out, and 0 beside an atol. A tensor [B…] has one for each matrix. `hermitian`: of symmetric, or
 * Hermitian, matrices, whose lower triangle is read.
 */
export interface RankOptions {
  readonly rtol?: number | Tensor;
  readonly atol?: number | Tensor;
  readonly hermitian?: boolean;
}

/**
 * The rank of matrices [B…, m, n]: how many singular values do not count as 0, see {@link RankOptions}.
 * @example
 * linalg.matrixRank(tensor([[1, 2], [2, 4]])); // → tensor(1, shape [], int64, cpu)
 */
export const matrixRank: (x: Tensor, options?: RankOptions) => Tensor<"int64"> = define(
  "matrixRank",
  {
    options: { rtol: bound, atol: bound, hermitian: flag },
    aliases: { tol: "atol", rcond: "rtol" },
  },
  (
    x,
    { atol = 0, rtol = typeof atol !== "number" || atol > 0 ? 0 : defaultCutoff("matrixRank", x), hermitian = false },
  ) =>
    rankOf(
      (hermitian ? eigvalsh(x.detach()).abs() : svdvals(x.detach())) as Tensor,
      boundOf("matrixRank", x, rtol),
      boundOf("matrixRank", x, atol),
    ),
);

/**
 * The condition of matrices, how much larger than an error of x one of its inverse is: the largest singular value
 * divided by the smallest; for another norm |x| · |x⁻¹|, of square matrices.
 * @example
 * linalg.cond(tensor([[4, 0], [0, 2]])); // → tensor(2, shape [], float32, cpu)
 */
export const cond: <D extends DType>(x: Tensor<D>, ord?: MatrixOrder) => Tensor<SizeOf<D>> = define(
  "cond",
  { options: { ord: order }, bare: ["ord"], aliases: { p: "ord" } },
  (x, { ord = 2 }) => {
    if (ord === 2 || ord === -2) {
      const values = svdvals(x);
      const [largest, smallest] = [values.max({ axis: -1 }), values.min({ axis: -1 })];
      return ord === 2 ? largest.div(smallest) : smallest.div(largest);
    }
    squaresOf("cond", x);
    const floats = x.to(matrixDType("cond", x));
    return matrixSize(floats, ord, false).mul(matrixSize(inv(floats), ord, false));
  },
);

/** `offset` > 0 is above the main diagonal. */
export interface DiagonalOptions {
  readonly offset?: number;
}

/**
 * The sum of the diagonals of matrices, the last two axes.
 * @example
 * linalg.trace(ones([2, 3, 3])); // → tensor([3, 3], shape [2], float32, cpu)
 */
export const trace: <D extends DType>(x: Tensor<D>, options?: DiagonalOptions) => Tensor = define(
  "trace",
  { options: { offset: number } },
  (x, { offset = 0 }) => {
    matricesOf("trace", x);
    return x.trace({ offset, axes: [x.shape.length - 2, x.shape.length - 1] });
  },
);
