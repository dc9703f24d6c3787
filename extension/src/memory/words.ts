// The words of a block and of a device's memory.
import { trans } from "../drawing/trans.ts";
import type { DeviceMemory, MemoryBlock } from "../../../kernel/mime.ts";
import { formatBytes, grouped, formatPart } from "../drawing/quantity.ts";

/** How long ago, in the largest unit: `12 s`, `5 min`, `2 h`. */
export function ageText(since: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - since) / 1000));
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
}

export function shapeText({ shape, dtype }: Pick<MemoryBlock, "shape" | "dtype">): string {
  return shape === null || dtype === null ? "" : `${dtype} [${shape.join(", ")}]`;
}

/** What a block is: bytes, names, shape, line, age. */
export function blockText(block: MemoryBlock, { places }: Pick<DeviceMemory, "places">, now: number): string {
  const { bytes, count, place, names, since } = block;
  const size = formatBytes(bytes);
  if (place < 0)
    return count > 1
      ? trans.__("%1 free in %2 pieces", size, count.toLocaleString("en-US"))
      : trans.__("%1 free", size);
  if (count > 1) {
    const blocks = trans._n("%2 small block", "%2 small blocks", count, grouped(count));
    return place === 0
      ? trans.__("%1 in %2", size, blocks)
      : trans.__("%1 in %2 of %3", size, blocks, places[place - 1]!.text.replace(/:\d+$/, ""));
  }
  const parts = [
    size,
    names.join(", "),
    shapeText(block),
    place === 0 ? trans.__("the library's, or of no known line") : places[place - 1]!.text,
    since === null ? "" : trans.__("its cell began %1 ago", ageText(since, now)),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

/** What is free, and whether it lies in one piece. */
export function freeText({ free, largestFree }: Pick<DeviceMemory, "free" | "largestFree">): string {
  if (free === 0) return trans.__("nothing held is free");
  if (free === largestFree) return trans.__("%1 of what is held is free, in one piece", formatBytes(free));
  return trans.__(
    "%1 of what is held is free, at most %2 in one piece (%3)",
    formatBytes(free),
    formatBytes(largestFree),
    formatPart(largestFree / free),
  );
}

/** What no name leads to. */
export function unnamedText({ allocated, named }: Pick<DeviceMemory, "allocated" | "named">): string {
  if (named === null || allocated <= named) return "";
  return trans.__(
    "%1 in tensors that no variable leads to: of functions and timers, or garbage, which Collect frees",
    formatBytes(allocated - named),
  );
}
