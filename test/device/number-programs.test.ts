// Whole programs about numbers: divisors, powers, subsets, running sums, votes, circuits.
import { checksum, hash, numbers, runSomePrograms, seed, sum, type Program } from "./program-runner.ts";

const common = (a: number, b: number): number => (b === 0 ? a : common(b, a % b));

/** By doubling: of `place` and the next. */
function fibonacci(place: number): [bigint, bigint] {
  if (place === 0) return [0n, 1n];
  const [a, b] = fibonacci(Math.floor(place / 2));
  const [even, odd] = [a * (2n * b - a), a * a + b * b].map((value) => value % 1_000_000_007n) as [bigint, bigint];
  const positive = (even + 1_000_000_007n) % 1_000_000_007n;
  return place % 2 === 0 ? [positive, odd] : [odd, (positive + odd) % 1_000_000_007n];
}

/** By the columns that are left. */
function permanent(matrix: readonly (readonly number[])[], left: number): number {
  let totals = new Map([[left, 1]]);
  for (const row of matrix) {
    const next = new Map<number, number>();
    for (const [columns, total] of totals)
      row.forEach((value, k) => {
        const rest = columns & ~(1 << k);
        if (rest !== columns) next.set(rest, (next.get(rest) ?? 0) + total * value);
      });
    totals = next;
  }
  return totals.get(0)!;
}

const programs: Record<string, Program> = {
  totients: {
    args: [150, seed],
    prints: () => {
      const counts = numbers(150, (i) => {
        const n = 1 + (seed % 100) + i;
        return numbers(n, (k) => k + 1).filter((k) => common(n, k) === 1).length;
      });
      return `last ${counts[149]} checksum ${checksum(counts)}\n`;
    },
  },
  fibonacci: {
    args: [300, seed],
    prints: () => {
      const values = numbers(300, (i) => Number(fibonacci(i < 50 ? i : hash(i, seed))[0]));
      return `55 ${values[299]} checksum ${checksum(values)}\n`;
    },
  },
  "gray-codes": {
    args: [10, seed],
    prints: () => {
      const matrix = numbers(10, (row) => numbers(10, (k) => (hash(row * 12 + k, seed) % 7) - 2));
      return `permanent ${permanent(matrix, 1023)}\n`;
    },
  },
  "box-sums": {
    args: [50, seed],
    prints: () => {
      const near = (i: number): number[] => numbers(7, (k) => i + k - 3).filter((k) => k >= 0 && k < 50);
      const y = numbers(2500, (i) =>
        sum(near(Math.floor(i / 50)).flatMap((row) => near(i % 50).map((k) => hash(row * 50 + k, seed) % 256))),
      );
      return `corner ${y[0]} checksum ${checksum(y)}\n`;
    },
  },
  lines: {
    args: [64, seed],
    prints: () => {
      const votes = numbers(12 * 512, () => 0);
      for (let i = 0; i < 4096; i++) {
        const [x, y] = [i % 64, Math.floor(i / 64)];
        if (x !== Math.floor(y / 2) + 5 && hash(i, seed) % 20 !== 0) continue;
        for (let k = 0; k < 12; k++) {
          const [across, down] = k < 6 ? [8, 2 * k - 4] : [2 * (12 - k) - 4, 8];
          votes[k * 512 + Math.trunc((across * x + down * y) / 8) + 256]! += 1;
        }
      }
      return `most ${Math.max(...votes)} checksum ${checksum(votes)}\n`;
    },
  },
  wave: {
    args: [400, seed],
    prints: () => {
      let before = numbers(400, (i) => hash(Math.floor(i / 20), seed) % 4096);
      let now = before;
      for (let round = 0; round < 100; round++) {
        const next = now.map(
          (x, i) => 2 * x - before[i]! + Math.floor(((now[i - 1] ?? 0) - 2 * x + (now[i + 1] ?? 0)) / 4),
        );
        [before, now] = [now, next];
      }
      return `middle ${now[200]} checksum ${checksum(now)}\n`;
    },
  },
  dependencies: {
    args: [200, seed],
    prints: () => {
      const levels: number[] = [];
      for (let task = 0; task < 200; task++) {
        const before = levels.filter((_, other) => hash(task * 1000 + other, seed) % 40 === 0);
        levels.push(Math.max(-1, ...before) + 1);
      }
      return `levels ${Math.max(...levels) + 1} checksum ${checksum(levels)}\n`;
    },
  },
  // Of all pairs, those with a sum of 256 or more: 1 + 2 + … + 255.
  gates: { args: [], prints: () => `wrong 0 carries ${(255 * 256) / 2}\n` },
};

runSomePrograms("numbers", programs);
