// Batches of matrices, the last two axes of arrays, as the planned calls of linear algebra take them: column-major and
// without gaps, which is row-major of the transposes; and what is said of one that a call could not do.
import type { Execution } from "../../device/execution.ts";
import { LibraryPlan, type LibraryChoice } from "../../device/library-plan.ts";
import { WatchedWords } from "../../device/watched-words.ts";
import { TensorError } from "../../errors.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { adviceToCompute, factsOf, type DType } from "../../memory/dtype.ts";
import { floatOf } from "../../memory/promotion.ts";
import { formatShape, merged, sizeOf, stridesOf, transposed, type Shape } from "../../memory/shape.ts";
import { highWord, lowWord } from "../../wire/long.ts";
import { bySize, copy, fill, withFlat } from "../shape/copy.ts";
import { blocksFor, threadsOf } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";

export const matrixDTypes = ["float32", "float64", "complex64", "complex128"] as const;
/** What matrices are computed in. */
export type MatrixDType = (typeof matrixDTypes)[number];

const kernels = {
  triangle: new KernelFamily("linalg", Object.values(bySize), (type) => `triangle<${type}>`, [
    "place",
    "out",
    "i64",
    "i64",
    "i64",
    "i64",
    "i64",
    "i64",
    "i64",
    "i32",
  ]),
  markNan: new KernelFamily("linalg", matrixDTypes, (type) => `mark_nan<${type}>`, ["place", "out", "i64", "i64"]),
  checkFactors: new KernelFamily("linalg", matrixDTypes, (type) => `check_factors<${type}>`, [
    "out",
    "place",
    "out",
    "i64",
    "i64",
    "i64",
  ]),
  tellFailure: new KernelFamily("linalg", ["int32"], () => "tell_failure", ["place", "i64", "at"]),
};
const facts = kernelFacts("linalg", { looking: "kLooking" });

/** Sizes of a batch of matrices. */
export interface Matrices {
  /** The axes before the last two. */
  readonly batch: Shape;
  readonly count: number;
  readonly rows: number;
  readonly columns: number;
}

/** Throws TensorError, with the name of the operation, for what has fewer than two axes. */
export function matricesOf(name: string, { shape }: { readonly shape: Shape }): Matrices {
  if (shape.length < 2)
    throw new TensorError(
      "SHAPE",
      `${name} takes matrices, the last two axes of a tensor, but got shape ${formatShape(shape)}.`,
    );
  const batch = shape.slice(0, -2);
  return { batch, count: sizeOf(batch), rows: shape.at(-2)!, columns: shape.at(-1)! };
}

/** {@link matricesOf}; throws TensorError for matrices that are not square, too. */
export function squaresOf(name: string, x: { readonly shape: Shape }): Matrices {
  const found = matricesOf(name, x);
  if (found.rows !== found.columns)
    throw new TensorError(
      "SHAPE",
      `${name} takes square matrices, the last two axes of a tensor, but got shape ${formatShape(x.shape)}.`,
    );
  return found;
}

/** What matrices of a dtype are computed in: integers and bool in float32. Throws TensorError for others. */
export function matrixDType(name: string, { dtype }: { readonly dtype: DType }): MatrixDType {
  const { kind, isStorage } = factsOf(dtype);
  const found = kind === "complex" ? dtype : floatOf(dtype);
  const known = matrixDTypes.find((each) => each === found);
  if (known !== undefined) return known;
  throw new TensorError(
    "DTYPE",
    `${name} computes in float32 and float64, complex64 and complex128, but got ${isStorage ? `${dtype}, which only stores numbers` : dtype}: convert it with .to("float32").`,
  );
}

/** {@link matrixDType} of what takes no complex numbers. */
export function realMatrixDType(name: string, x: { readonly dtype: DType }): "float32" | "float64" {
  const found = matrixDType(name, x);
  if (found === "float32" || found === "float64") return found;
  throw new TensorError(
    "DTYPE",
    `${name} takes matrices of real numbers but got ${x.dtype}: ${adviceToCompute(x.dtype)}.`,
  );
}

