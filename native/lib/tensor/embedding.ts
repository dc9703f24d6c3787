// Rows of a table of vectors by their numbers.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import { anything, atLeast, number, reader, tensor, wholeNumber } from "./arguments.ts";
import { indicesAlong, indicesOf } from "./index-entries.ts";
import type { Indices } from "./indexing.ts";
import type { Tensor } from "./tensor.ts";

/**
 * `paddingIndex`, PyTorch's `paddingIdx`: a row that gets no gradient; a negative one counts from the end. `maxNorm`:
 * rows that are looked up and longer, by the norm of order `normType`, 2 when left out, are made that long in the table
 * itself first.
 */
export interface EmbeddingOptions {
  readonly paddingIndex?: number;
  readonly paddingIdx?: number;
  readonly maxNorm?: number;
  readonly normType?: number;
}

/** What `embedding` and its layer take. */
export const embeddingOptions = {
  options: { paddingIndex: wholeNumber, maxNorm: atLeast(0), normType: number },
  aliases: { paddingIdx: "paddingIndex" },
  instead: {
    scaleGradByFreq: "Divide what is looked up by how often, or the loss.",
    sparse: "Gradients of tables are dense: leave it out.",
  },
} as const;

/** Makes the rows that are looked up no longer than that, in place and without a record. */
function shorten(weight: Tensor, indices: Tensor, most: number, order: number): void {
  const table = weight.detach();
  const rows = table.indexSelect(0, indices);
  const lengths = rows.norm({ ord: order, axis: 1, keepdims: true });
  // As PyTorch has it, a little shorter than that.
  const factors = lengths.add(1e-7).reciprocal().mul(most).where(lengths.gt(most), 1);
  table.indexCopy_(0, indices, rows.mul(factors));
}

const read = reader("embedding", {
  required: { indices: anything, weight: tensor },
  ...embeddingOptions,
});

/**
 * The rows of `weight` [count, width] at integer indices of any shape; that shape and then the width. Negative ones
 * count from the end. The gradient of the weight is the same from run to run. An index outside is a TensorError: at
 * once where JavaScript knows it, else of the next wait for the device.
 * @example
 * embedding(tensor([2, 0], { dtype: "int64" }), tensor([[1, 2], [3, 4], [5, 6]]));
 * // → tensor([[5, 6], [1, 2]], shape [2, 2], float32, cpu)
 */
export function embedding<D extends DType>(indices: Indices, weight: Tensor<D>, options?: EmbeddingOptions): Tensor<D>;
export function embedding(...args: unknown[]): Tensor {
  const { indices, weight, paddingIndex, maxNorm, normType = 2 } = read(args);
  if (weight.shape.length !== 2)
    throw new TensorError(
      "SHAPE",
      `embedding takes a weight of shape [count, width] but got ${formatShape(weight.shape)}.`,
    );
  const [count] = weight.shape as [number, number];
  if (paddingIndex !== undefined && !(paddingIndex >= -count && paddingIndex < count)) {
    throw new TensorError(
      "INDEX",
      `The paddingIndex of embedding must be an integer from ${-count} to ${count - 1} but got ${paddingIndex}.`,
    );
  }
  const given = indicesOf(indices, weight, "embedding");
  if (maxNorm !== undefined) shorten(weight, given.indices.reshape([-1]), maxNorm, normType);
  return apply("embedding", [weight, indicesAlong(weight, 0, given)], {
    padding: paddingIndex === undefined ? null : paddingIndex < 0 ? paddingIndex + count : paddingIndex,
  }) as Tensor;
}
