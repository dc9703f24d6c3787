// Names of the library whose calls have devices work: the line of such a call is noted, so that a profile and a fault
// say where it stands, also within functions.

/**
 * Names that arrays, strings, dates, maps and sets have too, but for add and sub: their calls are many, and none of
 * ours.
 */
export const sharedNames: ReadonlySet<string> = new Set([
  "slice",
  "toString",
  "toJSON",
  "get",
  "set",
  "repeat",
  "split",
  "sort",
  "normalize",
]);

/** Functions and methods that have no device do anything; what is missing here is noted for nothing. */
export const idleNames: ReadonlySet<string> = new Set([
  "assertClose",
  "autocast",
  "benchmark",
  "broadcastShapes",
  "cacheDirectory",
  "canCast",
  "check",
  "checkTensor",
  "checkpoint",
  "compile",
  "defaultDevice",
  "detach",
  "detectAnomaly",
  "devices",
  "dispose",
  "enableGrad",
  "exercise",
  "exercises",
  "finfo",
  "float32Precision",
  "fuse",
  "generatorState",
  "grad",
  "gradients",
  "graph",
  "iinfo",
  "isComplex",
  "isContiguousIn",
  "isdtype",
  "lastDispatch",
  "manualSeed",
  "noGrad",
  "offload",
  "plot",
  "profile",
  "progress",
  "registerHook",
  "resultType",
  "retainGrad",
  "runProgram",
  "seed",
  "setChecking",
  "setFloat32Precision",
  "setGeneratorState",
  "setMemoryLimit",
  "setPath",
  "sourceCounters",
  "surface",
  "texture",
  "tidy",
  "traceThread",
  "trim",
  "validateLaunch",
  "valueAndGrad",
  "withStream",
]);

