// Arrays one after the other along an axis, in few launches where that is possible (device/ops/joining.cu).
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { factsOf } from "../../memory/dtype.ts";
import { reshapedStrides, sizeOf, sliced, stridesOf, type AxisSlice } from "../../memory/shape.ts";
import { bySize, contiguous, copy, fill } from "./copy.ts";
import { blocksFor, onDevice, serialElements, type ByBlock } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily, type ParameterKind } from "../kernels/library.ts";

const repeated = <K extends ParameterKind>(kind: K, times: number) => Array<K>(times).fill(kind);
const kinds = [...repeated("place", 4), "out", ...repeated("i64", 10)] as const;
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

/** Rows of an array that are parts of the rows of a result: how many elements, and how far apart they begin. */
interface Part {
  readonly input: DeviceArray | null;
  readonly width: number;
  readonly step: number;
}
const none: Part = { input: null, width: 0, step: 0 };

/** An array as parts of `outer` rows; `null` where their elements do not lie side by side. */
function partOf(outer: number, input: DeviceArray): Part | null {
  const width = input.size / outer;
  const strides = input.isContiguous ? [width, 1] : reshapedStrides(input, [outer, width]);
  if (strides === null || (width > 1 && strides[1] !== 1)) return null;
  return { input, width, step: strides[0]! };
}

/** Up to `most` parts of the rows of `out`, which are `row` elements apart, in one launch. */
function joinParts(on: Execution, out: DeviceArray, found: readonly Part[], row: number): void {
  const { most, each } = facts();
  const { bytes } = factsOf(out.dtype);
  // Up to 16 bytes at a time.
  const fits = (size: number) =>
    size >= bytes &&
    out.placeLow % size === 0 &&
    (row * bytes) % size === 0 &&
    found.every(
      ({ input, width, step }) =>
        input!.placeLow % size === 0 && (width * bytes) % size === 0 && (step * bytes) % size === 0,
    );
  const unit = [16, 8, 4, 2].find(fits) ?? bytes;
  const part = unit / bytes;
  const all = [...found, ...Array<Part>(most - found.length).fill(none)];
  let end = 0;
  const ends = all.map(({ width }) => (end += width / part));
  const count = out.size / part;
  const kernel = unit === 16 ? parts.sixteen.on(on.device, "uint64") : parts.bySize.on(on.device, bySize[unit]!);
  kernel.launch(on, blocksFor(on.device, count, { serial: serialElements / part, each }), [
    ...all.map(({ input }) => input),
    out,
    count,
    row / part,
    end,
    ...ends.slice(0, -1),
    ...all.map(({ step }) => step / part),
  ]);
}

/** Joins rows in few launches, where it can: what it says. */
function joinRows(on: Execution, out: DeviceArray, inputs: readonly DeviceArray[], axis: number): boolean {
  const { mostBytes, copiesFirst } = onDevice(on.device, joined);
  if (!out.isContiguous || inputs.some(({ dtype }) => dtype !== out.dtype)) return false;
  const outer = sizeOf(out.shape.slice(0, axis));
  if (out.bytes > mostBytes && out.bytes > shortRow * outer) return false;
  const found: Part[] = [];
  const apart: DeviceArray[] = [];
  for (const input of inputs) {
    const part = partOf(outer, input);
    if (part === null) apart.push(input);
    else found.push(part);
  }
  if (apart.length > 0) {
    if (!copiesFirst) return false;
    const copies = apart.map((input) => contiguous(on, input));
    const inRows = inputs.map((input) => copies[apart.indexOf(input)] ?? input);
    const isDone = joinRows(on, out, inRows, axis);
    for (const each of copies) each.dispose();
    return isDone;
  }
  const { most } = facts();
  const row = out.size / outer;
  if (found.length <= most) {
    joinParts(on, out, found, row);
    return true;
  }
  for (let first = 0, from = 0; first < found.length; first += most) {
    const some = found.slice(first, first + most);
    const width = some.reduce((sum, part) => sum + part.width, 0);
    using columns = viewOf(out, { shape: [outer, width], strides: [row, 1], offset: out.offset + from });
    joinParts(on, columns, some, row);
    from += width;
  }
  return true;
}

/** Bytes of a row that is no copy of its own. */
const shortRow = 4096;
/**
 * Bytes of a result up to which the parts of long rows are written together: a core copies those of a larger one past
 * the caches, one by one. And whether parts whose elements do not lie side by side are copied first, since a core goes
 * along rows.
 */
const joined: ByBlock<{ readonly mostBytes: number; readonly copiesFirst: boolean }> = {
  serial: { mostBytes: 16 << 20, copiesFirst: true },
  threads: { mostBytes: Infinity, copiesFirst: false },
};

/** Elements of a border from which on it is filled where it lies. */
const mostOfBorder = 4096;

/**
 * Writes `x` between elements of a number along one axis, in one launch where rows become so few elements longer that
 * these are sooner copied than filled; whether it did.
 */
export function joinBetween(
  on: Execution,
  out: DeviceArray,
  x: DeviceArray,
  axis: number,
  before: number,
  value: number | bigint | boolean,
): boolean {
  const sizes = [before, out.shape[axis]! - x.shape[axis]! - before];
  const count = Math.max(...sizes) * sizeOf(x.shape.slice(axis + 1));
  if (count > mostOfBorder || x.size === 0) return false;
  using filled = DeviceArray.allocate(on.device, out.dtype, [count]);
  fill(on, filled, value);
  const [first, last] = sizes.map((size) => {
    const shape = x.shape.with(axis, size);
    const strides = stridesOf(shape).map((stride, each) => (each < axis ? 0 : stride));
    return viewOf(filled, { shape, strides, offset: filled.offset });
  });
  const some = [first!, x, last!].filter(({ size }) => size > 0);
  const isDone = joinRows(on, out, some, axis);
  for (const border of [first!, last!]) border.dispose();
  return isDone;
}

/** Writes the inputs to `out`, one after the other along an axis, or (`isNew`) side by side along one that they lack. */
export function join(
  on: Execution,
  out: DeviceArray,
  inputs: readonly DeviceArray[],
  axis: number,
  isNew = false,
): void {
  const some = inputs.filter(({ size }) => size > 0);
  if (some.length === 0 || joinRows(on, out, some, axis)) return;
  let from = 0;
  for (const input of some) {
    const to = from + (isNew ? 1 : input.shape[axis]!);
    using part = viewOf(out, sliced(out, isNew ? [...Array<null>(axis).fill(null), from] : cut(axis, from, to)));
    copy(on, part, input);
    from = to;
  }
}
