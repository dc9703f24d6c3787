// Arrays of a list as the argument of a kernel that goes over all of them (device/include/warpcell/lists.cuh): which
// rows a launch has, and which of its blocks have which row.
import type { DeviceArray } from "../../memory/array.ts";
import type { DeviceProcess } from "../../device/process.ts";
import { nullWord } from "../../wire/launch.ts";
import { putLong } from "../../wire/long.ts";
import type { Room } from "../../wire/target.ts";
import { onDevice, serialElements, threadsOf, type Blocks } from "./blocks.ts";
import { kernelFacts, offsetIn } from "./kernel-facts.ts";

/** Arrays that belong together, of so many elements each; `null`: there is none. */
export interface ListRow {
  readonly arrays: readonly (DeviceArray | null)[];
  readonly count: number;
  /** The number of the row among all that there are. */
  readonly slot: number;
}

/** What `Row<P>` and `List<P>` of lists.cuh are. */
const layoutOf = (file: string, pointers: number) =>
  kernelFacts(file, {
    rows: `kRows<${pointers}>`,
    bytes: `sizeof(Row<${pointers}>)`,
    count: offsetIn(`Row<${pointers}>`, "count"),
    begin: offsetIn(`Row<${pointers}>`, "begin"),
    slot: offsetIn(`Row<${pointers}>`, "slot"),
  });
/** By how many arrays a row has. */
const layouts: Readonly<Record<number, ReturnType<typeof layoutOf>>> = {
  1: layoutOf("gradient_lists", 1),
  3: layoutOf("updates", 3),
  4: layoutOf("updates", 4),
  5: layoutOf("updates", 5),
};
const factsOf = (pointers: number) => layouts[pointers]!();

const threads = 256;

/** Rows of a launch. */
export class ArrayList {
  readonly rows: readonly ListRow[];
  readonly blocks: Blocks;
  /** The elements of a block. */
  readonly length: number;
  readonly #isWritten: readonly boolean[];

  /** `isWritten`: of which arrays of a row. */
  constructor(device: DeviceProcess, rows: readonly ListRow[], length: number, isWritten: readonly boolean[]) {
    this.rows = rows;
    this.length = length;
    this.#isWritten = isWritten;
    const grid = rows.reduce((sum, { count }) => sum + Math.ceil(count / length), 0);
    this.blocks = { grid, block: threadsOf(device, threads) };
  }

  /** The bytes at which pointers lie. */
  pointers(): number[] {
    const { length } = this.rows[0]!.arrays;
    const { bytes } = factsOf(length);
    return this.rows.flatMap((_, row) => Array.from({ length }, (__, at) => row * bytes + 8 * at));
  }

  write({ words }: Room, byte: number): void {
    const facts = factsOf(this.rows[0]!.arrays.length);
    let begin = 0;
    this.rows.forEach(({ arrays, count, slot }, row) => {
      const at = byte + row * facts.bytes;
      arrays.forEach((array, index) => {
        array?.living();
        words[(at >> 2) + 2 * index] = array === null ? nullWord : array.placeLow;
        words[(at >> 2) + 2 * index + 1] = array === null ? nullWord : array.placeHigh;
      });
      putLong(words, (at + facts.count) >> 2, count);
      words[(at + facts.begin) >> 2] = begin;
      words[(at + facts.slot) >> 2] = slot;
      begin += Math.ceil(count / this.length);
    });
  }

  /** Notes that the command of that sequence writes what it does. */
  written(sequence: number): void {
    for (const { arrays } of this.rows)
      for (let index = 0; index < arrays.length; index++) {
        const array = arrays[index]!;
        if (array !== null && this.#isWritten[index]!) array.storage!.written(sequence, array.bytes);
      }
  }

  /** Notes that work on a stream uses all arrays. */
  usedOn(stream: number): void {
    for (const { arrays } of this.rows)
      arrays.forEach((array, index) => array?.usedOn(stream, this.#isWritten[index]!));
  }
}

/** How rows are shared out. `each`: what a thread takes at a time; `blocks`: as many as there may be of large rows. */
export interface Sharing {
  readonly each: number;
  readonly blocks?: number;
  readonly isWritten: readonly boolean[];
}

/** The lists of as few launches as have room for all rows. */
export function listsOf(
  device: DeviceProcess,
  rows: readonly ListRow[],
  { each, blocks, isWritten }: Sharing,
): ArrayList[] {
  const filled = rows.filter(({ count }) => count > 0);
  if (filled.length === 0) return [];
  const total = filled.reduce((sum, { count }) => sum + count, 0);
  const least = onDevice(device, { serial: serialElements, threads: threads * each });
  const length = blocks === undefined ? least : least * Math.max(1, Math.ceil(total / (least * blocks)));
  const most = factsOf(filled[0]!.arrays.length).rows;
  return Array.from(
    { length: Math.ceil(filled.length / most) },
    (_, part) => new ArrayList(device, filled.slice(part * most, (part + 1) * most), length, isWritten),
  );
}
