// Finds a tensor that a front end shows by its id, for as long as the tensor lives, and gives pictures of its slices.
import { WeakIds } from "../device/weak-ids.ts";
import { TensorError } from "../errors.ts";
import { pictureOf } from "../ops/reduce/statistics.ts";
import type { TensorTile } from "../payloads.ts";
import type { Tensor } from "./tensor.ts";

const ids = new WeakIds<Tensor>();

export function idOf(tensor: Tensor): string {
  return ids.of(tensor);
}

/**
 * The last two axes of a contiguous tensor, at the first position of all others, as a payload has them; `null` for a
 * tensor without elements.
 */
export function tileOf(tensor: Tensor): TensorTile | null {
  const picture = pictureOf(tensor.execution, tensor);
  return picture && { ...picture, values: Buffer.from(picture.values.buffer).toString("base64") };
}

/**
 * The last two axes at the position `index` of all others, as they are now. Throws TensorError when the tensor is gone
 * or has no such slice.
 */
export function sliceOf(id: string, index: readonly number[]): TensorTile | null {
  const tensor = ids.find(id);
  if (tensor === null || tensor.isDisposed)
    throw new TensorError("GONE", "This tensor is no longer in memory. Run its cell again to see its slices.");
  using matrix = tensor.slice(...index);
  using whole = matrix.contiguous();
  return tileOf(whole);
}
