// Matrix products of arrays of any rank: turns their axes into batches of strided matrices for a library of the device,
// or for device/ops/matmul.cu.
import { putLong } from "../../wire/long.ts";
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { dtypeNames, factsOf, type DType } from "../../memory/dtype.ts";
import { TensorError } from "../../errors.ts";
import { promoted } from "../../memory/promotion.ts";
import { broadcast, formatShape, merged, sizeOf, stretch, type Shape, type View } from "../../memory/shape.ts";
import { call } from "../core/calls.ts";
import { contiguous, withDType } from "../shape/copy.ts";
import { reshaped } from "../shape/views.ts";
import { bytesMoved, unbroadcast } from "../elementwise/elementwise.ts";
import { kernelFacts, offsetIn } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import { mayTake, refusal, takes } from "../core/dispatch.ts";
import { fewRowsInto } from "./few-rows.ts";
import { hasLibraryMatmul, libraryMatmul, storedAs, type Epilogue, type MatrixBatch } from "./library-matmul.ts";
import type { Computation, None } from "../core/operation.ts";

/** Rows and columns that a block of the kernel makes, its threads along each side, and how operands are described. */
const facts = kernelFacts("matmul", {
  tile: "kTile",
  side: "kSide",
  matrixBytes: "sizeof(Matrix)",
  batch: offsetIn("Matrix", "batch"),
  row: offsetIn("Matrix", "row"),
  column: offsetIn("Matrix", "column"),
});
/** Most blocks of a launch: tiles are numbered along x. */
const mostBlocks = 2 ** 31 - 1;

const multiplied = dtypeNames.filter((dtype) => dtype !== "bool" && factsOf(dtype).isStorage !== true);
const kernel = new KernelFamily("matmul", multiplied, (type) => `matmul<${type}>`, [
  "place",
  "struct",
  "place",
  "struct",
  "out",
  "i64",
  "i64",
  "i64",
]);

/** Rows × depth times depth × columns; a vector is a row on the left and a column on the right, and its axis goes. */
function productShape(a: Shape, b: Shape): number[] {
  const depths = [a.at(-1), b.length === 1 ? b[0] : b.at(-2)];
  if (depths[0] === undefined || depths[1] === undefined || depths[0] !== depths[1]) {
    throw new TensorError(
      "SHAPE",
      `matmul takes matrices m × k and k × n but got shapes ${formatShape(a)} and ${formatShape(b)}.`,
    );
  }
  const batch = broadcast(a.slice(0, -2), b.slice(0, -2));
  return [...batch, ...(a.length === 1 ? [] : [a.at(-2)!]), ...(b.length === 1 ? [] : [b.at(-1)!])];
}

/** `struct Matrix` of matmul.cu. */
export interface Matrix {
  batch: number;
  row: number;
  column: number;
}

export interface BatchedOperand {
  readonly array: DeviceArray;
  readonly matrix: Matrix;
  readonly rows: number;
  readonly columns: number;
}

/**
 * An operand with one stride for all batches: a copy where its own strides have none. The array is the caller's to
 * dispose of.
 */
export function batched(on: Execution, input: DeviceArray, batch: Shape, isLeft: boolean): BatchedOperand {
  const asMatrix: View =
    input.shape.length > 1
      ? input
      : isLeft
        ? { shape: [1, input.shape[0]!], strides: [0, input.strides[0]!], offset: input.offset }
        : { shape: [input.shape[0]!, 1], strides: [input.strides[0]!, 0], offset: input.offset };
  const [rows, columns] = [asMatrix.shape.at(-2)!, asMatrix.shape.at(-1)!];
  const batches = stretch(
    { shape: asMatrix.shape.slice(0, -2), strides: asMatrix.strides.slice(0, -2), offset: 0 },
    batch,
  );
  const joined = merged([batches]);
  if (joined.shape.length <= 1) {
    return {
      array: viewOf(input, asMatrix),
      matrix: { batch: joined.strides[0]![0] ?? 0, row: asMatrix.strides.at(-2)!, column: asMatrix.strides.at(-1)! },
      rows,
      columns,
    };
  }
  using stretched = viewOf(input, stretch(asMatrix, [...batch, rows, columns]));
  return {
    array: contiguous(on, stretched),
    matrix: { batch: rows * columns, row: columns, column: 1 },
    rows,
    columns,
  };
}

function words(matrix: Matrix): Uint32Array {
  const at = facts();
  const list = new Uint32Array(at.matrixBytes / 4);
  for (const field of ["batch", "row", "column"] as const) {
    putLong(list, at[field] / 4, matrix[field]);
  }
  return list;
}

