// Positions: places of rows over the leading axes of an array, counted in row-major order. Made of index arrays and
// masks, and sorted where equal ones meet.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { factsOf } from "../../memory/dtype.ts";
import { sizeOf, stridesOf, type Shape } from "../../memory/shape.ts";
import { read } from "../../memory/transfer.ts";
import { bySize, contiguous, copy, fill, stretched } from "../shape/copy.ts";
import { blocksFor, onDevice, threadsOf, type Blocks } from "../kernels/blocks.ts";
import { differing, kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import { layoutOf, stridedBlocks } from "../kernels/map.ts";
import { outsideOf } from "../core/outside.ts";

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
const countTrue = new KernelFamily("indexing", ["bool"], () => "count_true", ["place", "out", "i64", "i64"]);
const placeTrue = new KernelFamily("indexing", ["bool"], () => "place_true", ["place", "place", "out", "i64", "i64"]);
const throughMask = (name: string) =>
  new KernelFamily("indexing", Object.values(bySize), (type) => `${name}<${type}>`, [
    "place",
    "place",
    "place",
    "out",
    "i64",
    "i64",
  ]);
const selectTrue = throughMask("select_true");
const spreadTrue = throughMask("spread_true");
const coordinates = new KernelFamily("indexing", ["int64"], (type) => `coordinates<${type}>`, [
  "place",
  "out",
  "i64",
  "i64",
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

// Elements of a mask that a warp takes at a time; digits of a pass of the sort; threads of a block of a GPU, and keys of
// each; threads of the block that adds up.
const facts = kernelFacts("indexing", {
  least: "32 * kBits",
  digits: differing("kDigits"),
  threads: "kThreads",
  keys: "kItems",
  mostThreads: "kMostThreads",
});
/** Elements of a part that one thread takes. */
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
    reckon.launch(on, whole.dtype, stridedBlocks(device, out.size), [
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

/** How many are true in each part of a mask, summed up: the positions that its parts begin with. */
export interface Counted extends Disposable {
  /** Without gaps. */
  readonly mask: DeviceArray;
  readonly starts: DeviceArray<"int64">;
  /** All that are true. */
  readonly total: number;
}

/** Parts of a mask that fill a GPU; more would take the one block longer that adds up. */
const mostParts = 8192;

export function partsOf({ size }: DeviceArray, { device }: Execution) {
  const { least } = facts();
  const chunk = onDevice(device, {
    serial: serialElements,
    threads: Math.max(1, Math.ceil(size / (mostParts * least))) * least,
  });
  const parts = Math.ceil(size / chunk);
  // A part is the work of a thread that has its block to itself, or of a warp.
  return { chunk, parts, blocks: blocksFor(device, parts, { serial: 1, each: 1 / 32 }) };
}

/** The one block that adds up. */
const oneBlock = ({ device }: Execution): Blocks => ({ grid: 1, block: threadsOf(device, facts().mostThreads) });

/** Counts the true elements, in row-major order. Waits for the device. */
export function countedTrue(on: Execution, mask: DeviceArray): Counted {
  const flat = contiguous(on, mask);
  const { chunk, parts, blocks } = partsOf(mask, on);
  const starts = DeviceArray.allocate(on.device, "int64", [parts + 1]);
  if (parts > 0) {
    countTrue.launch(on, "bool", blocks, [flat, starts, mask.size, chunk]);
    sumsBefore.launch(on, "int64", oneBlock(on), [starts, parts]);
  }
  using last = viewOf(starts, { shape: [1], strides: [1], offset: starts.offset + parts });
  return {
    mask: flat,
    starts,
    total: parts === 0 ? 0 : Number(numbersIn(on, last)[0]),
    [Symbol.dispose]() {
      flat.dispose();
      starts.dispose();
    },
  };
}

/** The positions of the true elements, in row-major order. Waits for the device to count them. */
export function positionsOfTrue(on: Execution, mask: DeviceArray): DeviceArray<"int64"> {
  using counted = countedTrue(on, mask);
  const found = DeviceArray.allocate(on.device, "int64", [counted.total]);
  const { chunk, blocks } = partsOf(mask, on);
  if (found.size > 0) placeTrue.launch(on, "bool", blocks, [counted.mask, counted.starts, found, mask.size, chunk]);
  return found;
}

/** The elements of `input` where the mask is true, or (`isSpread`) those of `input` put there and 0 elsewhere. */
export function throughTrue(
  on: Execution,
  out: DeviceArray,
  input: DeviceArray,
  mask: DeviceArray,
  starts: DeviceArray,
  isSpread: boolean,
): void {
  using flat = contiguous(on, input);
  const { chunk, blocks } = partsOf(mask, on);
  const family = isSpread ? spreadTrue : selectTrue;
  family.launch(on, bySize[factsOf(out.dtype).bytes]!, blocks, [mask, starts, flat, out, mask.size, chunk]);
}

/** Positions in an array of `shape` as a position along each of its axes: [count, rank]. */
export function coordinatesOf(on: Execution, positions: DeviceArray<"int64">, shape: Shape): DeviceArray<"int64"> {
  const { device } = on;
  const rank = shape.length;
  if (rank === 1) return viewOf(positions, { shape: [positions.size, 1], strides: [1, 1], offset: positions.offset });
  const out = DeviceArray.allocate(device, "int64", [positions.size, rank]);
  const blocks = stridedBlocks(device, positions.size);
  const steps = stridesOf(shape);
  for (let axis = 0; axis < rank && positions.size > 0; axis++) {
    using column = viewOf(out, { shape: [positions.size], strides: [rank], offset: out.offset + axis });
    const sizes = [positions.size, shape[axis]!, steps[axis]!, rank];
    coordinates.launch(on, "int64", blocks, [positions, column, ...sizes]);
  }
  return out;
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
  const known = facts();
  const digits = onDevice(device, known.digits);
  const bits = Math.log2(digits);
  const chunk = onDevice(device, { serial: serialElements, threads: known.threads * known.keys });
  const grid = Math.ceil(count / chunk);
  const blocks = { grid, block: threadsOf(device, known.threads) };
  const make = () => ({
    keys: DeviceArray.allocate(device, "int64", [count]),
    order: DeviceArray.allocate(device, "int64", [count]),
  });
  using starts = DeviceArray.allocate(device, "int64", [grid * digits + 1]);
  let from: { keys: DeviceArray<"int64">; order: DeviceArray<"int64"> } | null = null;
  let spare = make();
  // One pass at least, which also writes the order.
  const passes = Math.max(1, Math.ceil(Math.log2(Math.max(2, limit)) / bits));
  for (let pass = 0; pass < passes; pass++) {
    const keys = from === null ? positions : from.keys;
    radixCount.launch(on, "int64", blocks, [keys, starts, count, chunk, pass * bits]);
    sumsBefore.launch(on, "int64", oneBlock(on), [starts, grid * digits]);
    radixPlace.launch(on, "int64", blocks, [
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
