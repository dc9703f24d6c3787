// Fourier transforms of complex numbers along one axis by the library's own kernels: as a chain of passes, or where the
// length has a large prime factor as a convolution (Bluestein 1970, "A linear filtering approach to the computation of
// discrete Fourier transform").
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import { blocksFor } from "../kernels/blocks.ts";
import { KernelFamily } from "../kernels/library.ts";
import {
  chainOf,
  isSmooth,
  partDTypes,
  runChain,
  smoothFrom,
  tableOf,
  writeRoots,
  type PartDType,
  type Problem,
} from "./chain.ts";
import { goesByRows, rowBlocks, rowsAtOnce } from "./rows.ts";

const kernels = {
  begin: new KernelFamily("fft", partDTypes, (type) => `fft_begin<${type}>`, [
    "place",
    "out",
    "place",
    "i64",
    "i64",
    "i64",
    "i64",
    "i32",
  ]),
  chirp: new KernelFamily("fft", partDTypes, (type) => `fft_chirp<${type}>`, ["place", "out", "i64", "i64"]),
  multiply: new KernelFamily("fft", partDTypes, (type) => `fft_multiply<${type}>`, [
    "out",
    "place",
    "i64",
    "i64",
    "i64",
  ]),
  convolve: new KernelFamily("fft", partDTypes, (type) => `fft_convolve<${type}>`, [
    "struct",
    "place",
    "out",
    "out",
    "place",
    "place",
    "place",
    "i64",
    "i64",
    "f64",
    "i32",
  ]),
  end: new KernelFamily("fft", partDTypes, (type) => `fft_end<${type}>`, [
    "place",
    "out",
    "place",
    "i64",
    "i64",
    "i64",
    "i64",
    "f64",
    "i32",
  ]),
  scale: new KernelFamily("fft", partDTypes, (type) => `fft_scale<${type}>`, [
    "place",
    "out",
    "i64",
    "i64",
    "i64",
    "f64",
    "f64",
    "i32",
  ]),
};

/** Which elements of rows of `width` are at the ends of real numbers' transforms of length `n`, and what others are multiplied by. */
export interface Inside {
  readonly width: number;
  readonly n: number;
  readonly inside: number;
  readonly conjugates?: boolean;
}
const everywhere: Inside = { width: 1, n: 1, inside: 1 };

/** Complex numbers times `scale`, and those that are not at the ends of their rows times `inside` too. */
export function scaleInto(
  on: Execution,
  dtype: PartDType,
  out: DeviceArray,
  x: DeviceArray,
  count: number,
  scale: number,
  { width, n, inside, conjugates = false }: Inside = everywhere,
): void {
  const args = [x, out, count, width, n, scale, inside, Number(conjugates)];
  kernels.scale.launch(on, dtype, blocksFor(on.device, count), args);
}

/** `out`, which may be `x`, gets the transforms; both are complex numbers without gaps. */
export function complexFft(
  on: Execution,
  dtype: PartDType,
  out: DeviceArray,
  x: DeviceArray,
  problem: Problem,
  isInverse: boolean,
  scale: number,
): void {
  const { outer, n, inner } = problem;
  if (n === 1) return scaleInto(on, dtype, out, x, outer * inner, scale);
  if (!isSmooth(n)) return convolved(on, dtype, out, x, problem, isInverse, scale);
  const chain = chainOf(on, dtype, problem, { isInverse, scale });
  if (chain.lengths.length > 1 && rowsAtOnce(on, dtype, chain, out, x, "complex")) return;
  runChain(on, dtype, chain, out, x);
}

function convolved(
  on: Execution,
  dtype: PartDType,
  out: DeviceArray,
  x: DeviceArray,
  { outer, n, inner }: Problem,
  isInverse: boolean,
  scale: number,
): void {
  const m = smoothFrom(2 * n - 1);
  const blocks = (count: number) => blocksFor(on.device, count, { serial: 4096 });
  const chirp = tableOf(on, dtype, `chirp ${n}`, n, (now, table) =>
    writeRoots(now, dtype, table, 0, { first: 0, rows: 1, columns: n, n: 2 * n, isSquared: true }),
  );
  const factors = tableOf(on, dtype, `chirp ${n} over ${m}`, m, (now, table) => {
    kernels.chirp.launch(now, dtype, blocks(m), [chirp, table, n, m]);
    const chain = chainOf(now, dtype, { outer: 1, n: m, inner: 1 }, { isInverse: false, scale: 1 });
    runChain(now, dtype, chain, table, table);
  });
  if (goesByRows(on, { outer, n: m, inner })) {
    const grid = rowBlocks(on, outer, m);
    const chain = chainOf(on, dtype, { outer: 1, n: m, inner: 1 }, { isInverse: false, scale: 1 });
    using scratch = DeviceArray.allocate(on.device, dtype, [4 * m * grid]);
    const places = [chain.words, x, out, scratch, chain.table, chirp, factors];
    const args = [...places, outer, n, scale, Number(isInverse)];
    return kernels.convolve.launch(on, dtype, { grid, block: 1 }, args);
  }
  const problem = { outer, n: m, inner };
  using work = DeviceArray.allocate(on.device, dtype, [2 * outer * m * inner]);
  kernels.begin.launch(on, dtype, blocks(outer * m * inner), [x, work, chirp, outer, n, m, inner, Number(isInverse)]);
  runChain(on, dtype, chainOf(on, dtype, problem, { isInverse: false, scale: 1 }), work, work);
  kernels.multiply.launch(on, dtype, blocks(outer * m * inner), [work, factors, outer, m, inner]);
  runChain(on, dtype, chainOf(on, dtype, problem, { isInverse: true, scale: 1 / m }), work, work);
  const args = [work, out, chirp, outer, n, m, inner, scale, Number(isInverse)];
  kernels.end.launch(on, dtype, blocks(outer * n * inner), args);
}
