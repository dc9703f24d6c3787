// Whole programs for more topics of textbooks: tables, texts, exact transforms, searches, tensor cores, barriers.
import { checksum, hash, numbers, runPrograms, seed, sum, type Program } from "./program-runner.ts";

const letters = (n: number, by: number): string =>
  numbers(n, (i) => hash(i, by) % 4)
    .map((k) => "ACGT"[k])
    .join("");
const digits = (n: number, by: number): string => `7${numbers(n, (i) => hash(i, by) % 10).join("")}`;

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** The best score of an alignment of parts of two texts. */
function alignmentOf(a: string, b: string): number {
  let [row, best] = [numbers(b.length + 1, () => 0), 0];
  for (const letter of a) {
    const next = [0];
    for (let j = 1; j <= b.length; j++) {
      const fits = row[j - 1]! + (letter === b[j - 1] ? 3 : -2);
      next.push(Math.max(0, fits, row[j]! - 4, next[j - 1]! - 4));
    }
    row = next;
    best = Math.max(best, ...row);
  }
  return best;
}

function shortestTrip(far: (a: number, b: number) => number, here: number, left: readonly number[]): number {
  if (left.length === 0) return far(here, 0);
  return Math.min(
    ...left.map(
      (next) =>
        far(here, next) +
        shortestTrip(
          far,
          next,
          left.filter((k) => k !== next),
        ),
    ),
  );
}

/** Hexadecimal digits of π, after Machin. */
function hexOfPi(count: number): string {
  const one = 16n ** BigInt(count + 8);
  const arcus = (x: bigint): bigint => {
    let [power, total] = [one / x, 0n];
    for (let k = 1n; power > 0n; k += 2n, power /= x * x) total += (k % 4n === 1n ? power : -power) / k;
    return total;
  };
  const pi = 16n * arcus(5n) - 4n * arcus(239n);
  return (pi % one)
    .toString(16)
    .padStart(count + 8, "0")
    .slice(0, count);
}

const bytesOf = (x: number): number[] => [0, 8, 16, 24].map((by) => (x >>> by) & 255);
const wordOf = (bytes: readonly number[]): number => sum(bytes.map((byte, k) => byte * 2 ** (8 * k)));

/** What program `byte-vectors` makes of two words. */
function vectorsOf(a: number, b: number): number[] {
  const [x, y] = [bytesOf(a), bytesOf(b)];
  const each = (of: (a: number, b: number) => number): number => wordOf(x.map((byte, k) => of(byte, y[k]!)));
  const low = ((a & 0xffff) - (b & 0xffff)) & 0xffff;
  const high = ((a >>> 16) - (b >>> 16)) & 0xffff;
  return [
    each((a, b) => (a + b) & 255),
    each((a, b) => Math.min(a + b, 255)),
    each((a, b) => Math.abs(a - b)),
    each(Math.max),
    each((a, b) => (a > b ? 255 : 0)),
    each((a, b) => (a + b + 1) >> 1),
    high * 65_536 + low,
    5 + sum(x.map((byte, k) => byte * y[k]!)),
  ];
}

function productOf(n: number, range: number): number[] {
  const [a, b] = [seed, seed + 1].map((by) => numbers(n * n, (i) => (hash(i, by) % range) - Math.floor(range / 2))) as [
    number[],
    number[],
  ];
  return a.map((_, at) => sum(numbers(n, (k) => a[at - (at % n) + k]! * b[k * n + (at % n)]!)));
}

const texts = ["a", "ab", "abc", "Many threads make light work."];
const text = "a text of which every part has a sum of its own, the last one too";
const [long, short] = [digits(90, seed), digits(70, seed + 1)];
const [first, second] = [letters(80, seed), letters(60, seed + 1)];

