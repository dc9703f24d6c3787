// Whole programs that use the language, the runtime and the headers of CUDA from many sides.
import { createHash } from "node:crypto";
import { checksum, hash, numbers, runPrograms, seed, source, sum, type Program } from "./program-runner.ts";

const popcount = (x: number): number => [...x.toString(2)].filter((bit) => bit === "1").length;
const word = (x: bigint): number => Number(BigInt.asUintN(32, x));

/** The words that program `bits` makes of a number. */
function bitsOf(i: number): number[] {
  const [a, b] = [hash(i, seed) >>> (i % 32), hash(i, seed + 1)];
  const wide = (BigInt(b) << 32n) | BigInt(a);
  const zeros = (low: number, high: number): number => (high > 0 ? Math.clz32(high) : 32 + Math.clz32(low));
  const first = (x: bigint): number => (x === 0n ? 0 : (x & -x).toString(2).length);
  const bytes = [a, b].flatMap((x) => [0, 8, 16, 24].map((by) => (x >>> by) & 255));
  return [
    popcount(a) + 100 * (popcount(a) + popcount(b)),
    Math.clz32(a) + 100 * zeros(a, b),
    first(BigInt(a)) + 100 * first(wide),
    parseInt([...a.toString(2).padStart(32, "0")].toReversed().join(""), 2),
    sum([2, 5, 1, 6].map((from, k) => bytes[from]! * 2 ** (8 * k))),
    word((BigInt(a) * BigInt(b)) >> 32n),
    word((wide * wide) >> 96n),
    word(((wide << BigInt(i % 32)) >> 32n) & 0xffffffffn),
    Math.abs((a | 0) - (b | 0)) + 1,
  ];
}

/** What program `votes` makes of each thread's number. */
function votesOf(x: readonly number[]): number[] {
  return x.flatMap((mine, i) => {
    const [lane, block] = [i % 32, x.slice(i - (i % 96), i - (i % 96) + 96)];
    const warp = x.slice(i - lane, i - lane + 32);
    const ballot = (of: (value: number) => boolean): number => sum(warp.map((value, k) => (of(value) ? 2 ** k : 0)));
    const from = (k: number): number => warp[k]!;
    const truth = (is: boolean, weight: number): number => (is ? weight : 0);
    return [
      ballot((value) => value > 5),
      truth(warp.includes(0), 1) + truth(!warp.includes(9), 2),
      ballot((value) => value === mine),
      lane >= 3 ? from(lane - 3) : mine,
      (lane % 8) + 2 < 8 ? from(lane + 2) : mine,
      from(lane - (lane % 16) + (Math.floor((i % 96) / 2) % 16)),
      block.filter((value) => value % 2 === 1).length,
      truth(!block.includes(3), 1) + truth(block.includes(9), 2),
    ];
  });
}

/** Sums over tiles of cooperative groups, as program `tiles` makes them. */
function tilesOf(x: readonly number[], size: number): number[] {
  return x.map((_, i) => {
    const rank = i % size;
    const tile = x.slice(i - rank, i - rank + size);
    const votes = (tile.some((value) => value % 10 === 0) ? 1 : 0) + (tile.every((value) => value >= 0) ? 2 : 0);
    const turned = tile[size - 1 - rank]!;
    return Math.max(...tile) + 3 * sum(tile) + 7 * turned + votes + Math.floor((i % 64) / size);
  });
}

const primes = ["2", "91", "561", "1000000007", "18446744073709551557", "18446744073709551556", "3215031751", "1"];

