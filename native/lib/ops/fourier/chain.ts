// Chains of passes (device/include/warpcell/fft/chain.cuh) for lengths with small prime factors: how a length is split,
// the tables of roots of unity, kept for each device, and `struct Chain` for a launch.
import type { Execution } from "../../device/execution.ts";
import type { DeviceProcess } from "../../device/process.ts";
import { DeviceArray } from "../../memory/array.ts";
import { putLong } from "../../wire/long.ts";
import { blocksFor, onDevice, threadsOf, type Blocks } from "../kernels/blocks.ts";
import { kernelFacts, offsetIn } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";

/** What transforms are computed in. */
export type PartDType = "float32" | "float64";
export const partDTypes: readonly PartDType[] = ["float32", "float64"];

const rootKernel = new KernelFamily("fft", partDTypes, (type) => `fft_roots<${type}>`, [
  "out",
  "i64",
  "i64",
  "i64",
  "i64",
  "i64",
  "i32",
]);
const passKernel = new KernelFamily("fft", partDTypes, (type) => `fft_pass<${type}>`, [
  "struct",
  "i32",
  "place",
  "out",
  "place",
  "i64",
  "i64",
]);

export const fftFacts = kernelFacts("fft", {
  mostPasses: "kMostPasses",
  mostPoints: "kMostPoints",
  threads: "kFftThreads",
  tile: "kFftTile",
  bytes: "sizeof(Chain)",
  passBytes: "sizeof(Pass)",
  m: offsetIn("Pass", "m"),
  l: offsetIn("Pass", "l"),
  s: offsetIn("Pass", "s"),
  roots: offsetIn("Pass", "roots"),
  twiddles: offsetIn("Pass", "twiddles"),
  radices: offsetIn("Pass", "radices"),
  count: offsetIn("Chain", "count"),
  outer: offsetIn("Chain", "outer"),
  readRows: offsetIn("Chain", "read_rows"),
  writeRows: offsetIn("Chain", "write_rows"),
  lanes: offsetIn("Chain", "lanes"),
  scale: offsetIn("Chain", "scale"),
  isInverse: offsetIn("Chain", "is_inverse"),
});

/** Primes that butterflies are made for. */
const primes = [2, 3, 5, 7, 11, 13] as const;

function withoutSmall(n: number): number {
  for (const prime of primes) while (n % prime === 0) n /= prime;
  return n;
}
/** Whether a length is a product of small primes. */
export const isSmooth = (n: number): boolean => withoutSmall(n) === 1;

/** The least length from `least` on that is a power of 2, or 3 or 5 times one. */
export const smoothFrom = (least: number): number =>
  Math.min(...[1, 3, 5].map((odd) => odd * 2 ** Math.max(0, Math.ceil(Math.log2(least / odd)))));

/** A length as a product of as few factors as can be, of about one size and at most `most` each. */
export function splitLength(n: number, most: number): readonly number[] {
  for (let count = 1; ; count++) {
    const found = splitInto(n, count, most);
    if (found !== null) return found;
  }
}

function splitInto(n: number, count: number, most: number): readonly number[] | null {
  if (count === 1) return n <= most ? [n] : null;
  if (n > most ** count) return null;
  const wanted = n ** (1 / count);
  const divisors = Array.from({ length: most - 1 }, (_, at) => at + 2).filter((each) => n % each === 0);
  divisors.sort((a, b) => Math.abs(Math.log(a / wanted)) - Math.abs(Math.log(b / wanted)));
  for (const divisor of divisors) {
    const rest = splitInto(n / divisor, count - 1, most);
    if (rest !== null) return [divisor, ...rest];
  }
  return null;
}

/** The radices of a pass: eights, with fours where twos are left over. */
function radicesOf(m: number): readonly number[] {
  const found: number[] = [];
  for (const prime of primes.slice(1)) for (; m % prime === 0; m /= prime) found.push(prime);
  while (m % 8 === 0 && m !== 16) {
    found.unshift(8);
    m /= 8;
  }
  while (m % 4 === 0) {
    found.unshift(4);
    m /= 4;
  }
  if (m === 2) found.push(2);
  return found;
}

