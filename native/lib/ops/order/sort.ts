// Sorting along an axis, and searching in what is sorted: stable, by integer keys, NaN last (device/ops/sort.cu).
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { adviceToCompute, factsOf, type DType } from "../../memory/dtype.ts";
import { TensorError } from "../../errors.ts";
import { formatShape, sizeOf, transposed } from "../../memory/shape.ts";
import { aroundAxis, takeAlong } from "../index/along.ts";
import { call } from "../core/calls.ts";
import { contiguous, copy, fill, withDType, withFlat } from "../shape/copy.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { blocksFor, onDevice, type Blocks, type ByBlock } from "../kernels/blocks.ts";
import { differing, kernelFacts, kernelFactsByDType } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import { flatBlocks, sameShape, widestOf } from "../kernels/map.ts";
import type { Computation } from "../core/operation.ts";
import { scanInto } from "../reduce/scan.ts";
import { areForWarps, mostOfColumn, sortDTypes, sortShort, type Lines } from "./short.ts";

const keyDTypes: readonly DType[] = ["uint32", "uint64"];
const rows = new KernelFamily("sort", sortDTypes, (type) => `sort_rows<${type}>`, [
  "place",
  "out",
  "out",
  "out",
  "i64",
  "i64",
  "i64",
  "i32",
]);
const search = new KernelFamily("sort", sortDTypes, (type) => `search_sorted<${type}>`, [
  "place",
  "place",
  "out",
  "i64",
  "i64",
  "i64",
  "i32",
]);
// Long rows of a CPU.
const keys = new KernelFamily("sort", sortDTypes, (type) => `sort_keys<${type}>`, ["place", "out", "i64", "i32"]);
const counting = new KernelFamily("sort", keyDTypes, (type) => `sort_counts<${type}>`, [
  "place",
  "out",
  "i64",
  "i64",
  "i64",
  "i32",
]);
const scattering = new KernelFamily("sort", keyDTypes, (type) => `sort_scatter<${type}>`, [
  "place",
  "place",
  "out",
  "out",
  "place",
  "place",
  "i64",
  "i64",
  "i64",
  "i32",
]);
// And of a GPU.
const histogram = new KernelFamily("sort", sortDTypes, (type) => `sort_histogram<${type}>`, [
  "place",
  "out",
  "i64",
  "i64",
  "i32",
]);
const sweep = new KernelFamily("sort", sortDTypes, (type) => `sort_sweep<${type}>`, [
  "place",
  "out",
  "out",
  "out",
  "out",
  "out",
  "i64",
  "i64",
  "i32",
  "i32",
]);

const facts = kernelFacts("sort", {
  digits: "kDigits",
  threads: "kThreads",
  searches: differing("kSearches"),
  scratchKeys: "kScratchKeys",
  mostBeside: "kMostBeside",
  scratchBeside: "kScratchBeside",
  countThreads: "kCountThreads",
  counted: "kCountThreads * kCountItems",
  sweepThreads: "kSweepThreads",
  sweepCounters: "kSweepWarps * kDigits * sizeof(uint)",
});
/** Bytes of keys, elements of the row that a block sorts, elements of a tile, bytes of one, and of what tiles tell. */
const factsByDType = kernelFactsByDType("sort", sortDTypes, (type) => ({
  keyBytes: `sizeof(SortKey<${type}>)`,
  mostOfBlock: `kTile<SortKey<${type}>>`,
  swept: `kSweepThreads * kSweepItems<SortKey<${type}>>`,
  itemBytes: `sizeof(Item<SortKey<${type}>>)`,
  headBytes: `SweepState<${type}>::head_bytes`,
  rowBytes: `SweepState<${type}>::row_bytes`,
  tileBytes: `SweepState<${type}>::tile_bytes`,
}));
/** Elements of the longest row that a block of a GPU sorts. */
export const mostOfBlock = ({ dtype }: DeviceArray) => factsByDType(dtype).mostOfBlock;

/** The dtype whose kernels sort a dtype: itself, or one that holds it in the same order. */
export function sortedAs(dtype: DType): DType {
  if (sortDTypes.includes(dtype)) return dtype;
  return dtype === "bool" ? "uint8" : dtype === "uint32" ? "int64" : "int32";
}

export interface Sorting {
  readonly axis: number;
  readonly descending: boolean;
}

