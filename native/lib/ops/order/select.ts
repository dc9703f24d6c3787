// Selection: the first elements of rows in sorted order, or one of them, without sorting the rest where that is less
// work (device/ops/select.cu).
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { call } from "../core/calls.ts";
import { copy, fill, withDType } from "../shape/copy.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { onDevice, type ByBlock } from "../kernels/blocks.ts";
import { kernelFacts, kernelFactsByDType } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import type { Computation } from "../core/operation.ts";
import { checkedRows, copyAlone, mostOfBlock, sortedAs, sortRows, withLines, withOrder, type Sorted } from "./sort.ts";
import { areForWarps, sortDTypes, sortShort, type Lines } from "./short.ts";

const digit = new KernelFamily("select", sortDTypes, (type) => `select_digit<${type}>`, [
  "place",
  "out",
  "out",
  "out",
  "out",
  "i64",
  "i64",
  "i32",
  "i64",
  "i32",
  "i32",
  "i32",
]);
const rest = new KernelFamily("select", sortDTypes, (type) => `select_rest<${type}>`, [
  "place",
  "place",
  "out",
  "out",
  "i64",
  "i64",
  "i32",
  "i64",
  "i32",
  "i32",
]);
const inOrder = new KernelFamily("select", sortDTypes, (type) => `select_sorted<${type}>`, [
  "place",
  "place",
  "out",
  "out",
  "i64",
  "i32",
  "i32",
]);
const part = new KernelFamily("select", sortDTypes, (type) => `select_part<${type}>`, [
  "place",
  "out",
  "out",
  "i64",
  "i64",
  "i64",
  "i64",
  "i64",
  "i32",
]);
const merged = new KernelFamily("select", sortDTypes, (type) => `select_merged<${type}>`, [
  "place",
  "out",
  "out",
  "out",
  "out",
  "i64",
  "i64",
  "i64",
  "i64",
]);

const facts = kernelFacts("select", {
  threads: "kThreads",
  tile: "kTile",
  counters: "kCounters",
  choiceBytes: "sizeof(Choice)",
  most: "kMost",
  run: "kRun",
});
const factsByDType = kernelFactsByDType("select", sortDTypes, (type) => ({
  itemBytes: `sizeof(Candidate<SortKey<${type}>>)`,
  rounds: `kKeyRounds<${type}> + kPlaceRounds`,
}));

/**
 * The share of a row up to which a thread alone selects quicker than it sorts: it reads the row once, but sorts its
 * candidates again and again where many are wanted.
 */
const serialShare = 1 / 8;

/** How many elements are wanted along an axis, which come first, and whether only the last of them is wanted. */
export interface Selecting {
  readonly axis: number;
  readonly k: number;
  readonly descending: boolean;
  readonly isAlone: boolean;
}

/**
 * Candidates of parts, a digit of all rows at a time, the first of a row that a warp or a block sorts, or rows sorted
 * whole.
 */
type Way = "parts" | "digits" | "warp" | "block" | "sorted";
const wayFor: ByBlock<(input: DeviceArray, length: number, selecting: Selecting) => Way> = {
  serial: (_, length, { k, isAlone }) => (!isAlone && k <= length * serialShare ? "parts" : "sorted"),
  // A block sorts a short row at once, and puts the winners of a long one in order as long as they fit it.
  threads(input, length, { k, isAlone }) {
    if (areForWarps(input, length)) return "warp";
    if (length <= mostOfBlock(input)) return isAlone ? "sorted" : "block";
    return isAlone || k <= facts().most ? "digits" : "sorted";
  },
};

/** The first k elements of rows, contiguous, or the k-th of them alone. */
function selectRows(on: Execution, sorted: Sorted, input: DeviceArray, lines: Lines, selecting: Selecting): void {
  const { device } = on;
  const { k, descending, isAlone } = selecting;
  const { length } = lines;
  const way = onDevice(device, wayFor)(input, length, selecting);
  if (way === "warp") {
    const wanted = isAlone ? { first: k - 1, kept: 1 } : { first: 0, kept: k };
    return sortShort(on, sorted.values, sorted.indices, input, lines, wanted, descending);
  }
  if (way === "parts") return selectParts(on, sorted, input, length, k, Number(descending));
  if (way === "digits") return selectDigits(on, sorted, input, length, k, Number(descending), Number(isAlone));
  if (way === "block") return sortRows(on, sorted, input, lines, descending, k);
  using values = DeviceArray.allocate(device, input.dtype, input.shape);
  using indices = DeviceArray.allocate(device, "int64", input.shape);
  sortRows(on, { values, indices }, input, lines, descending);
  const first = isAlone ? k - 1 : 0;
  copyPart(on, sorted.values!, values, first);
  copyPart(on, sorted.indices, indices, first);
}

/** As many elements of each row as `out` has, from `first` on. */
function copyPart(on: Execution, out: DeviceArray, whole: DeviceArray, first: number): void {
  using view = viewOf(whole, { shape: out.shape, strides: whole.strides, offset: first });
  copy(on, out, view);
}

