// How a reduction is launched: how many blocks and threads, and into how many parts rows and columns are cut, by shape.
import type { DeviceProcess } from "../../device/process.ts";
import { onDevice, tileBlocks, type Blocks, type ByBlock } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { isDense, isRows, type Reduced } from "./reduced.ts";

const facts = kernelFacts("reduce", {
  lanes: "kLanes",
  chunkElements: "kChunk",
  blockColumns: "kColumns",
  turned: "kTurned",
  group: "kGroup",
  threads: "kThreads",
  packBytes: "kPackBytes",
  tileBytes: "kTileBytes",
});
/** Elements from which a part of a row is worth a block of its own. */
const leastPart = { serial: 32768, threads: 16384 } as const;
const rowThreads = 256;
// Threads of a block that has a tile. Longer rows of it would leave threads without one.
const shortThreads = 128;
const mostOfTile = 64;

/** Most roundings that one element of a sum of `length` elements passes through, whatever its axes. */
export function roundingsOf(length: number): number {
  if (length <= 1) return 0;
  const { lanes, chunkElements, group } = facts();
  const pairwise = Math.ceil(Math.log2(length)) + 1;
  const serialRow = chunkElements / lanes + Math.log2(lanes) + pairwise;
  const serialColumn = 3 * group + length / group ** 3 + 2;
  const byThreads = Math.ceil(Math.min(length, 4 * leastPart.threads) / 32) + 16 + pairwise;
  return Math.min(length, Math.max(serialRow, serialColumn, byThreads)) + pairwise;
}

interface Split {
  readonly parts: number;
  readonly chunk: number;
}

/** Cuts `length` into parts, `most` at most, of which each has `least` elements. */
function split(length: number, most: number, least: number): Split {
  if (most <= 1 || length <= 2 * least) return { parts: 1, chunk: length };
  const parts = Math.min(most, Math.ceil(length / least));
  const chunk = Math.ceil(Math.ceil(length / parts) / 64) * 64;
  return { parts: Math.ceil(length / chunk), chunk };
}

/** Blocks that fill a device. */
export function wantedBlocks(device: DeviceProcess): number {
  const { multiprocessors } = device.properties;
  // What one core does anyway is not worth cutting.
  return multiprocessors * onDevice(device, { serial: multiprocessors === 1 ? 1 : 4, threads: 4 });
}

/** How rows are cut into parts, for a kernel that has `outer` of them. */
export function rowParts(device: DeviceProcess, outer: number, length: number): Split {
  return split(length, Math.ceil(wantedBlocks(device) / outer), onDevice(device, leastPart));
}

/** How many threads of a GPU share a row, or a part of one, and how many of these a block has. */
function rowBlock(device: DeviceProcess, count: number, bytes: number, isPacked: boolean): readonly [number, number] {
  // As many threads as each has packs: the fewer they are the less there is to join, and four packs a thread are under
  // way at a time. A warp needs no barrier; it takes longer rows, too, where there are enough to fill the device.
  if (bytes <= 4096 || (bytes <= 32768 && count >= device.properties.multiprocessors * 32)) {
    const threads = 2 ** Math.min(5, Math.floor(Math.log2(Math.max(1, bytes / facts().packBytes)) / 2));
    // What is in no whole pack at both ends of a row goes one by one.
    const shared = isPacked ? threads : Math.max(threads, Math.min(8, powerOfTwo(bytes / facts().packBytes)));
    return [shared, rowThreads / shared];
  }
  return [rowThreads, 1];
}

/** The same where elements lie apart, and a thread has eight of them under way. */
function spacedBlock(device: DeviceProcess, count: number, length: number): readonly [number, number] {
  if (length > 1024 && count < device.properties.multiprocessors * 32) return [rowThreads, 1];
  const threads = Math.min(32, powerOfTwo(length / 8));
  return [threads, rowThreads / threads];
}

/** The least power of two that is not below `value`. */
const powerOfTwo = (value: number) => 2 ** Math.ceil(Math.log2(Math.max(1, value)));

/** How many columns, or packs of them, a block of a GPU takes, and how many threads share the rows of each. */
function columnBlock(device: DeviceProcess, columns: number, outer: number, length: number): readonly [number, number] {
  const { threads } = facts();
  // Threads share the rows of a column while the device has room for more, and each has eight of them.
  let share = 1;
  while (
    share < threads &&
    2 * share * outer * columns <= device.properties.multiprocessors * 2048 &&
    length >= 16 * share
  )
    share *= 2;
  if (share === 1) return [threads, 1];
  // Narrow arrays: rows lie one behind the other, and so do the threads that read them.
  const wide = Math.max(Math.min(32, columns), threads / share);
  return [wide, Math.floor(threads / wide)];
}

/** Columns from which on a thread has several that need not begin at a pack: of fewer, packs would have little. */
const worthPacks = 64;
/** Rows of elements of 8 bytes up to which packs are worth being read twice: a column is no more work than its start. */
const fewRows = 6;

/** What is reduced: bytes of an element, how many a thread of columns takes side by side, and where they begin. */
export interface Elements {
  readonly bytes: number;
  readonly beside: number;
  readonly place: number;
}

