// Finds a tensor that a front end shows by its id, for as long as the tensor lives, and gives pictures of its slices.
import { randomUUID } from "node:crypto";
import { afterCollection, living } from "../device/collection.ts";
import { TensorError } from "../errors.ts";
import { pictureOf } from "../ops/statistics.ts";
import type { Tensor } from "./tensor.ts";

/** `TensorTile` of kernel/mime.ts. */
export interface Tile { rows: number; columns: number; rowStep: number; columnStep: number; values: string; }

const ids = new WeakMap<Tensor, string>();
const watched = new Map<string, number>();

/** The id of a tensor, the same at every call. It keeps nothing alive, and no other tensor ever has it: a stored notebook may name it to another kernel. */
export function idOf(tensor: Tensor): string {
  const known = ids.get(tensor);
  if (known !== undefined) return known;
  const id = randomUUID();
  ids.set(tensor, id);
  watched.set(id, afterCollection(tensor, () => watched.delete(id)));
  return id;
}

/** The last two axes of a contiguous tensor, at the first position of all others, as a payload has them; `null` for a tensor without elements. */
export function tileOf(tensor: Tensor): Tile | null {
  const picture = pictureOf(tensor);
  return picture && { ...picture, values: Buffer.from(picture.values.buffer).toString("base64") };
}

/** The last two axes at the position `index` of all others, as they are now. Throws TensorError when the tensor is gone or has no such slice. */
export function sliceOf(id: string, index: readonly number[]): Tile | null {
  const number = watched.get(id);
  const tensor = number === undefined ? null : living(number) as Tensor | null;
  if (tensor === null || tensor.isDisposed) throw new TensorError("GONE", "This tensor is no longer in memory. Run its cell again to see its slices.");
  using matrix = tensor.slice(...index);
  using whole = matrix.contiguous();
  return tileOf(whole);
}