/** {@link batched}, with rows or columns that lie without gaps, as libraries take them: a copy where they do not. */
function ordered(on: Execution, input: DeviceArray, batch: Shape, isLeft: boolean): BatchedOperand {
  const found = batched(on, input, batch, isLeft);
  if (storedAs(asBatch(found)) !== null) return found;
  found.array.dispose();
  using gathered = contiguous(on, input);
  return batched(on, gathered, batch, isLeft);
}

// Spelled out: spreading an object costs more than a small product.
function asBatch({ array, matrix, rows, columns }: BatchedOperand): MatrixBatch {
  return {
    place: array.place,
    rows,
    columns,
    batch: matrix.batch,
    row: matrix.row,
    column: matrix.column,
  };
}

function asMatrix({ shape, strides, place }: DeviceArray): MatrixBatch {
  return {
    place,
    rows: shape[0]!,
    columns: shape[1]!,
    batch: 0,
    row: strides[0]!,
    column: strides[1]!,
  };
}

/** One matrix: a vector is a row on the left and a column on the right; `null` for a batch. */
function single({ shape, strides }: DeviceArray, isLeft: boolean) {
  if (shape.slice(0, -2).some((size) => size !== 1)) return null;
  const [rows, columns] = [shape.at(-2), shape.at(-1)!];
  if (rows !== undefined) return { rows, columns, row: strides.at(-2)!, column: strides.at(-1)! };
  return isLeft
    ? { rows: 1, columns, row: 0, column: strides[0]! }
    : { rows: columns, columns: 1, row: strides[0]!, column: 0 };
}
const plain = { bias: null, activation: "none", kept: null } as const;

/** Few rows, or few columns, by a matrix whose sums go along what lies side by side: whether that was so. */
function fewInto(on: Execution, out: DeviceArray, a: DeviceArray, b: DeviceArray): boolean {
  const [left, right] = [single(a, true), single(b, false)];
  if (left === null || right === null) return false;
  const isSide = (stride: number, size: number) => stride === 1 || size === 1;
  if (!isSide(left.column, left.columns) || !isSide(right.row, right.rows)) return false;
  const rows = { array: a, count: left.rows, step: left.rows === 1 ? 0 : left.row };
  const columns = { array: b, count: right.columns, step: right.columns === 1 ? 0 : right.column };
  return rows.count <= columns.count
    ? fewRowsInto(on, out, rows, columns, left.columns, { ...plain, row: columns.count, output: 1 })
    : fewRowsInto(on, out, columns, rows, left.columns, { ...plain, row: 1, output: columns.count });
}

/** Fills the contiguous `out` with the product of `a` and `b`, of its dtype. */
export function matmulInto(on: Execution, out: DeviceArray, a: DeviceArray, b: DeviceArray): void {
  if (fewInto(on, out, a, b)) return;
  if (
    a.shape.length === 2 &&
    b.shape.length === 2 &&
    multipliedByLibrary(on, out, 1, asMatrix(out), asMatrix(a), asMatrix(b))
  )
    return;
  const batch = broadcast(a.shape.slice(0, -2), b.shape.slice(0, -2));
  const operand = hasLibraryMatmul(on.device, out.dtype) ? ordered : batched;
  const left = operand(on, a, batch, true);
  const right = operand(on, b, batch, false);
  if (!libraryInto(on, out, sizeOf(batch), left, right)) {
    if (!mayTake("matmul", "kernel")) throw refusal("matmul");
    takes(on, "matmul", "kernel");
    kernelInto(on, out, batch, left, right);
  }
  left.array.dispose();
  right.array.dispose();
}

/**
 * The product of two matrices and an epilogue by a library of the device; whether it did that. `also` is written beside
 * `out`.
 */
export function matmulWithEpilogue(
  on: Execution,
  out: DeviceArray,
  a: DeviceArray,
  b: DeviceArray,
  epilogue: Epilogue,
  also: readonly DeviceArray[],
): boolean {
  if (a.shape[1] === 0 || out.size === 0) return false;
  const sequence = libraryMatmul(on, out.dtype, 1, asMatrix(out), asMatrix(a), asMatrix(b), undefined, epilogue);
  if (sequence === null) return false;
  if (sequence > 0) for (const each of [out, ...also]) each.living().written(sequence, each.bytes);
  return true;
}

