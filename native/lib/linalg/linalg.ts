// Linear algebra: what `import { linalg } from "warpcell"` gives.
export {
  cholesky,
  det,
  inv,
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
export type { MatrixOf } from "./operands.ts";
