// Matrices of up to 64 rows, factorised and solved with by our own kernels (device/ops/small_matrices.cu): a thread, a
// warp's lanes or two warps have a matrix each.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { mayTake, refusal, takes } from "../core/dispatch.ts";
import { onDevice, type Blocks, type ByBlock } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily, type LibraryArgument, type ParameterKind } from "../kernels/library.ts";
import { telling, withSteps, type Explain, type Matrices, type MatrixDType } from "./matrices.ts";

/** Rows that kernels are made for; a matrix goes to the first that has room for it. */
const rooms = [8, 16, 32, 64] as const;
type Kernel = "cholesky" | "lu" | "lu_solve" | "triangular_solve";
const steps: readonly ParameterKind[] = ["i64", "i64", "i64"];
const kinds: Readonly<Record<Kernel, readonly ParameterKind[]>> = {
  cholesky: ["place", "out", "out", "i64", "i32", ...steps],
  lu: ["place", "out", "out", "out", "i64", "i32", ...steps],
  lu_solve: ["place", "place", "place", "out", "i64", "i32", "i64", ...steps, "i32"],
  triangular_solve: ["place", "place", "out", "i64", "i32", "i64", ...steps, ...steps, "i32", "i32", "i32"],
};
const families = Object.fromEntries(
  Object.entries(kinds).map(([name, parameters]) => [
    name,
    rooms.map(
      (room) =>
        new KernelFamily(
          "small_matrices",
          ["float32", "float64"],
          (type) => `small_${name}<${type}, ${room}>`,
          parameters,
        ),
    ),
  ]),
) as unknown as Readonly<Record<Kernel, readonly KernelFamily[]>>;
const facts = kernelFacts("small_matrices", { mostRows: "kMostRows", threads: "kThreads", sides: "kSides" });

/** The most rows of which the kernels are faster than the device's library: of few matrices, and from `from` on. */
interface FasterRows {
  readonly few: number;
  readonly many: number;
  readonly from: number;
}

/** Measured beside OpenBLAS on two cores, and beside cuSOLVER and cuBLAS on an H200, in float32 and float64. */
const fasterRows: Readonly<Record<Kernel, ByBlock<FasterRows>>> = {
  cholesky: { serial: { few: 32, many: 8, from: 2 }, threads: { few: 48, many: 64, from: 2 } },
  lu: { serial: { few: 32, many: 16, from: 2 }, threads: { few: 64, many: 64, from: 2 } },
  lu_solve: { serial: { few: 32, many: 32, from: 2 }, threads: { few: 4, many: 16, from: 4096 } },
  triangular_solve: { serial: { few: 32, many: 8, from: 2 }, threads: { few: 4, many: 8, from: 4096 } },
};

/** Whether a kernel is to do it; else the library may. Throws TensorError where the path that was named does neither. */
export function isForKernel(on: Execution, kernel: Kernel, { rows, count }: Matrices, dtype: DType): boolean {
  if (!mayTake("linalg", "kernel")) return false;
  const isTold = !mayTake("linalg", "library");
  if (factsOf(dtype).kind === "complex") {
    if (isTold) throw refusal("linalg");
    return false;
  }
  const { few, many, from } = onDevice(on.device, fasterRows[kernel]);
  const isTaken = rows <= (isTold ? facts().mostRows : count < from ? few : many);
  if (isTold && !isTaken) throw refusal("linalg");
  if (isTaken) takes(on, "linalg", "kernel");
  return isTaken;
}

/** `sides`: right-hand sides, 1 where there are none. */
function launch(
  on: Execution,
  kernel: Kernel,
  dtype: MatrixDType,
  { rows, count }: Matrices,
  sides: number,
  args: readonly LibraryArgument[],
): void {
  if (rows * count * sides === 0) return;
  const which = rooms.findIndex((room) => room >= rows);
  families[kernel][which]!.launch(on, dtype, blocksOf(on, rooms[which]!, rows, count, sides), args);
}

const warp = 32;
/** Multiplications and additions of a block of one thread. */
const serialWork = 2 ** 16;

function blocksOf(on: Execution, room: number, rows: number, count: number, sides: number): Blocks {
  const { threads, sides: together } = facts();
  const block = room > warp ? room : threads;
  return onDevice<Blocks>(on.device, {
    serial: { grid: Math.ceil(count / Math.max(1, Math.floor(serialWork / (rows * rows * sides)))), block: 1 },
    threads: { grid: Math.ceil((count * Math.ceil(sides / together)) / (block / room)), block },
  });
}

/** Fills `out` with factors l, 0 above their diagonals. */
export function smallCholesky(
  on: Execution,
  out: DeviceArray,
  x: DeviceArray,
  sizes: Matrices,
  explain: Explain,
): void {
  const dtype = out.dtype as MatrixDType;
  withSteps(on, x, dtype, (source, at) =>
    telling(on, sizes, explain, (status) =>
      launch(on, "cholesky", dtype, sizes, 1, [source, out, status, sizes.count, sizes.rows, ...at]),
    ),
  );
}

/** Fills `factors` and `pivots`; without `explain` a matrix without a pivot is none the worse. */
export function smallFactors(
  on: Execution,
  { factors, pivots }: { readonly factors: DeviceArray; readonly pivots: DeviceArray },
  x: DeviceArray,
  sizes: Matrices,
  explain: Explain | undefined,
): void {
  const dtype = factors.dtype as MatrixDType;
  const run = (source: DeviceArray, at: readonly number[], status: DeviceArray | null) =>
    launch(on, "lu", dtype, sizes, 1, [source, factors, pivots, status, sizes.count, sizes.rows, ...at]);
  withSteps(on, x, dtype, (source, at) =>
    explain === undefined ? run(source, at, null) : telling(on, sizes, explain, (status) => run(source, at, status)),
  );
}

/** Fills `out` with x of a · x = b, or aᵀ · x = b, by the factors of a; `b`: null for a unit matrix. */
export function smallFactored(
  on: Execution,
  out: DeviceArray,
  { factors, pivots }: { readonly factors: DeviceArray; readonly pivots: DeviceArray },
  b: DeviceArray | null,
  isTransposed: boolean,
  sizes: Matrices,
): void {
  const dtype = out.dtype as MatrixDType;
  const { count, rows } = sizes;
  const sides = out.shape.at(-1)!;
  const run = (source: DeviceArray | null, at: readonly number[]) =>
    launch(on, "lu_solve", dtype, sizes, sides, [
      factors,
      pivots,
      source,
      out,
      count,
      rows,
      sides,
      ...at,
      Number(isTransposed),
    ]);
  if (b === null) run(null, [0, 0, 0]);
  else withSteps(on, b, dtype, run);
}

/** Fills `out` with x of a · x = b, or aᵀ · x = b, for one triangle of a. */
export function smallTriangular(
  on: Execution,
  out: DeviceArray,
  a: DeviceArray,
  b: DeviceArray,
  { upper, transposed, unit }: { readonly upper: boolean; readonly transposed: boolean; readonly unit: boolean },
  sizes: Matrices,
): void {
  const dtype = out.dtype as MatrixDType;
  const sides = out.shape.at(-1)!;
  const flags = [upper, transposed, unit].map(Number);
  withSteps(on, a, dtype, (matrix, atMatrix) =>
    withSteps(on, b, dtype, (source, at) =>
      launch(on, "triangular_solve", dtype, sizes, sides, [
        matrix,
        source,
        out,
        sizes.count,
        sizes.rows,
        sides,
        ...atMatrix,
        ...at,
        ...flags,
      ]),
    ),
  );
}
