// Fourier transforms of rows of real numbers, and to them, by the library's own kernels: where the length is even by a
// complex one of half the length (Press et al., "Numerical Recipes", 12.3), else by one of the whole.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import { blocksFor } from "../kernels/blocks.ts";
import { KernelFamily } from "../kernels/library.ts";
import { chainOf, isSmooth, partDTypes, runChain, type PartDType } from "./chain.ts";
import { complexFft } from "./complex-fft.ts";
import { rowsAtOnce } from "./rows.ts";

const kernels = {
  unpack: new KernelFamily("fft", partDTypes, (type) => `fft_unpack<${type}>`, [
    "out",
    "place",
    "i64",
    "i64",
    "i64",
    "f64",
    "i32",
  ]),
  pack: new KernelFamily("fft", partDTypes, (type) => `fft_pack<${type}>`, [
    "place",
    "out",
    "place",
    "i64",
    "i64",
    "i64",
    "f64",
    "i32",
  ]),
  convert: new KernelFamily("fft", partDTypes, (type) => `fft_convert<${type}>`, [
    "place",
    "out",
    "i64",
    "i64",
    "i32",
    "f64",
    "i32",
  ]),
};

/** What fft_convert does. */
const conversions = { halve: 0, mirror: 1, widen: 2, realParts: 3 } as const;

/** Rows of `n` real numbers and of n/2 + 1 complex ones. */
export interface RealProblem {
  readonly rows: number;
  readonly n: number;
  readonly scale: number;
  /** What complex numbers are multiplied by that stand for two, but at the ends. */
  readonly inside: number;
  /** The complex numbers are those of the other direction. */
  readonly conjugates: boolean;
}

const hasHalves = (n: number) => n % 2 === 0 && n > 2 && isSmooth(n / 2);

/** The transforms of real rows, the half of each that the other half follows from. */
export function realFft(on: Execution, dtype: PartDType, out: DeviceArray, x: DeviceArray, problem: RealProblem): void {
  const { rows, n, scale, inside, conjugates } = problem;
  const { device } = on;
  if (!hasHalves(n)) {
    using whole = DeviceArray.allocate(device, dtype, [2 * rows * n]);
    const blocks = blocksFor(device, rows * n);
    kernels.convert.launch(on, dtype, blocks, [x, whole, rows, n, conversions.widen, 1, 0]);
    complexFft(on, dtype, whole, whole, { outer: rows, n, inner: 1 }, false, scale);
    const args = [whole, out, rows, n, conversions.halve, inside, Number(conjugates)];
    return kernels.convert.launch(on, dtype, blocks, args);
  }
  const half = n / 2;
  const way = { isInverse: false, scale, readRows: half, writeRows: half + 1, hasHalves: true };
  const chain = chainOf(on, dtype, { outer: rows, n: half, inner: 1 }, way);
  if (rowsAtOnce(on, dtype, chain, out, x, "fromReal", problem)) return;
  runChain(on, dtype, chain, out, x);
  const args = [out, chain.table, chain.halves, rows, half, inside, Number(conjugates)];
  kernels.unpack.launch(on, dtype, blocksFor(device, (rows * n) / 4), args);
}

/** Real rows from the halves of their transforms, without a factor; the imaginary parts of the ends count as 0. */
export function realInverse(
  on: Execution,
  dtype: PartDType,
  out: DeviceArray,
  x: DeviceArray,
  problem: RealProblem,
): void {
  const { rows, n, scale, inside, conjugates } = problem;
  const { device } = on;
  if (!hasHalves(n)) {
    using whole = DeviceArray.allocate(device, dtype, [2 * rows * n]);
    const blocks = blocksFor(device, rows * n);
    const args = [x, whole, rows, n, conversions.mirror, inside, Number(conjugates)];
    kernels.convert.launch(on, dtype, blocks, args);
    complexFft(on, dtype, whole, whole, { outer: rows, n, inner: 1 }, true, scale);
    return kernels.convert.launch(on, dtype, blocks, [whole, out, rows, n, conversions.realParts, 1, 0]);
  }
  const half = n / 2;
  const problemOfHalf = { outer: rows, n: half, inner: 1 };
  const chain = chainOf(on, dtype, problemOfHalf, { isInverse: true, scale, readRows: half + 1, hasHalves: true });
  if (rowsAtOnce(on, dtype, chain, out, x, "toReal", problem)) return;
  using packed = DeviceArray.allocate(device, dtype, [rows * n]);
  const args = [x, packed, chain.table, chain.halves, rows, half, inside, Number(conjugates)];
  kernels.pack.launch(on, dtype, blocksFor(device, (rows * n) / 4), args);
  runChain(on, dtype, { ...chain, readRows: half }, out, packed);
}
