// The kinds of memory that a device process gives out, and what is tried for a block, from the cheapest to the last.
import { collectGarbage, reclaim } from "./collection.ts";

/**
 * device: what kernels use. host: shared memory that this process reads; pinned, where the device has memory of its
 * own.
 */
export type MemoryKind = keyof typeof memoryNumbers;

export const memoryNumbers = { device: 0, host: 1 } as const;

export const waysToAllocate: readonly { prepared: () => boolean; mayGrow: boolean }[] = [
  { prepared: () => true, mayGrow: false },
  { prepared: reclaim, mayGrow: false },
  { prepared: () => true, mayGrow: true },
  { prepared: collectGarbage, mayGrow: true },
];
