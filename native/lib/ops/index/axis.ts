// Indices along an axis: elements taken from there and put there. Kernels check them on their way (device/ops/axis.cu).
import type { Execution } from "../../device/execution.ts";
import { bytesOf, DeviceArray, viewOf } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { merged, stridesOf, transposed, type Shape, type View } from "../../memory/shape.ts";
import { aroundAxis } from "./along.ts";
import { call } from "../core/calls.ts";
import { bySize, contiguous, fill, withDType, withFlat } from "../shape/copy.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { blocksFor, onDevice, serialElements, type Blocks, type ByBlock } from "../kernels/blocks.ts";
import { kernelFacts, kernelFactsByDType } from "../kernels/kernel-facts.ts";
import { KernelFamily, type Place } from "../kernels/library.ts";
import { layoutOf } from "../kernels/map.ts";
import type { Computation } from "../core/operation.ts";
import { outsideOf, watched } from "../core/outside.ts";
import { positionsOf } from "./positions.ts";
import { indexingRows } from "./indexing.ts";
import { joined, putRows, type PutMode } from "./rows.ts";

const kinds = ["struct", "place", "place", "out", "i64", "i64", "i64", "at"] as const;
const operands = ["place", "place", "place", "out"] as const;
const lengths = ["i64", "i64", "i64", "i64"] as const;
const tiling = ["i64", "i64"] as const;
const inLines = ["i64", "i32", "i32", "i64", "i32"] as const;
const inPlaces = ["i64", "i32", "i32", "i32"] as const;
const indexTypes = { int32: "int", int64: "long long" } as const;
type IndexType = keyof typeof indexTypes;
const perIndex = <F>(make: (index: string) => F) =>
  Object.fromEntries(Object.entries(indexTypes).map(([name, index]) => [name, make(index)])) as Record<IndexType, F>;
const perMode = <F>(make: (join: string) => F) => ({
  add: make("AddTo"),
  prod: make("ProdTo"),
  max: make("MaxTo"),
  min: make("MinTo"),
});
const facts = kernelFacts("axis", {
  each: "kEach",
  joinThreads: "kJoinThreads",
  counterBytes: "sizeof(ushort)",
});
const sumFacts = kernelFacts("axis_sum", { unitBits: "kUnitBits", mostSummed: "kMostSummed" });
/** What is kept of an element that is joined. */
const states = perMode((join) =>
  kernelFactsByDType("axis", joined, (type) => ({ bytes: `sizeof(${join}<Wide<${type}>>)` })),
);
const take = perIndex((index) => ({
  bySize: new KernelFamily("axis", Object.values(bySize), (type) => `take_axis<${type}, ${index}>`, kinds),
  sixteen: new KernelFamily("axis", ["uint64"], () => `take_axis<Sixteen, ${index}>`, kinds),
}));
const setting = perIndex(
  (index) =>
    new KernelFamily("axis", Object.values(bySize), (type) => `set_axis<${type}, ${index}>`, [
      ...operands,
      ...lengths,
      ...tiling,
      "at",
    ]),
);
const marking = perIndex(
  (index) => new KernelFamily("axis", ["uint32"], () => `mark_last<${index}>`, ["place", "out", ...lengths, "at"]),
);
const marked = new KernelFamily("axis", Object.values(bySize), (type) => `set_marked<${type}>`, [
  "place",
  "place",
  "place",
  "out",
  ...lengths,
]);
const joining = perMode((join) =>
  perIndex((index) => ({
    states: new KernelFamily("axis", joined, (type) => `join_axis<${join}, ${type}, ${index}>`, [
      ...operands,
      "out",
      ...lengths,
      ...tiling,
      "at",
    ]),
    lines: new KernelFamily("axis", joined, (type) => `join_lines<${join}, ${type}, ${index}>`, [
      ...operands,
      ...inLines,
      "at",
    ]),
  })),
);

