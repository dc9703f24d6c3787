// Memory of the devices in use, for users: figures of the allocator, and giving unused memory back.
import { binding, type MemoryStatistics } from "../wire/binding.ts";
import { DeviceProcess } from "../device/process.ts";

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

/**
 * Gives memory that no tensor uses back to the devices. Returns how many bytes.
 * @example
 * typeof trim(); // → 'number'
 */
export function trim(): number {
  return DeviceProcess.all().reduce((bytes, device) => bytes + binding.trim(device.client), 0);
}
