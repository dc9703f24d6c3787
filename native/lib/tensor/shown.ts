// Finds a tensor that a front end shows by its id, for as long as the tensor lives, gives pictures of its slices, and
// tells those who answer front ends on another thread where it lies.
import { endPresence, presenceOf, type Presence } from "../device/presence.ts";
import type { DeviceKind } from "../device/process.ts";
import { WeakIds } from "../device/weak-ids.ts";
import { TensorError } from "../errors.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { DeviceArray } from "../memory/array.ts";
import type { View } from "../memory/shape.ts";
import { binding } from "../wire/binding.ts";
import type { Storage } from "../memory/storage.ts";
import { figuresOf, pictureOf, type Figures } from "../ops/reduce/statistics.ts";
import type { OpenPayload, TensorTile } from "../payloads.ts";
import type { Tensor } from "./tensor.ts";

/** Where a tensor that is shown lies, for another thread: plain data and a shared word. */
export interface ShownTensor {
  readonly what: "tensor";
  readonly id: string;
  readonly presence: Presence;
  readonly kind: DeviceKind;
  readonly index: number;
  /** Whose process has the memory, where it begins, and how many bytes of it the tensor's storage is. */
  readonly client: number;
  readonly place: number;
  readonly bytes: number;
  readonly dtype: DType;
  readonly view: View;
}

const ids = new WeakIds<Tensor>();
const told = new WeakMap<Tensor, Storage>();
let tell: ((shown: ShownTensor) => void) | null = null;

/** Calls `listener` with every tensor that gets an id from here on, and when one has moved. */
export function whenTensorShown(listener: (shown: ShownTensor) => void): void {
  tell = listener;
}

export function idOf(tensor: Tensor): string {
  const id = ids.of(tensor);
  if (tell !== null) show(id, tensor, tell);
  return id;
}

function show(id: string, tensor: Tensor, listener: (shown: ShownTensor) => void): void {
  const storage = tensor.living();
  if (told.get(tensor) === storage) return;
  told.set(tensor, storage);
  const { kind, index, client } = storage.device;
  const { dtype, shape, strides, offset } = tensor;
  const presence = presenceOf(tensor);
  listener({
    what: "tensor",
    id,
    presence,
    kind,
    index,
    client,
    place: storage.place,
    bytes: storage.bytes,
    dtype,
    view: { shape: [...shape], strides: [...strides], offset },
  });
  storage.watch(() => isStillThere(id, presence, listener));
}

/** Of a tensor whose storage has lost one. It may have moved to another, where it is shown, too. */
function isStillThere(id: string, presence: Presence, listener: (shown: ShownTensor) => void): boolean {
  const tensor = ids.find(id);
  const storage = tensor?.storage ?? null;
  if (tensor !== null && storage !== null && storage === told.get(tensor)) return true;
  if (tensor !== null && storage !== null) show(id, tensor, listener);
  endPresence(presence);
  return false;
}

/**
 * The last two axes of a contiguous tensor, at the first position of all others, as a payload has them; `null` for a
 * tensor without elements.
 */
export function tileOf(tensor: Tensor): TensorTile | null {
  const picture = pictureOf(tensor.execution, tensor);
  return picture && { ...picture, values: Buffer.from(picture.values.buffer).toString("base64") };
}

/** What front ends show of a tensor, without gaps: its numbers, the sizes of complex ones. */
export function asShown(tensor: Tensor): Tensor {
  // Whichever stream has written it.
  tensor.execution.waitForAll();
  if (factsOf(tensor.dtype as DType).kind !== "complex") return tensor.contiguous();
  return tensor.detach().abs().contiguous();
}

/** The tensor with that id. Throws TensorError when it is gone. */
export function shownTensor(id: string): Tensor {
  const tensor = ids.find(id);
  if (tensor === null || tensor.isDisposed) throw goneTensor();
  return tensor;
}

/** What a viewer needs to open a tensor. Throws TensorError for one that is disposed of. */
export function openedOf(tensor: Tensor): OpenPayload {
  tensor.checkLiving("show");
  const { shape, dtype, device } = tensor;
  return { version: 1, id: idOf(tensor), shape: [...shape], dtype, device };
}

/** Disposes of the tensor with that id. Returns how many bytes no tensor holds any more. Throws TensorError when it is gone. */
export function disposeShown(id: string): number {
  const tensor = shownTensor(id);
  const { client } = tensor.deviceProcess;
  const before = binding.memory(client).allocated;
  // Its class may be the user's.
  DeviceArray.prototype.dispose.call(tensor);
  return before - binding.memory(client).allocated;
}

export function goneTensor(): TensorError {
  return new TensorError("GONE", "This tensor is no longer in memory. Run its cell again to see its slices.");
}

/**
 * The last two axes at the position `index` of all others, as they are now. Throws TensorError where there is no such
 * slice.
 */
export function sliceOf(tensor: Tensor, index: readonly number[]): TensorTile | null {
  using matrix = tensor.slice(...index);
  using whole = asShown(matrix);
  return tileOf(whole);
}

/** Of all elements, as they are now. */
export function figuresOfShown(tensor: Tensor): Figures {
  using whole = asShown(tensor);
  return figuresOf(whole.execution, whole);
}