const settingLines = perIndex(
  (index) =>
    new KernelFamily("axis", Object.values(bySize), (type) => `set_lines<${type}, ${index}>`, [
      ...operands,
      ...inLines,
      "at",
    ]),
);
/** Floats whose sums are whole numbers on their way. */
const summed: readonly DType[] = ["float32", "float16", "bfloat16"];
const summing = perIndex((index) => ({
  lines: new KernelFamily("axis_sum", summed, (type) => `add_lines<${type}, ${index}>`, [
    ...operands,
    ...inLines,
    "i32",
    "at",
  ]),
  most: new KernelFamily("axis_sum", summed, (type) => `add_most<${type}, ${index}>`, [
    "place",
    "place",
    "out",
    ...inPlaces,
    "at",
  ]),
  units: new KernelFamily("axis_sum", summed, (type) => `add_units<${type}, ${index}>`, [
    "place",
    "place",
    "place",
    "out",
    ...inPlaces,
    "i32",
  ]),
}));
const withSums = new KernelFamily("axis_sum", summed, (type) => `add_summed<${type}>`, [
  "place",
  "place",
  "place",
  "out",
  "i64",
  "i32",
]);

/**
 * `isShared`: indices of any shape, whose axes come in place of the axis; else they have the input's shape but for it.
 */
export interface Taking {
  readonly axis: number;
  readonly isShared: boolean;
}

const outsideAxis = (axis: number, size: number) => (index: bigint) => outsideOf({ axis, size }, index);

function shapeOf(x: DeviceArray, index: DeviceArray, { axis, isShared }: Taking): Shape {
  return isShared ? [...x.shape.slice(0, axis), ...index.shape, ...x.shape.slice(axis + 1)] : index.shape;
}

/** Of a result where its elements lie, where they come from but for the axis, and where their indices are. */
function takenViews(out: DeviceArray, x: DeviceArray, index: DeviceArray, { axis, isShared }: Taking): View[] {
  const { shape } = out;
  const nothing = (axes: readonly unknown[]) => axes.map(() => 0);
  const [before, after] = [x.strides.slice(0, axis), x.strides.slice(axis + 1)];
  const from = isShared ? index.strides : [0];
  return [
    out,
    { shape, strides: [...before, ...nothing(from), ...after].slice(0, shape.length), offset: 0 },
    { shape, strides: isShared ? [...nothing(before), ...from, ...nothing(after)] : index.strides, offset: 0 },
  ];
}

/** The same in units of up to 16 bytes, where neighbours share an index and lie side by side. */
function inUnits(views: readonly View[], step: number, bytes: number, places: readonly number[]) {
  const { shape, strides } = merged(views);
  const last = shape.length - 1;
  const fits = (size: number) =>
    size >= bytes &&
    places.every((place) => place % size === 0) &&
    [shape[last]!, step, ...strides[1]!.slice(0, last)].every((each) => (each * bytes) % size === 0);
  const isRow = last >= 0 && strides[1]![last] === 1 && strides[2]![last] === 0;
  const unit = (isRow ? [16, 8, 4, 2].find(fits) : undefined) ?? bytes;
  const part = unit / bytes;
  if (part === 1) return { unit, part, views };
  const divided = (list: readonly number[]) => list.map((each, at) => (at === last ? 1 : each / part));
  const units = shape.with(last, shape[last]! / part);
  const lies = [stridesOf(units), divided(strides[1]!), strides[2]!];
  return { unit, part, views: lies.map((each) => ({ shape: units, strides: each, offset: 0 })) };
}

/**
 * Elements at indices along an axis that has some. An index that is outside stands for the first element, and the next
 * wait for the device throws TensorError.
 */
const takeAxis: Computation<[x: DeviceArray, index: DeviceArray], Taking> = {
  inPlace: false,
  infer: ([x, index], taking) => [{ shape: shapeOf(x, index, taking), dtype: x.dtype }],
  run([target], [x, index], taking, on) {
    const out = target!;
    const dtype: IndexType = index.dtype === "int32" ? "int32" : "int64";
    withDType(on, index, dtype, (at) => {
      const { axis } = taking;
      const [length, step] = [x.shape[axis] ?? 1, x.strides[axis] ?? 0];
      const places = [x.placeLow, out.placeLow];
      const { unit, part, views } = inUnits(takenViews(out, x, at, taking), step, factsOf(x.dtype).bytes, places);
      const count = out.size / part;
      const blocks = blocksFor(on.device, count, { serial: serialElements / part, each: facts().each });
      const kernel =
        unit === 16 ? take[dtype].sixteen.on(on.device, "uint64") : take[dtype].bySize.on(on.device, bySize[unit]!);
      watched(on, outsideAxis(axis, length), (outside) =>
        kernel.launch(on, blocks, [layoutOf(views), x, at, out, count, length, step / part, outside]),
      );
    });
  },
  gradient: ([g], { inputs: [x, index], attributes }) => [
    call("takeAxisGradient", [g!, index], { ...attributes, shape: x.shape }),
    null,
  ],
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs.slice(1)) + 2 * bytesMoved(outputs), flops: 0 }),
};