/** Long rows of a GPU, a digit of all at a time; kernels that find a row decided leave it alone. */
function selectDigits(
  on: Execution,
  { values, indices }: Sorted,
  input: DeviceArray,
  length: number,
  k: number,
  direction: number,
  isAlone: number,
): void {
  const kept = isAlone === 1 ? 1 : k;
  const { device } = on;
  const rows = input.size / length;
  const { threads, tile, counters, choiceBytes } = facts();
  const { itemBytes, rounds } = factsByDType(input.dtype);
  const busy = Math.ceil((device.properties.multiprocessors * 4) / rows);
  const parts = Math.max(1, Math.min(Math.ceil(length / tile), busy));
  const capacity = Math.max(tile, Math.ceil(length / 8));
  using buffers = DeviceArray.allocate(device, "uint8", [rows * 2 * capacity * itemBytes]);
  using winners = DeviceArray.allocate(device, "uint8", [rows * kept * itemBytes]);
  using choices = DeviceArray.allocate(device, "uint8", [rows * choiceBytes]);
  using counts = DeviceArray.allocate(device, "uint32", [rows * counters]);
  fill(on, choices, 0);
  fill(on, counts, 0);
  for (let round = 0; round < rounds; round++)
    digit.launch(on, input.dtype, { grid: rows * parts, block: threads }, [
      input,
      buffers,
      winners,
      choices,
      counts,
      length,
      parts,
      k,
      capacity,
      round,
      direction,
      isAlone,
    ]);
  rest.launch(on, input.dtype, { grid: rows * parts, block: threads }, [
    input,
    buffers,
    winners,
    choices,
    length,
    parts,
    k,
    capacity,
    direction,
    isAlone,
  ]);
  const width = 2 ** Math.max(1, Math.ceil(Math.log2(kept)));
  inOrder.launch(
    on,
    input.dtype,
    { grid: rows, block: Math.min(threads, Math.max(32, width / 2)) },
    [input, winners, values, indices, length, kept, width],
    width * itemBytes,
  );
}

/** Rows of a CPU: a core reads each part once, and the candidates of a row's parts are joined. */
function selectParts(
  on: Execution,
  { values, indices }: Sorted,
  input: DeviceArray,
  length: number,
  k: number,
  direction: number,
): void {
  const { device } = on;
  const { multiprocessors } = device.properties;
  const rows = input.size / length;
  const { itemBytes } = factsByDType(input.dtype);
  const isShort = length < 65536 || rows >= multiprocessors;
  const parts = isShort ? 1 : Math.min(multiprocessors, Math.floor(length / (8 * k)));
  // What the first of a row are chosen from is sorted by digits again and again: few, so that a bound is known early.
  const room = 2 * k + 4 * facts().run;
  const grid = Math.min(rows * parts, multiprocessors, Math.ceil(input.size / 8192));
  using rooms = DeviceArray.allocate(device, "uint8", [Math.max(grid * room, rows * k) * itemBytes]);
  using winners = DeviceArray.allocate(device, "uint8", [rows * parts * k * itemBytes]);
  part.launch(on, input.dtype, { grid, block: 1 }, [input, rooms, winners, rows, length, parts, k, room, direction]);
  merged.launch(on, input.dtype, { grid: Math.min(rows, grid), block: 1 }, [
    input,
    winners,
    rooms,
    values,
    indices,
    rows,
    length,
    parts * k,
    k,
  ]);
}

/** The first k elements along an axis in sorted order, or the k-th, and where they were. */
const topk: Computation<[x: DeviceArray], Selecting> = {
  inPlace: false,
  infer([x], { axis, k, isAlone }) {
    checkedRows(isAlone ? "kthvalue" : "topk", x, axis);
    const shape = x.shape.map((size, each) => (each === axis ? (isAlone ? 1 : k) : size));
    return [
      { shape, dtype: x.dtype },
      { shape, dtype: "int64" },
    ];
  },
  run([values, indices], [x], selecting, on) {
    const { axis, k } = selecting;
    if (k === 1 && (x.shape[axis] ?? 1) === 1) return copyAlone(on, { values: values!, indices: indices! }, x);
    withDType(on, x, sortedAs(x.dtype), (source) =>
      withLines(on, source, axis, (moved, order, lines) =>
        withOrder(on, indices!, "int64", order, (at) =>
          withOrder(on, values!, moved.dtype, order, (to) =>
            selectRows(on, { values: to, indices: at }, moved, lines, selecting),
          ),
        ),
      ),
    );
  },
  gradient: ([g], { inputs: [x], outputs: [, indices], attributes: { axis } }) => [
    g === null ? null : call("putAlong", [g!, indices!], { axis, length: x.shape[axis] ?? 1 }),
  ],
  cost: (inputs, outputs) => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs),
    flops: inputs[0].size,
  }),
};

export const selectionRows = { topk } as const;
