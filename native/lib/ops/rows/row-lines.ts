// How rows of a matrix are held while they are worked on (device/include/warpcell/line.cuh), chosen by their shape, and
// the kernels of device/ops/rowwise.cu that are made for each way.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { TensorError } from "../../errors.ts";
import { floatOf } from "../../memory/promotion.ts";
import type { DeviceProcess } from "../../device/process.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { onDevice, serialElements, tileBlocks, type Blocks, type ByBlock } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily, type LibraryArgument, type ParameterKind } from "../kernels/library.ts";

export const floats: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
const facts = kernelFacts("rowwise", {
  packBytes: "kPackBytes",
  tileBytes: "kTileBytes",
  shortThreads: "kShortThreads",
});

/** `isPacked`: every row is a number of whole packs. `operands`: how many rows are read at a time. */
interface RowShape {
  readonly length: number;
  readonly bytes: number;
  readonly isPacked: boolean;
  readonly operands: number;
}

/**
 * A way to hold rows on a GPU: its type in C++, which rows it takes, and how a block is laid out, threads of a row by
 * rows at a time; `share`: rows of a block at most, where they are not those.
 */
interface Line {
  readonly type: (c: string, bytes: number) => string;
  readonly takes: (row: RowShape) => boolean;
  readonly block: (row: RowShape) => readonly [number, number];
  readonly share?: (row: RowShape) => number;
}

/** The least power of two that is not below `value`. */
export const powerOfTwo = (value: number) => 2 ** Math.ceil(Math.log2(Math.max(1, value)));
const wholeWarps = (threads: number) => Math.max(32, Math.ceil(threads / 32) * 32);
const beside = (threads: number): readonly [number, number] => [threads, facts().shortThreads / threads];

/** Too short for a warp, and no whole packs: tiles of whole rows come through shared memory, a thread has a row. */
const tiled: Line = {
  type: (c) => `Tiled<${c}>`,
  // Of longer ones a tile has fewer than threads.
  // Rows of whole packs that begin elsewhere would lie in the same banks.
  takes: ({ length, bytes }) => (length * bytes) % facts().packBytes !== 0 && length * bytes <= 512,
  block: () => [facts().shortThreads, 1],
  share: ({ length, bytes, operands }) => Math.floor(facts().tileBytes / operands / (length * bytes)),
};
/** Whole packs, four a thread: a few threads of a warp have a row, and no barrier. */
const packedShort: Line = {
  type: (c) => `PackedShort<${c}, 4>`,
  takes: ({ length, bytes, isPacked }) => isPacked && length * bytes <= 32 * 4 * facts().packBytes,
  block: ({ length, bytes }) => beside(powerOfTwo((length * bytes) / facts().packBytes / 4)),
};
/** No whole packs: a part of a warp reads the row in every pass, in packs where they begin, out of the cache. */
const uneven: Line = {
  type: (c) => `Uneven<${c}>`,
  takes: ({ length, bytes, isPacked }) => !isPacked && length * bytes <= 4096,
  block: ({ length, bytes }) => beside(Math.min(32, powerOfTwo((length * bytes) / facts().packBytes))),
};
/**
 * Whole packs of `each` elements of 4 bytes a thread, in the registers of a block. Elements of 8 bytes are half as
 * many.
 */
const packedRow = (each: number, threads: number): Line => {
  const held = (bytes: number) => (bytes === 8 ? each / 2 : each);
  return {
    type: (c, bytes) => `Packed<${c}, ${held(bytes)}, ${threads}>`,
    takes: ({ length, bytes, isPacked }) => isPacked && length <= held(bytes) * threads,
    block: ({ length, bytes }) => [wholeWarps(length / held(bytes)), 1],
  };
};
/**
 * The same where the row alone is what fills the registers: elements of 16 bits lie two in one, so half as many threads
 * hold a row, and a processor has twice as many rows at a time.
 */
const packedAlone = (each: number, threads: number): Line => {
  const [wide, narrow] = [packedRow(each, threads), packedRow(2 * each, threads / 2)];
  const of = (bytes: number) => (bytes === 2 ? narrow : wide);
  return {
    type: (c, bytes) => of(bytes).type(c, bytes),
    takes: (row) => of(row.bytes).takes(row),
    block: (row) => of(row.bytes).block(row),
  };
};
/**
 * More than registers hold, or no whole packs: as `uneven`, by a block, which is small where rows stay in the cache.
 */
