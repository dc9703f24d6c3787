// Eigenvalues of symmetric matrices, singular values, and Q · R.
import type { DType } from "../memory/dtype.ts";
import { apply, applyAll } from "../ops/core/apply.ts";
import { define, flag, oneOf } from "../tensor/arguments.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { isTracked, type MatrixOf, type SizeOf } from "./operands.ts";

/** `upper`: the upper triangle is looked at, not the lower one. */
export interface EigenOptions {
  readonly upper?: boolean;
}

/** What {@link eigh} gives: x = V · diag(w) · Vᴴ. */
export interface Eigen<D extends DType = DType> {
  /** w [B…, n], ascending; real. */
  readonly eigenvalues: Tensor<SizeOf<D>>;
  /** V [B…, n, n], of which each column is one, of length 1. */
  readonly eigenvectors: Tensor<D>;
}

const triangleOption = {
  options: { upper: flag },
  aliases: { UPLO: (value: unknown) => ({ upper: value === "U" || value === "u" }) },
} as const;

/**
 * Eigenvalues and eigenvectors of symmetric, or Hermitian, matrices [B…, n, n], of which only the lower triangle is
 * looked at. Vectors are determined up to their sign, or phase, on which what a gradient is taken of must not depend,
 * and those of equal eigenvalues up to a rotation: their gradients are then not finite.
 * Throws TensorError NOT_CONVERGED at the next wait, as for NaN (Golub and Van Loan, "Matrix Computations", 8).
 * @example
 * linalg.eigh(tensor([[2, 0], [0, 1]])).eigenvalues; // → tensor([1, 2], shape [2], float32, cpu)
 */
export const eigh: <D extends DType>(x: Tensor<D>, options?: EigenOptions) => Eigen<MatrixOf<D>> = define(
  "eigh",
  triangleOption,
  (x, { upper = false }) => {
    const [eigenvalues, eigenvectors] = applyAll("eigh", [x], { vectors: true, isUpper: upper });
    return { eigenvalues, eigenvectors };
  },
);

/**
 * The eigenvalues of symmetric matrices, ascending, as {@link eigh} gives them; without vectors, which takes a fraction
 * of the time.
 * @example
 * linalg.eigvalsh(tensor([[0, 1], [1, 0]])); // → tensor([-1, 1], shape [2], float32, cpu)
 */
export const eigvalsh: <D extends DType>(x: Tensor<D>, options?: EigenOptions) => Tensor<SizeOf<D>> = define(
  "eigvalsh",
  triangleOption,
  (x, { upper = false }) => applyAll("eigh", [x], { vectors: isTracked(x), isUpper: upper })[0],
);

/** `fullMatrices`: U is [m, m] and Vᵀ [n, n]; false when left out: both have min(m, n) singular vectors. */
export interface SvdOptions {
  readonly fullMatrices?: boolean;
}

/** What {@link svd} gives: x = U · diag(S) · Vh. */
export interface SingularValues<D extends DType = DType> {
  /** The left singular vectors, as columns. */
  readonly U: Tensor<D>;
  /** The singular values, descending; real. */
  readonly S: Tensor<SizeOf<D>>;
  /** The right singular vectors, as rows. */
  readonly Vh: Tensor<D>;
}

/**
 * The singular value decomposition of matrices [B…, m, n], see {@link SvdOptions}: x = U · diag(S) · Vh. Vectors are
 * determined up to a common sign, or phase, on which what a gradient is taken of must not depend, those of equal values
 * up to a rotation: their gradients are then not finite. Throws TensorError NOT_CONVERGED at the next wait, as for NaN.
 * @example
 * linalg.svd(tensor([[0, 2], [1, 0]])).S; // → tensor([2, 1], shape [2], float32, cpu)
 */
export const svd: <D extends DType>(x: Tensor<D>, options?: SvdOptions) => SingularValues<MatrixOf<D>> = define(
  "svd",
  {
    options: { fullMatrices: flag },
    aliases: { full_matrices: "fullMatrices", some: (value) => ({ fullMatrices: value === false }) },
    instead: { compute_uv: "Write linalg.svdvals for singular values alone." },
  },
  (x, { fullMatrices = false }) => {
    const [S, U, Vh] = applyAll("svd", [x], { vectors: fullMatrices ? "full" : "thin" });
    return { U, S, Vh };
  },
);

/**
 * The singular values of matrices, descending, as {@link svd} gives them; without vectors, which takes a fraction of
 * the time.
 * @example
 * linalg.svdvals(tensor([[3, 0], [0, -4]])); // → tensor([4, 3], shape [2], float32, cpu)
 */
export const svdvals: <D extends DType>(x: Tensor<D>) => Tensor<SizeOf<D>> = define(
  "svdvals",
  {},
  (x) => applyAll("svd", [x], { vectors: isTracked(x) ? "thin" : "none" })[0],
);

/**
 * "reduced": Q [m, min(m, n)] and R [min(m, n), n]; "complete": Q [m, m] and R [m, n]; "r": R alone, of "reduced".
 * "reduced" when left out.
 */
export interface QrOptions {
  readonly mode?: "reduced" | "complete" | "r";
}

/** What {@link qr} gives: x = Q · R. */
export interface Orthogonal<D extends DType = DType> {
  /** Its columns have length 1 and stand at right angles; without elements for mode "r". */
  readonly Q: Tensor<D>;
  /** Upper triangular. */
  readonly R: Tensor<D>;
}

/**
 * Matrices [B…, m, n] as Q · R by Householder's reflections, see {@link QrOptions}: Q has orthonormal columns, R is
 * upper triangular; the signs of R's diagonal are LAPACK's.
 * @example
 * linalg.qr(tensor([[0, 2], [-1, 1]])).R.abs(); // → tensor([[1, 1], [0, 2]], shape [2, 2], float32, cpu)
 */
export const qr: <D extends DType>(x: Tensor<D>, options?: QrOptions) => Orthogonal<MatrixOf<D>> = define(
  "qr",
  { options: { mode: oneOf("reduced", "complete", "r") }, bare: ["mode"] },
  (x, { mode = "reduced" }) => {
    if (mode === "r" && !isTracked(x)) {
      const R = apply("qr", [x], { mode: "r" });
      return { Q: emptyBeside(R as Tensor), R };
    }
    const [Q, R] = applyAll("qr", [x], { mode: mode === "r" ? "reduced" : mode });
    return { Q: mode === "r" ? emptyBeside(R as Tensor) : Q, R };
  },
);

const emptyBeside = (r: Tensor): Tensor => r.detach().slice(...r.shape.slice(0, -1).map(() => null), [0, 0]);
