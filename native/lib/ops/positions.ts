// Positions: places of rows over the leading axes of an array, counted in row-major order. Made of index arrays and
// masks, and sorted where equal ones meet.
import type { Execution } from "../device/execution.ts";
import { DeviceArray, viewOf } from "../memory/array.ts";
import { sizeOf, stridesOf, type Shape } from "../memory/shape.ts";
import { read } from "../memory/transfer.ts";
import { contiguous, copy, fill, stretched } from "./copy.ts";
import { differing, kernelFacts } from "./kernel-facts.ts";
import { KernelFamily } from "./library.ts";
import { layoutOf, stridedGrid } from "./map.ts";
import { outsideOf } from "./outside.ts";

const reckon = new KernelFamily("indexing", ["int32", "int64"], (type) => `positions<${type}>`, [
  "struct",
  "place",
  "out",
  "i64",
  "i64",
  "i64",
  "i32",
  "out",
]);
const countTrue = new KernelFamily("indexing", ["bool"], (type) => `count_true<${type}>`, [
  "place",
  "out",
  "i64",
  "i64",
]);
const placeTrue = new KernelFamily("indexing", ["bool"], (type) => `place_true<${type}>`, [
  "place",
  "place",
  "out",
  "i64",
  "i64",
]);
const sumsBefore = new KernelFamily("indexing", ["int64"], (type) => `sums_before<${type}>`, ["out", "i64"]);
const radixCount = new KernelFamily("indexing", ["int64"], (type) => `radix_count<${type}>`, [
  "place",
  "out",
  "i64",
  "i64",
  "i32",
]);
const radixPlace = new KernelFamily("indexing", ["int64"], (type) => `radix_place<${type}>`, [
  "place",
  "place",
  "place",
  "out",
  "out",
  "i64",
  "i64",
  "i32",
  "i32",
]);

// Digits of a pass of the sort; threads of a block of a GPU, and keys of each; threads of the block that adds up.
const facts = kernelFacts("indexing", {
  digits: differing("kDigits"),
  threads: "kThreads",
  keys: "kItems",
  mostThreads: "kMostThreads",
});
/** Elements of a part on a processor. */
const serialElements = 65536;

/**
 * Indices along one axis, or several that count as one: `size` of them, each worth `stride` positions. They broadcast
 * to the shape of all.
 */
export interface IndexTerm {
  readonly indices: DeviceArray;
  readonly size: number;
  readonly stride: number;
  /** The axis, as messages name it. */
  readonly axis: number;
  /** They are known to be inside: nothing waits for a check. */
  readonly isChecked: boolean;
}

export function numbersIn(on: Execution, array: DeviceArray): BigInt64Array {
  const numbers = new BigInt64Array(array.size);
  read(on, array.living(), array.offset * 8, array.bytes, (part, at) => new Uint8Array(numbers.buffer).set(part, at));
  return numbers;
}

/**
 * The positions that indices of `shape` stand for. `along`: positions that one step along each axis of `shape` adds.
 * Waits for the device unless every term is checked. Throws TensorError for an index outside.
 */
export function positionsOf(
  on: Execution,
  shape: Shape,
  terms: readonly IndexTerm[],
  along: readonly number[] = shape.map(() => 0),
): DeviceArray<"int64"> {
  const { device } = on;
  const out = DeviceArray.allocate(device, "int64", shape);
  if (out.size === 0) return out;
  const outside = 2n ** 63n - 1n;
  using bad = DeviceArray.allocate(device, "int64", [terms.length]);
  fill(on, bad, outside);
  terms.forEach(({ indices, size, stride }, at) => {
    using whole =
      indices.dtype === "int32" || indices.dtype === "int64" ? viewOf(indices, indices) : asInt64(on, indices);
    using wide = stretched(whole, shape);
    using worst = viewOf(bad, { shape: [1], strides: [1], offset: at });
    const layout = layoutOf([out, wide, { shape, strides: at === 0 ? along : shape.map(() => 0), offset: 0 }]);
    reckon.launch(on, whole.dtype, stridedGrid(device, out.size), device.properties.libraryBlock, [
      layout,
      wide,
      out,
      out.size,
      size,
      stride,
      at === 0 ? 0 : 1,
      worst,
    ]);
  });
  if (terms.every(({ isChecked }) => isChecked)) return out;
  const places = numbersIn(on, bad);
  terms.forEach(({ indices, size, axis }, at) => {
    if (places[at] === outside) return;
    const strides = stridesOf(shape);
    using wide = stretched(indices, shape);
    const offset = shape.reduce(
      (sum, length, each) => sum + (Math.floor(Number(places[at]) / strides[each]!) % length) * wide.strides[each]!,
      wide.offset,
    );
    using one = viewOf(indices, { shape: [1], strides: [1], offset });
    using exact = asInt64(on, one);
    const [value] = numbersIn(on, exact);
    out.dispose();
    throw outsideOf({ axis, size }, value!);
  });
  return out;
}

