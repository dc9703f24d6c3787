// Reductions along axes: the array as [outer, length, inner] through one of three kernels, chosen by that shape, in
// parts where one block would be too few.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { reshapedStrides, sizeOf, transposed, type Shape } from "../../memory/shape.ts";
import { contiguous, copy, fill, withDType } from "../shape/copy.ts";
import { onDevice, type Blocks, type ByBlock } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import { reducers, stateOf, type Reducer, type ReducerName } from "./reducers.ts";
import type { DeviceProcess } from "../../device/process.ts";

export interface Reduction {
  readonly axes: readonly number[];
  readonly keepdims: boolean;
}

const kernels = Object.fromEntries(
  (Object.entries(reducers) as [ReducerName, Reducer][]).map(([name, { functor, dtypes, result }]) => {
    const c = (dtype: DType) => factsOf(result(dtype)).c;
    return [
      name,
      {
        rows: new KernelFamily("reduce", dtypes, (type, dtype) => `rows<${functor}<${type}>, ${type}, ${c(dtype)}>`, [
          "place",
          "out",
          "out",
          "i64",
          "i64",
          "i64",
          "i64",
          "f64",
        ]),
        short: new KernelFamily(
          "reduce",
          dtypes,
          (type, dtype) => `short_rows<${functor}<${type}>, ${type}, ${c(dtype)}>`,
          ["place", "out", "i64", "i64", "i64", "f64"],
        ),
        columns: new KernelFamily(
          "reduce",
          dtypes,
          (type, dtype) => `columns<${functor}<${type}>, ${type}, ${c(dtype)}>`,
          ["place", "out", "out", "i64", "i64", "i64", "i64", "i64", "f64"],
        ),
        join: new KernelFamily("reduce", dtypes, (type, dtype) => `join<${functor}<${type}>, ${c(dtype)}>`, [
          "place",
          "out",
          "i64",
          "i64",
          "i64",
          "i32",
          "f64",
        ]),
      },
    ];
  }),
) as Record<ReducerName, { rows: KernelFamily; short: KernelFamily; columns: KernelFamily; join: KernelFamily }>;

