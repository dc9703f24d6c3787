// Memory of the devices in use, for users: figures of the allocator, and giving unused memory back.
import { binding, type MemoryStatistics } from "../wire/binding.ts";
import { deviceNamed } from "../device/choice.ts";
import { DeviceProcess } from "../device/process.ts";
import { TensorError } from "../errors.ts";
import { worded } from "../wording.ts";

/**
 * Bytes of living tensors (`allocated`), held for them (`reserved`), and the most that were allocated (`peak`), for
 * each device in use.
 * @example
 * const x = zeros([1024]);
 * memory()[x.device].allocated >= x.bytes; // → true
 */
export function memory(): Record<string, MemoryStatistics> {
  return Object.fromEntries(DeviceProcess.all().map((device) => [device.name, binding.memory(device.client)]));
}

const readLimit = (bytes: unknown): number => {
  if (bytes === null) return Infinity;
  if (typeof bytes === "number" && bytes > 0) return Math.floor(bytes);
  throw new TensorError(
    "OPTIONS",
    `setMemoryLimit takes a number of bytes above 0, or null for no limit, but got ${worded(bytes)}.`,
  );
};

/**
 * Has the tensors of a device, the default one where none is named, take at most so many bytes of its memory; `null`
 * takes the limit away. What is held already stays, but is not added to: see {@link trim}. One tensor more than fits is
 * an OutOfMemory. Throws TensorError.
 * @example
 * setMemoryLimit(2 ** 30, { device: "cpu" });
 * try {
 *   zeros([2 ** 28, 8], { device: "cpu" });
 * } catch (error) {
 *   error instanceof OutOfMemory; // → true
 * }
 * setMemoryLimit(null, { device: "cpu" });
 */
export function setMemoryLimit(bytes: number | null, { device }: { readonly device?: string } = {}): void {
  const { blocks, client } = deviceNamed(device);
  blocks.setLimit(client, readLimit(bytes));
}

/**
 * Gives memory that no tensor uses back to the devices. Returns how many bytes.
 * @example
 * typeof trim(); // → 'number'
 */
export function trim(): number {
  return DeviceProcess.all().reduce((bytes, device) => bytes + binding.trim(device.client), 0);
}
