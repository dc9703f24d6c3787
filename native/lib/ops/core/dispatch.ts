// Which of its ways an operation took last, and which one it is told to take.
import type { Execution } from "../../device/execution.ts";
import type { LibraryChoice } from "../../device/library-plan.ts";
import { TensorError } from "../../errors.ts";
import { Scoped } from "../../scoped.ts";
import { worded } from "../../wording.ts";

/** The paths of operations that have several, with what each is, in the order in which they are tried. */
const paths = {
  attention: {
    decoding: "few queries over many keys, which are read once and shared by blocks",
    library:
      "16-bit elements by cuDNN, forward where it was measured to be faster for these sizes; backward only where it is named, since it adds up gradients of queries in another order each time",
    wgmma:
      "16-bit elements on Hopper's tensor cores: warp groups multiply while another copies; a function of scores or a mask by function is compiled into it",
    mma: "16-bit elements on tensor cores, each warp for itself; with a function compiled into it where Hopper's do not take it, as with a layout of blocks",
    tf32: 'float32 on tensor cores: a factor as two numbers of 11 bits, or as one with setFloat32Precision("tf32")',
    generic: "every dtype, width and mask on every device",
    compiled: "the generic one with a function of scores or a mask by function in it, compiled when it is first called",
  },
  convolution: {
    depthwise: "a group for each channel, without sums over channels",
    pointwise: "windows of one element, as one matrix product",
    library: "cuDNN's choice for these sizes, measured once; OpenBLAS over blocks of columns on the CPU",
    patches: "windows as columns and a matrix product, on every device",
  },
  fft: {
    library: "cuFFT's plan for these sizes",
    kernel: "every length and device, by passes of small primes; others as convolutions",
  },
  linalg: {
    kernel: "up to 64 rows: on a GPU lanes of a warp, or two warps, have each matrix of a batch",
    library: "any number of rows, by cuSOLVER and cuBLAS, on the CPU by LAPACK",
  },
  matmul: {
    rows: "up to four rows or columns on a GPU, of floats of 16 and 32 bits: each warp reads rows of the matrix once",
    library: "floats by cuBLASLt's choice for these sizes, measured once; by OpenBLAS on the CPU",
    kernel: "every device and dtype, in tiles",
  },
  quantizedMatmul: {
    tensorCores: "up to 16 rows of 16-bit floats: codes become integers of 16 bits on the way to a GPU's tensor cores",
    packs: "up to 16 rows: codes are read 16 bytes at a time, of which all have one scale",
    anywhere: "up to 16 rows: codes in groups of any size",
    floats: "any number of rows: the matrix is written in floats first",
  },
  scaledMatmul: {
    library: "cuBLASLt's choice for these sizes and scales, measured once",
    floats: "every device: both matrices are written in float32 first",
  },
} as const;

/** Operations that have several paths. */
export type DispatchedOperation = keyof typeof paths;
/** The names of an operation's paths. */
export type PathOf<O extends DispatchedOperation> = keyof (typeof paths)[O] & string;

/** Which way an operation took. */
export interface Dispatch {
  readonly operation: DispatchedOperation;
  /** The path's name, as {@link setPath} takes it. */
  readonly path: string;
  /** What it is. */
  readonly what: string;
  /** Such as "cuda:0". */
  readonly device: string;
  /** The library that computed, with its version and the algorithm that it chose, or `null`. */
  readonly library: LibraryChoice | null;
}

interface Taken {
  path: string;
  on: Execution | null;
  library: LibraryChoice | null;
  /** How many were before it. */
  order: number;
}

const operations = Object.keys(paths) as DispatchedOperation[];
const taken = Object.fromEntries(
  operations.map((name) => [name, { path: "", on: null, library: null, order: 0 } as Taken]),
) as Record<DispatchedOperation, Taken>;
const told = Object.fromEntries(operations.map((name) => [name, new Scoped<string | null>(null)])) as Record<
  DispatchedOperation,
  Scoped<string | null>
>;
let count = 0;

/** Whether nobody has named another path. */
export function mayTake<O extends DispatchedOperation>(operation: O, path: PathOf<O>): boolean {
  const only = told[operation].current;
  return only === null || only === path;
}

/** Whether somebody has named it. */
export function isNamed<O extends DispatchedOperation>(operation: O, path: PathOf<O>): boolean {
  return told[operation].current === path;
}

/** Notes the path that an operation takes. Written in place, since every product does it. */
export function takes<O extends DispatchedOperation>(
  on: Execution,
  operation: O,
  path: PathOf<O>,
  library: LibraryChoice | null = null,
): void {
  const noted = taken[operation];
  noted.path = path;
  noted.on = on;
  noted.library = library;
  noted.order = ++count;
}

/** What to throw where the path that was named does not serve a call. */
export function refusal(operation: DispatchedOperation): TensorError {
  const named = told[operation].current!;
  return new TensorError(
    "PATH",
    `${operation} is told to take the path ${JSON.stringify(named)}, which does not take this call. It is for ${(paths[operation] as Record<string, string>)[named]!}. Name another of ${Object.keys(paths[operation]).join(", ")} with setPath, or dispose of what it returned.`,
  );
}

function checkOperation(name: string, operation: unknown): void {
  if (!operations.includes(operation as DispatchedOperation))
    throw new TensorError(
      "ARGUMENTS",
      `${name} takes an operation with several paths, ${operations.join(", ")}, but got ${worded(operation)}.`,
    );
}

/**
 * Which path the last attention, convolution, Fourier transform, matrix product of any kind, or Cholesky, LU or
 * triangular part of linear algebra ("linalg") took, of `operation` alone where it is named; `null` before the first. A
 * convolution or an attention may have matrix products within it.
 * @example
 * ones([2, 2]).matmul(ones([2, 2]));
 * lastDispatch("matmul")?.path; // → 'library'
 */
export function lastDispatch(operation?: DispatchedOperation): Dispatch | null {
  if (operation !== undefined) checkOperation("lastDispatch", operation);
  const of = operation === undefined ? operations : [operation];
  const name = of.reduce((a, b) => (taken[a].order >= taken[b].order ? a : b));
  const { path, on, library } = taken[name];
  if (on === null) return null;
  return {
    operation: name,
    path,
    what: (paths[name] as Record<string, string>)[path]!,
    device: on.device.name,
    library,
  };
}

/**
 * Has an operation take one of its paths: attention "decoding", "library", "wgmma", "mma", "tf32", "generic" or "compiled", convolution "depthwise",
 * "pointwise", "library" or "patches", fft and linalg "library" or "kernel", in both directions; matmul "rows", "library" or "kernel"; matmul with a
 * quantised matrix ("quantizedMatmul") "tensorCores", "packs", "anywhere" or "floats", scaledMatmul "library" or
 * "floats". It holds until what is returned is disposed of, which `using` does at the end of a block; an operation that
 * its path does not serve is then a TensorError.
 * @example
 * const slow = setPath("matmul", "kernel");
 * ones([2, 2]).matmul(ones([2, 2])); // → tensor([[2, 2], [2, 2]], shape [2, 2], float32, cpu)
 * lastDispatch("matmul")?.what; // → 'every device and dtype, in tiles'
 * slow[Symbol.dispose]();
 */
export function setPath<O extends DispatchedOperation>(operation: O, path: PathOf<O>): Disposable {
  checkOperation("setPath", operation);
  if (!Object.hasOwn(paths[operation], path))
    throw new TensorError(
      "ARGUMENTS",
      `${operation} has the paths ${Object.keys(paths[operation]).join(", ")} but got ${worded(path)}.`,
    );
  return told[operation].begin(path);
}