/** The dtype of sizes, singular values and the like: that of the parts. */
export const sizeDType = (dtype: MatrixDType): "float32" | "float64" =>
  dtype === "complex64" ? "float32" : dtype === "complex128" ? "float64" : dtype;

/** The order of axes that turns matrices. */
export const turnedAxes = (rank: number): readonly number[] => [...Array(rank - 2).keys(), rank - 1, rank - 2];

/** A view of the transposed matrices. */
export const turned = (x: DeviceArray): DeviceArray => viewOf(x, transposed(x, turnedAxes(x.shape.length)));

/** A copy without gaps, which its owner may write to. */
export function fresh<D extends DType>(on: Execution, x: DeviceArray, dtype: D): DeviceArray<D> {
  const result = DeviceArray.allocate(on.device, dtype, x.shape);
  copy(on, result, x);
  return result;
}

/** {@link fresh}, column-major. */
export function columnMajor<D extends DType>(on: Execution, x: DeviceArray, dtype: D): DeviceArray<D> {
  using view = turned(x);
  return fresh(on, view, dtype);
}

/** Copies what is column-major to a row-major `out`. */
export function copyTurned(on: Execution, out: DeviceArray, x: DeviceArray): void {
  using view = turned(x);
  copy(on, out, view);
}

/** Elements between matrices, between rows and between columns. */
export type Steps = readonly [matrix: number, row: number, column: number];

/** Calls `use` with matrices of a dtype and how they lie: as they are where their batch has one step, else a copy. */
export function withSteps(
  on: Execution,
  x: DeviceArray,
  dtype: DType,
  use: (source: DeviceArray, steps: Steps) => void,
): void {
  const lead = x.shape.length - 2;
  const joined = merged([{ shape: x.shape.slice(0, lead), strides: x.strides.slice(0, lead), offset: 0 }]);
  const [rows, columns] = [x.shape[lead]!, x.shape[lead + 1]!];
  if (x.dtype === dtype && joined.shape.length <= 1)
    return use(x, [joined.strides[0]![0] ?? 0, x.strides[lead]!, x.strides[lead + 1]!]);
  withFlat(on, x, dtype, (flat) => use(flat, [rows * columns, columns, 1]));
}

/** Puts the triangle below and on a diagonal, or above and on it, into `out`, which has no gaps, and 0 elsewhere. */
export function triangleInto(on: Execution, out: DeviceArray, x: DeviceArray, isLower: boolean, offset = 0): void {
  if (out.size === 0) return;
  const [rows, columns] = [x.shape.at(-2)!, x.shape.at(-1)!];
  withSteps(on, x, x.dtype, (source, steps) =>
    kernels.triangle.launch(on, bySize[factsOf(out.dtype).bytes]!, blocksFor(on.device, out.size, { each: 4 }), [
      source,
      out,
      out.size,
      rows,
      columns,
      ...steps,
      offset,
      Number(isLower),
    ]),
  );
}

/** What is said of a matrix, named as the start of a sentence, that a call could not do, and in which way. */
export type Explain = (matrix: string, status: number) => TensorError;

/** A planned call for each matrix of a batch. */
export interface MatrixCall {
  /** The call with the terms of one matrix, "lu m=3 n=3". */
  readonly text: string;
  readonly dtype: DType;
  readonly places: readonly DeviceArray[];
  readonly written: readonly DeviceArray[];
  /** Of a call that can fail: the next wait for the device throws it for the first matrix. */
  readonly explain?: Explain;
}