const programs: Record<string, Program> = {
  "curand-walk": { args: [seed], prints: () => "alike 1\neven 1 fair 1 normal 1\n" },
  tiles: {
    args: [seed],
    prints: () => {
      const x = numbers(256, (i) => (hash(i, seed) % 100) - (i < 128 ? 0 : 5));
      return [4, 8, 16].map((size) => `checksum ${checksum(tilesOf(x, size))}\n`).join("");
    },
  },
  "function-pointers": {
    args: [300, seed],
    prints: () => {
      const of = [
        (a: number, b: number): number => a + b,
        (a: number, b: number): number => a - b,
        (a: number, b: number): number => a * b,
        Math.max,
      ];
      const y = numbers(300, (i) => 3 * of[(hash(i, seed) % 100) % 4]!(hash(i, seed) % 100, i));
      return `checksum ${checksum(y)}\n`;
    },
  },
  "linked-list": {
    args: [70],
    prints: () => `70 nodes, ${sum(numbers(70, (rank) => ((69 - rank) ** 2 + rank) * (rank + 1)))}\n`,
  },
  votes: { args: [seed], prints: () => `checksum ${checksum(votesOf(numbers(288, (i) => hash(i, seed) % 10)))}\n` },
  bits: { args: [200, seed], prints: () => `checksum ${checksum(numbers(200, (i) => i).flatMap(bitsOf))}\n` },
  sha256: {
    args: ["warps of thirty-two threads"],
    prints: () =>
      numbers(26, (i) => 97 + i)
        .map((code) => `warps of thirty-two threads${String.fromCharCode(code)}`)
        .map((message) => `${createHash("sha256").update(message).digest("hex")}\n`)
        .join(""),
  },
  "prime-tests": { args: primes, prints: () => "10011000\n" },
  formats: {
    args: [],
    prints: () =>
      [
        "-7    42|42   |00042 +42",
        "4000000000 ff FF 10 z%",
        "3.142     3.14|3.1     |3.141590e+00 3.14159",
        "-1234567890123 fffffee08e04fb35 text|     right|sho",
        "0 of 1, more",
        "done\n",
      ].join("\n"),
  },
  operators: {
    args: [],
    prints: () => {
      const power = (base: number): number => numbers(77, () => base).reduce((a, b) => (a * b) % 1009, 1);
      const rows = [(x: number): number => x - 5, (x: number): number => 3 * x].map((of) =>
        numbers(8, (i) => (of(power(i + 2)) + 1009 + 6) % 1009),
      );
      return `${rows.map((row) => `${row.join(" ")} \n`).join("")}2201 16320, host 1\n`;
    },
  },
  "memory-pools": {
    args: [500, 8],
    prints: () => `sum ${sum(numbers(8, (round) => sum(numbers(500, (i) => round + i))))}\n`,
  },
  pipeline: {
    args: [300, seed],
    prints: () => `sum ${sum(numbers(1800, (i) => (hash(i, seed) % 1000) ** 2 % 1000))} timed 1 idle 1\n`,
  },
  callbacks: {
    args: [100],
    prints: () =>
      [
        "first part: cudaSuccess",
        "calls 1",
        ...[2, 6, 18].map((by) => by * 4950),
        "none: cudaErrorInvalidValue",
        "flags: cudaErrorInvalidValue\n",
      ].join("\n"),
  },
  "checked-calls": {
    args: [],
    prints: () => {
      const line =
        source("checked-calls")
          .split("\n")
          .findIndex((text) => text.includes("too many threads")) + 2;
      return `7 7\ncudaErrorInvalidConfiguration in line ${line}: invalid configuration argument\n`;
    },
    exitCode: () => 3,
  },
  "vector-types": {
    args: [333, seed],
    prints: () => {
      const sums = numbers(4, (k) => sum(numbers(333, (i) => hash(i, seed + k) % 100)));
      // Halves go towards zero.
      return `${sums.join(" ")}\n1 -2 250 0.25\n3 -4 251 0.50\n4 -6 252 0.75\n16 16 12\n`;
    },
  },
  "block-algorithms": {
    args: [3, seed],
    prints: () => {
      const blocks = numbers(3, (b) => b).map((b) => numbers(256, (i) => (hash(b * 256 + i, seed) % 2001) - 1000));
      const sorted = blocks.map((block) => block.toSorted((a, b) => a - b));
      const scanned = sorted.map((block) => {
        let total = 0;
        return block.map((value) => (total += value));
      });
      return `${[sorted.flat(), scanned.flat(), blocks.map(sum)].map(checksum).join(" ")}\n`;
    },
  },
  "scoped-atomics": {
    args: [4],
    prints: () => {
      const all = 4 * 64;
      return `${all} ${2 * all} ${2 ** 31 - 1} 0 ${(-1 << 16) >> 0} ${-3 * all} ${63 * 2 ** 33} ${(0.5 + all / 4).toFixed(2)}\n`;
    },
  },
  "host-threads": {
    args: [64, 100],
    prints: () => `${numbers(64, (w) => w * 10_000 + 4950).join(" ")} \n`,
  },
  julia: {
    args: [32],
    prints: () => {
      const counts = numbers(1024, (i) => {
        let [re, im, count] = [(4 * (i % 32)) / 32 - 2, (4 * Math.floor(i / 32)) / 32 - 2, 0];
        while (count < 3 && re * re + im * im < 4) {
          [re, im] = [re * re - im * im - 0.75, 2 * re * im + 0.25];
          count += 1;
        }
        return count;
      });
      return `checksum ${checksum(counts)}\n`;
    },
  },
  "inline-ptx": {
    args: [seed],
    prints: () => {
      const words = numbers(192, (i) => i).flatMap((i) => {
        const [a, b, c] = [0, 1, 2].map((by) => hash(i, seed + by)) as [number, number, number];
        const field = (a >>> (i % 20)) & 511;
        return [(i % 32) + 100 * field, (a ^ b ^ c) >>> 0, (a + b) % 2 ** 32, Math.floor((a + b) / 2 ** 32)];
      });
      return `checksum ${checksum(words)}\n`;
    },
  },
};

runPrograms("the language", programs);
