// Counts: how many elements fall in each of a row of bins (device/ops/counting.cu). They are the same in any order.
import type { Execution } from "../../device/execution.ts";
import { TensorError } from "../../errors.ts";
import { DeviceArray } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { read } from "../../memory/transfer.ts";
import { fill, withFlat } from "../shape/copy.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { blocksFor, onDevice, threadsOf, type Blocks, type ByBlock } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import type { Computation } from "../core/operation.ts";
import { reduceInto } from "./reduce.ts";
import { sortedAs } from "../order/sort.ts";

const floats: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
const integers: readonly DType[] = ["int8", "uint8", "int32", "int64", "uint64"];
const all = [...floats, ...integers];
const values = new KernelFamily("counting", integers, (type) => `count_values<${type}>`, [
  "place",
  "out",
  "i64",
  "i64",
  "i32",
]);
const extremes = new KernelFamily("counting", all, (type) => `find_extents<${type}>`, ["place", "out", "i64"]);
const steps = new KernelFamily("counting", all, (type) => `count_steps<${type}>`, [
  "place",
  "out",
  "place",
  "f64",
  "f64",
  "i64",
  "i32",
  "i32",
]);
const edgesOf = new KernelFamily("counting", all, (type) => `step_edges<${type}>`, [
  "out",
  "out",
  "place",
  "f64",
  "f64",
  "i64",
]);
const placesOf = new KernelFamily("counting", all, (type) => `step_places<${type}>`, [
  "place",
  "out",
  "place",
  "f64",
  "f64",
  "i64",
  "i32",
]);

/** Elements that are worth a block. */
const share = { serial: 65536, threads: 16384 } as const;
const facts = kernelFacts("counting", {
  threads: "kThreads",
  warps: "kThreads / 32",
  counters: "kShared",
  counterBytes: "sizeof(uint)",
});

/** Blocks that go through the elements. */
function blocksOf(x: DeviceArray): Blocks {
  const { device } = x.living();
  const most = device.properties.multiprocessors * onDevice(device, { serial: 1, threads: 4 });
  return {
    grid: Math.min(most, Math.ceil(x.size / onDevice(device, share))),
    block: threadsOf(device, facts().threads),
  };
}

type LaunchCount = (blocks: Blocks, counts: DeviceArray, copies: number, shared: number) => void;

/** Has `launch` count the elements of x into `out`, which is 0. */
const counted: ByBlock<(on: Execution, out: DeviceArray, x: DeviceArray, launch: LaunchCount) => void> = {
  // Into a row of counts for each core, unless that were more than what is counted.
  serial(on, out, x, launch) {
    const rows = out.size > x.size ? 1 : blocksOf(x).grid;
    if (rows === 1) return launch({ grid: 1, block: 1 }, out, 0, 0);
    using parts = DeviceArray.allocate(on.device, "int64", [rows, out.size]);
    fill(on, parts, 0);
    launch({ grid: rows, block: 1 }, parts, 0, 0);
    reduceInto(on, "sum", out, parts, [0]);
  },
  // With as many copies of the bins as a block has room for, up to one a warp.
  threads(_, out, x, launch) {
    const { warps, counters, counterBytes } = facts();
    const copies = Math.min(warps, Math.floor(counters / out.size));
    launch(blocksOf(x), out, copies, copies * out.size * counterBytes);
  },
};

function countInto(on: Execution, out: DeviceArray, x: DeviceArray, launch: LaunchCount): void {
  fill(on, out, 0);
  if (x.size > 0 && out.size > 0) onDevice(on.device, counted)(on, out, x, launch);
}

/** int64 counts of 0, …, length − 1 among whole numbers; others are passed over. */
const bincount: Computation<[x: DeviceArray], { readonly length: number }> = {
  inPlace: false,
  infer: (_, { length }) => [{ shape: [length], dtype: "int64" }],
  run([out], [x], { length }, on) {
    const dtype = sortedAs(x.dtype);
    withFlat(on, x, dtype, (flat) =>
      countInto(on, out!, flat, (blocks, counts, copies, shared) =>
        values.launch(on, dtype, blocks, [flat, counts, flat.size, length, copies], shared),
      ),
    );
  },
  gradient: null,
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: outputs[0]!.size }),
};

/** Keys of the least and of the greatest element, as counting.cu has them: uint64 of 2. */
function extentsOf(on: Execution, flat: DeviceArray): DeviceArray<"uint64"> {
  const { device } = on;
  const found = DeviceArray.allocate(device, "uint64", [2]);
  fill(on, found, 0);
  extremes.launch(on, flat.dtype, blocksOf(flat), [flat, found, flat.size]);
  return found;
}

