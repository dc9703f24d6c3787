// What is done to the gradients of all parameters together (device/ops/gradient_lists.cu): their norm, cut to a limit,
// and the scale of a loss taken out of them.
import type { Execution } from "../device/execution.ts";
import { DeviceArray } from "../memory/array.ts";
import type { DType } from "../memory/dtype.ts";
import { kernelFactsByDType } from "./kernels/kernel-facts.ts";
import { KernelFamily, type ParameterKind } from "./kernels/library.ts";
import { listsOf, type ArrayList } from "./kernels/lists.ts";
import { copy, fill } from "./shape/copy.ts";

const dtypes: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
const family = (name: string, kinds: readonly ParameterKind[]) =>
  new KernelFamily("gradient_lists", dtypes, (type) => `${name}<${type}>`, ["list", "i32", "i64", ...kinds]);
const kernels = {
  parts: family("square_parts", ["out", "i32"]),
  cut: family("cut_to_norm", ["place", "i32", "out", "out", "f64"]),
  unscale: family("unscale", ["place", "out"]),
  next: new KernelFamily("gradient_lists", ["float32"], (type) => `next_scale<${type}>`, [
    "out",
    "out",
    "place",
    "f32",
    "f32",
    "i32",
  ]),
};
const facts = kernelFactsByDType("gradient_lists", dtypes, (type) => ({ each: `kEach<${type}>` }));

/** Parts of a sum of squares, of arrays that are not small. */
const mostParts = 1024;

/** Calls `use` with the lists of all arrays without gaps of a dtype, and with those of copies, which are copied back. */
function withLists(
  on: Execution,
  arrays: readonly DeviceArray[],
  blocks: number | undefined,
  use: (lists: readonly (readonly [DType, ArrayList])[]) => void,
): void {
  const flat = arrays.map((array) => {
    if (array.isContiguous || isDense(array)) return array;
    const made = DeviceArray.allocate(on.device, array.dtype, array.shape);
    copy(on, made, array);
    return made;
  });
  const lists = dtypes.flatMap((dtype) => {
    const rows = flat.flatMap((array, slot) =>
      array.dtype === dtype ? [{ arrays: [array], count: array.size, slot }] : [],
    );
    const sharing = { each: facts(dtype).each, blocks, isWritten: [true] };
    return listsOf(on.device, rows, sharing).map((list) => [dtype, list] as const);
  });
  use(lists);
  flat.forEach((each, index) => {
    if (each === arrays[index]) return;
    copy(on, arrays[index]!, each);
    each.dispose();
  });
}

/** Its elements fill its memory from the first on, in whatever order. */
function isDense({ shape, strides }: DeviceArray): boolean {
  const order = [...shape.keys()].filter((axis) => shape[axis] !== 1).sort((a, b) => strides[a]! - strides[b]!);
  let next = 1;
  for (const axis of order) {
    if (strides[axis] !== next) return false;
    next *= shape[axis]!;
  }
  return true;
}

/**
 * Multiplies arrays of one device by one number, so that their norm together is at most `most`, and writes what it was
 * to `norm`, of float32 or float64: a kernel for a sum of squares and one for the product, for all arrays of a dtype.
 */
export function cutToNorm(on: Execution, arrays: readonly DeviceArray[], most: number, norm: DeviceArray): void {
  withLists(on, arrays, mostParts, (lists) => {
    const count = lists.reduce((sum, [, { blocks }]) => sum + blocks.grid, 0);
    if (count === 0) return fill(on, norm, 0);
    using parts = DeviceArray.allocate(on.device, "float64", [count]);
    let first = 0;
    for (const [dtype, list] of lists) {
      kernels.parts.launch(on, dtype, list.blocks, [list, list.rows.length, list.length, parts, first]);
      first += list.blocks.grid;
    }
    lists.forEach(([dtype, list], index) => {
      const to = (type: DType) => (index === 0 && norm.dtype === type ? norm : null);
      const args = [list, list.rows.length, list.length, parts, count, to("float32"), to("float64"), most];
      kernels.cut.launch(on, dtype, list.blocks, args);
    });
  });
}

/** Divides arrays of one device by `scale`, and sets `found`, both one float32, to 1 where a number is not finite. */
export function unscale(on: Execution, arrays: readonly DeviceArray[], scale: DeviceArray, found: DeviceArray): void {
  withLists(on, arrays, undefined, (lists) => {
    for (const [dtype, list] of lists)
      kernels.unscale.launch(on, dtype, list.blocks, [list, list.rows.length, list.length, scale, found]);
  });
}

/** How a scale changes. */
export interface Growth {
  readonly growthFactor: number;
  readonly backoffFactor: number;
  readonly growthInterval: number;
}

/** Changes a scale, and the count of steps that it has had, by whether something was found that is not finite. */
export function nextScale(
  on: Execution,
  scale: DeviceArray,
  tracker: DeviceArray,
  found: DeviceArray,
  { growthFactor, backoffFactor, growthInterval }: Growth,
): void {
  const args = [scale, tracker, found, growthFactor, backoffFactor, growthInterval];
  kernels.next.launch(on, "float32", { grid: 1, block: 1 }, args);
}
