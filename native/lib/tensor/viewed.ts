// Reads a tensor of another thread, for front ends that ask while that thread or its device works: by a device process
// of this thread's own, which maps the same memory and waits for nothing that the user's runs.
import { isPresent } from "../device/presence.ts";
import { DeviceProcess } from "../device/process.ts";
import { binding } from "../wire/binding.ts";
import { Storage } from "../memory/storage.ts";
import { prepareCells, viewedDTypes } from "../ops/reduce/cells.ts";
import { preparePictures } from "../ops/reduce/statistics.ts";
import { goneTensor, idOf, type ShownTensor } from "./shown.ts";
import { Tensor } from "./tensor.ts";

/** Memory that a view took for itself, such as a copy in order, is given back from so many bytes on. */
const keptBytes = 128 * 2 ** 20;

/**
 * What `use` makes of the tensor, and whether the user's device was at work meanwhile: then elements may be of before and
 * of after what it writes. Throws TensorError when the tensor is gone, or went while it was read; and what `use` throws.
 */
export function viewed<T>(shown: ShownTensor, use: (tensor: Tensor) => T): { value: T; unfinished: boolean } {
  const device = DeviceProcess.getForViews(shown.kind, shown.index);
  const isWorking = () => binding.isBusy(shown.client);
  const wasWorking = isWorking();
  const place = isPresent(shown.presence) ? device.borrow(shown.client, shown.place) : null;
  if (place === null) throw goneTensor();
  try {
    using tensor = new Tensor(new Storage(device, shown.bytes, place), shown.dtype, shown.view);
    const value = use(tensor);
    // What was read may have been another tensor's by then.
    if (!isPresent(shown.presence)) throw goneTensor();
    return { value, unfinished: wasWorking || isWorking() };
  } finally {
    if (binding.memory(device.client).reserved > keptBytes) binding.trim(device.client);
  }
}

const read = ["shape", "strides", "offset", "dtype"];

/**
 * The id by which front ends may ask for a value that is a tensor as the library makes them; `null` of others, of which
 * code of the user's would have to run.
 */
export function idOfPlain(value: object): string | null {
  const isPlain =
    Object.getPrototypeOf(value) === Tensor.prototype &&
    read.every((name) => Object.getOwnPropertyDescriptor(value, name)?.get === undefined);
  return isPlain ? idOf(value as Tensor) : null;
}

/** Starts what {@link viewed} needs of a device, so that the first slice does not wait for it. */
export function prepareViews({ kind, index, dtype }: ShownTensor): void {
  const device = DeviceProcess.getForViews(kind, index);
  preparePictures(device, dtype);
  if (viewedDTypes.includes(dtype)) prepareCells(device, dtype);
}