/**
 * Of rows, contiguous: values in order (`null`: nobody wants them) and their positions, int64, of the input's shape.
 */
export interface Sorted {
  readonly values: DeviceArray | null;
  readonly indices: DeviceArray;
}

/** How blocks sort rows whole: `scratchKeys` of them are kept in memory for each element of a block's row. */
interface WholeRows extends Blocks {
  readonly scratchKeys: number;
}
/** `null` for rows that are sorted digit by digit. */
const wholeRows: ByBlock<(on: Execution, input: DeviceArray, outer: number, length: number) => WholeRows | null> = {
  // Short rows, and so many that each of the cores has some.
  serial({ device: { properties } }, { size }, outer, length) {
    const { multiprocessors } = properties;
    if (multiprocessors > 1 && outer < multiprocessors && length >= 65536) return null;
    const grid = Math.min(outer, Math.max(1, Math.min(multiprocessors * 4, Math.ceil(size / 2048))));
    const { scratchKeys, mostBeside, scratchBeside } = facts();
    return { grid, block: 1, scratchKeys: length <= mostBeside ? scratchBeside : scratchKeys };
  },
  // Rows that fit the shared memory of a block.
  threads: (_, input, outer, length) =>
    length <= mostOfBlock(input) ? { grid: outer, block: facts().threads, scratchKeys: 0 } : null,
};

/** `kept`: the first elements of each row that are wanted, of rows that a block of threads sorts. */
export function sortRows(
  on: Execution,
  { values, indices }: Sorted,
  input: DeviceArray,
  { length, inner }: Lines,
  descending: boolean,
  kept = length,
): void {
  const { device } = on;
  if (areForWarps(input, length))
    return sortShort(on, values, indices, input, { length, inner }, { first: 0, kept }, descending);
  const outer = input.size / length;
  const whole = onDevice(device, wholeRows)(on, input, outer, length);
  if (whole === null) {
    const byDigits = onDevice(device, { serial: scatterRows, threads: sweepRows });
    return byDigits(on, { values, indices }, input, length, Number(descending));
  }
  const scratchBytes = whole.grid * whole.scratchKeys * length * factsByDType(input.dtype).keyBytes;
  using scratch = scratchBytes === 0 ? null : DeviceArray.allocate(device, "uint8", [scratchBytes]);
  rows.launch(on, input.dtype, whole, [input, values, indices, scratch, outer, length, kept, Number(descending)]);
}

/**
 * Long rows of a CPU, in two tiles for each of its cores: for every digit counts, which are added up, and then the
 * elements go to their places.
 */
function scatterRows(
  on: Execution,
  { values, indices }: Sorted,
  input: DeviceArray,
  length: number,
  direction: number,
): void {
  const { device } = on;
  const outer = input.size / length;
  const tile = Math.ceil(length / (device.properties.multiprocessors * 2));
  const tiles = Math.ceil(length / tile);
  const { digits } = facts();
  const keyDType = factsByDType(input.dtype).keyBytes === 8 ? "uint64" : "uint32";
  const made = [keyDType, keyDType, "uint32", "uint32"].map((each) =>
    DeviceArray.allocate(device, each as DType, [input.size]),
  );
  using counts = DeviceArray.allocate(device, "int64", [outer, digits * tiles]);
  using sums = DeviceArray.allocate(device, "int64", [outer, digits * tiles]);
  let [from, to, places, toPlaces] = made as [DeviceArray, DeviceArray, DeviceArray, DeviceArray];
  keys.launch(on, input.dtype, flatBlocks(device, input.size, widestOf(input, from)), [
    input,
    from,
    input.size,
    direction,
  ]);
  const blocks = { grid: outer * tiles, block: 1 };
  for (let pass = 0; pass < factsOf(input.dtype).bytes; pass++) {
    counting.launch(on, keyDType, blocks, [from, counts, length, tiles, tile, 8 * pass]);
    scanInto(on, "cumsum", [sums], counts, { axis: 1 });
    scattering.launch(on, keyDType, blocks, [
      from,
      pass === 0 ? null : places,
      to,
      toPlaces,
      counts,
      sums,
      length,
      tiles,
      tile,
      8 * pass,
    ]);
    [from, to, places, toPlaces] = [to, from, toPlaces, places];
  }
  using found = new DeviceArray(places.living().hold(), "uint32", {
    shape: indices.shape,
    strides: indices.strides,
    offset: 0,
  });
  copy(on, indices, found);
  for (const array of made) array.dispose();
  if (values !== null) takeAlong.run([values], [input, indices], { axis: Math.max(0, input.shape.length - 1) }, on);
}

