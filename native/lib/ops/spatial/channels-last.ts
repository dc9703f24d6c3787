// How images lie in memory: row after row, or with the channels of a place beside each other ("channels last"), as GPUs
// convolve them fastest.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import type { DType } from "../../memory/dtype.ts";
import { stridesOf, type Shape } from "../../memory/shape.ts";
import type { Facts } from "../core/operation.ts";
import { copy, withFlat } from "../shape/copy.ts";

/** Strides of a tensor without gaps whose second axis is the densest. */
export function channelsLastStrides([first, channels, ...rest]: Shape): number[] {
  const [outer, ...inner] = stridesOf([first!, ...rest, channels!]);
  return [outer!, 1, ...inner.slice(0, -1)];
}

/** Whether a tensor lies that way; where it has one channel or one place it lies in rows, too. */
export function hasChannelsLast(x: DeviceArray): boolean {
  const strides = channelsLastStrides(x.shape);
  return x.strides.every((stride, axis) => x.shape[axis] === 1 || stride === strides[axis]);
}
/** Whether a tensor lies that way, and no other. */
export const isChannelsLast = (x: DeviceArray): boolean => x.shape.length > 2 && !x.isContiguous && hasChannelsLast(x);

/** How a result of that shape lies that keeps the format of an image. */
export const formatOf = (image: DeviceArray, shape: Shape): Pick<Facts, "strides"> =>
  isChannelsLast(image) ? { strides: channelsLastStrides(shape) } : {};

/**
 * Calls `use` with the array itself where it lies that way and has the dtype, else with a copy, which is freed after.
 */
export function withChannelsLast(
  on: Execution,
  array: DeviceArray,
  dtype: DType,
  use: (array: DeviceArray) => void,
): void {
  if (array.dtype === dtype && hasChannelsLast(array)) return use(array);
  const [first, channels, ...rest] = array.shape;
  using made = DeviceArray.allocate(on.device, dtype, [first!, ...rest, channels!]);
  using copied = viewOf(made, { shape: array.shape, strides: channelsLastStrides(array.shape), offset: made.offset });
  copy(on, copied, array);
  use(copied);
}

/** The same, row after row or with the channels last. */
export function withFormat(
  on: Execution,
  array: DeviceArray,
  dtype: DType,
  isLast: boolean,
  use: (array: DeviceArray) => void,
): void {
  if (isLast) withChannelsLast(on, array, dtype, use);
  else withFlat(on, array, dtype, use);
}