/** `bins` even steps of a range, or from the least to the greatest element. */
export interface Stepping {
  readonly bins: number;
  readonly range: readonly [number, number] | null;
}

/** The dtype of edges: float32 of floats of up to 32 bits, else float64. */
const edgeDType = ({ dtype }: DeviceArray): DType =>
  factsOf(dtype).kind === "float" && dtype !== "float64" ? "float32" : "float64";

/**
 * Writes the edges, and has `use` do with the elements, their extents or the range what goes by them. Waits for the
 * extents only when all is under way. Throws TensorError where they are not finite.
 */
function alongSteps(
  on: Execution,
  edges: DeviceArray,
  x: DeviceArray,
  { bins, range }: Stepping,
  use: (flat: DeviceArray, extents: DeviceArray | null, low: number, high: number) => void,
): void {
  const { device } = on;
  withFlat(on, x, sortedAs(x.dtype), (flat) => {
    const [low, high] = range ?? [0, 1];
    using extents = range === null && flat.size > 0 ? extentsOf(on, flat) : null;
    using limits = DeviceArray.allocate(device, "float64", [2]);
    const blocks = blocksFor(device, bins + 1, { serial: share.serial, threads: facts().threads });
    edgesOf.launch(on, flat.dtype, blocks, [edges, limits, extents, low, high, bins + 1]);
    use(flat, extents, low, high);
    if (extents === null) return;
    const [least, greatest] = numbersOf(on, limits);
    if (Number.isFinite(greatest! - least!)) return;
    throw new TensorError(
      "VALUE",
      `histogram takes a range of finite numbers, the smaller first, but the elements go from ${least} to ${greatest}: give a range.`,
    );
  });
}

function numbersOf(on: Execution, array: DeviceArray): Float64Array {
  const numbers = new Float64Array(array.size);
  read(on, array.living(), array.offset * 8, array.bytes, (part, at) => new Uint8Array(numbers.buffer).set(part, at));
  return numbers;
}

/** The least and the greatest of integers, of which there is one at least. Waits for both at once. */
export function extremesOf(on: Execution, x: DeviceArray): readonly [bigint, bigint] {
  const dtype = sortedAs(x.dtype);
  let keys: BigUint64Array = new BigUint64Array(2);
  withFlat(on, x, dtype, (flat) => {
    using found = extentsOf(on, flat);
    keys = new BigUint64Array(numbersOf(on, found).buffer);
  });
  const all = 2n ** 64n - 1n;
  const value = (key: bigint) => (dtype === "uint64" ? key : BigInt.asIntN(64, key ^ (1n << 63n)));
  return [value(keys[0]! ^ all), value(keys[1]!)];
}

/** Counts, and the edges between which they are. */
const histogram: Computation<[x: DeviceArray], Stepping> = {
  inPlace: false,
  infer: ([x], { bins }) => [
    { shape: [bins], dtype: "int64" },
    { shape: [bins + 1], dtype: edgeDType(x) },
  ],
  run([counts, edges], [x], stepping, on) {
    const { bins } = stepping;
    alongSteps(on, edges!, x, stepping, (flat, extents, low, high) =>
      countInto(on, counts!, flat, (blocks, into, copies, shared) =>
        steps.launch(on, flat.dtype, blocks, [flat, into, extents, low, high, flat.size, bins, copies], shared),
      ),
    );
  },
  gradient: null,
  cost: (inputs, outputs) => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs),
    flops: inputs[0].size,
  }),
};

/** The bin of each element, int64, `bins` for one that is in none; and the edges. */
const histogramPlaces: Computation<[x: DeviceArray], Stepping> = {
  inPlace: false,
  infer: ([x], { bins }) => [
    { shape: x.shape, dtype: "int64" },
    { shape: [bins + 1], dtype: edgeDType(x) },
  ],
  run([places, edges], [x], stepping, on) {
    alongSteps(on, edges!, x, stepping, (flat, extents, low, high) => {
      if (flat.size === 0) return;
      placesOf.launch(on, flat.dtype, blocksOf(flat), [flat, places!, extents, low, high, flat.size, stepping.bins]);
    });
  },
  gradient: null,
  cost: histogram.cost,
};

export const countingRows = { bincount, histogram, histogramPlaces } as const;