/** Whether a library of the device did it. */
function libraryInto(
  on: Execution,
  out: DeviceArray,
  batches: number,
  left: BatchedOperand,
  right: BatchedOperand,
): boolean {
  const [rows, columns] = [left.rows, right.columns];
  const result = asBatch({ array: out, matrix: { batch: rows * columns, row: columns, column: 1 }, rows, columns });
  return multipliedByLibrary(on, out, batches, result, asBatch(left), asBatch(right));
}

function multipliedByLibrary(
  on: Execution,
  out: DeviceArray,
  batches: number,
  result: MatrixBatch,
  left: MatrixBatch,
  right: MatrixBatch,
): boolean {
  if (left.columns === 0 || out.size === 0) return false;
  const storage = out.living();
  const sequence = libraryMatmul(on, out.dtype, batches, result, left, right);
  if (sequence === null) return false;
  if (sequence > 0) storage.written(sequence, out.bytes);
  return true;
}

function kernelInto(on: Execution, out: DeviceArray, batch: Shape, left: BatchedOperand, right: BatchedOperand): void {
  const [m, n, k] = [left.rows, right.columns, left.columns];
  const { tile, side } = facts();
  const tiles = Math.ceil(m / tile) * Math.ceil(n / tile);
  const step = Math.max(1, Math.floor(mostBlocks / tiles));
  const part = (array: DeviceArray, elements: number) =>
    viewOf(array, { shape: [1], strides: [1], offset: array.offset + elements });
  for (let first = 0; first < sizeOf(batch); first += step) {
    using x = part(left.array, first * left.matrix.batch);
    using y = part(right.array, first * right.matrix.batch);
    using z = part(out, first * m * n);
    kernel.launch(on, out.dtype, { grid: tiles * Math.min(step, sizeOf(batch) - first), block: [side, side] }, [
      x,
      words(left.matrix),
      y,
      words(right.matrix),
      z,
      m,
      n,
      k,
    ]);
  }
}

const turned = (x: DeviceArray) =>
  call("permute", [x], { axes: [...x.shape.slice(0, -2).keys(), x.shape.length - 1, x.shape.length - 2] });

function commonDType(a: DType, b: DType): DType {
  const dtype = promoted(a, b);
  if (dtype === "bool" || factsOf(dtype).isStorage)
    throw new TensorError(
      "DTYPE",
      `matmul takes numbers that compute but got ${dtype}: convert them, e.g. with .to("float32").`,
    );
  return dtype;
}

export const matmulRow: Computation<[a: DeviceArray, b: DeviceArray], None> = {
  inPlace: false,
  infer: ([a, b]) => {
    if (!(a instanceof DeviceArray) || !(b instanceof DeviceArray))
      throw new TensorError("OPERANDS", `matmul takes two tensors; multiply by a number with .mul(…).`);
    const dtype = commonDType(a.dtype, b.dtype);
    return [{ shape: productShape(a.shape, b.shape), dtype }];
  },
  run([out], [a, b], _, on) {
    withDType(on, a, out!.dtype, (x) => withDType(on, b, out!.dtype, (y) => matmulInto(on, out!, x, y)));
  },
  gradient: ([g], { inputs: [a, b], wanted }) => {
    // As matrices, so that one rule covers vectors.
    const x = a.shape.length === 1 ? reshaped(a, [1, a.size]) : a;
    const y = b.shape.length === 1 ? reshaped(b, [b.size, 1]) : b;
    const full = [...broadcast(x.shape.slice(0, -2), y.shape.slice(0, -2)), x.shape.at(-2)!, y.shape.at(-1)!];
    const above = reshaped(g!, full);
    const back = (gradient: DeviceArray, matrix: DeviceArray, operand: DeviceArray) => {
      const summed = unbroadcast(gradient, matrix)!;
      return operand.shape.length === 1 ? reshaped(summed, operand.shape) : summed;
    };
    // One matrix for all of a batch: its gradient is one product, not a sum of many.
    const [rows, under] =
      y.shape.length === 2 && x.shape.length > 2
        ? [x, above].map((each) => reshaped(each, [sizeOf(each.shape.slice(0, -1)), each.shape.at(-1)!]))
        : [x, above];
    return [
      wanted[0] ? back(call("matmul", [above, turned(y)]), x, a) : null,
      wanted[1] ? back(call("matmul", [turned(rows!), under!]), y, b) : null,
    ];
  },
  cost: ([a, b], outputs) => ({
    bytes: bytesMoved([a, b]) + bytesMoved(outputs),
    flops: 2 * outputs[0]!.size * (a.shape.at(-1) ?? 1),
  }),
};
