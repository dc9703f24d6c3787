// The memory that a value of the user's holds as a tensor, its gradient's among it, without running any code of the value's.
import { DeviceArray } from "../memory/array.ts";
import type { Storage } from "../memory/storage.ts";
import { Tensor } from "../tensor/tensor.ts";
import { gradientOf } from "./tape.ts";

/** None of what is no tensor, or is disposed of. */
export function storagesOf(value: object): Storage[] {
  const own = DeviceArray.storageOf(value) ?? null;
  if (own === null) return [];
  // A class of the user's may have getters of its own.
  const gradient = Object.getPrototypeOf(value) === Tensor.prototype ? gradientOf(value as Tensor)?.storage : null;
  return gradient ? [own, gradient] : [own];
}