const long: Line = {
  type: (c) => `Long<${c}>`,
  takes: () => true,
  block: ({ length, bytes }) => [length * bytes <= 65536 ? 256 : length * bytes <= 131072 ? 512 : 1024, 1],
};
const singleShort: Line = {
  type: (c) => `SingleShort<${c}, 8>`,
  takes: ({ length, isPacked }) => !isPacked && length <= 32 * 8,
  block: ({ length }) => beside(powerOfTwo(length / 8)),
};
const singleRow: Line = {
  type: (c) => `Single<${c}, 8>`,
  takes: ({ length, isPacked }) => !isPacked && length <= 8 * 1024,
  block: ({ length }) => [wholeWarps(length / 8), 1],
};
/**
 * The first that takes a row is taken. Sums over rows are kept beside the row, which leaves half the room for it: none
 * takes the longest, whose sums are made by themselves.
 */
export const linesOf = {
  row: [tiled, packedShort, uneven, packedAlone(16, 512), packedAlone(16, 1024), long],
  pair: [tiled, packedShort, uneven, packedRow(16, 512), packedRow(16, 1024), long],
  summing: [packedShort, singleShort, packedAlone(8, 1024), packedRow(16, 1024), singleRow],
} as const satisfies Record<string, readonly Line[]>;

/** The blocks for rows, and which line takes them; `null` where none does: of one thread, which takes whole rows, or as the line lays its threads out. */
const blocksOf: ByBlock<
  (device: DeviceProcess, rows: number, row: RowShape, lines: readonly Line[]) => (Blocks & { at: number }) | null
> = {
  // One line serves all rows there.
  serial: (_, rows, { length }) => ({
    at: 0,
    grid: Math.min(rows, Math.ceil((rows * length) / serialElements)),
    block: 1,
  }),
  threads(device, rows, row, lines) {
    const at = lines.findIndex((line) => line.takes(row));
    const line = lines[at];
    if (line === undefined) return null;
    const block = line.block(row);
    const share = line.share?.(row);
    const grid = share === undefined ? Math.ceil(rows / block[1]) : tileBlocks(device, rows, share, block[0]);
    return { at, grid, block };
  },
};

/** The kernels of one operation, one for each line. */
export class RowKernels {
  readonly #lines: readonly Line[];
  readonly #families: readonly KernelFamily[];
  readonly #operands: number;

  /** `operands`: how many rows the kernel reads at a time. */
  constructor(
    instance: (type: string, line: string) => string,
    kinds: readonly ParameterKind[],
    lines: readonly Line[] = linesOf.row,
    operands = 1,
  ) {
    this.#lines = lines;
    this.#operands = operands;
    this.#families = lines.map(
      (line) =>
        new KernelFamily(
          "rowwise",
          floats,
          (type, dtype) => instance(type, line.type(type, factsOf(dtype).bytes)),
          kinds,
        ),
    );
  }

  /**
   * Launches the kernel for the rows of the arguments of `dtype`, which its lines take. `most`: blocks, where their
   * number is limited.
   */
  launch(
    on: Execution,
    dtype: DType,
    rows: number,
    length: number,
    args: readonly LibraryArgument[],
    most = 2 ** 31 - 1,
  ): void {
    const { at, grid, block } = this.blocks(on.device, dtype, rows, length, args)!;
    this.#families[at]!.launch(on, dtype, { grid: Math.min(grid, most), block }, args);
  }

  /** The blocks that `launch` makes, and by which line; `null` where no line takes these rows. */
  blocks(device: DeviceProcess, dtype: DType, rows: number, length: number, args: readonly LibraryArgument[]) {
    const { bytes } = factsOf(dtype);
    const { packBytes } = facts();
    const isPacked =
      (length * bytes) % packBytes === 0 &&
      args.every((each) => !(each instanceof DeviceArray) || each.dtype !== dtype || each.placeLow % packBytes === 0);
    return onDevice(device, blocksOf)(device, rows, { length, bytes, isPacked, operands: this.#operands }, this.#lines);
  }
}

export function floatDType(name: string, { dtype }: DeviceArray): DType {
  if (factsOf(dtype).isStorage || !floats.includes(floatOf(dtype)))
    throw new TensorError(
      "DTYPE",
      `${name} takes numbers that compute but got ${dtype}: convert it, e.g. with .to("float32").`,
    );
  return floatOf(dtype);
}

export const cost = (flops: number) => (inputs: readonly DeviceArray[], outputs: readonly DeviceArray[]) => ({
  bytes: bytesMoved(inputs) + bytesMoved(outputs),
  flops: flops * inputs[0]!.size,
});
export const rowsOf = ({ size, shape }: DeviceArray) => ({ rows: size / shape.at(-1)!, length: shape.at(-1)! });
