// Arrays one after the other along an axis, in one launch where that is possible (device/ops/joining.cu).
import type { Execution } from "../../device/execution.ts";
import { type DeviceArray, viewOf } from "../../memory/array.ts";
import { factsOf } from "../../memory/dtype.ts";
import { reshapedStrides, sizeOf, sliced, type AxisSlice } from "../../memory/shape.ts";
import { bySize, copy } from "./copy.ts";
import { blocksFor, onDevice, type ByBlock } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily, type ParameterKind } from "../kernels/library.ts";

const repeated = <K extends ParameterKind>(kind: K, times: number) => Array<K>(times).fill(kind);
const kinds = [...repeated("place", 4), "out", ...repeated("i64", 9)] as const;
const parts = {
  bySize: new KernelFamily("joining", Object.values(bySize), (type) => `join_parts<${type}>`, kinds),
  sixteen: new KernelFamily("joining", ["uint64"], () => "join_parts<Sixteen>", kinds),
};
const facts = kernelFacts("joining", { most: "kParts", each: "kEach" });

/** The slices that cut `[from, to)` out of one axis. */
export const cut = (axis: number, from: number, to: number): AxisSlice[] => [
  ...Array<null>(axis).fill(null),
  [from, to],
];

/** Joins rows in one launch; false where their elements do not lie side by side, or are of several dtypes. */
const joinRows: ByBlock<(on: Execution, out: DeviceArray, inputs: readonly DeviceArray[], axis: number) => boolean> = {
  // A core copies one input after the other at the speed of memory.
  serial: () => false,
  threads(on, out, inputs, axis) {
    const { most, each } = facts();
    if (inputs.length > most || !out.isContiguous || inputs.some(({ dtype }) => dtype !== out.dtype)) return false;
    const outer = sizeOf(out.shape.slice(0, axis));
    const { bytes } = factsOf(out.dtype);
    const rows: { readonly input: DeviceArray; readonly width: number; readonly step: number }[] = [];
    for (const input of inputs) {
      const width = input.size / outer;
      const strides = reshapedStrides(input, [outer, width]);
      if (strides === null || (width > 1 && strides[1] !== 1)) return false;
      rows.push({ input, width, step: strides[0]! });
    }
    // Up to 16 bytes at a time.
    const ways = rows.flatMap(({ input, width, step }) => [input.placeLow, width * bytes, step * bytes]);
    const fits = (size: number) => size >= bytes && [out.placeLow, ...ways].every((part) => part % size === 0);
    const unit = [16, 8, 4, 2].find(fits) ?? bytes;
    const units = (count: number) => (count * bytes) / unit;
    const at = (part: number) => rows[part] ?? { input: null, width: 0, step: 0 };
    const numbers = [...Array(most).keys()];
    const ends = numbers.map((part) =>
      units(numbers.slice(0, part + 1).reduce((sum, each) => sum + at(each).width, 0)),
    );
    const count = units(out.size);
    const kernel = unit === 16 ? parts.sixteen.on(on.device, "uint64") : parts.bySize.on(on.device, bySize[unit]!);
    kernel.launch(on, blocksFor(on.device, count, { each }), [
      ...numbers.map((part) => at(part).input),
      out,
      count,
      ends.at(-1)!,
      ...ends.slice(0, -1),
      ...numbers.map((part) => units(at(part).step)),
    ]);
    return true;
  },
};

/** Writes the inputs to `out`, one after the other along an axis. */
export function join(on: Execution, out: DeviceArray, inputs: readonly DeviceArray[], axis: number): void {
  const some = inputs.filter(({ size }) => size > 0);
  if (some.length === 0 || onDevice(on.device, joinRows)(on, out, some, axis)) return;
  let from = 0;
  for (const input of some) {
    const to = from + input.shape[axis]!;
    using part = viewOf(out, sliced(out, cut(axis, from, to)));
    copy(on, part, input);
    from = to;
  }
}
