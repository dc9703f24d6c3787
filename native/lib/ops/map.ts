// How elementwise kernels run over arrays: flat where nothing has gaps, else by a layout
// (device/include/warpcell/map.cuh).
import type { DeviceProcess } from "../device/process.ts";
import type { DeviceArray } from "../memory/array.ts";
import { factsOf } from "../memory/dtype.ts";
import { maxRank, merged, stretch, type View } from "../memory/shape.ts";

// Elements that one block takes: on a processor's core what fits its cache, on a GPU two vectors of 16 bytes a thread
// (kVectors of map.cuh).
const serialElements = 16384;
const vectors = 2;
/** Elements that a thread takes of strided operands (kStrided). */
const strided = 8;

/** Blocks of a flat map over `count` elements of at most `bytes` bytes each. */
export function flatGrid(device: DeviceProcess, count: number, bytes: number): number {
  const { libraryBlock } = device.properties;
  return Math.ceil(count / (libraryBlock === 1 ? serialElements : (libraryBlock * vectors * 16) / bytes));
}

/** Blocks of a strided map. */
export function stridedGrid(device: DeviceProcess, count: number): number {
  const { libraryBlock } = device.properties;
  return Math.ceil(count / (libraryBlock === 1 ? serialElements : libraryBlock * strided));
}

export function widestOf(...arrays: readonly DeviceArray[]): number {
  return arrays.reduce((bytes, { dtype }) => Math.max(bytes, factsOf(dtype).bytes), 1);
}

/** `struct Layout<N>` of layout.cuh for N views of one shape, the first of which orders the axes. */
export function layoutOf(views: readonly View[]): Uint32Array {
  const { shape, strides } = merged(views);
  if (shape.length === 0) {
    shape.push(1);
    for (const list of strides) list.push(0);
  }
  const rank = shape.length;
  const words = new Uint32Array(2 + 2 * maxRank * (1 + views.length));
  const put = (at: number, value: number) => {
    const low = value >>> 0;
    words[at] = low;
    words[at + 1] = (value - low) / 2 ** 32;
  };
  words[0] = rank;
  let isSmall = true;
  let size = 1;
  for (let axis = 0; axis < rank; axis++) {
    size *= shape[axis]!;
    put(2 + 2 * axis, shape[axis]!);
  }
  strides.forEach((list, n) => {
    let reach = 0;
    for (let axis = 0; axis < rank; axis++) {
      reach += (shape[axis]! - 1) * Math.abs(list[axis]!);
      put(2 + 2 * maxRank * (n + 1) + 2 * axis, list[axis]!);
    }
    isSmall &&= reach < 2 ** 31;
  });
  words[1] = isSmall && size < 2 ** 31 ? 1 : 0;
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