/** Runs a call by what the library chose, which it gives. Throws DeviceError where the device has no library for it. */
export function runCall(on: Execution, { batch, count }: Matrices, call: MatrixCall): LibraryChoice {
  const { text, dtype, explain } = call;
  const places = call.places.map(({ place }) => place);
  if (count === 1) {
    const plan = LibraryPlan.obtain(on.device, `${text} type=${dtype}`);
    note(call, plan.run(on, places, [], explain && ((status) => explain(matrixNamed(batch, 0), status))));
    return plan.chosen;
  }
  const plan = LibraryPlan.obtain(on.device, `${text} batches=${count} type=${dtype}`);
  if (explain === undefined) {
    note(call, plan.run(on, places, []));
    return plan.chosen;
  }
  telling(on, { batch, count }, explain, (status) => {
    note(call, plan.run(on, [...places, status.place], []));
  });
  return plan.chosen;
}

/**
 * Calls `run` with what takes a status for each matrix: the next wait for the device throws what `explain` says of the
 * first that is not 0.
 */
export function telling(
  on: Execution,
  { batch, count }: Pick<Matrices, "batch" | "count">,
  explain: Explain,
  run: (status: DeviceArray) => void,
): void {
  on.checkRuns("check the status of");
  using status = DeviceArray.allocate(on.device, "int32", [count]);
  run(status);
  const describe = (word: bigint) => explain(matrixNamed(batch, Number(word >> 32n)), Number(BigInt.asIntN(32, word)));
  WatchedWords.of(on.device).over(on, 0n, describe, (place) =>
    kernels.tellFailure.launch(on, "int32", { grid: 1, block: threadsOf(on.device, facts().looking) }, [
      status,
      count,
      { placeLow: lowWord(place), placeHigh: highWord(place) },
    ]),
  );
}

/**
 * Has `run` make factors l · u of matrices, in their place, without a status, on a GPU: where NaN was it stays,
 * and the next wait for the device throws what `explain` says of the first matrix without a pivot.
 */
export function keepingNan(
  on: Execution,
  factors: DeviceArray,
  sizes: Matrices,
  explain: Explain | undefined,
  run: () => void,
): void {
  const { count, rows, columns } = sizes;
  const dtype = factors.dtype as MatrixDType;
  using marks = DeviceArray.allocate(on.device, "int32", [count]);
  fill(on, marks, 0);
  const blocks = blocksFor(on.device, factors.size, { each: 4 });
  kernels.markNan.launch(on, dtype, blocks, [factors, marks, factors.size, rows * columns]);
  run();
  const check = (status: DeviceArray) => checkDiagonals(on, factors, { marks, status }, sizes);
  if (explain !== undefined) return telling(on, sizes, explain, check);
  using status = DeviceArray.allocate(on.device, "int32", [count]);
  check(status);
}

/** On a GPU: the next wait for the device throws what `explain` says of the first matrix with 0 on its diagonal. */
export function tellingZeros(on: Execution, x: DeviceArray, sizes: Matrices, explain: Explain): void {
  using marks = DeviceArray.allocate(on.device, "int32", [sizes.count]);
  fill(on, marks, 0);
  telling(on, sizes, explain, (status) => checkDiagonals(on, x, { marks, status }, sizes));
}

function checkDiagonals(
  on: Execution,
  factors: DeviceArray,
  { marks, status }: Readonly<Record<"marks" | "status", DeviceArray>>,
  { count, rows, columns }: Matrices,
): void {
  kernels.checkFactors.launch(on, factors.dtype as MatrixDType, { grid: count, block: facts().looking }, [
    factors,
    marks,
    status,
    Math.min(rows, columns),
    factors.shape.at(-1)!,
    rows * columns,
  ]);
}

function note({ written }: MatrixCall, sequence: number): void {
  if (sequence > 0) for (const each of written) each.living().written(sequence, each.bytes);
}

/** "The matrix", or "Matrix [1, 0] of the batch". */
function matrixNamed(batch: Shape, index: number): string {
  if (batch.length === 0) return "The matrix";
  const strides = stridesOf(batch);
  return `Matrix ${formatShape(batch.map((size, axis) => Math.floor(index / strides[axis]!) % size))} of the batch`;
}