const facts = kernelFacts("reduce", {
  lanes: "kLanes",
  chunkElements: "kChunk",
  blockColumns: "kColumns",
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

/** Cuts `length` into parts where fewer than `wanted` blocks would have work. */
function split(length: number, blocks: number, wanted: number, least: number): Split {
  if (blocks >= wanted || length <= 2 * least) return { parts: 1, chunk: length };
  const parts = Math.min(Math.ceil(wanted / blocks), Math.ceil(length / least));
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
  return split(length, outer, wantedBlocks(device), onDevice(device, leastPart));
}

/** How many threads of a GPU share a row, or a part of one, and how many of these a block has. */
function rowBlock(device: DeviceProcess, count: number, bytes: number): readonly [number, number] {
  // As many threads as each has packs: the fewer they are the less there is to join, and four packs a thread are under
  // way at a time. A warp needs no barrier; it takes longer rows, too, where there are enough to fill the device.
  if (bytes <= 4096 || (bytes <= 32768 && count >= device.properties.multiprocessors * 32)) {
    const threads = 2 ** Math.min(5, Math.floor(Math.log2(Math.max(1, bytes / facts().packBytes)) / 2));
    return [threads, rowThreads / threads];
  }
  return [rowThreads, 1];
}

/** How many columns, or packs of them, a block of a GPU takes, and how many threads share the rows of each. */
function columnBlock(device: DeviceProcess, columns: number, outer: number, length: number): readonly [number, number] {
  const { threads } = facts();
  // Enough columns for the whole device, or rows too few to share: a thread has a column.
  if (length < 64 || outer * columns >= device.properties.multiprocessors * 2048) return [threads, 1];
  // Narrow arrays: rows lie one behind the other, and so do the threads that read them.
  const wide = Math.min(32, columns);
  return [wide, Math.floor(threads / wide)];
}

/**
 * Fills the contiguous `out` with `input` reduced over `axes` (sorted). `parameter` is what the reducer's finish takes.
 */
export function reduceInto(
  on: Execution,
  name: ReducerName,
  out: DeviceArray,
  input: DeviceArray,
  axes: readonly number[],
  parameter = 0,
): void {
  const { dtypes, result, empty } = reducers[name] as Reducer;
  if (out.size === 0) return;
  const length = sizeOf(axes.map((axis) => input.shape[axis]!));
  if (length === 0) return fill(on, out, empty!);
  if (length === 1 && isPlace(name)) return fill(on, out, 0);
  if (length === 1 && isItself(name, parameter)) {
    // Only axes of size 1 come or go.
    using same = viewOf(input, { shape: out.shape, strides: reshapedStrides(input, out.shape)!, offset: input.offset });
    return copy(on, out, same);
  }
  const dtype = dtypes.includes(input.dtype)
    ? input.dtype
    : factsOf(input.dtype).kind === "float"
      ? "float32"
      : "int64";
  withDType(on, input, dtype, (operand) => {
    if (out.dtype !== result(dtype) || !out.isContiguous) {
      using exact = DeviceArray.allocate(on.device, result(dtype), out.shape);
      reduceInto(on, name, exact, operand, axes, parameter);
      return copy(on, out, exact);
    }
    const { source, outer, inner } = arranged(on, operand, axes, length);
    launch(on, name, dtype, out, source, { outer, length, inner }, parameter);
    source.dispose();
  });
}

/** The array as [outer, length, inner], of which `length` is reduced. */
interface Reduced {
  readonly outer: number;
  readonly length: number;
  readonly inner: number;
}

/** Reducers that give one element itself, as the dtype of the result; a mean where it is divided by nothing more. */
const itself: ReadonlySet<ReducerName> = new Set(["sum", "prod", "max", "min"]);
const isItself = (name: ReducerName, parameter: number) => itself.has(name) || (name === "mean" && parameter === 1);

const isPlace = (name: ReducerName) => name === "argmax" || name === "argmin";

function launch(
  on: Execution,
  name: ReducerName,
  dtype: DType,
  out: DeviceArray,
  source: DeviceArray,
  reduced: Reduced,
  parameter: number,
): void {
  const { device } = on;
  const { outer, length, inner } = reduced;
  const state = stateOf(name, dtype);
  const { rows, short, columns, join } = kernels[name];
  const plans = onDevice(device, plansFor);
  const elements: Elements = { bytes: factsOf(dtype).bytes, beside: state.beside, place: source.placeLow };
  const slabs = plans.short(reduced, elements);
  if (slabs !== null) {
    short.launch(on, dtype, slabs, [source, out, outer, length, inner, parameter]);
    return;
  }
  const { parts, chunk, ...blocks } = (inner === 1 ? plans.rows : plans.columns)(device, reduced, elements);
  using states = parts === 1 ? null : DeviceArray.allocate(device, "uint8", [outer * inner * parts * state.bytes]);
  const sizes = inner === 1 ? [outer, length, parts, chunk] : [outer, length, inner, parts, chunk];
  (inner === 1 ? rows : columns).launch(on, dtype, blocks, [source, out, states, ...sizes, parameter]);
  if (states === null) return;
  const { byBlock, ...joining } = plans.join(outer * inner, parts);
  join.launch(on, dtype, joining, [states, out, outer, parts, inner, Number(byBlock), parameter]);
}

/** What is reduced: bytes of an element, how many a thread of columns takes side by side, and where they begin. */
interface Elements {
  readonly bytes: number;
  readonly beside: number;
  readonly place: number;
}

/** The blocks of a launch, and how rows or columns are cut. */
interface Plan extends Blocks, Split {}

/** The kernels for a shape. */
interface Plans {
  /** Blocks whose threads take whole rows or columns; `null` where these are too long for it. */
  readonly short: (reduced: Reduced, elements: Elements) => Blocks | null;
  readonly rows: (device: DeviceProcess, reduced: Reduced, elements: Elements) => Plan;
  readonly columns: (device: DeviceProcess, reduced: Reduced, elements: Elements) => Plan;
  /** Joins the parts of each result, by a thread or (`byBlock`) by a block. */
  readonly join: (results: number, parts: number) => Blocks & { readonly byBlock: boolean };
}

const plansFor: ByBlock<Plans> = {
  serial: {
    // Vectors would be longer than these.
    short({ outer, length, inner }) {
      const { lanes } = facts();
      return length < lanes && inner < lanes
        ? { grid: Math.ceil(outer / Math.ceil(8192 / (length * inner))), block: 1 }
        : null;
    },
    rows(device, { outer, length }) {
      const { parts, chunk } = rowParts(device, outer, length);
      const count = outer * parts;
      return { parts, chunk, grid: Math.ceil(count / serialRows(device, count, chunk)), block: 1 };
    },
    columns(device, { outer, length, inner }) {
      const { blockColumns, group } = facts();
      const tiles = Math.ceil(inner / blockColumns);
      const width = Math.min(inner, blockColumns);
      const least = Math.max(group, Math.ceil(leastPart.serial / width));
      const { parts, chunk } = split(length, outer * tiles, wantedBlocks(device), least);
      const perBlock = Math.max(1, Math.ceil(8192 / (chunk * width)));
      return { parts, chunk, grid: Math.ceil((outer * parts * tiles) / perBlock), block: 1 };
    },
    join: (results) => ({ grid: Math.ceil(results / 1024), block: 1, byBlock: false }),
  },
  threads: {
    // No whole packs, and a tile in shared memory has many of them.
    short({ outer, length, inner }, { bytes, place }) {
      const { lanes, packBytes, tileBytes } = facts();
      const isPacked = (length * bytes) % packBytes === 0 && place % packBytes === 0;
      const isShort =
        inner === 1
          ? !isPacked && length <= mostOfTile
          : length < lanes &&
            length * inner * bytes <= tileBytes / 8 &&
            outer >= 32 &&
            (inner * bytes) % packBytes !== 0;
      const share = Math.floor(tileBytes / (length * inner * bytes));
      return isShort ? { grid: Math.ceil(outer / share), block: shortThreads } : null;
    },
    rows(device, { outer, length }, { bytes }) {
      const { parts, chunk } = rowParts(device, outer, length);
      const count = outer * parts;
      const block = rowBlock(device, count, chunk * bytes);
      return { parts, chunk, grid: Math.ceil(count / block[1]), block };
    },
    columns(device, { outer, length, inner }, { bytes, beside, place }) {
      const isPacked = inner % beside === 0 && place % (beside * bytes) === 0;
      const across = isPacked ? inner / beside : inner;
      const block = columnBlock(device, across, outer, length);
      const blocks = Math.ceil((outer * across) / block[0]);
      // Blocks that sum columns keep much in registers: four of them on a processor run at a time, and a second wave
      // would be a short one.
      const wanted = block[1] === 1 ? 1 : device.properties.multiprocessors * 4;
      const { parts, chunk } = split(length, blocks, wanted, Math.max(64, 8 * block[1]));
      return { parts, chunk, grid: Math.ceil((outer * parts * across) / block[0]), block };
    },
    join(results, parts) {
      const byBlock = parts >= 64;
      return { grid: byBlock ? results : Math.ceil(results / rowThreads), block: rowThreads, byBlock };
    },
  },
};

/** How many of `count` rows of `length` elements a thread that has a block to itself takes. */
export function serialRows(device: DeviceProcess, count: number, length: number): number {
  return Math.max(1, Math.ceil(8192 / length), Math.ceil(count / (wantedBlocks(device) * 64)));
}

/**
 * The input as [outer, length, inner], in row-major order: itself where the axes are neighbours in a contiguous array,
 * else a copy with them last.
 */
function arranged(
  on: Execution,
  input: DeviceArray,
  axes: readonly number[],
  length: number,
): { source: DeviceArray; outer: number; inner: number } {
  const { shape } = input;
  // An axis of size 1 is a neighbour of any.
  const counted = axes.filter((axis) => shape[axis] !== 1);
  const between = (counted.at(-1) ?? 0) - (counted[0] ?? 0) + 1;
  const areNeighbours =
    shape.slice(counted[0] ?? 0, (counted[0] ?? 0) + between).filter((size) => size !== 1).length === counted.length;
  if (input.isContiguous && areNeighbours) {
    const first = counted[0] ?? shape.length;
    return {
      source: viewOf(input, input),
      outer: sizeOf(shape.slice(0, first)),
      inner: counted.length === 0 ? 1 : sizeOf(shape.slice(counted.at(-1)! + 1)),
    };
  }
  const kept = shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  using moved = viewOf(input, transposed(input, [...kept, ...axes]));
  return { source: contiguous(on, moved), outer: sizeOf(shape) / length, inner: 1 };
}

export function reducedShape(shape: Shape, { axes, keepdims }: Reduction): number[] {
  return keepdims
    ? shape.map((size, axis) => (axes.includes(axis) ? 1 : size))
    : shape.filter((_, axis) => !axes.includes(axis));
}