/** Every method of tensors and every function of the library: scripts/names.mjs. Of a variable in a cell, `data`. */
const names = `
  abs acos acosh adaptiveAvgPool1d adaptiveAvgPool2d adaptiveAvgPool3d adaptiveMaxPool1d adaptiveMaxPool2d
  adaptiveMaxPool3d add addcdiv addcmul addmm affineGrid all allclose alphaDropout aminmax angle any arange
  argmax argmin argsort arrayEqual asin asinh assertClose atan atan2 atanh autocast average avgPool1d avgPool2d
  avgPool3d backward baddbmm bartlett batchNorm bceWithLogitsLoss benchmark bernoulli besselJ0 besselJ1
  besselY0 besselY1 binaryCrossEntropy bincount bitwiseAnd bitwiseLeftShift bitwiseNot bitwiseOr
  bitwiseRightShift bitwiseXor blackman blockDiag broadcastArrays broadcastShapes broadcastTo bucketize
  cacheDirectory canCast cartesianProd cat cbrt cdist ceil celu channelShuffle chebyshevPolynomialT
  chebyshevPolynomialU chebyshevPolynomialV chebyshevPolynomialW check checkTensor checkpoint cholesky
  choleskyInverse choleskySolve chunk clamp clone col2im columnStack combinations compile complex cond conj
  contiguous conv1d conv2d conv3d convTranspose1d convTranspose2d convTranspose3d convolve copy copysign
  corrcoef correlate cos cosh cosineEmbeddingLoss cosineSimilarity cosineWindow countNonzero cov cross
  crossEntropy ctcLoss cummax cummin cumprod cumsum cumulativeTrapezoid data defaultDevice deg2rad det detach
  detectAnomaly devices diag diagEmbed diagonal diff digamma div dot dropout dropout1d dropout2d dropout3d
  dsplit dstack dtypes eig eigh eigvals eigvalsh einsum elements elu embedding embeddingBag empty emptyLike
  enableGrad entr eq equal erf erfc erfcx erfinv exercise exercises exp exp2 expand expm1 exponentialWindow
  exposed eye featureAlphaDropout fft fft2 fftfreq fftn fftshift fill finfo flatten flip fliplr flipud
  float32Precision floor floorDivide fmax fmin fmod frac frexp full fullLike fuse gather gaussianNllLoss
  gaussianWindow gcd ge gelu generalHamming generatorState geomspace geqrf get glu grad gradient gradients
  graph gridSample groupNorm gt gumbelSoftmax hamming hann hardshrink hardsigmoid hardswish hardtanh heaviside
  hermitePolynomialH hermitePolynomialHe hessian hfft hfft2 hfftn hingeEmbeddingLoss histogram
  householderProduct hsplit hstack huberLoss hypot i0 i0e i1 i1e ifft ifft2 ifftn ifftshift igamma igammac
  ihfft ihfft2 ihfftn iinfo im2col indexAdd indexCopy indexFill indexReduce indexSelect inner instanceNorm
  interp interpolate inv irfft irfft2 irfftn isComplex isContiguousIn isclose isdtype isfinite isin isinf isnan
  isneginf isposinf istft item jacobian jvp kaiser klDiv kron kronecker kthvalue l1Loss laguerrePolynomialL
  lastDispatch layerNorm lcm ldexp le leakyRelu legendrePolynomialP lerp lgamma linear linspace
  localResponseNorm log log10 log1p log2 logNdtr logSigmoid logSoftmax logaddexp logaddexp2 logcumsumexp logdet
  logicalAnd logicalNot logicalOr logicalXor logit logspace logsumexp lpPool1d lpPool2d lpPool3d lstsq lt lu
  luFactor luSolve manualSeed marginRankingLoss maskedFill maskedScatter maskedSelect matmul matrixExp
  matrixNorm matrixPower matrixRank max maxPool1d maxPool1dWithIndices maxPool2d maxPool2dWithIndices maxPool3d
  maxPool3dWithIndices maxUnpool1d maxUnpool2d maxUnpool3d maximum mean median memory meshgrid min minimum mish
  mode modifiedBesselK0 modifiedBesselK1 moveAxis mseLoss mul multiDot multiMarginLoss multilabelMarginLoss
  multilabelSoftMarginLoss multinomial mvlgamma nanToNum nanmax nanmean nanmedian nanmin nanprod nanquantile
  nanstd nansum nanvar ndtr ndtri ne neg newAxis nextafter nllLoss noGrad nonzero norm normal normalize nuttall
  offload oneHot ones onesLike ormqr orthogonalize outer pad pairwiseDistance pcaLowrank pdist permute pinv
  pixelShuffle pixelUnshuffle plot poissonNllLoss polar polygamma positive pow prelu prod profile progress qr
  quantile quantize quantizeFp8 rad2deg rand randLike randint randintLike randn randnLike randperm range
  ravelMultiIndex read reciprocal registerHook relu relu6 remainder renorm repeat repeatInterleave reshape
  resultType retainGrad rfft rfft2 rfftfreq rfftn rmsNorm roll rot90 round rrelu rsqrt runProgram scaledMatmul
  scaledModifiedBesselK0 scaledModifiedBesselK1 scatter scatterAdd scatterReduce searchsorted seed selu set
  setChecking setFloat32Precision setGeneratorState setMemoryLimit setPath shiftedChebyshevPolynomialT
  shiftedChebyshevPolynomialU shiftedChebyshevPolynomialV shiftedChebyshevPolynomialW sigmoid sign signbit silu
  sin sinc sinh slice slogdet smoothL1Loss softMarginLoss softmax softmin softplus softshrink softsign solve
  solveTriangular sort sourceCounters sphericalBesselJ0 split sqrt square squeeze stack std stdMean stft sub
  sum surface svd svdLowrank svdvals swapAxes symmetricPower synchronize take takeAlongAxis tan tanh tanhshrink
  tensor tensorSplit tensordot tensorinv tensorsolve texture threshold tidy tile to toArray toJSON toString
  topk trace traceThread transpose trapezoid tril trilIndices trim tripletMarginLoss
  tripletMarginWithDistanceLoss triu triuIndices trunc unbind unflatten unfold uniform unique uniqueAll
  uniqueConsecutive unravelIndex unsqueeze validateLaunch valueAndGrad vander var varMean variance vecdot
  vectorNorm viewAsComplex viewAsReal vjp vsplit vstack where withStream xlog1py xlogy zeros zerosLike zeta
`;

const operations = new Set(
  [...names.trim().split(/\s+/), "data"].filter((name) => !sharedNames.has(name) && !idleNames.has(name)),
);

/** Forms in place, which end in an underscore, are under the name without. */
export function isOperation(name: string): boolean {
  return operations.has(name.endsWith("_") ? name.slice(0, -1) : name);
}
