// The table of operations: all families by name. Functions, methods and the page of operations derive from it.
import { attentionRows } from "../attention/attention.ts";
import { packedAttentionRows } from "../attention/packed.ts";
import { sequencesAttentionRows } from "../attention/sequences.ts";
import { gruRows } from "../recurrent/gru.ts";
import { lstmRows } from "../recurrent/lstm.ts";
import { alongRows } from "../index/along.ts";
import { activationRows, gatedRows, geluRow, gradientRows, parameterRows } from "../elementwise/activations.ts";
import { arithmeticRows } from "../elementwise/arithmetic.ts";
import { comparisonRows } from "../elementwise/comparisons.ts";
import { besselRows } from "../elementwise/bessel.ts";
import { axisRows } from "../index/axis.ts";
import { countingRows } from "../reduce/counting.ts";
import { complexFunctionRows } from "../complex/functions.ts";
import { complexRows } from "../complex/parts.ts";
import { ctcRows } from "../rows/ctc.ts";
import { crossEntropyRows } from "../rows/cross-entropy.ts";
import { dropoutRows } from "../elementwise/dropout.ts";
import { embeddingRows } from "../rows/embedding.ts";
import { functionRows, polygammaRow } from "../elementwise/functions.ts";
import { fourierRows } from "../fourier/fourier.ts";
import { determinantRows } from "../linalg/determinants.ts";
import { factorRows } from "../linalg/factors.ts";
import { indexingRows } from "../index/indexing.ts";
import { leastSquaresRows } from "../linalg/least-squares.ts";
import { linearRows } from "../linear/linear.ts";
import { lossRows } from "../rows/losses.ts";
import { matmulRow } from "../linear/matrix-product.ts";
import { mixingRows } from "../elementwise/mixing.ts";
import { pairwiseRows } from "../elementwise/pairwise.ts";
import { frexpRows, rarePairRows, rareRows } from "../elementwise/rare.ts";
import { normRows } from "../rows/norms.ts";
import { float8Rows } from "../quantized/float8-linear.ts";
import { quantizedRows } from "../quantized/quantized.ts";
import { scaledRows } from "../quantized/scaled.ts";
import { solvingRows } from "../linalg/solving.ts";
import { spectralRows } from "../linalg/spectra.ts";
import type { None, Operation } from "./operation.ts";
import { reductionRows } from "../reduce/reductions.ts";
import { shapingRows } from "../shape/shaping.ts";
import { channelRows } from "../spatial/channels.ts";
import { sparseRows } from "../sparse/sparse.ts";
import { convolutionRows } from "../spatial/convolution.ts";
import { patchRows } from "../spatial/patches.ts";
import { poolingRows } from "../spatial/pooling.ts";
import { softmaxRows } from "../rows/softmax.ts";
import { scanRows } from "../reduce/scan.ts";
import { selectionRows } from "../order/select.ts";
import { orderRows } from "../order/sort.ts";
import { copyRows, viewRows } from "../shape/views.ts";

/** Operations with one tensor and nothing else. */
export const unaryRows = { ...functionRows, ...activationRows, ...rareRows, ...besselRows };
/** Operations with two, of which one may be a number, and nothing else. */
export const binaryRows = { ...arithmeticRows, ...pairwiseRows, ...rarePairRows, ...comparisonRows };

export const operations = {
  ...unaryRows,
  ...binaryRows,
  ...gatedRows,
  ...gradientRows,
  ...parameterRows,
  ...mixingRows,
  gelu: geluRow,
  polygamma: polygammaRow,
  ...frexpRows,
  ...viewRows,
  ...complexRows,
  ...complexFunctionRows,
  ...copyRows,
  ...reductionRows,
  ...scanRows,
  ...orderRows,
  ...selectionRows,
  ...countingRows,
  ...alongRows,
  ...axisRows,
  ...softmaxRows,
  ...normRows,
  ...crossEntropyRows,
  ...ctcRows,
  ...dropoutRows,
  ...lossRows,
  ...indexingRows,
  ...embeddingRows,
  ...shapingRows,
  matmul: matmulRow,
  ...linearRows,
  ...quantizedRows,
  ...scaledRows,
  ...float8Rows,
  ...sparseRows,
  ...solvingRows,
  ...determinantRows,
  ...spectralRows,
  ...leastSquaresRows,
  ...factorRows,
  ...fourierRows,
  ...attentionRows,
  ...packedAttentionRows,
  ...sequencesAttentionRows,
  ...convolutionRows,
  ...patchRows,
  ...poolingRows,
  ...channelRows,
  ...lstmRows,
  ...gruRows,
} as const;

export type UnaryName = keyof typeof unaryRows;
export type OperationName = keyof typeof operations;
type ForwardOf<N extends OperationName> = Parameters<NonNullable<(typeof operations)[N]["gradient"]>>[1];
/** What an operation takes. */
export type InputsOf<N extends OperationName> = ForwardOf<N>["inputs"];
/** What it is told beside that. */
export type AttributesOf<N extends OperationName> = ForwardOf<N>["attributes"];
/** The same as an argument, which one without attributes does without. */
export type AttributesGiven<N extends OperationName> =
  None extends AttributesOf<N> ? [attributes?: AttributesOf<N>] : [attributes: AttributesOf<N>];

export function operationNamed(name: string): Operation {
  return (operations as unknown as Record<string, Operation>)[name]!;
}