/** Positions of indices that the forward run has checked. */
export function positionsAlong(
  on: Execution,
  x: Shape,
  index: DeviceArray,
  { axis, isShared }: Taking,
): DeviceArray<"int64"> {
  const term = { indices: index, size: x[axis]!, axis, isChecked: true };
  if (isShared) return positionsOf(on, index.shape, [{ ...term, stride: 1 }]);
  const strides = stridesOf(x);
  const along = strides.map((stride, at) => (at === axis ? 0 : stride));
  return positionsOf(on, index.shape, [{ ...term, stride: strides[axis]! }], along);
}

/** Zeros of a shape, to which each element of the gradient is added where it was taken. */
const takeAxisGradient: Computation<[g: DeviceArray, index: DeviceArray], Taking & { readonly shape: Shape }> = {
  inPlace: false,
  infer: ([g], { shape }) => [{ shape, dtype: g.dtype }],
  run([out], [g, index], { axis, isShared, shape }, on) {
    fill(on, out!, 0);
    using positions = positionsAlong(on, shape, index, { axis, isShared });
    if (!isShared) return putRows(on, out!, positions, g, shape.length, "add", false);
    // The axis, and those of the indices in its place, in front.
    const others = [...shape.keys()].filter((each) => each !== axis);
    using to = viewOf(out!, transposed(out!, [axis, ...others]));
    const taken = index.shape.map((_, at) => axis + at);
    const kept = [...g.shape.keys()].filter((each) => !taken.includes(each));
    using from = viewOf(g, transposed(g, [...taken, ...kept]));
    putRows(on, to, positions, from, 1, "add", false);
  },
  gradient: ([h], { inputs: [, index], attributes: { axis, isShared } }) => [
    call("takeAxis", [h!, index], { axis, isShared }),
    null,
  ],
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: inputs[0].size }),
};

/** Places or elements that a block that joins takes at least and at most. */
const join = { least: 4096, most: 16384 } as const;
/** The longest axis that is joined: one thread has a state for each element, threads share a list of places. */
const longestJoined: ByBlock<(dtype: DType, mode: PutMode) => number> = {
  serial: () => Infinity,
  threads: (dtype, mode) => (isSummed(dtype, mode) ? sumFacts().mostSummed : join.most),
};
const isSummed = (dtype: DType, mode: PutMode) => mode === "add" && summed.includes(dtype);

/** Whether a kernel here puts elements in that way: others are positions, sorted. */
export function putsAlong(x: DeviceArray, index: DeviceArray, axis: number, mode: PutMode): boolean {
  const isJoined =
    joined.includes(x.dtype) &&
    Math.max(x.shape[axis]!, index.shape[axis]!) <= onDevice(x.living().device, longestJoined)(x.dtype, mode);
  return x.size < 2 ** 31 && index.size < 2 ** 31 && (mode === "set" || isJoined);
}

export interface Putting {
  readonly axis: number;
  readonly mode: PutMode;
}

/** What is put where: arrays without gaps as [outer, length, inner] and, of indices and values, [outer, own, inner]. */
interface Line {
  readonly into: DeviceArray;
  readonly at: DeviceArray;
  readonly source: DeviceArray;
  readonly out: DeviceArray;
  readonly sizes: readonly [outer: number, length: number, own: number, inner: number];
  readonly index: IndexType;
  readonly outside: Place;
}

/** What the cache of a core has room for, and what is read together at least. */
const tileOfCore = { places: 16384, least: 4096, columns: 16 } as const;

/**
 * Blocks of one thread that put elements into tiles: `planes` whole ones, or columns of one. Where there are too few
 * tiles for the cores these have places of the axis (no planes). `kept`: places that all of them have under way.
 */