function asInt64(on: Execution, array: DeviceArray): DeviceArray<"int64"> {
  const result = DeviceArray.allocate(on.device, "int64", array.shape);
  copy(on, result, array);
  return result;
}

/** The positions of the true elements, in row-major order. Waits for the device to count them. */
export function positionsOfTrue(on: Execution, mask: DeviceArray): DeviceArray<"int64"> {
  const { device } = on;
  if (mask.size === 0) return DeviceArray.allocate(device, "int64", [0]);
  const block = device.properties.libraryBlock;
  const chunk = block === 1 ? serialElements : block * 16;
  const blocks = Math.ceil(mask.size / chunk);
  using flat = contiguous(on, mask);
  using counts = DeviceArray.allocate(device, "int64", [blocks + 1]);
  countTrue.launch(on, "bool", blocks, block, [flat, counts, flat.size, chunk]);
  sumsBefore.launch(on, "int64", 1, block === 1 ? 1 : facts().mostThreads, [counts, blocks]);
  using last = viewOf(counts, { shape: [1], strides: [1], offset: counts.offset + blocks });
  const found = DeviceArray.allocate(device, "int64", [Number(numbersIn(on, last)[0])]);
  if (found.size > 0) placeTrue.launch(on, "bool", blocks, block, [flat, counts, found, flat.size, chunk]);
  return found;
}

/**
 * Positions in ascending order, equal ones in the order in which they came, and where each came from. `limit`: all are
 * below.
 */
export function sorted(
  on: Execution,
  positions: DeviceArray<"int64">,
  limit: number,
): { keys: DeviceArray<"int64">; order: DeviceArray<"int64"> } & Disposable {
  const { device } = on;
  const count = positions.size;
  const isSerial = device.properties.libraryBlock === 1;
  const known = facts();
  const digits = isSerial ? known.digits.serial : known.digits.threads;
  const bits = Math.log2(digits);
  const [threads, chunk] = isSerial ? [1, serialElements] : [known.threads, known.threads * known.keys];
  const blocks = Math.ceil(count / chunk);
  const make = () => ({
    keys: DeviceArray.allocate(device, "int64", [count]),
    order: DeviceArray.allocate(device, "int64", [count]),
  });
  using starts = DeviceArray.allocate(device, "int64", [blocks * digits + 1]);
  let from: { keys: DeviceArray<"int64">; order: DeviceArray<"int64"> } | null = null;
  let spare = make();
  // One pass at least, which also writes the order.
  const passes = Math.max(1, Math.ceil(Math.log2(Math.max(2, limit)) / bits));
  for (let pass = 0; pass < passes; pass++) {
    const keys = from === null ? positions : from.keys;
    radixCount.launch(on, "int64", blocks, threads, [keys, starts, count, chunk, pass * bits]);
    sumsBefore.launch(on, "int64", 1, isSerial ? 1 : known.mostThreads, [starts, blocks * digits]);
    radixPlace.launch(on, "int64", blocks, threads, [
      keys,
      from === null ? null : from.order,
      starts,
      spare.keys,
      spare.order,
      count,
      chunk,
      pass * bits,
      from === null ? 1 : 0,
    ]);
    const next = spare;
    spare = from ?? make();
    from = next;
  }
  spare.keys.dispose();
  spare.order.dispose();
  const result = from!;
  return {
    ...result,
    [Symbol.dispose]() {
      result.keys.dispose();
      result.order.dispose();
    },
  };
}

/** How many positions the axes have. */
export function positionsIn(shape: Shape, lead: number): number {
  return sizeOf(shape.slice(0, lead));
}
