// Reductions along axes: the array as [outer, length, inner] through one of two kernels, in parts where one block would be too few.
import { DeviceArray, viewOf } from "../memory/array.ts";
import { dtypeNames, factsOf, type DType } from "../memory/dtype.ts";
import { sizeOf, transposed, type Shape } from "../memory/shape.ts";
import { contiguous, copy, fill, withDType } from "./copy.ts";
import { KernelFamily } from "./library.ts";
import type { DeviceProcess } from "../device/process.ts";

export interface Reduction {
  readonly axes: readonly number[];
  readonly keepdims: boolean;
}

/** One operation of device/include/warpcell/reduction.cuh: the dtypes it is compiled for, its results' dtype, the bytes of its state, and its result over no elements. */
interface Reducer {
  readonly functor: string;
  readonly dtypes: readonly DType[];
  readonly result: (dtype: DType) => DType;
  readonly stateBytes: (dtype: DType) => number;
  readonly empty: number | null;
}

const floats: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
const all = dtypeNames.filter((dtype) => factsOf(dtype).isStorage !== true);

/** What sums of a dtype are kept in. */
export function accumulatorOf(dtype: DType): DType {
  if (dtype === "float64" || dtype === "uint64") return dtype;
  return factsOf(dtype).kind === "float" ? "float32" : "int64";
}

const same = (dtype: DType) => dtype;
const sumDType = (dtype: DType): DType => (factsOf(dtype).kind === "float" || dtype === "uint64" ? dtype : "int64");
const accumulatorBytes = (dtype: DType) => factsOf(accumulatorOf(dtype)).bytes;
const wideBytes = (dtype: DType) => Math.max(4, factsOf(dtype).bytes);

export const reducers = {
  sum: { functor: "SumOf", dtypes: all, result: sumDType, stateBytes: accumulatorBytes, empty: 0 },
  mean: { functor: "FloatMeanOf", dtypes: floats, result: same, stateBytes: accumulatorBytes, empty: NaN },
  integerMean: {
    functor: "MeanOf",
    dtypes: all.filter((dtype) => factsOf(dtype).kind !== "float"),
    result: () => "float32",
    stateBytes: () => 8,
    empty: NaN,
  },
  prod: { functor: "ProdOf", dtypes: all, result: sumDType, stateBytes: accumulatorBytes, empty: 1 },
  norm: { functor: "NormOf", dtypes: floats, result: same, stateBytes: accumulatorBytes, empty: 0 },
  max: { functor: "MaxOf", dtypes: all, result: same, stateBytes: wideBytes, empty: null },
  min: { functor: "MinOf", dtypes: all, result: same, stateBytes: wideBytes, empty: null },
  any: {
    functor: "AnyOf",
    dtypes: [...floats, "int32", "int64", "uint8", "bool"],
    result: () => "bool",
    stateBytes: () => 4,
    empty: 0,
  },
  all: {
    functor: "AllOf",
    dtypes: [...floats, "int32", "int64", "uint8", "bool"],
    result: () => "bool",
    stateBytes: () => 4,
    empty: 1,
  },
  argmax: { functor: "ArgMaxOf", dtypes: all, result: () => "int64", stateBytes: () => 16, empty: null },
  argmin: { functor: "ArgMinOf", dtypes: all, result: () => "int64", stateBytes: () => 16, empty: null },
  logsumexp: {
    functor: "LogSumExpOf",
    dtypes: floats,
    result: same,
    stateBytes: (dtype) => 2 * accumulatorBytes(dtype),
    empty: -Infinity,
  },
  variance: {
    functor: "VarOf",
    dtypes: floats,
    result: same,
    stateBytes: (dtype) => 3 * accumulatorBytes(dtype),
    empty: NaN,
  },
  std: {
    functor: "StdOf",
    dtypes: floats,
    result: same,
    stateBytes: (dtype) => 3 * accumulatorBytes(dtype),
    empty: NaN,
  },
} as const satisfies Record<string, Reducer>;
export type ReducerName = keyof typeof reducers;

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
          "i32",
          "f64",
        ]),
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
) as Record<ReducerName, { rows: KernelFamily; columns: KernelFamily; join: KernelFamily }>;

// Numbers of device/ops/reduce.cu. On the CPU: lanes and elements of a chunk, columns of a block, rows that are added one after the other.
const lanes = 32;
const chunkElements = 4096;
const blockColumns = 128;
const group = 64;
/** Elements from which a part of a row is worth a block of its own, serially or by the threads of one. */
const leastPart = { serial: 32768, threads: 16384 } as const;
const rowThreads = 256;
const columnThreads = [32, 8] as const;