function tilesOfCores({ device }: Execution, { into, at, sizes }: Line) {
  const [outer, length, , inner] = sizes;
  const { multiprocessors: cores } = device.properties;
  const most = Math.max(1, blocksFor(device, into.size + at.size).grid);
  const fitting = Math.max(tileOfCore.columns, Math.floor(tileOfCore.places / Math.max(1, length)));
  const columns = Math.max(1, Math.min(inner, fitting));
  const planes = columns < inner ? 1 : Math.max(1, Math.floor(tileOfCore.least / Math.max(1, length * inner)));
  const tiles = Math.ceil(outer / planes) * Math.ceil(inner / columns);
  if (tiles < Math.min(cores, most)) return { grid: Math.min(cores, most), tiling: [0, columns], kept: into.size };
  const grid = Math.max(1, Math.min(4 * cores, tiles, most));
  return { grid, tiling: [planes, columns], kept: grid * planes * length * columns };
}

/** Places that a block of a GPU has in its shared memory, unless a line is longer, and at most. */
const places = { usual: 4096, most: 8192 } as const;
/** Columns that are read together at least: fewer share no lines of memory. */
const leastColumns = 8;
/** Blocks from which on it shows that most of their threads have nothing to do. */
const manyBlocks = 1024;

/** How blocks take whole rows or neighbouring columns; `null` where they have no room for them, or little to do. */
function linesOfBlock([outer, length, own, inner]: Line["sizes"]): (Blocks & { readonly lines: number }) | null {
  const all = inner === 1 ? outer : inner;
  const least = inner === 1 ? 1 : Math.min(inner, leastColumns);
  if (Math.max(length, own / 2) * least > places.most) return null;
  const lines = Math.min(all, Math.max(least, Math.floor(places.usual / Math.max(length, own, 1))));
  const grid = inner === 1 ? Math.ceil(outer / lines) : outer * Math.ceil(inner / lines);
  const { joinThreads } = facts();
  const isIdle = grid > manyBlocks && 2 * lines * Math.max(length, own) < joinThreads;
  return isIdle ? null : { grid, block: joinThreads, lines };
}

/** The last of equal indices stays: a thread alone goes through them in order, threads mark which comes last. */
const setAlong: ByBlock<(on: Execution, line: Line) => void> = {
  serial(on, line) {
    const { into, at, source, out, sizes, index, outside } = line;
    const size = bySize[factsOf(into.dtype).bytes]!;
    const { grid, tiling } = tilesOfCores(on, line);
    setting[index].launch(on, size, { grid, block: 1 }, [into, at, source, out, ...sizes, ...tiling, outside]);
  },
  threads(on, line) {
    const { into, at, source, out, sizes, index, outside } = line;
    const [, length, own, inner] = sizes;
    const size = bySize[factsOf(into.dtype).bytes]!;
    const block = linesOfBlock(sizes);
    if (block !== null) {
      const shared = 4 * block.lines * length;
      settingLines[index].launch(on, size, block, [into, at, source, out, ...sizes, block.lines, outside], shared);
      return;
    }
    const { each } = facts();
    const lengths = [length, own, inner];
    using last = DeviceArray.allocate(on.device, "uint32", [into.size]);
    fill(on, last, 0);
    if (at.size > 0)
      marking[index].launch(on, "uint32", blocksFor(on.device, at.size, { each }), [
        at,
        last,
        at.size,
        ...lengths,
        outside,
      ]);
    marked.launch(on, size, blocksFor(on.device, into.size, { each }), [
      into,
      last,
      source,
      out,
      into.size,
      ...lengths,
    ]);
  },
};

