// Indices along an axis: elements taken from there and put there. Kernels check them on their way (device/ops/axis.cu).
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { factsOf } from "../../memory/dtype.ts";
import { stridesOf, transposed, type Shape } from "../../memory/shape.ts";
import { aroundAxis } from "./along.ts";
import { call } from "../core/calls.ts";
import { bySize, contiguous, fill, withFlat } from "../shape/copy.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { kernelFacts, kernelFactsByDType } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import type { Computation } from "../core/operation.ts";
import { watched } from "../core/outside.ts";
import { positionsOf } from "./positions.ts";
import { indexingRows } from "./indexing.ts";
import { joined, putRows, type PutMode } from "./rows.ts";

const kinds = ["place", "place", "out", "i64", "i64", "i64", "i64", "i32", "at"] as const;
const operands = ["place", "place", "place", "out"] as const;
const lengths = ["i64", "i64", "i64", "i64"] as const;
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
const facts = kernelFacts("axis", { each: "kEach", joinThreads: "kJoinThreads", counterBytes: "sizeof(ushort)" });
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
    // In the states of all elements on a CPU, in lists of a few rows or columns on a GPU.
    states: new KernelFamily("axis", joined, (type) => `join_axis<${join}, ${type}, ${index}>`, [
      ...operands,
      "out",
      ...lengths,
      "at",
    ]),
    lines: new KernelFamily("axis", joined, (type) => `join_lines<${join}, ${type}, ${index}>`, [
      ...operands,
      "i64",
      "i32",
      "i32",
      "i64",
      "i32",
      "at",
    ]),
  })),
);

/** Elements of a block of a CPU. */
const serialElements = 16384;

/**
 * `isShared`: indices of any shape, whose axes come in place of the axis; else they have the input's shape but for it.
 */
export interface Taking {
  readonly axis: number;
  readonly isShared: boolean;
}

const array = (operand: unknown) => operand as DeviceArray;

function shapeOf(x: DeviceArray, index: DeviceArray, { axis, isShared }: Taking): Shape {
  return isShared ? [...x.shape.slice(0, axis), ...index.shape, ...x.shape.slice(axis + 1)] : index.shape;
}

/**
 * Elements at indices along an axis that has some. An index that is outside stands for the first element, and the next
 * wait for the device throws TensorError.
 */
const takeAxis: Computation<Taking> = {
  inPlace: false,
  infer: ([x, index], taking) => [{ shape: shapeOf(array(x), array(index), taking), dtype: array(x).dtype }],
  run([out], [x, index], { axis, isShared }, on) {
    const { device } = on;
    using source = contiguous(on, array(x));
    const dtype: IndexType = array(index).dtype === "int32" ? "int32" : "int64";
    withFlat(on, array(index), dtype, (at) => {
      const { length, inner } = aroundAxis(source.shape, axis);
      const own = isShared ? at.size : (at.shape[axis] ?? 1);
      const { bytes } = factsOf(source.dtype);
      // Rows that all share an index go by up to 16 bytes at a time.
      const fits = (size: number) =>
        size >= bytes && [inner * bytes, source.placeLow, out!.placeLow].every((part) => part % size === 0);
      const unit = isShared ? ([16, 8, 4, 2].find(fits) ?? bytes) : bytes;
      const width = inner / (unit / bytes);
      const count = out!.size / (unit / bytes);
      const { libraryBlock } = device.properties;
      const grid = Math.ceil(
        count / (libraryBlock === 1 ? serialElements / (unit / bytes) : libraryBlock * facts().each),
      );
      const kernel =
        unit === 16 ? take[dtype].sixteen.on(device, "uint64") : take[dtype].bySize.on(device, bySize[unit]!);
      watched(on, { axis, size: length }, (outside) =>
        kernel.launch(on, grid, libraryBlock, [source, at, out!, count, length, own, width, Number(isShared), outside]),
      );
    });
  },
  gradient: ([g], { inputs: [x, index], attributes }) => [
    call("takeAxisGradient", [g!, index!], { ...attributes, shape: array(x).shape }),
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
const takeAxisGradient: Computation<Taking & { readonly shape: Shape }> = {
  inPlace: false,
  infer: ([g], { shape }) => [{ shape, dtype: array(g).dtype }],
  run([out], [g, index], { axis, isShared, shape }, on) {
    fill(on, out!, 0);
    using positions = positionsAlong(on, shape, array(index), { axis, isShared });
    if (!isShared) return putRows(on, out!, positions, array(g), shape.length, "add", false);
    // The axis, and those of the indices in its place, in front.
    const others = [...shape.keys()].filter((each) => each !== axis);
    using to = viewOf(out!, transposed(out!, [axis, ...others]));
    const taken = array(index).shape.map((_, at) => axis + at);
    const kept = [...array(g).shape.keys()].filter((each) => !taken.includes(each));
    using from = viewOf(array(g), transposed(array(g), [...taken, ...kept]));
    putRows(on, to, positions, from, 1, "add", false);
  },
  gradient: ([h], { inputs: [, index], attributes: { axis, isShared } }) => [
    call("takeAxis", [h!, index!], { axis, isShared }),
    null,
  ],
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: array(inputs[0]).size }),
};