/** Long rows of a GPU: all digits counted, then once through the rows for each. */
function sweepRows(
  on: Execution,
  { values, indices }: Sorted,
  input: DeviceArray,
  length: number,
  direction: number,
): void {
  const { device } = on;
  const outer = input.size / length;
  const { counted, countThreads, sweepThreads, sweepCounters } = facts();
  const { swept: tile, itemBytes, headBytes, rowBytes, tileBytes } = factsByDType(input.dtype);
  const passes = factsOf(input.dtype).bytes;
  const tiles = Math.ceil(length / tile);
  using state = DeviceArray.allocate(device, "uint32", [(headBytes + outer * (rowBytes + tiles * tileBytes)) / 4]);
  fill(on, state, 0);
  const busy = Math.ceil((device.properties.multiprocessors * 4) / outer);
  const parts = Math.min(Math.ceil(length / counted), busy);
  const countBlocks = { grid: outer * parts, block: countThreads };
  histogram.launch(on, input.dtype, countBlocks, [input, state, length, parts, direction]);
  // Keys with their positions, of which one pass needs none, and two passes one array.
  using items = passes > 1 ? DeviceArray.allocate(device, "uint8", [input.size * itemBytes]) : null;
  using others = passes > 2 ? DeviceArray.allocate(device, "uint8", [input.size * itemBytes]) : null;
  for (let pass = 0; pass < passes; pass++) {
    sweep.launch(
      on,
      input.dtype,
      { grid: outer * tiles, block: sweepThreads },
      [input, values, indices, items, others, state, length, tiles, pass, direction],
      tile * itemBytes + sweepCounters,
    );
  }
}

/** The array with an axis moved last, contiguous; where a GPU's threads take whole columns, as it lies. */
export function withLines(
  on: Execution,
  array: DeviceArray,
  axis: number,
  use: (moved: DeviceArray, order: readonly number[], lines: Lines) => void,
): void {
  const rank = array.shape.length;
  const { length, inner } = aroundAxis(array.shape, axis);
  if (length <= mostOfColumn && areForWarps(array, length)) {
    using flat = contiguous(on, array);
    return use(flat, [...Array(rank).keys()], { length, inner });
  }
  const order = [...Array(rank).keys()].filter((each) => each !== axis).concat(rank === 0 ? [] : [axis]);
  using view = viewOf(array, transposed(array, order));
  using moved = contiguous(on, view);
  use(moved, order, { length, inner: 1 });
}

/** Has `use` fill `out`, or an array of a dtype with the axes in an order, which is then copied to it. */
export function withOrder(
  on: Execution,
  out: DeviceArray,
  dtype: DType,
  order: readonly number[],
  use: (filled: DeviceArray) => void,
): void {
  if (out.dtype === dtype && out.isContiguous && order.every((axis, at) => axis === at)) return use(out);
  using found = DeviceArray.allocate(
    on.device,
    dtype,
    order.map((axis) => out.shape[axis]!),
  );
  use(found);
  using back = viewOf(out, transposed(out, order));
  copy(on, back, found);
}

/** Rows of one element, which are in order. */
export function copyAlone(on: Execution, { values, indices }: Sorted, input: DeviceArray): void {
  fill(on, indices, 0);
  if (values !== null) copy(on, values, input);
}

/** What sort and argsort share: values, unless that is null, and positions. */
function sortInto(
  on: Execution,
  values: DeviceArray | null,
  indices: DeviceArray,
  input: DeviceArray,
  { axis, descending }: Sorting,
): void {
  if ((input.shape[axis] ?? 1) === 1) return copyAlone(on, { values, indices }, input);
  withDType(on, input, sortedAs(input.dtype), (source) =>
    withLines(on, source, axis, (moved, order, lines) =>
      withOrder(on, indices, "int64", order, (at) => {
        if (values === null) return sortRows(on, { values, indices: at }, moved, lines, descending);
        withOrder(on, values, moved.dtype, order, (to) =>
          sortRows(on, { values: to, indices: at }, moved, lines, descending),
        );
      }),
    ),
  );
}