const programs: Record<string, Program> = {
  "hash-table": {
    args: [3000, seed],
    prints: () => {
      const found = numbers(1000, () => 0);
      for (let i = 0; i < 3000; i++) found[hash(i, seed) % 1000]! += 1;
      return `checksum ${checksum(found)}\n`;
    },
  },
  base64: { args: texts, prints: () => texts.map((each) => `${Buffer.from(each).toString("base64")}\n`).join("") },
  checksums: {
    args: [text, 7],
    prints: () => {
      const bytes = Buffer.from(text);
      return numbers(Math.ceil(bytes.length / 7), (i) => crc32(bytes.subarray(7 * i, 7 * i + 7)))
        .map((crc) => `${crc.toString(16).padStart(8, "0")}\n`)
        .join("");
    },
  },
  "number-theoretic": {
    args: [seed],
    prints: () => {
      const product = numbers(256, () => 0);
      for (let i = 0; i < 128; i++)
        for (let k = 0; k < 128; k++) product[i + k]! += (hash(i, seed) % 1000) * (hash(k, seed + 1) % 1000);
      return `checksum ${checksum(product.map((value) => value % 998_244_353))}\n`;
    },
  },
  "big-product": { args: [long, short], prints: () => `${BigInt(long) * BigInt(short)}\n` },
  travelling: {
    args: [seed],
    prints: () => {
      const far = (a: number, b: number): number => 1 + (hash(Math.max(a, b) * 8 + Math.min(a, b), seed) % 100);
      return `5040 trips, the shortest ${shortestTrip(far, 0, [1, 2, 3, 4, 5, 6, 7])}\n`;
    },
  },
  "subset-sums": {
    args: [70, seed],
    prints: () => {
      // How many subsets have each sum.
      let counts = [1];
      for (let i = 0; i < 15; i++) {
        const value = 1 + (hash(i, seed) % 20);
        counts = numbers(counts.length + value, (total) => (counts[total] ?? 0) + (counts[total - value] ?? 0));
      }
      return `${counts[70] ?? 0}\n`;
    },
  },
  alignment: { args: [first, second], prints: () => `${alignmentOf(first, second)}\n` },
  "nearest-seed": {
    args: [64, seed],
    prints: () => {
      const seeds = numbers(40, (k) => k).map((k) => [hash(2 * k, seed) % 64, hash(2 * k + 1, seed) % 64] as const);
      const distance = numbers(64 * 64, (i) =>
        Math.min(...seeds.map(([x, y]) => (x - (i % 64)) ** 2 + (y - Math.floor(i / 64)) ** 2)),
      );
      return `checksum ${checksum(distance)} nearly all 1\n`;
    },
  },
  "template-search": {
    args: [60, 40, 23, 17, seed],
    // Elsewhere differences are much larger than the noise.
    prints: () => {
      const noise = numbers(64, (i) => {
        const pixel = hash((17 + Math.floor(i / 8)) * 60 + 23 + (i % 8), seed) % 256;
        return Math.abs(pixel - (pixel ^ (hash(i, seed + 1) % 8)));
      });
      return `at 23 17, off by ${sum(noise)}\n`;
    },
  },
  "tensor-cores": { args: [48, seed], prints: () => `checksum ${checksum(productOf(48, 17))}\n` },
  "register-tiles": { args: [75, seed], prints: () => `checksum ${checksum(productOf(75, 100))}\n` },
  "double-buffers": {
    args: [3, 5, seed],
    prints: () => `${sum(numbers(960, (i) => (hash(i, seed) % 1000) * (64 - (i % 64))))}\n`,
  },
  barriers: {
    args: [6],
    prints: () => `${sum(numbers(576, (i) => (Math.floor(i / 96) * 1000 + 95 - (i % 96)) * ((i % 96) + 1)))}\n`,
  },
  "byte-vectors": {
    args: [150, seed],
    prints: () =>
      `checksum ${checksum(numbers(150, (i) => i).flatMap((i) => vectorsOf(hash(i, seed), hash(i, seed + 1))))}\n`,
  },
  "warp-scans": {
    args: [3, 192, seed],
    prints: () => {
      const x = numbers(576, (i) => (hash(i, seed) % 100) - 40);
      const exclusive = x.map((_, i) => sum(x.slice(i - (i % 192), i)));
      return `${checksum(x.map((value, i) => value + exclusive[i]!))} ${checksum(exclusive)}\n`;
    },
  },
  "digits-of-pi": { args: [5, 40], prints: () => `${hexOfPi(60).slice(5, 45)}\n` },
  matches: {
    args: [1001, seed],
    prints: () => {
      const bins = numbers(20, () => 0);
      for (let i = 0; i < 1001; i++) bins[hash(i, seed) % 20]! += 1;
      return `${bins.join(" ")} \n`;
    },
  },
  eigenvalues: {
    args: [10, seed],
    prints: () => {
      const traces = numbers(10, (i) => i).flatMap((matrix) => {
        const a = numbers(16, (i) => {
          const [row, column] = [Math.floor(i / 4), i % 4];
          return hash(matrix * 16 + Math.min(row, column) * 4 + Math.max(row, column), seed) % 100;
        });
        const times = (x: readonly number[]): number[] =>
          x.map((_, i) => sum(numbers(4, (k) => x[i - (i % 4) + k]! * a[4 * k + (i % 4)]!)));
        const trace = (x: readonly number[]): number => x[0]! + x[5]! + x[10]! + x[15]!;
        return [trace(a), trace(times(a)) / 100, trace(times(times(a))) / 10_000];
      });
      return { numbers: traces, within: 1e-6 };
    },
  },
  filters: {
    args: [1500, seed],
    prints: () => {
      const x = numbers(1500, (i) => (hash(i, seed) % 20_001) - 10_000);
      const y = x.map((_, i) => Math.floor(sum(numbers(33, (k) => (17 - Math.abs(k - 16)) * (x[i - k] ?? 0))) / 16));
      return `checksum ${checksum(y)}\n`;
    },
  },
};

runPrograms("textbook programs", programs);