/** Places or elements that a block that joins takes at least and at most. */
const join = { least: 4096, most: 16384 } as const;

/** Whether a kernel here puts elements in that way: others are positions, sorted. */
export function putsAlong(x: DeviceArray, index: DeviceArray, axis: number, mode: PutMode): boolean {
  const { libraryBlock } = x.living().device.properties;
  const isFew = Math.max(x.shape[axis]!, index.shape[axis]!) <= join.most;
  return (
    x.size < 2 ** 31 &&
    index.size < 2 ** 31 &&
    (mode === "set" || (joined.includes(x.dtype) && (libraryBlock === 1 || isFew)))
  );
}

export interface Putting {
  readonly axis: number;
  readonly mode: PutMode;
}

/** The first operand with elements of the third put at indices, the second, along the axis. See {@link takeAxis}. */
const putAxis: Computation<Putting> = {
  inPlace: false,
  infer: ([x]) => [{ shape: array(x).shape, dtype: array(x).dtype }],
  run([out], [x, index, values], { axis, mode }, on) {
    const { device } = on;
    using into = contiguous(on, array(x));
    using source = contiguous(on, array(values));
    const dtype: IndexType = array(index).dtype === "int32" ? "int32" : "int64";
    withFlat(on, array(index), dtype, (at) => {
      const { outer, length, inner } = aroundAxis(into.shape, axis);
      const own = at.shape[axis]!;
      const { libraryBlock, multiprocessors } = device.properties;
      const isSerial = libraryBlock === 1;
      const size = bySize[factsOf(into.dtype).bytes]!;
      watched(on, { axis, size: length }, (outside) => {
        if (isSerial) {
          const grid = Math.max(1, Math.min(multiprocessors, Math.ceil((into.size + at.size) / serialElements)));
          if (mode === "set")
            return setting[dtype].launch(on, size, grid, 1, [
              into,
              at,
              source,
              out!,
              outer,
              length,
              own,
              inner,
              outside,
            ]);
          const { bytes } = states[mode](into.dtype);
          using kept = DeviceArray.allocate(device, "uint8", [into.size * bytes]);
          return joining[mode][dtype].states.launch(on, into.dtype, grid, 1, [
            into,
            at,
            source,
            out!,
            kept,
            outer,
            length,
            own,
            inner,
            outside,
          ]);
        }
        const { each, joinThreads, counterBytes } = facts();
        const blocks = (count: number) => Math.ceil(count / (libraryBlock * each));
        if (mode === "set") {
          using last = DeviceArray.allocate(device, "uint32", [into.size]);
          fill(on, last, 0);
          if (at.size > 0)
            marking[dtype].launch(on, "uint32", blocks(at.size), libraryBlock, [
              at,
              last,
              at.size,
              length,
              own,
              inner,
              outside,
            ]);
          return marked.launch(on, size, blocks(into.size), libraryBlock, [
            into,
            last,
            source,
            out!,
            into.size,
            length,
            own,
            inner,
          ]);
        }
        const longest = Math.max(length, own);
        const wanted = Math.max(1, Math.floor((inner === 1 ? join.least : join.most / 2) / longest));
        const lines = Math.min(wanted, inner === 1 ? outer : inner);
        const even = (count: number) => 2 * counterBytes * Math.ceil(count / 2);
        joining[mode][dtype].lines.launch(
          on,
          into.dtype,
          inner === 1 ? Math.ceil(outer / lines) : outer * Math.ceil(inner / lines),
          joinThreads,
          [into, at, source, out!, outer, length, own, inner, lines, outside],
          even(length * lines) + 2 * even(own * lines),
        );
      });
    });
  },
  gradient([g], { inputs: [x, index, values], outputs, attributes: { axis, mode }, wanted, isDifferentiated }) {
    const positions = positionsAlong(array(index).execution, array(x).shape, array(index), { axis, isShared: false });
    const attributes = { window: { slices: [] }, lead: array(x).shape.length, mode, isUnique: false };
    return indexingRows.put.gradient!([g!], {
      inputs: [x!, positions, values!],
      outputs,
      attributes,
      wanted,
      isDifferentiated,
    });
  },
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: array(inputs[1]).size }),
};

export const axisRows = { takeAxis, takeAxisGradient, putAxis } as const;