interface Tables {
  readonly known: Map<string, DeviceArray>;
  bytes: number;
}
const tables = new WeakMap<DeviceProcess, Tables>();
/** Most bytes of tables that a device keeps; those that were made first go. */
const mostBytes = 128 * 2 ** 20;

/**
 * The table of roots of unity of a name, made by `make` in `count` complex numbers where there is none: at once, also
 * where `on` keeps what is written for later.
 */
export function tableOf(
  on: Execution,
  dtype: PartDType,
  name: string,
  count: number,
  make: (now: Execution, table: DeviceArray) => void,
): DeviceArray {
  const { device } = on;
  let own = tables.get(device);
  if (own === undefined) tables.set(device, (own = { known: new Map(), bytes: 0 }));
  const key = dtype + name;
  const table = own.known.get(key) ?? added(on, dtype, own, key, count, make);
  if (on.target.runsLater) on.target.keep(table);
  return table;
}

function added(
  on: Execution,
  dtype: PartDType,
  own: Tables,
  key: string,
  count: number,
  make: (now: Execution, table: DeviceArray) => void,
): DeviceArray {
  const { device } = on;
  const table = DeviceArray.allocate(device, dtype, [2 * count]);
  make(device.execution, table);
  // Other streams do not wait for the first one.
  if (on !== device.execution) device.execution.synchronize();
  own.known.set(key, table);
  own.bytes += table.bytes;
  for (const [each, { bytes }] of own.known) {
    if (own.bytes <= mostBytes || each === key) break;
    // What still reads it has its memory until it is done, and what keeps it for later has it for itself.
    own.known.delete(each);
    own.bytes -= bytes;
  }
  return table;
}

/** Roots of unity of order `n`, see fft_roots. */
interface Roots {
  readonly first: number;
  readonly rows: number;
  readonly columns: number;
  readonly n: number;
  readonly isSquared?: boolean;
}

/** Fills `table` from the complex number `offset` on. */
export function writeRoots(on: Execution, dtype: PartDType, table: DeviceArray, offset: number, roots: Roots): void {
  const { first, rows, columns, n, isSquared = false } = roots;
  rootKernel.launch(on, dtype, blocksFor(on.device, rows * columns, { serial: 2048 }), [
    table,
    offset,
    first,
    rows,
    columns,
    n,
    Number(isSquared),
  ]);
}

/** Transforms of `n` points along the middle of [outer, n, inner]. */
export interface Problem {
  readonly outer: number;
  readonly n: number;
  readonly inner: number;
}
/** Beside them: complex numbers from row to row where that is not `n · inner`. */
export interface Way {
  readonly isInverse: boolean;
  readonly scale: number;
  readonly readRows?: number;
  readonly writeRows?: number;
  /** The table also has exp(−2πi·k/2n) for k up to n/2. */
  readonly hasHalves?: boolean;
}

/** What a chain is but for its table. */
interface Layout {
  readonly words: Uint32Array;
  /** Of each pass. */
  readonly lengths: readonly number[];
  readonly readRows: number;
  readonly writeRows: number;
  /** Where the table has what {@link Way.hasHalves} says. */
  readonly halves: number;
  readonly points: number;
  readonly roots: readonly (Roots & { readonly offset: number })[];
}
/** A chain, ready for launches. */
export interface Chain extends Layout {
  readonly problem: Problem;
  readonly table: DeviceArray;
}

const layouts = new Map<string, Layout>();
/** Most layouts that are kept: some words each. */
const mostLayouts = 4096;

/** The chain of a length that {@link isSmooth}, and not 1. */
export function chainOf(on: Execution, dtype: PartDType, problem: Problem, way: Way): Chain {
  const { outer, n, inner } = problem;
  const { isInverse, scale, readRows = n * inner, writeRows = n * inner, hasHalves = false } = way;
  const most = mostOf(on, problem);
  const key = `${most} ${outer} ${n} ${inner} ${isInverse} ${scale} ${readRows} ${writeRows} ${hasHalves}`;
  let layout = layouts.get(key);
  if (layout === undefined) {
    if (layouts.size >= mostLayouts) layouts.clear();
    layouts.set(key, (layout = layoutOf(problem, { isInverse, scale, readRows, writeRows, hasHalves }, most)));
  }
  const { lengths, points, roots } = layout;
  const table = tableOf(on, dtype, `${lengths.join("·")}${hasHalves ? " halves" : ""}`, points, (now, array) => {
    for (const { offset, ...each } of roots) writeRoots(now, dtype, array, offset, each);
  });
  return { ...layout, problem, table };
}