/** The blocks of a launch, and how rows or columns are cut; `width`: columns that a thread has. */
export interface Plan extends Blocks, Split {
  readonly width: number;
}

/** The kernels for a shape. */
export interface Plans {
  /** Blocks whose threads take whole rows or columns; `null` where these are too long for it. */
  readonly short: (device: DeviceProcess, reduced: Reduced, elements: Elements) => Blocks | null;
  readonly rows: (device: DeviceProcess, reduced: Reduced, elements: Elements) => Plan;
  readonly columns: (device: DeviceProcess, reduced: Reduced, elements: Elements) => Plan;
  /** Joins the parts of each result, by a thread or (`byBlock`) by a block. */
  readonly join: (results: number, parts: number) => Blocks & { readonly byBlock: boolean };
}

export const plansFor: ByBlock<Plans> = {
  serial: {
    // Vectors would be longer than these rows; of slabs, states that are joined in groups would be most of the work.
    short(_, reduced) {
      const { lanes, turned } = facts();
      const { outer, length, inner } = reduced;
      return isDense(reduced) && length < lanes && inner <= turned
        ? { grid: Math.ceil(outer / Math.ceil(8192 / (length * inner))), block: 1 }
        : null;
    },
    rows(device, { outer, length }) {
      const { parts, chunk } = rowParts(device, outer, length);
      const count = outer * parts;
      return { parts, chunk, grid: Math.ceil(count / serialRows(device, count, chunk)), block: 1, width: 1 };
    },
    columns(device, { outer, length, inner }) {
      const { blockColumns, group } = facts();
      const tiles = Math.ceil(inner / blockColumns);
      const width = Math.min(inner, blockColumns);
      const least = Math.max(group, Math.ceil(leastPart.serial / width));
      const { parts, chunk } = split(length, Math.ceil(wantedBlocks(device) / (outer * tiles)), least);
      const perBlock = Math.max(1, Math.ceil(8192 / (chunk * width)));
      return { parts, chunk, grid: Math.ceil((outer * parts * tiles) / perBlock), block: 1, width: 1 };
    },
    join: (results) => ({ grid: Math.ceil(results / 1024), block: 1, byBlock: false }),
  },
  threads: {
    // No whole packs, and a tile in shared memory has many of them. Rows of whole packs would lie in the same banks.
    short(device, reduced, { bytes }) {
      const { lanes, packBytes, tileBytes } = facts();
      const { outer, length, inner } = reduced;
      const isUneven = (length * inner * bytes) % packBytes !== 0;
      const isShort = isRows(reduced)
        ? isUneven && length <= mostOfTile
        : length < lanes && length * inner * bytes <= tileBytes / 8 && outer >= 32 && (inner * bytes) % packBytes !== 0;
      const share = Math.floor(tileBytes / (length * inner * bytes));
      if (!isDense(reduced) || !isShort) return null;
      return { grid: tileBlocks(device, outer, share, Math.ceil(shortThreads / inner)), block: shortThreads };
    },
    rows(device, { outer, length, outerStep, step }, { bytes, place }) {
      const { parts, chunk } = rowParts(device, outer, length);
      const count = outer * parts;
      const isPacked = [place, outerStep * bytes, chunk * bytes].every((each) => each % facts().packBytes === 0);
      const block = step === 1 ? rowBlock(device, count, chunk * bytes, isPacked) : spacedBlock(device, count, chunk);
      return { parts, chunk, grid: Math.ceil(count / block[1]), block, width: 1 };
    },
    columns(device, { outer, length, inner, outerStep, step }, { bytes, beside, place }) {
      const isPacked = [place / bytes, inner, outerStep, step].every((each) => each % beside === 0);
      // Packs that rows do not begin at are read twice, which costs less than a thread for each column, but for many
      // elements of 8 bytes.
      const width = isPacked || (inner >= worthPacks && (bytes <= 4 || length <= fewRows)) ? beside : 1;
      const across = Math.ceil(inner / width);
      const block = columnBlock(device, across, outer, length);
      const blocks = Math.ceil((outer * across) / block[0]);
      // So many blocks run at a time on a processor: those that sum several columns a thread keep much in registers. A
      // few more would take as long again.
      const running = device.properties.multiprocessors * (width === 1 ? 8 : 4);
      const room = block[1] === 1 ? 1 : Math.floor(running / blocks);
      const { parts, chunk } = split(length, room, Math.max(64, 8 * block[1]));
      return { parts, chunk, grid: Math.ceil((outer * parts * across) / block[0]), block, width };
    },
    join(results, parts) {
      const byBlock = parts >= 64;
      // Small blocks: a few thousand results are spread over all of a GPU's processors.
      const block = byBlock ? rowThreads : 64;
      return { grid: byBlock ? results : Math.ceil(results / block), block, byBlock };
    },
  },
};

/** How many of `count` rows of `length` elements a thread that has a block to itself takes. */
export function serialRows(device: DeviceProcess, count: number, length: number): number {
  return Math.max(1, Math.ceil(8192 / length), Math.ceil(count / (wantedBlocks(device) * 64)));
}
