// The table of operations: all families by name. Functions, methods and the page of operations derive from it.
import { alongRows } from "./along.ts";
import { activationRows, gatedRows, geluRow, gradientRows, parameterRows } from "./activations.ts";
import { binaryRows } from "./arithmetic.ts";
import { countingRows } from "./counting.ts";
import { embeddingRows } from "./embedding.ts";
import { functionRows } from "./functions.ts";
import { indexingRows } from "./indexing.ts";
import { linearRows } from "./linear.ts";
import { lossRows } from "./losses.ts";
import { matmulRow } from "./matrix-product.ts";
import type { Operation } from "./operation.ts";
import { reductionRows } from "./reductions.ts";
import { rowwiseRows } from "./rowwise.ts";
import { shapingRows } from "./shaping.ts";
import { scanRows } from "./scan.ts";
import { orderRows } from "./sort.ts";
import { copyRows, viewRows } from "./views.ts";

/** Operations with one tensor and nothing else. */
export const unaryRows = { ...functionRows, ...activationRows } as const;

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
  ...countingRows,
  ...alongRows,
  ...rowwiseRows,
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