/** Sums by whole numbers, which the order of their elements does not change: in blocks of lines, or in memory. */
function sumAlong(on: Execution, { into, at, source, out, sizes, index, outside }: Line): void {
  const { each } = facts();
  const { unitBits } = sumFacts();
  const [, length, own, inner] = sizes;
  const { lines, most, units } = summing[index];
  const room = unitBits - Math.ceil(Math.log2(own + 1));
  const block = linesOfBlock(sizes);
  if (block !== null)
    return lines.launch(
      on,
      into.dtype,
      block,
      [into, at, source, out, ...sizes, block.lines, room, outside],
      12 * block.lines * length,
    );
  // Of each place its sum, and behind all sums the largest elements.
  const halves = Math.ceil(into.size / 2);
  using sums = DeviceArray.allocate(on.device, "int64", [into.size + halves]);
  using behind = viewOf(sums, { shape: [halves], strides: [1], offset: sums.offset + into.size });
  using largest = bytesOf(behind, "uint32");
  fill(on, sums, 0);
  if (at.size > 0) {
    const blocks = blocksFor(on.device, at.size, { each });
    const sized = [at.size, length, own, inner];
    most.launch(on, into.dtype, blocks, [at, source, largest, ...sized, outside]);
    units.launch(on, into.dtype, blocks, [at, source, largest, sums, ...sized, room]);
  }
  const blocks = blocksFor(on.device, into.size, { each });
  withSums.launch(on, into.dtype, blocks, [into, largest, sums, out, into.size, room]);
}

/** A thread alone has room for the state of every element, a block sums or has lists of a few rows or columns. */
const joinAlong: ByBlock<(on: Execution, line: Line, mode: keyof typeof joining) => void> = {
  serial(on, line, mode) {
    const { into, at, source, out, sizes, index, outside } = line;
    const { bytes } = states[mode](into.dtype);
    const { grid, tiling, kept } = tilesOfCores(on, line);
    using room = DeviceArray.allocate(on.device, "uint8", [kept * bytes]);
    joining[mode][index].states.launch(on, into.dtype, { grid, block: 1 }, [
      into,
      at,
      source,
      out,
      room,
      ...sizes,
      ...tiling,
      outside,
    ]);
  },
  threads(on, line, mode) {
    const { into, at, source, out, sizes, index, outside } = line;
    if (isSummed(into.dtype, mode)) return sumAlong(on, line);
    const [outer, length, own, inner] = sizes;
    const { joinThreads, counterBytes } = facts();
    const longest = Math.max(length, own);
    const wanted = Math.max(1, Math.floor((inner === 1 ? join.least : join.most / 2) / longest));
    const lines = Math.min(wanted, inner === 1 ? outer : inner);
    const grid = inner === 1 ? Math.ceil(outer / lines) : outer * Math.ceil(inner / lines);
    const even = (count: number) => 2 * counterBytes * Math.ceil(count / 2);
    joining[mode][index].lines.launch(
      on,
      into.dtype,
      { grid, block: joinThreads },
      [into, at, source, out, ...sizes, lines, outside],
      even(length * lines) + 2 * even(own * lines),
    );
  },
};

/** The first operand with elements of the third put at indices, the second, along the axis. See {@link takeAxis}. */
const putAxis: Computation<[x: DeviceArray, index: DeviceArray, values: DeviceArray], Putting> = {
  inPlace: false,
  infer: ([x]) => [{ shape: x.shape, dtype: x.dtype }],
  run([out], [x, index, values], { axis, mode }, on) {
    using into = contiguous(on, x);
    using source = contiguous(on, values);
    const dtype: IndexType = index.dtype === "int32" ? "int32" : "int64";
    withFlat(on, index, dtype, (at) => {
      const { outer, length, inner } = aroundAxis(into.shape, axis);
      const sizes = [outer, length, at.shape[axis]!, inner] as const;
      watched(on, outsideAxis(axis, length), (outside) => {
        const line = { into, at, source, out: out!, sizes, index: dtype, outside };
        if (mode === "set") onDevice(on.device, setAlong)(on, line);
        else onDevice(on.device, joinAlong)(on, line, mode);
      });
    });
  },
  gradient([g], { inputs: [x, index, values], outputs, attributes: { axis, mode }, wanted, isDifferentiated }) {
    const positions = positionsAlong(index.execution, x.shape, index, { axis, isShared: false });
    const attributes = { window: { slices: [] }, lead: x.shape.length, mode, isUnique: false };
    return indexingRows.put.gradient!([g!], {
      inputs: [x, positions, values],
      outputs,
      attributes,
      wanted,
      isDifferentiated,
    });
  },
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: inputs[1].size }),
};

export const axisRows = { takeAxis, takeAxisGradient, putAxis } as const;
