// Copies, conversions and fills: any strides, any dtype, into arrays that exist.
import type { Execution } from "../../device/execution.ts";
import { TensorError } from "../../errors.ts";
import { DeviceArray, halfOf, pairsOf, viewOf } from "../../memory/array.ts";
import { dtypeNames, factsOf, isComplexNumber, type Complex, type DType } from "../../memory/dtype.ts";
import { merged, sizeOf, stretch, stridesOf } from "../../memory/shape.ts";
import { writeFill } from "../../wire/copy.ts";
import { onDevice, threadsOf } from "../kernels/blocks.ts";
import { kernelFacts, kernelFactsByDType } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import { broadcastLayout, flatBlocks, flatPlane, planeOf, sameShape, stridedBlocks, widestOf } from "../kernels/map.ts";

// Copies move bits, so one dtype stands for all of its size.
export const bySize: Record<number, DType> = {
  1: "uint8",
  2: "uint16",
  4: "uint32",
  8: "uint64",
  16: "complex128",
};
const sized = Object.values(bySize);
const copier = (array: DeviceArray) => bySize[factsOf(array.dtype).bytes]!;

const flats = new KernelFamily("cast", sized, (type) => `copy_flat<${type}>`, ["place", "out", "i64"]);
const strided = new KernelFamily("cast", sized, (type) => `copy_strided<${type}>`, ["struct", "place", "out", "i64"]);
const transposes = new KernelFamily("cast", sized, (type) => `transpose<${type}>`, [
  "place",
  "out",
  "i64",
  "i64",
  "i64",
  "i64",
  "i64",
]);
const numbers = dtypeNames.filter((dtype) => factsOf(dtype).kind !== "complex");
const casts = Object.fromEntries(
  numbers.map((to) => [
    to,
    new KernelFamily(
      "cast",
      numbers.filter((from) => from !== to),
      (type) => `cast<${type}, ${factsOf(to).c}>`,
      ["place", "struct", "out", "i64"],
    ),
  ]),
) as Record<DType, KernelFamily>;

const facts = kernelFacts("cast", { rows: "kRows" });
const tiles = kernelFactsByDType("cast", sized, (type) => ({ side: `kTileOf<${type}>` }));

/** Bytes of an element that one command fills. */
const mostFilled = 8;

function fillParts(on: Execution, out: DeviceArray, value: number | bigint | boolean | Complex): void {
  const { re, im } = isComplexNumber(value) ? value : { re: Number(value), im: 0 };
  if (Object.is(re, im)) {
    using pairs = pairsOf(out);
    return fill(on, pairs, re);
  }
  [re, im].forEach((part, which) => {
    using half = halfOf(out, which as 0 | 1);
    fill(on, half, part);
  });
}

/** Complex numbers from others, or from numbers, which have an imaginary part of 0. */
function copyComplex(on: Execution, out: DeviceArray, input: DeviceArray): void {
  if (factsOf(out.dtype).kind !== "complex")
    throw new TensorError(
      "DTYPE",
      `${input.dtype} does not become ${out.dtype} by itself: take x.real, x.imag, abs() or angle().`,
    );
  if (factsOf(input.dtype).kind === "complex") {
    using to = pairsOf(out);
    using from = pairsOf(input);
    return copy(on, to, from);
  }
  using re = halfOf(out, 0);
  using im = halfOf(out, 1);
  copy(on, re, input);
  fill(on, im, 0);
}

/** Sets every element of an array. `value` is one that its dtype admits. */
export function fill(on: Execution, out: DeviceArray, value: number | bigint | boolean | Complex): void {
  if (out.size === 0) return;
  const storage = out.living();
  const { bytes, encode } = factsOf(out.dtype);
  if (bytes > mostFilled) return fillParts(on, out, value);
  if (out.isContiguous) {
    const sequence = writeFill(
      on,
      storage.place + out.offset * bytes,
      out.bytes,
      encode(value),
      bytes as 1 | 2 | 4 | 8,
    );
    if (sequence > 0) storage.written(sequence, out.bytes);
    return;
  }
  using one = DeviceArray.allocate(on.device, out.dtype, []);
  fill(on, one, value);
  copy(on, out, one);
}

