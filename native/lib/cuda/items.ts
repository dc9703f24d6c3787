// A launch over items, one thread each: the blocks that cover them along up to three axes.
import { LaunchError } from "../errors.ts";
import { listed } from "../wording.ts";
import type { Size } from "./plan.ts";

const alongAxes = (size: Size): readonly number[] => (typeof size === "number" ? [size] : size);

/** How many items along x, y and z. Throws LaunchError. */
export function countsOf(kernel: string, items: Size): readonly number[] {
  const counts = alongAxes(items);
  const areCounts = Array.isArray(counts) && counts.every((count) => Number.isSafeInteger(count) && count >= 0);
  if (!areCounts || counts.length < 1 || counts.length > 3)
    throw new LaunchError(
      "GRID",
      `The items to launch kernel ${kernel} over must be a whole number ≥ 0 or up to three, [x, y, z], but got ${listed(items)}.`,
    );
  return counts;
}

/** So many threads as a block; along several axes a warp along x, since neighbours of a row are read together. */
export function blockOf(threads: number, axes: number): readonly number[] {
  const x = axes === 1 ? threads : Math.min(32, threads);
  const y = axes === 2 ? Math.floor(threads / x) : Math.min(4, Math.floor(threads / x));
  return [x, y, Math.floor(threads / (x * y))].slice(0, axes);
}

/** How many blocks have a thread for each item. Throws LaunchError for a block of more axes. */
export function blocksOver(kernel: string, counts: readonly number[], block: Size): readonly number[] {
  const threads = alongAxes(block);
  // A block that is none is refused by the launch.
  if (!Array.isArray(threads)) return counts;
  if (threads.slice(counts.length).some((size) => size > 1))
    throw new LaunchError(
      "BLOCK",
      `A block of ${listed(block)} threads has more axes than the items that kernel ${kernel} is launched over, ${listed(counts)}: write over([x, y]), or a block of one number.`,
    );
  return counts.map((count, axis) => {
    const size = threads[axis] ?? 1;
    return size >= 1 ? Math.max(1, Math.ceil(count / size)) : 1;
  });
}

/** So many blocks, or as many more as the last clusters take. */
export function wholeClusters(blocks: readonly number[], cluster: Size): readonly number[] {
  const sizes = alongAxes(cluster);
  return blocks.map((count, axis) => {
    const size = sizes[axis] ?? 1;
    // A cluster that is none is refused by the launch.
    return size >= 1 ? Math.ceil(count / size) * size : count;
  });
}
