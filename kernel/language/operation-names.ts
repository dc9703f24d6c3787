// Names of the library whose calls have devices work: the line of such a call is noted, so that a profile and a fault say where it stands, also within functions.

/** Names that arrays, strings, maps and sets have too are left out but for add and sub: their calls are many, and none of ours. */
export const sharedNames: ReadonlySet<string> = new Set(["slice", "toString", "get", "set", "repeat", "split", "sort"]);

/** Forms in place, which end in an underscore, are under the name without. */
const names = new Set(
  `
  abs acos acosh add addcdiv addcmul all any arange argmax argmin argsort asin asinh atan atan2 atanh backward bceWithLogitsLoss bernoulli bincount bitwiseAnd
  bitwiseNot bitwiseOr bitwiseXor broadcastTo cat cbrt ceil celu chunk clamp clone contiguous copy copysign cos cosh crossEntropy cummax cummin cumprod cumsum
  data diag diagonal div dropout einsum elu embedding empty emptyLike eq erf erfc erfinv exp exp2 expand expm1 eye fill flatten flip floor floorDivide fmod
  frac full fullLike gather ge gelu glu gt hardshrink hardsigmoid hardswish hardtanh histogram huberLoss hypot indexAdd indexCopy indexFill indexSelect
  isfinite isinf isnan item kthvalue l1Loss layerNorm le leakyRelu lerp lgamma linear linspace log log10 log1p log2 logSigmoid logSoftmax logaddexp logicalAnd
  logicalNot logicalOr logicalXor logsumexp lt maskedFill maskedSelect matmul max maximum mean median meshgrid min minimum mish moveAxis mseLoss mul
  multinomial ne neg nllLoss nonzero norm normal ones onesLike pad permute pow prelu prod quantile rand randint randn randperm reciprocal relu relu6 remainder
  repeatInterleave reshape rmsNorm roll round rsqrt scatter scatterAdd searchsorted selu sigmoid sign silu sin sinh smoothL1Loss softmax softplus softshrink
  softsign sqrt square squeeze stack std sub sum swapAxes synchronize take takeAlongAxis tan tanh tanhshrink tensor threshold tile to toArray topk transpose
  tril triu trunc unbind unflatten uniform unique unsqueeze var where zeros zerosLike
`
    .trim()
    .split(/\s+/),
);

export function isOperation(name: string): boolean {
  return names.has(name.endsWith("_") ? name.slice(0, -1) : name);
}