/** The axes of an array without gaps in the order in which they lie, where that is not theirs; else `null`. */
function axesAsTheyLie({ shape, strides, isContiguous }: DeviceArray): number[] | null {
  if (isContiguous) return null;
  const axes = shape.map((_, axis) => axis).sort((a, b) => strides[b]! - strides[a]! || shape[b]! - shape[a]!);
  const dense = stridesOf(axes.map((axis) => shape[axis]!));
  return axes.every((axis, at) => shape[axis] === 1 || strides[axis] === dense[at]) ? axes : null;
}

/** The same array with its axes in another order. */
function turned(array: DeviceArray, axes: readonly number[]): DeviceArray {
  const [shape, strides] = [array.shape, array.strides].map((list) => axes.map((axis) => list[axis]!));
  return viewOf(array, { shape: shape!, strides: strides!, offset: array.offset });
}

/** Copies `input`, which broadcasts to the shape of `out`, converting. The two do not overlap. */
export function copy(on: Execution, out: DeviceArray, input: DeviceArray): void {
  if (out.size === 0) return;
  const axes = sameShape(out.shape, input.shape) ? axesAsTheyLie(out) : null;
  if (axes !== null) {
    using to = turned(out, axes);
    using from = turned(input, axes);
    return copy(on, to, from);
  }
  const { device } = on;
  const isFlat = out.isContiguous && input.isContiguous && sameShape(out.shape, input.shape);
  if (out.dtype === input.dtype) {
    if (isFlat) flats.launch(on, copier(out), flatBlocks(device, out.size, widestOf(out)), [input, out, out.size]);
    else if (!copyTransposed(on, out, input))
      strided.launch(on, copier(out), stridedBlocks(device, out.size), [
        broadcastLayout(out, [input]),
        input,
        out,
        out.size,
      ]);
    return;
  }
  if ([out, input].some(({ dtype }) => factsOf(dtype).kind === "complex")) return copyComplex(on, out, input);
  const rows = out.isContiguous && sameShape(out.shape, input.shape) ? rowsOf(input) : null;
  if (rows === null) {
    // Gathered before it is converted, and scattered after it: conversions are many, and go along rows.
    using gathered = DeviceArray.allocate(device, input.dtype, out.shape);
    copy(on, gathered, input);
    if (out.isContiguous) return copy(on, out, gathered);
    using converted = DeviceArray.allocate(device, out.dtype, out.shape);
    copy(on, converted, gathered);
    return copy(on, out, converted);
  }
  casts[out.dtype].launch(on, input.dtype, flatBlocks(device, out.size, widestOf(out, input)), [
    input,
    rows,
    out,
    out.size,
  ]);
}

/**
 * How the elements of an array lie, as `struct Plane`; `null` where that is in no rows, or on a processor where they are
 * sooner turned first.
 */
function rowsOf(array: DeviceArray): Uint32Array | null {
  if (array.isContiguous) return flatPlane(array.size);
  return goesAlongRows(array) && transposedAxes(array) !== null ? null : planeOf(array);
}

/** Rows or columns that are so few are sooner gathered one after the other than turned in tiles. */
const few = 16;

/** The joined axes of an array whose last but one is the densest, with their steps; else `null`. */
function transposedAxes(array: DeviceArray): { shape: readonly number[]; steps: readonly number[] } | null {
  const { shape, strides } = merged([array]);
  const steps = strides[0]!;
  const rank = shape.length;
  const isTransposed = (rank === 2 || rank === 3) && steps[rank - 2] === 1 && steps[rank - 1]! >= shape[rank - 2]!;
  const fewest = goesAlongRows(array) ? shape[rank - 1]! : Math.min(shape[rank - 2]!, shape[rank - 1]!);
  return isTransposed && fewest >= few ? { shape, steps } : null;
}

