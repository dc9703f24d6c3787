// Rows of a table of vectors by their numbers.
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { apply } from "../ops/apply.ts";
import { positionsOf } from "../ops/positions.ts";
import { alongAxis, indicesOf } from "./index-entries.ts";
import type { Indices } from "./indexing.ts";
import { worded } from "../wording.ts";
import type { Tensor } from "./tensor.ts";

/** `paddingIndex`: a row that gets no gradient; a negative one counts from the end. */
export interface EmbeddingOptions {
  readonly paddingIndex?: number;
}

/**
 * The rows of `weight` [count, width] at integer indices of any shape; that shape and then the width. Negative ones count from the end. The gradient of the weight is the
 * same from run to run. Throws TensorError for an index outside, for which it waits for the device.
 */
export function embedding(indices: Indices, weight: Tensor, { paddingIndex }: EmbeddingOptions = {}): Tensor {
  if (weight.shape.length !== 2)
    throw new TensorError(
      "SHAPE",
      `embedding takes a weight of shape [count, width] but got ${formatShape(weight.shape)}.`,
    );
  const [count] = weight.shape as [number, number];
  if (
    paddingIndex !== undefined &&
    !(Number.isInteger(paddingIndex) && paddingIndex >= -count && paddingIndex < count)
  ) {
    throw new TensorError(
      "INDEX",
      `The paddingIndex of embedding is an integer from ${-count} to ${count - 1} but got ${worded(paddingIndex)}.`,
    );
  }
  const given = indicesOf(indices, weight, "embedding");
  const positions = positionsOf(weight.deviceProcess, given.indices.shape, [
    { ...alongAxis(weight, 0, given), stride: 1 },
  ]);
  return apply("embedding", [weight, positions], {
    padding: paddingIndex === undefined ? null : paddingIndex < 0 ? paddingIndex + count : paddingIndex,
  }) as Tensor;
}
