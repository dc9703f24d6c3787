// How much of a multiprocessor blocks fill, for an architecture that need not be here: by its threads, blocks and shared
// memory (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"). Registers are not known.
import { LaunchError } from "../errors.ts";
import { worded } from "../wording.ts";

/** How much of a multiprocessor a kernel fills. */
export interface Occupancy {
  readonly blocksPerMultiprocessor: number;
  readonly activeWarps: number;
  readonly maxWarps: number;
  /** Active warps, of the most that there can be: 0 … 100. */
  readonly percent: number;
  /** What keeps more blocks from fitting. */
  readonly limiter: "warps" | "registers" | "shared" | "blocks" | "block size";
  /** Threads of the block with the most warps in flight, and the fewest such blocks that fill the device. */
  readonly suggestedBlock: number;
  readonly suggestedGrid: number;
}

/** The same for an architecture: the most that it can be, since the registers are not known. */
export interface ArchitectureOccupancy extends Omit<Occupancy, "limiter" | "suggestedGrid"> {
  readonly limiter: "warps" | "shared" | "blocks" | "block size";
}

/** Of a multiprocessor; shared memory in KB, of it and of a block. Each block takes 1 KB more from sm_80 on. */
const limits: Readonly<Record<string, readonly [warps: number, blocks: number, shared: number, ofBlock: number]>> = {
  sm_75: [32, 16, 64, 64],
  sm_80: [64, 32, 164, 163],
  sm_86: [48, 16, 100, 99],
  sm_87: [48, 16, 164, 163],
  sm_89: [48, 24, 100, 99],
  sm_90: [64, 32, 228, 227],
  sm_100: [64, 32, 228, 227],
  sm_120: [48, 24, 100, 99],
};
const warp = 32;
const mostThreads = 1024;
const sharedUnit = 128;

interface Asked {
  readonly kernel: string;
  readonly arch: string;
  readonly block: number;
  /** Bytes of a block, static and dynamic. */
  readonly shared: number;
  readonly maxThreads: number;
}

/** Throws LaunchError for an architecture that is not known here, and a block that there cannot be. */
export function occupancyOf({ kernel, arch, block, shared, maxThreads }: Asked): ArchitectureOccupancy {
  const known = typeof arch === "string" ? limits[arch.replace(/[af]$/, "")] : undefined;
  if (known === undefined)
    throw new LaunchError(
      "ARCHITECTURE",
      `The occupancy of kernel ${kernel} is known for ${Object.keys(limits).join(", ")}, but got ${worded(arch)}.`,
    );
  if (!Number.isInteger(block) || block < 1 || !Number.isInteger(shared) || shared < 0)
    throw new LaunchError(
      "BLOCK",
      `The occupancy of kernel ${kernel} is that of a whole number ≥ 1 of threads and one ≥ 0 of bytes of shared memory, but got ${worded(block)} and ${worded(shared)}.`,
    );
  const [maxWarps, mostBlocks, ofMultiprocessor, ofBlock] = known;
  const taken = Math.ceil(shared / sharedUnit) * sharedUnit + (arch === "sm_75" ? 0 : 1024);
  const byShared =
    shared === 0 ? Infinity : shared > ofBlock * 1024 ? 0 : Math.floor((ofMultiprocessor * 1024) / taken);
  const most = Math.min(mostThreads, maxThreads);
  const fitting = (threads: number) => {
    const warps = Math.ceil(threads / warp);
    const rows = [
      ["warps", Math.floor(maxWarps / warps)],
      ["shared", byShared],
      ["blocks", mostBlocks],
    ] as const;
    const [limiter, blocks] = rows.reduce((least, row) => (row[1] < least[1] ? row : least));
    return threads > most ? { limiter: "block size" as const, blocks: 0, warps } : { limiter, blocks, warps };
  };
  const sizes = Array.from({ length: Math.ceil(most / warp) }, (_, index) => Math.min(most, most - index * warp));
  const inFlight = (threads: number) => fitting(threads).blocks * fitting(threads).warps;
  const suggestedBlock = sizes.reduce((best, size) => (inFlight(size) > inFlight(best) ? size : best));
  const { limiter, blocks, warps } = fitting(block);
  return {
    blocksPerMultiprocessor: blocks,
    activeWarps: blocks * warps,
    maxWarps,
    percent: Math.floor((100 * blocks * warps) / maxWarps),
    limiter,
    suggestedBlock,
  };
}
