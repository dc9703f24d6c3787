// What operations compute in under autocast: those whose cost is products in the low dtype, those that lose digits there
// in float32. All others take what they get, and the widest of it, as always.
import type { OperationName } from "../ops/core/table.ts";

/** "low": the dtype of autocast; "float32": at least that. float64 stays as it is in both. */
export type Precision = "low" | "float32";

const low: readonly OperationName[] = [
  "matmul",
  "linear",
  "convolution",
  "convolutionInput",
  "attention",
  "packedAttention",
  "sequencesAttention",
  "lstm",
  "gru",
  "prelu",
];

const float32: readonly OperationName[] = [
  // exponentials, logarithms and what ends near a pole
  "exp",
  "exp2",
  "expm1",
  "log",
  "log2",
  "log10",
  "log1p",
  "logaddexp",
  "logaddexp2",
  "xlogy",
  "pow",
  "square",
  "reciprocal",
  "rsqrt",
  "sinh",
  "cosh",
  "tan",
  "asin",
  "acos",
  "atanh",
  "acosh",
  "asinh",
  "erfinv",
  "erfcx",
  "ndtr",
  "logNdtr",
  "zeta",
  "lgamma",
  "digamma",
  "polygamma",
  "i0",
  "i1",
  "softplus",
  "logSigmoid",
  // sums
  "sum",
  "mean",
  "prod",
  "norm",
  "variance",
  "std",
  "logsumexp",
  "cumsum",
  "cumprod",
  "logcumsumexp",
  // rows
  "softmax",
  "logSoftmax",
  "layerNorm",
  "rmsNorm",
  "batchNorm",
  "normalizeChannels",
  // losses
  "crossEntropyRows",
  "crossEntropyMean",
  "mseLoss",
  "l1Loss",
  "smoothL1Loss",
  "huberLoss",
  "bceWithLogitsLoss",
  // what no library computes in 16 bits
  "cholesky",
  "solve",
  "inverse",
  "solveTriangular",
  "det",
  "slogdet",
  "eigh",
  "eigenParts",
  "svd",
  "qr",
  "pseudoInverse",
  "leastSquares",
  "fourier",
];

export const precisions: ReadonlyMap<string, Precision> = new Map([
  ...low.map((name) => [name, "low"] as const),
  ...float32.map((name) => [name, "float32"] as const),
]);
