// Linear algebra: what `import { linalg } from "warpcell"` gives.
export {
  cholesky,
  choleskyInverse,
  choleskySolve,
  det,
  inv,
  logdet,
  slogdet,
  solve,
  solveTriangular,
  type CholeskyOptions,
  type SignedLogarithm,
  type TriangularOptions,
} from "./solving.ts";
export {
  eigh,
  eigvalsh,
  qr,
  svd,
  svdvals,
  type Eigen,
  type EigenOptions,
  type Orthogonal,
  type QrOptions,
  type SingularValues,
  type SvdOptions,
} from "./spectra.ts";
export {
  lu,
  luFactor,
  luSolve,
  type LuSolveOptions,
  type PackedFactors,
  type TriangularFactors,
} from "./factors.ts";
export { geqrf, householderProduct, ormqr, type PackedReflections, type ReflectOptions } from "./reflections.ts";
export { tensorinv, tensorsolve, type TensorInverseOptions, type TensorSolveOptions } from "./tensor-systems.ts";
export { pcaLowrank, svdLowrank, type LowRankOptions, type PrincipalOptions } from "./low-rank.ts";
export { eig, eigvals, type GeneralEigen } from "./eig.ts";
export { lstsq, pinv, type CutoffOptions, type InverseOptions, type LeastSquares } from "./least-squares.ts";
export {
  cond,
  matrixNorm,
  matrixRank,
  norm,
  trace,
  vectorNorm,
  type AnyNormOptions,
  type DiagonalOptions,
  type MatrixNormOptions,
  type MatrixOrder,
  type RankOptions,
  type VectorNormOptions,
} from "./norms.ts";
export { KroneckerProduct, kronecker } from "./kronecker.ts";
export { kron, matrixExp, matrixPower, multiDot } from "./powers.ts";
export { matmul } from "../tensor/linear.ts";
export { cross, outer, tensordot, vecdot } from "../tensor/products.ts";
export {
  orthogonalize,
  polar,
  symmetricPower,
  type OrthogonalizeOptions,
  type Polar,
  type SymmetricPowerOptions,
} from "./roots.ts";
export type { MatrixOf } from "./operands.ts";
