// Whole programs that call cuBLAS and cuRAND's host interface: their headers here are ours, and launch our kernel.
import { checksum, hash, numbers, runPrograms, seed, sum, type Program } from "./program-runner.ts";

/** A matrix, column by column. */
interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly data: readonly number[];
}
const matrixOf = (rows: number, columns: number, at: (i: number, j: number) => number): Matrix => ({
  rows,
  columns,
  data: numbers(rows * columns, (i) => at(i % rows, Math.floor(i / rows))),
});
const made = (rows: number, columns: number, by: number): Matrix => ({
  rows,
  columns,
  data: numbers(rows * columns, (i) => (hash(i, seed + by) % 9) - 4),
});
const at = ({ rows, data }: Matrix, i: number, j: number): number => data[i + j * rows]!;
const transposed = (a: Matrix): Matrix => matrixOf(a.columns, a.rows, (i, j) => at(a, j, i));
const product = (a: Matrix, b: Matrix): Matrix =>
  matrixOf(a.rows, b.columns, (i, j) => sum(numbers(a.columns, (l) => at(a, i, l) * at(b, l, j))));
const columnsOf = (a: Matrix, from: number, count: number): Matrix =>
  matrixOf(a.rows, count, (i, j) => at(a, i, from + j));

const line = (name: string, values: readonly number[]): string => `${name} ${checksum(values).toFixed(1)}\n`;

/** What program `blas-products` prints. */
function products(m: number, n: number, k: number): string {
  const c = made(m, n, 2);
  const plain = product(made(m, k, 0), made(k, n, 1)).data.map((value, i) => 2 * value - c.data[i]!);
  const turned = product(transposed(made(k, m, 3)), transposed(made(n, k, 4))).data.map((value) => value / 2);
  const [left, right, sums] = [made(m, 3 * k, 6), made(k, n, 7), made(m, 3 * n, 8)];
  const three = [0, 1, 2].map((i) => product(columnsOf(left, i * k, k), right).data);
  const inRow = three.flat().map((value, i) => value + sums.data[i]!);
  const [a, x, y] = [made(m, n, 9), made(2 * m, 1, 10), made(n, 1, 11)];
  const vector = numbers(n, (j) => y.data[j]! + 3 * sum(numbers(m, (i) => at(a, i, j) * x.data[2 * (m - 1 - i)]!)));
  const outer = matrixOf(m, n, (i, j) => at(a, i, j) + 3 * x.data[i]! * vector[j]!);
  const [d, e, by] = [transposed(made(n, m, 12)), made(m, n, 13), made(n, 1, 15)];
  const combined = matrixOf(m, n, (i, j) => 2 * at(d, i, j) - 3 * at(e, i, j));
  const scaled = matrixOf(m, n, (i, j) => at(combined, i, j) * by.data[j]!);
  return [
    line("plain", plain),
    line("transposed", turned),
    line("in a row", inRow),
    line("by a list", three.toReversed().flat()),
    line("vector", vector),
    line("outer", outer.data),
    line("combined", combined.data),
    line("scaled", scaled.data),
    "CUBLAS_STATUS_INVALID_VALUE, CUBLAS_STATUS_NOT_INITIALIZED\n",
  ].join("");
}

/** Solves 4 x[i] - x[i - 1] - x[i + 1] = b[i] by elimination. */
function solved(b: readonly number[]): number[] {
  const [ratios, values]: [number[], number[]] = [[], []];
  for (const [i, value] of b.entries()) {
    const pivot = 4 + (i > 0 ? ratios[i - 1]! : 0);
    ratios.push(-1 / pivot);
    values.push((value + (i > 0 ? values[i - 1]! : 0)) / pivot);
  }
  for (let i = b.length - 2; i >= 0; i--) values[i] = values[i]! - ratios[i]! * values[i + 1]!;
  return values;
}

/** Philox4x32-10, written anew: the words of the sequence with that key. */
function philox(key: number, count: number): number[] {
  const mask = 0xffffffffn;
  return numbers(Math.ceil(count / 4), (block) => block).flatMap((block) => {
    let [c0, c1, c2, c3] = [BigInt(block), 0n, 0n, 0n];
    let [k0, k1] = [BigInt(key), 0n];
    for (let round = 0; round < 10; round++) {
      const [p, q] = [0xd2511f53n * c0, 0xcd9e8d57n * c2];
      [c0, c1, c2, c3] = [(q >> 32n) ^ c1 ^ k0, q & mask, (p >> 32n) ^ c3 ^ k1, p & mask];
      [k0, k1] = [(k0 + 0x9e3779b9n) & mask, (k1 + 0xbb67ae85n) & mask];
    }
    return [c0, c1, c2, c3].map(Number);
  });
}
const uniform = (word: number): number => Math.fround(Math.fround(Math.fround(word) * 2 ** -32) + 2 ** -33);
const uniformDouble = (high: number, low: number): number =>
  Number(((BigInt(high) << 32n) | BigInt(low)) >> 11n) * 2 ** -53 + 2 ** -53;
/** Two normal numbers of two uniform ones. */
const pair = (u: number, v: number): number[] => {
  const radius = Math.sqrt(-2 * Math.log(u));
  return [radius * Math.sin(2 * Math.PI * v), radius * Math.cos(2 * Math.PI * v)];
};

const darts = 3000;

const programs: Record<string, Program> = {
  // Sums of small whole numbers, which floats hold exactly.
  "blas-products": { args: [37, 18, 29, seed], prints: () => products(37, 18, 29) },
  "blas-gradients": {
    args: [700],
    prints: () => {
      const x = solved(numbers(700, (i) => ((i * 37) % 701) / 100));
      const sizes = x.map(Math.abs);
      const norm = Math.hypot(...x);
      const largest = sizes.indexOf(Math.max(...sizes)) + 1;
      const total = sum(sizes);
      const firstTwo = [x[0]! * total, x[1]!];
      // The last of p is the first of x; q is a copy of p.
      const turned = [1.4 * firstTwo[0]!, -0.2 * firstTwo[0]!];
      const found = [
        1,
        norm,
        largest,
        sizes.indexOf(Math.min(...sizes)) + 1,
        total,
        norm,
        largest,
        ...firstTwo,
        ...turned,
      ];
      // Residuals end below 1e-10, the least eigenvalue is above 2, and the first element is multiplied by the sum.
      return { numbers: found, within: 2e-6 };
    },
  },
  "random-fills": {
    args: [darts, seed],
    prints: () => {
      const words = philox(seed, Math.max(darts, 64));
      const floats = words.map(uniform);
      const doubles = numbers(32, (i) => uniformDouble(words[2 * i]!, words[2 * i + 1]!));
      const normals = [0, 2, 4].flatMap((i) => pair(floats[i]!, floats[i + 1]!));
      const hits = numbers(darts / 2, (i) => floats[2 * i]! ** 2 + floats[2 * i + 1]! ** 2).filter((r) => r <= 1);
      const found = [
        ...words.slice(0, 9),
        ...doubles.slice(5, 8),
        ...floats.slice(2, 7),
        ...normals.map((z) => 10 + 2 * z),
        ...[0, 2].flatMap((i) => pair(doubles[i]!, doubles[i + 1]!)).map((z) => -1 + z / 2),
        ...normals.slice(0, 4).map((z) => Math.exp(z / 4)),
        105, // a length that is no multiple of two
        1,
        hits.length,
        103, // no such type
      ];
      // A radius is below 7, so each function of float is off by a few units of 2^-22, times 2; seven digits are printed.
      return { numbers: found, within: 1e-4 };
    },
  },
};

runPrograms("programs with libraries", programs);
