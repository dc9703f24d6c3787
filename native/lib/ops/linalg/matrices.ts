// Batches of matrices, the last two axes of arrays, as the planned calls of linear algebra take them: column-major and
// without gaps, which is row-major of the transposes; and what is said of one that a call could not do.
import type { Execution } from "../../device/execution.ts";
import { LibraryPlan } from "../../device/library-plan.ts";
import { WatchedWords } from "../../device/watched-words.ts";
import { TensorError } from "../../errors.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { adviceToCompute, factsOf, type DType } from "../../memory/dtype.ts";
import { floatOf } from "../../memory/promotion.ts";
import { formatShape, merged, sizeOf, stridesOf, transposed, type Shape } from "../../memory/shape.ts";
import { highWord, lowWord } from "../../wire/long.ts";
import { bySize, contiguous, copy } from "../shape/copy.ts";
import { blocksFor, threadsOf } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";

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

export type MatrixDType = "float32" | "float64";

/** What matrices of a dtype are computed in: integers and bool in float32. Throws TensorError for others. */
export function matrixDType(name: string, { dtype }: { readonly dtype: DType }): MatrixDType {
  const found = floatOf(dtype);
  if (found === "float32" || found === "float64") return found;
  const { kind, isStorage } = factsOf(dtype);
  throw new TensorError(
    "DTYPE",
    `${name} computes in float32 and float64 but got ${isStorage && kind !== "complex" ? `${dtype}, which only stores numbers` : dtype}: ${kind === "complex" ? adviceToCompute(dtype) : 'convert it with .to("float32")'}.`,
  );
}

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

/** Puts the triangle below and on a diagonal, or above and on it, into `out`, which has no gaps, and 0 elsewhere. */
export function triangleInto(on: Execution, out: DeviceArray, x: DeviceArray, isLower: boolean, offset = 0): void {
  if (out.size === 0) return;
  const lead = x.shape.length - 2;
  const joined = merged([{ shape: x.shape.slice(0, lead), strides: x.strides.slice(0, lead), offset: 0 }]);
  using source = joined.shape.length <= 1 ? viewOf(x, x) : contiguous(on, x);
  const [rows, columns] = [x.shape[lead]!, x.shape[lead + 1]!];
  const step = source.isContiguous ? rows * columns : (joined.strides[0]![0] ?? 0);
  kernels.triangle.launch(on, bySize[factsOf(out.dtype).bytes]!, blocksFor(on.device, out.size, { each: 4 }), [
    source,
    out,
    out.size,
    rows,
    columns,
    step,
    source.strides[lead]!,
    source.strides[lead + 1]!,
    offset,
    Number(isLower),
  ]);
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

/** Runs a call. Throws DeviceError where the device has no library for it. */
export function runCall(on: Execution, { batch, count }: Matrices, call: MatrixCall): void {
  const { text, dtype, explain } = call;
  const places = call.places.map(({ place }) => place);
  if (count === 1) {
    const plan = LibraryPlan.obtain(on.device, `${text} type=${dtype}`);
    return note(call, plan.run(on, places, [], explain && ((status) => explain(matrixNamed(batch, 0), status))));
  }
  const plan = LibraryPlan.obtain(on.device, `${text} batches=${count} type=${dtype}`);
  if (explain === undefined) return note(call, plan.run(on, places, []));
  on.checkRuns("check the status of");
  using status = DeviceArray.allocate(on.device, "int32", [count]);
  note(call, plan.run(on, [...places, status.place], []));
  const describe = (word: bigint) => explain(matrixNamed(batch, Number(word >> 32n)), Number(BigInt.asIntN(32, word)));
  WatchedWords.of(on.device).over(on, 0n, describe, (place) =>
    kernels.tellFailure.launch(on, "int32", { grid: 1, block: threadsOf(on.device, facts().looking) }, [
      status,
      count,
      { placeLow: lowWord(place), placeHigh: highWord(place) },
    ]),
  );
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