/**
 * A contiguous `out` whose last axis is not the densest of the input: by tiles, so that both sides are read and written
 * in whole lines.
 */
function copyTransposed(on: Execution, out: DeviceArray, input: DeviceArray): boolean {
  if (!out.isContiguous || !sameShape(out.shape, input.shape)) return false;
  const axes = transposedAxes(input);
  if (axes === null) return false;
  const { shape, steps } = axes;
  const rank = shape.length;
  // Row-major in the output: [batches, columns of the input's matrix, rows of it].
  const [batches, columns, rows] = rank === 2 ? [1, shape[0]!, shape[1]!] : [shape[0]!, shape[1]!, shape[2]!];
  const { side: tile } = tiles(copier(out));
  const { rows: tileRows } = facts();
  const grid = Math.ceil(columns / tile) * Math.ceil(rows / tile) * batches;
  if (grid >= 2 ** 31) return false;
  transposes.launch(on, copier(out), { grid, block: threadsOf(on.device, [32, tileRows]) }, [
    input,
    out,
    rows,
    columns,
    steps[rank - 1]!,
    batches,
    rank === 3 ? steps[0]! : 0,
  ]);
  return true;
}

/** A contiguous array with the same elements: `array` itself, held once more, or a copy. */
export function contiguous<D extends DType>(on: Execution, array: DeviceArray<D>): DeviceArray<D> {
  return array.isContiguous ? viewOf(array, array) : converted(on, array, array.dtype);
}

/** A contiguous array with the elements as `dtype`: `array` itself, held once more, or a copy. */
export function converted<D extends DType>(on: Execution, array: DeviceArray, dtype: D): DeviceArray<D> {
  if (array.isContiguous && array.dtype === dtype) return viewOf(array, array) as DeviceArray<D>;
  const result = DeviceArray.allocate(on.device, dtype, array.shape);
  copy(on, result, array);
  return result;
}

/** Calls `use` with the array itself where the dtype is right, else with a converted copy, which is freed after. */
export function withDType(on: Execution, array: DeviceArray, dtype: DType, use: (array: DeviceArray) => void): void {
  if (array.dtype === dtype) return use(array);
  using copied = converted(on, array, dtype);
  use(copied);
}

/** The same, and contiguous. */
export function withFlat(on: Execution, array: DeviceArray, dtype: DType, use: (array: DeviceArray) => void): void {
  if (array.dtype === dtype && array.isContiguous) return use(array);
  using copied = converted(on, array, dtype);
  use(copied);
}

/**
 * Calls `use` with the elements as `dtype` and how they lie (`struct Plane`): without gaps, or in rows at strides; on a
 * processor a transposed array is faster copied first.
 */
export function withRows(
  on: Execution,
  array: DeviceArray,
  dtype: DType,
  use: (array: DeviceArray, rows: Uint32Array) => void,
): void {
  const rows = array.dtype === dtype ? rowsOf(array) : null;
  if (rows !== null) return use(array, rows);
  withFlat(on, array, dtype, (flat) => use(flat, flatPlane(flat.size)));
}

/** Calls `use` with the array, or on a processor with a copy of a transposed one, whose rows it would not go along. */
export function withoutTurns(on: Execution, array: DeviceArray, use: (array: DeviceArray) => void): void {
  if (!goesAlongRows(array) || transposedAxes(array) === null) return use(array);
  using copied = converted(on, array, array.dtype);
  use(copied);
}

/** A core's loops go along rows; threads beside each other read what lies beside each other. */
const goesAlongRows = (array: DeviceArray): boolean =>
  onDevice(array.living().device, { serial: true, threads: false });

/** The view of an operand over another shape, to which it broadcasts. */
export function stretched<D extends DType>(array: DeviceArray<D>, shape: readonly number[]): DeviceArray<D> {
  return sizeOf(array.shape) === sizeOf(shape) && sameShape(array.shape, shape)
    ? viewOf(array, array)
    : viewOf(array, stretch(array, shape));
}
