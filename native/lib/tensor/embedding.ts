// Rows of a table of vectors by their numbers.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import { anything, reader, tensor, wholeNumber } from "./arguments.ts";
import { indicesAlong, indicesOf } from "./index-entries.ts";
import type { Indices } from "./indexing.ts";
import type { Tensor } from "./tensor.ts";

/** `paddingIndex`: a row that gets no gradient; a negative one counts from the end. */
export interface EmbeddingOptions {
  readonly paddingIndex?: number;
}

const read = reader("embedding", {
  required: { indices: anything, weight: tensor },
  options: { paddingIndex: wholeNumber },
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
  const { indices, weight, paddingIndex } = read(args);
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
  return apply("embedding", [weight, indicesAlong(weight, 0, given)], {
    padding: paddingIndex === undefined ? null : paddingIndex < 0 ? paddingIndex + count : paddingIndex,
  }) as Tensor;
}
