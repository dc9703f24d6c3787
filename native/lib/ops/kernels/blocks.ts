// The blocks of a launch. On some devices a block of the library's kernels is one thread, which runs a loop over its
// share; on others many threads have the share. Which it is on a device is asked nowhere else.
import type { DeviceProcess } from "../../device/process.ts";

/** What is one thing where a block is one thread, and another where it is many. */
export interface ByBlock<T> {
  readonly serial: T;
  readonly threads: T;
}

/** The one that holds on a device. */
export function onDevice<T>({ properties }: DeviceProcess, { serial, threads }: ByBlock<T>): T {
  return properties.libraryBlock === 1 ? serial : threads;
}

/** How many blocks are launched, and the threads of each. */
export interface Blocks {
  readonly grid: number;
  readonly block: number | readonly [number, number];
}

/** Elements of a block of one thread, unless a kernel's work is heavier or lighter: what fits its core's cache. */
export const serialElements = 16384;

/** What a block takes: `serial` items where it is one thread, else `each` for each of its `threads`. */
export interface Share {
  readonly serial?: number;
  readonly each?: number;
  readonly threads?: number;
}

/** The blocks that `count` items make. */
export function blocksFor(
  { properties: { libraryBlock } }: DeviceProcess,
  count: number,
  { serial = serialElements, each = 1, threads = libraryBlock }: Share = {},
): Blocks {
  return libraryBlock === 1
    ? { grid: Math.ceil(count / serial), block: 1 }
    : { grid: Math.ceil(count / (threads * each)), block: threads };
}

/** Blocks of a GPU whose `threads` have rows out of tiles, `share` at most: a row each, before they have several. */
export function tileBlocks({ properties }: DeviceProcess, rows: number, share: number, threads: number): number {
  const filling = 8 * properties.multiprocessors;
  return Math.max(Math.ceil(rows / share), Math.min(Math.ceil(rows / threads), filling));
}

/** The threads of a block that is made for so many. */
export function threadsOf<B extends Blocks["block"]>(device: DeviceProcess, threads: B): B | 1 {
  return onDevice<B | 1>(device, { serial: 1, threads });
}
