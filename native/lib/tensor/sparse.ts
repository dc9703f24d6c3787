// Sparse matrices: what `import { sparse } from "warpcell"` gives.
export { csr, CsrMatrix, type CsrParts } from "./csr.ts";
export { bsr, BlockSparseMatrix } from "./block-sparse.ts";
export { compress24, prune24, TwoFourMatrix } from "./two-four.ts";
