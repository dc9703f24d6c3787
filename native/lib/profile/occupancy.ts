// How much of a multiprocessor a launch can fill, by the limits of its architecture: the rules of NVIDIA's occupancy
// calculator, so that it is known of kernels of vendors' libraries, too.

/**
 * Of a multiprocessor. Table "Technical Specifications per Compute Capability" of the CUDA Programming Guide; shared
 * memory in bytes, 1 KiB of each block's is the system's.
 */
interface Limits {
  readonly warps: number;
  readonly blocks: number;
  readonly shared: number;
}

const limits: Readonly<Record<string, Limits>> = {
  75: { warps: 32, blocks: 16, shared: 64 << 10 },
  80: { warps: 64, blocks: 32, shared: 164 << 10 },
  86: { warps: 48, blocks: 16, shared: 100 << 10 },
  87: { warps: 48, blocks: 16, shared: 164 << 10 },
  89: { warps: 48, blocks: 24, shared: 100 << 10 },
  90: { warps: 64, blocks: 32, shared: 228 << 10 },
  100: { warps: 64, blocks: 32, shared: 228 << 10 },
  103: { warps: 64, blocks: 32, shared: 228 << 10 },
  120: { warps: 48, blocks: 24, shared: 100 << 10 },
  121: { warps: 48, blocks: 24, shared: 100 << 10 },
};

const warpSize = 32;
const registers = 65536;
/** A warp's registers come in units of this many, and warps are given to the four parts of a multiprocessor. */
const registerUnit = 256;
const parts = 4;
const sharedUnit = 128;
const systemShared = 1 << 10;

export interface LaunchShape {
  readonly grid: readonly number[];
  readonly block: readonly number[];
  readonly registers: number;
  readonly shared: number;
}

/** Percent of the warps that a multiprocessor holds. */
export interface LaunchOccupancy {
  readonly theoretical: number;
  /**
   * Of what keeps more blocks from fitting: "warps", "blocks", "registers", "shared"; "grid" where there are too few
   * blocks for the device.
   */
  readonly limiter: string;
  /** An estimate: what is resident when the grid is spread over all multiprocessors. */
  readonly achieved: number;
}

/** `arch`: "sm_90a". `null` for an architecture that is not in the table, and for no kernel. */
export function occupancyOf(arch: string, multiprocessors: number, launch: LaunchShape): LaunchOccupancy | null {
  const limit = limits[/^sm_(\d+)/.exec(arch)?.[1] ?? ""];
  const threads = launch.block.reduce((product, length) => product * length, 1);
  if (limit === undefined || threads === 0) return null;
  const warps = Math.ceil(threads / warpSize);
  const perWarp = Math.ceil((launch.registers * warpSize) / registerUnit) * registerUnit;
  const shared = Math.ceil((launch.shared + systemShared) / sharedUnit) * sharedUnit;
  const fits: readonly (readonly [string, number])[] = [
    ["warps", Math.floor(limit.warps / warps)],
    ["blocks", limit.blocks],
    [
      "registers",
      launch.registers === 0 ? Infinity : Math.floor((parts * Math.floor(registers / parts / perWarp)) / warps),
    ],
    ["shared", Math.floor(limit.shared / shared)],
  ];
  const blocks = Math.min(...fits.map(([, count]) => count));
  const theoretical = (100 * blocks * warps) / limit.warps;
  const grid = launch.grid.reduce((product, length) => product * length, 1);
  const resident = Math.min(blocks, grid / multiprocessors);
  const achieved = (100 * resident * warps) / limit.warps;
  return {
    theoretical,
    limiter: resident < blocks ? "grid" : fits.find(([, count]) => count === blocks)![0],
    achieved,
  };
}