export function checkedRows(name: string, x: DeviceArray, axis: number): void {
  if (factsOf(x.dtype).isStorage)
    throw new TensorError(
      "DTYPE",
      `${name} takes numbers that compute but got ${x.dtype}: ${adviceToCompute(x.dtype)}.`,
    );
  if ((x.shape[axis] ?? 1) >= 2 ** 32)
    throw new TensorError(
      "SHAPE",
      `${name} takes rows of fewer than 2^32 elements but got shape ${formatShape(x.shape)}.`,
    );
}

const work = (x: DeviceArray) => x.size * Math.ceil(Math.log2(Math.max(2, x.size)));

const sort: Computation<[x: DeviceArray], Sorting> = {
  inPlace: false,
  infer([x], { axis }) {
    const { shape, dtype } = x;
    checkedRows("sort", x, axis);
    return [
      { shape, dtype },
      { shape, dtype: "int64" },
    ];
  },
  run: ([values, indices], [x], attributes, on) => sortInto(on, values!, indices!, x, attributes),
  gradient: ([g], { inputs: [x], outputs: [, indices], attributes: { axis } }) => [
    g === null ? null : call("putAlong", [g!, indices!], { axis, length: x.shape[axis] ?? 1 }),
  ],
  cost: (inputs, outputs) => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs),
    flops: work(inputs[0]),
  }),
};

const argsort: Computation<[x: DeviceArray], Sorting> = {
  inPlace: false,
  infer([x], { axis }) {
    checkedRows("argsort", x, axis);
    return [{ shape: x.shape, dtype: "int64" }];
  },
  run: ([out], [x], attributes, on) => sortInto(on, null, out!, x, attributes),
  gradient: null,
  cost: sort.cost,
};

/** Blocks that fill a GPU, each of which has the row of edges in its shared memory, or as many as there is work for. */
function searchBlocks({ device }: Execution, count: number): Blocks {
  const { threads, searches } = facts();
  const { grid, block } = blocksFor(device, count, { threads, each: searches.threads });
  const most = onDevice(device, { serial: Infinity, threads: device.properties.multiprocessors * 8 });
  return { grid: Math.min(grid, most), block };
}

/** Where values go in sorted rows: [rows…, length] and [rows…, values], or one row for values of any shape. */
const searchsorted: Computation<[sorted: DeviceArray, values: DeviceArray], { right: boolean }> = {
  inPlace: false,
  infer([sorted, values]) {
    const [row, wanted] = [sorted, values];
    if (row.dtype !== wanted.dtype)
      throw new TensorError(
        "DTYPE",
        `searchsorted takes values of the dtype of the sorted tensor, ${row.dtype}, but got ${wanted.dtype}: convert one, e.g. with .to("${row.dtype}").`,
      );
    checkedRows("searchsorted", row, row.shape.length - 1);
    if (
      row.shape.length === 0 ||
      (row.shape.length > 1 && !sameShape(row.shape.slice(0, -1), wanted.shape.slice(0, -1)))
    ) {
      throw new TensorError(
        "SHAPE",
        `searchsorted takes one sorted row, or as many as there are rows of values, but got shapes ${formatShape(row.shape)} and ${formatShape(wanted.shape)}.`,
      );
    }
    return [{ shape: wanted.shape, dtype: "int64" }];
  },
  run([out], [sorted, values], { right }, on) {
    const dtype = sortedAs(sorted.dtype);
    withFlat(on, sorted, dtype, (row) =>
      withFlat(on, values, dtype, (wanted) => {
        const perRow = row.shape.length === 1 ? wanted.size : wanted.shape.at(-1)!;
        search.launch(on, dtype, searchBlocks(on, out!.size), [
          row,
          wanted,
          out!,
          out!.size,
          row.shape.at(-1)!,
          perRow,
          Number(right),
        ]);
      }),
    );
  },
  gradient: null,
  cost: (inputs, outputs) => ({
    bytes: bytesMoved(outputs) * 2,
    flops: outputs[0]!.size * Math.ceil(Math.log2(Math.max(2, sizeOf(inputs[0].shape)))),
  }),
};

export const orderRows = { sort, argsort, searchsorted } as const;
