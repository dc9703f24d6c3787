// The table of operations: all families by name. Functions, methods and the page of operations derive from it.
import { alongRows } from "./along.ts";
import { activationRows, gatedRows, geluRow, gradientRows, parameterRows } from "./activations.ts";
import { binaryRows } from "./arithmetic.ts";
import { axisRows } from "./axis.ts";
import { countingRows } from "./counting.ts";
import { crossEntropyRows } from "./cross-entropy.ts";
import { dropoutRows } from "./dropout.ts";
import { embeddingRows } from "./embedding.ts";
import { functionRows } from "./functions.ts";
import { indexingRows } from "./indexing.ts";
import { linearRows } from "./linear.ts";
import { lossRows } from "./losses.ts";
import { matmulRow } from "./matrix-product.ts";
import { normRows } from "./norms.ts";
import type { Operation } from "./operation.ts";
import { reductionRows } from "./reductions.ts";
import { shapingRows } from "./shaping.ts";
import { softmaxRows } from "./softmax.ts";
import { scanRows } from "./scan.ts";
import { selectionRows } from "./select.ts";
import { orderRows } from "./sort.ts";
import { copyRows, viewRows } from "./views.ts";

/** Operations with one tensor and nothing else. */
export const unaryRows: typeof functionRows & typeof activationRows = { ...functionRows, ...activationRows };

export const operations = {
  ...unaryRows,
  ...binaryRows,
  ...gatedRows,
  ...gradientRows,
  ...parameterRows,
  gelu: geluRow,
  ...viewRows,
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
  ...dropoutRows,
  ...lossRows,
  ...indexingRows,
  ...embeddingRows,
  ...shapingRows,
  matmul: matmulRow,
  ...linearRows,
} as const;

export type OperationName = keyof typeof operations;
/** What an operation is told beside its operands. */
export type AttributesOf<N extends OperationName> = (typeof operations)[N] extends Operation<infer A> ? A : never;

export function operationNamed(name: string): Operation<object> {
  return (operations as unknown as Record<string, Operation<object>>)[name]!;
}

export { binaryRows };
