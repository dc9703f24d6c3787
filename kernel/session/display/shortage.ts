// What held a device's memory when a cell failed for want of it: the allocator's map as it was at that moment, and the
// same in words for front ends that do not draw it.
import type { DeviceMemory, MemoryBlock, ShortagePayload } from "../../mime.ts";
import { memoryMime } from "../../mime.ts";
import type { MimeBundle } from "../../session-protocol.ts";
import { bytesText } from "./bytes-text.ts";

const mostListed = 5;

export function shortageBundle(requested: number, memory: DeviceMemory): MimeBundle {
  const payload: ShortagePayload = { version: 1, requested, memory };
  return { [memoryMime]: payload as unknown as MimeBundle[string], "text/plain": textOf(requested, memory) };
}

function textOf(
  requested: number,
  { device, allocated, reserved, largest, largestFree, places }: DeviceMemory,
): string {
  const line = ({ bytes, shape, dtype, names, place }: MemoryBlock): string =>
    [
      bytesText(bytes).padStart(10),
      names.join(", "),
      shape === null ? "" : `${dtype} [${shape.join(", ")}]`,
      place > 0 ? places[place - 1]!.text : "",
    ]
      .filter((part) => part !== "")
      .join("  ");
  return [
    `Memory of ${device} when ${bytesText(requested)} more were wanted: ${bytesText(allocated)} in tensors of ${bytesText(reserved)} held, the largest free piece ${bytesText(largestFree)}.`,
    ...largest.slice(0, mostListed).map(line),
  ].join("\n");
}
