// How elementwise kernels run over arrays: flat where nothing has gaps, else by a layout
// (device/include/warpcell/map.cuh).
import { putLong } from "../../wire/long.ts";
import type { DeviceProcess } from "../../device/process.ts";
import type { DeviceArray } from "../../memory/array.ts";
import { factsOf } from "../../memory/dtype.ts";
import { merged, stretch, type View } from "../../memory/shape.ts";
import { blocksFor, type Blocks } from "./blocks.ts";
import { kernelFacts, offsetIn } from "./kernel-facts.ts";

const facts = kernelFacts("cast", {
  threadBytes: "kVectors * kPackBytes",
  strided: "kStrided",
  rank: offsetIn("Layout<1>", "rank"),
  isSmall: offsetIn("Layout<1>", "is_small"),
  shape: offsetIn("Layout<1>", "shape"),
  divisors: offsetIn("Layout<1>", "divisors"),
  strides: offsetIn("Layout<1>", "strides"),
  stridesBytes: "sizeof(Layout<2>) - sizeof(Layout<1>)",
  length: offsetIn("Plane", "length"),
  row: offsetIn("Plane", "row"),
  step: offsetIn("Plane", "step"),
  byLength: offsetIn("Plane", "by_length"),
  isSmallPlane: offsetIn("Plane", "is_small"),
  planeBytes: "sizeof(Plane)",
});

/** Blocks of a flat map over `count` elements of at most `bytes` bytes each. */
export function flatBlocks(device: DeviceProcess, count: number, bytes: number): Blocks {
  return blocksFor(device, count, { each: facts().threadBytes / bytes });
}

/** Blocks of a strided map. */
export function stridedBlocks(device: DeviceProcess, count: number): Blocks {
  return blocksFor(device, count, { each: facts().strided });
}

export function widestOf(...arrays: readonly DeviceArray[]): number {
  return arrays.reduce((bytes, { dtype }) => Math.max(bytes, factsOf(dtype).bytes), 1);
}

/** `struct Divisor` of a size from 1 to 2^31 − 1. */
function putDivisor(words: Uint32Array, at: number, size: number): void {
  const shift = size === 1 ? 0 : 32 - Math.clz32(size - 1);
  // ⌊2^32 · (2^shift − size) / size⌋ + 1 in two steps, each below 2^53.
  const rest = (2 ** shift - size) * 2 ** 16;
  const high = Math.floor(rest / size);
  const low = Math.floor(((rest - high * size) * 2 ** 16) / size);
  words[at] = high * 2 ** 16 + low + 1;
  words[at + 1] = shift;
}

function plane(rows: number, length: number, row: number, step: number): Uint32Array {
  const at = facts();
  const words = new Uint32Array(at.planeBytes / 4);
  putLong(words, at.length / 4, length);
  putLong(words, at.row / 4, row);
  putLong(words, at.step / 4, step);
  const reach = (rows - 1) * Math.abs(row) + (length - 1) * Math.abs(step);
  if (rows * length >= 2 ** 31 || reach >= 2 ** 31) return words;
  putDivisor(words, at.byLength / 4, length);
  words[at.isSmallPlane / 4] = 1;
  return words;
}

/** `struct Plane` of elements without gaps. */
export const flatPlane = (count: number): Uint32Array => plane(1, count, count, 1);

/** `struct Plane` of one row that stands for all. */
export const repeatedPlane = (rows: number, length: number): Uint32Array => plane(rows, length, 0, 1);

/** `struct Plane` of a view: rows at one distance with elements at another. `null` where it lies in another way. */
export function planeOf(view: View): Uint32Array | null {
  const {
    shape,
    strides: [steps],
  } = merged([view]);
  if (shape.length === 0) return flatPlane(1);
  if (shape.length === 1) return plane(1, shape[0]!, steps![0]! * shape[0]!, steps![0]!);
  return shape.length === 2 ? plane(shape[0]!, shape[1]!, steps![0]!, steps![1]!) : null;
}

/** `struct Layout<N>` of layout.cuh for N views of one shape, the first of which orders the axes. */
export function layoutOf(views: readonly View[]): Uint32Array {
  const { shape, strides } = merged(views);
  if (shape.length === 0) {
    shape.push(1);
    for (const list of strides) list.push(0);
  }
  const at = facts();
  const rank = shape.length;
  const words = new Uint32Array((at.strides + at.stridesBytes * views.length) / 4);
  words[at.rank / 4] = rank;
  let isSmall = true;
  let size = 1;
  for (let axis = 0; axis < rank; axis++) {
    size *= shape[axis]!;
    putLong(words, at.shape / 4 + 2 * axis, shape[axis]!);
  }
  strides.forEach((list, n) => {
    let reach = 0;
    for (let axis = 0; axis < rank; axis++) {
      reach += (shape[axis]! - 1) * Math.abs(list[axis]!);
      putLong(words, (at.strides + n * at.stridesBytes) / 4 + 2 * axis, list[axis]!);
    }
    isSmall &&= reach < 2 ** 31;
  });
  if (!isSmall || size >= 2 ** 31) return words;
  words[at.isSmall / 4] = 1;
  for (let axis = 0; axis < rank; axis++) putDivisor(words, at.divisors / 4 + 2 * axis, shape[axis]!);
  return words;
}

/** The layout of an output and operands that broadcast to its shape. */
export function broadcastLayout(out: DeviceArray, inputs: readonly DeviceArray[]): Uint32Array {
  return layoutOf([out, ...inputs.map((input) => stretch(input, out.shape))]);
}

export function sameShape(a: readonly number[], b: readonly number[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let axis = 0; axis < a.length; axis++) if (a[axis] !== b[axis]) return false;
  return true;
}