/** Transforms that fill the lanes of a core's vectors, or half of them. */
const manyRows = 8;
/**
 * Most points of a pass. A core has up to a thousand of several transforms in its second cache, which saves a pass over
 * memory; of few long ones it has parts side by side.
 */
function mostOf({ device }: Execution, { outer, n, inner }: Problem): number {
  const alone = n > 4096 ? 256 : 64;
  return onDevice(device, { serial: outer * inner >= manyRows ? fftFacts().mostPoints : alone, threads: 256 });
}

function layoutOf({ outer, n, inner }: Problem, way: Required<Way>, most: number): Layout {
  const at = fftFacts();
  const { isInverse, scale, readRows, writeRows, hasHalves } = way;
  const lengths = splitLength(n, most);
  const words = new Uint32Array(at.bytes / 4);
  const long = (byte: number, value: number) => putLong(words, byte / 4, value);
  const roots: (Roots & { readonly offset: number })[] = [];
  let points = 0;
  const part = (each: Roots) => {
    const offset = points;
    roots.push({ offset, ...each });
    points += each.rows * each.columns;
    return offset;
  };
  let done = 1;
  lengths.forEach((m, which) => {
    const l = n / done / m;
    const base = which * at.passBytes;
    long(base + at.m, m);
    long(base + at.l, l);
    long(base + at.s, inner * done);
    long(base + at.roots, part({ first: 1, rows: 1, columns: m, n: m }));
    if (l > 1) long(base + at.twiddles, part({ first: 0, rows: m, columns: l, n: m * l }));
    new Uint8Array(words.buffer).set(radicesOf(m), base + at.radices);
    done *= m;
  });
  const halves = hasHalves ? part({ first: 1, rows: 1, columns: Math.floor(n / 2) + 1, n: 2 * n }) : 0;
  long(at.count, lengths.length);
  long(at.outer, outer);
  long(at.readRows, readRows);
  long(at.writeRows, writeRows);
  long(at.lanes, lanesOf(Math.max(...lengths), at.tile));
  new Float64Array(words.buffer, at.scale, 1)[0] = scale;
  long(at.isInverse, Number(isInverse));
  return { words, lengths, readRows, writeRows, halves, points, roots };
}

/** Transforms that a block of threads has side by side. */
const lanesOf = (longest: number, tile: number) => 2 ** Math.min(5, Math.floor(Math.log2(tile / longest)));

/** Points that a core has before another helps it. */
const serialPoints = 8192;

/** The blocks of a pass. */
export function passBlocks({ device }: Execution, { problem: { outer, n, inner } }: Chain, m: number): Blocks {
  const { threads, tile } = fftFacts();
  const points = outer * n * inner;
  return onDevice(device, {
    serial: () => ({
      grid: Math.max(1, Math.min(Math.floor(points / serialPoints), 4 * device.properties.multiprocessors)),
      block: 1,
    }),
    threads: () => {
      const lanes = lanesOf(m, tile);
      return { grid: Math.min(2 ** 31 - 1, Math.ceil(points / m / lanes)), block: threadsOf(device, threads) };
    },
  })();
}

/** Runs a chain's passes one after the other; `out` may be `x`. */
export function runChain(on: Execution, dtype: PartDType, chain: Chain, out: DeviceArray, x: DeviceArray): void {
  const { lengths, problem, words, table } = chain;
  const row = problem.n * problem.inner;
  const between = lengths.length > 1 ? DeviceArray.allocate(on.device, dtype, [2 * problem.outer * row]) : null;
  let [from, fromRows] = [x, chain.readRows];
  lengths.forEach((m, which) => {
    // The last pass may write where it reads.
    const isOn = which + 1 < lengths.length && from !== between;
    const to = isOn ? between! : out;
    const toRows = isOn ? row : chain.writeRows;
    passKernel.launch(on, dtype, passBlocks(on, chain, m), [words, which, from, to, table, fromRows, toRows]);
    [from, fromRows] = [to, toRows];
  });
  between?.dispose();
}