/** Most roundings that one element of a sum of `length` elements passes through, whatever its axes. */
export function roundingsOf(length: number): number {
  if (length <= 1) return 0;
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

function wantedBlocks(device: DeviceProcess): number {
  const { multiprocessors, libraryBlock } = device.properties;
  return libraryBlock === 1 ? (multiprocessors === 1 ? 1 : multiprocessors * 4) : multiprocessors * 8;
}

/** How rows are cut into parts, for a kernel that has `outer` of them. */
export function rowParts(device: DeviceProcess, outer: number, length: number): Split {
  return split(
    length,
    outer,
    wantedBlocks(device),
    device.properties.libraryBlock === 1 ? leastPart.serial : leastPart.threads,
  );
}

/** Blocks for `count` rows, or parts of them, of `chunk` elements of `width` bytes. A warp needs no barrier; it takes short rows, and longer ones where there are enough to fill the device. */
export function rowBlocks(
  device: DeviceProcess,
  count: number,
  chunk: number,
  width: number,
): { readonly grid: number; readonly block: number; readonly byWarp: number } {
  const isSerial = device.properties.libraryBlock === 1;
  const byWarp = chunk <= 1024 || (chunk * width <= 32768 && count >= device.properties.multiprocessors * 32);
  const perBlock = isSerial
    ? Math.max(1, Math.ceil(8192 / chunk), Math.ceil(count / (wantedBlocks(device) * 64)))
    : byWarp
      ? rowThreads / 32
      : 1;
  return { grid: Math.ceil(count / perBlock), block: isSerial ? 1 : rowThreads, byWarp: Number(byWarp) };
}

/** Fills the contiguous `out` with `input` reduced over `axes` (sorted). `parameter` is what the reducer's finish takes. */
export function reduceInto(
  name: ReducerName,
  out: DeviceArray,
  input: DeviceArray,
  axes: readonly number[],
  parameter = 0,
): void {
  const { dtypes, result, stateBytes, empty } = reducers[name] as Reducer;
  if (out.size === 0) return;
  const { device } = out.living();
  const length = sizeOf(axes.map((axis) => input.shape[axis]!));
  if (length === 0) return fill(out, empty!);
  const dtype = dtypes.includes(input.dtype)
    ? input.dtype
    : factsOf(input.dtype).kind === "float"
      ? "float32"
      : "int64";
  withDType(input, dtype, (operand) => {
    if (out.dtype !== result(dtype) || !out.isContiguous) {
      using exact = DeviceArray.allocate(device, result(dtype), out.shape);
      reduceInto(name, exact, operand, axes, parameter);
      return copy(out, exact);
    }
    const { source, outer, inner } = arranged(operand, axes, length);
    launch(name, device, dtype, out, source, { outer, length, inner }, parameter, stateBytes(dtype));
    source.dispose();
  });
}

function launch(
  name: ReducerName,
  device: DeviceProcess,
  dtype: DType,
  out: DeviceArray,
  source: DeviceArray,
  { outer, length, inner }: { outer: number; length: number; inner: number },
  parameter: number,
  stateBytes: number,
): void {
  const { rows, columns, join } = kernels[name];
  const isSerial = device.properties.libraryBlock === 1;
  const isRows = inner === 1;
  // Blocks that sum columns keep much in registers: four of them on a processor run at a time, and a second wave would be a short one.
  const wanted = isRows || isSerial ? wantedBlocks(device) : device.properties.multiprocessors * 4;
  const width = factsOf(dtype).bytes;
  const vector = stateBytes > 8 && width < 4 ? 4 : Math.min(8, 16 / width);
  const lane = inner % vector === 0 ? vector : 1;
  const tiles = isRows ? 1 : Math.ceil(inner / (isSerial ? blockColumns : 32 * lane));
  const least = isRows
    ? isSerial
      ? leastPart.serial
      : leastPart.threads
    : isSerial
      ? Math.max(group, Math.ceil(leastPart.serial / Math.min(inner, blockColumns)))
      : 64;
  const { parts, chunk } = split(length, outer * tiles, wanted, least);
  const count = outer * parts;
  using states = parts === 1 ? null : DeviceArray.allocate(device, "uint8", [outer * inner * parts * stateBytes]);
  if (isRows) {
    const { grid, block, byWarp } = rowBlocks(device, count, chunk, width);
    rows.on(device, dtype).launch(grid, block, [source, out, states, outer, length, parts, chunk, byWarp, parameter]);
  } else {
    const perBlock = isSerial ? Math.max(1, Math.ceil(8192 / (chunk * Math.min(inner, blockColumns)))) : 1;
    columns
      .on(device, dtype)
      .launch(Math.ceil((count * tiles) / perBlock), isSerial ? 1 : columnThreads, [
        source,
        out,
        states,
        outer,
        length,
        inner,
        parts,
        chunk,
        parameter,
      ]);
  }
  if (states === null) return;
  const results = outer * inner;
  const byBlock = !isSerial && parts >= 64;
  join
    .on(device, dtype)
    .launch(
      isSerial ? Math.ceil(results / 1024) : byBlock ? results : Math.ceil(results / rowThreads),
      isSerial ? 1 : rowThreads,
      [states, out, outer, parts, inner, byBlock ? 1 : 0, parameter],
    );
}

/** The input as [outer, length, inner], in row-major order: itself where the axes are neighbours in a contiguous array, else a copy with them last. */
function arranged(
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
  return { source: contiguous(moved), outer: sizeOf(shape) / length, inner: 1 };
}

export function reducedShape(shape: Shape, { axes, keepdims }: Reduction): number[] {
  return keepdims
    ? shape.map((size, axis) => (axes.includes(axis) ? 1 : size))
    : shape.filter((_, axis) => !axes.includes(axis));
}
