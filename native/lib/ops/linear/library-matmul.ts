// Matrix products by a device's library: turns strided matrices into the terms of the call "matmul" and runs its plan.
import type { Execution } from "../../device/execution.ts";
import type { DType } from "../../memory/dtype.ts";
import type { DeviceProcess } from "../../device/process.ts";
import { LibraryPlan, type LibraryChoice, type RunPlaces } from "../../device/library-plan.ts";
import { mayTake, takes } from "../core/dispatch.ts";
import { float32Precision, type Float32Precision } from "./precision.ts";

/** A batch of matrices in a device's memory. Strides in elements; `batch` 0: all products share one matrix. */
export interface MatrixBatch {
  readonly place: number;
  readonly rows: number;
  readonly columns: number;
  readonly batch: number;
  readonly row: number;
  readonly column: number;
}

/** What factors are multiplied as. Where a library does not have it, it is more precise; sums are of float32 at least. */
export type ComputeType = Float32Precision | "float64";

/**
 * How libraries take a matrix: row-major, perhaps of its transpose, with `leading` elements from one stored row to the
 * next.
 */
interface Stored {
  readonly transposed: boolean;
  readonly leading: number;
}

const computeTypes: Partial<Record<DType, ComputeType>> = {
  float32: "float32",
  float64: "float64",
  float16: "float32",
  bfloat16: "float32",
};
const computeOf = (dtype: DType): ComputeType | undefined =>
  dtype === "float32" ? float32Precision() : computeTypes[dtype];

/** Of a tensor's memory, bytes; more is of no use to a library. */
const usualAlignment = 256;

/** `null` for strides that no library takes: such a matrix has to be copied first. */
export function storedAs({ rows, columns, row, column }: MatrixBatch): Stored | null {
  if ((column === 1 || columns <= 1) && (rows <= 1 || row >= Math.max(columns, 1)))
    return { transposed: false, leading: rows <= 1 ? Math.max(columns, 1) : row };
  if ((row === 1 || rows <= 1) && (columns <= 1 || column >= Math.max(rows, 1)))
    return { transposed: true, leading: columns <= 1 ? Math.max(rows, 1) : column };
  return null;
}

function sample(dtype: DType, compute: ComputeType): string {
  return `matmul m=64 n=64 k=64 compute=${compute} type=${dtype}`;
}

/**
 * Whether the device has a library for matrices of this dtype, so that copying them into an order that it takes is
 * worth it.
 */
export function hasLibraryMatmul(device: DeviceProcess, dtype: DType): boolean {
  const compute = computeTypes[dtype];
  return compute !== undefined && LibraryPlan.find(device, sample(dtype, compute)) !== null;
}

/**
 * The library that multiplies float32 matrices on the device. Throws DeviceError NO_LIBRARY with the way to get one.
 */
export function matmulLibrary(device: DeviceProcess): LibraryChoice {
  return LibraryPlan.obtain(device, sample("float32", "float32")).chosen;
}

function alignmentOf(place: number): number {
  const low = place % usualAlignment;
  return low === 0 ? usualAlignment : low & -low;
}

/** What is not as usual. Texts are compared at every product, so they are short. */
function termsOf(name: string, { place, batch, rows, columns }: MatrixBatch, { transposed, leading }: Stored): string {
  const alignment = alignmentOf(place);
  let terms = transposed ? ` ${name}.transposed=1` : "";
  if (leading !== Math.max(1, transposed ? rows : columns)) terms += ` ${name}.leading=${leading}`;
  if (batch !== 0) terms += ` ${name}.stride=${batch}`;
  return alignment === usualAlignment ? terms : `${terms} ${name}.alignment=${alignment}`;
}

/**
 * What is done to results on the way out, as host/matmul_terms.cc names it: with a vector, and with a matrix without
 * gaps that is kept beside the result.
 */
export interface Epilogue {
  readonly name: string;
  readonly vector?: number;
  readonly auxiliary?: number;
}

/** The terms of an epilogue, with its places. */
function epilogueOf({ name, vector, auxiliary }: Epilogue): { terms: string; places: readonly number[] } {
  const aligned = (what: string, place: number | undefined) =>
    place === undefined || alignmentOf(place) === usualAlignment ? "" : ` ${what}.alignment=${alignmentOf(place)}`;
  return {
    terms: ` epilogue=${name}${aligned("vector", vector)}${aligned("auxiliary", auxiliary)}`,
    places: [vector, auxiliary].filter((place) => place !== undefined),
  };
}

/** `batches` matrices in a row-major block without gaps are one with all their rows. */
function joined(matrix: MatrixBatch, batches: number): MatrixBatch | null {
  const { place, rows, columns, batch, row, column } = matrix;
  return column === 1 && batch === rows * row ? { place, rows: rows * batches, columns, batch: 0, row, column } : null;
}

/**
 * out[i] = a[i] · b[i] for `batches` matrices of one dtype; `out` is row-major and k is not 0. Returns the sequence (0:
 * it is kept for later), or `null` where no library of the device serves it. float16 and bfloat16 are summed in float32.
 */
export function libraryMatmul(
  on: Execution,
  dtype: DType,
  batches: number,
  out: MatrixBatch,
  a: MatrixBatch,
  b: MatrixBatch,
  compute = computeOf(dtype),
  epilogue: Epilogue | null = null,
): number | null {
  if (compute === undefined || !mayTake("matmul", "library")) return null;
  if (batches > 1 && b.batch === 0) {
    const [allOut, allA] = [joined(out, batches), joined(a, batches)];
    if (allOut !== null && allA !== null) return libraryMatmul(on, dtype, 1, allOut, allA, b, compute, epilogue);
  }
  const [storedA, storedB] = [storedAs(a), storedAs(b)];
  if (storedA === null || storedB === null) return null;
  const text =
    `matmul m=${out.rows} n=${out.columns} k=${a.columns}${batches === 1 ? "" : ` batches=${batches}`} compute=${compute} type=${dtype}` +
    termsOf("out", out, { transposed: false, leading: out.row }) +
    termsOf("a", a, storedA) +
    termsOf("b", b, storedB);
  const own = epilogue === null ? null : epilogueOf(epilogue);
  const places: RunPlaces = own === null ? [out.place, a.place, b.place] : [out.place, a.place, b.place, ...own.places];
  const scalars = [1, 0];
  const plan = LibraryPlan.find(on.device, own === null ? text : text + own.terms, { places, scalars });
  if (plan === null) return null;
  takes(on, "matmul", "library", plan.chosen);
  return plan.run(on, places, scalars);
}
