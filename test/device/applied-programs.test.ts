// Whole programs of applications: decoding, graphs, geometry, search, random numbers, learning, fitting, settings.
import { checksum, hash, numbers, runSomePrograms, seed, sum, type Program } from "./program-runner.ts";

/** The words that Philox4x32-10 makes of a counter and a key. */
function philox(counter: readonly number[], key: readonly [number, number]): number[] {
  let [a, b, c, d] = counter as [number, number, number, number];
  let [k, l] = key;
  const high = (x: number, by: number): number => Number((BigInt(x) * BigInt(by)) >> 32n);
  for (let round = 0; round < 10; round++) {
    [a, b, c, d] = [
      (high(c, 0xcd9e8d57) ^ b ^ k) >>> 0,
      Math.imul(c, 0xcd9e8d57) >>> 0,
      (high(a, 0xd2511f53) ^ d ^ l) >>> 0,
      Math.imul(a, 0xd2511f53) >>> 0,
    ];
    [k, l] = [(k + 0x9e3779b9) >>> 0, (l + 0xbb67ae85) >>> 0];
  }
  return [a, b, c, d];
}

function fnv1a(text: string): number {
  let h = 2166136261;
  for (const byte of Buffer.from(text)) h = Math.imul(h ^ byte, 16777619);
  return h >>> 0;
}

const letters = [..."abcdefghijklmnopqrstuvwxyz"];
const fourLetters = letters.flatMap((a) =>
  letters.flatMap((b) => letters.flatMap((c) => letters.map((d) => a + b + c + d))),
);

/** The core of each vertex: the greatest k of a part in which all have k neighbours. */
function coresOf(adjacent: readonly ReadonlySet<number>[]): number[] {
  const cores = adjacent.map(() => 0);
  let left = new Set(adjacent.keys());
  for (let k = 1; left.size > 0; k++) {
    for (let before = -1; before !== left.size; ) {
      before = left.size;
      left = new Set([...left].filter((v) => [...adjacent[v]!].filter((other) => left.has(other)).length >= k));
    }
    for (const v of left) cores[v] = k;
  }
  return cores;
}

const corners = [
  [0, 900],
  [200, 300],
  [850, 250],
  [350, -100],
  [600, -800],
  [0, -350],
  [-650, -750],
  [-300, 0],
  [-900, 350],
] as const;

/** Whether a ray to the right leaves the polygon an odd number of times. */
const isInside = (x: number, y: number): boolean =>
  corners.filter(([ax, ay], k) => {
    const [bx, by] = corners[(k + 1) % corners.length]!;
    // (bx - ax)(y - ay) / (by - ay) + ax > x, without a division.
    return ay > y !== by > y && ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) * Math.sign(by - ay) > 0;
  }).length %
    2 ===
  1;

type Rows = number[][];
const product = (a: Rows, b: Rows): Rows => a.map((row) => b[0]!.map((_, j) => sum(row.map((x, k) => x * b[k]![j]!))));
const transposed = (a: Rows): Rows => a[0]!.map((_, j) => a.map((row) => row[j]!));
const rows = (height: number, width: number, of: (i: number) => number): Rows =>
  numbers(height, (i) => i).map((i) => numbers(width, (j) => of(i * width + j)));

function lossesOf(steps: number): number[] {
  const number = (i: number, by: number): number => (hash(i, seed + by) % 201) / 100 - 1;
  const x = rows(20, 3, (i) => number(i, 0));
  let w1 = rows(3, 10, (i) => number(i, 1));
  let w2 = rows(10, 1, (i) => number(i, 2));
  let [b1, b2] = [numbers(10, () => 0), 0];
  const down = (w: Rows, by: Rows): Rows => w.map((row, i) => row.map((value, j) => value - 0.1 * by[i]![j]!));
  return numbers(steps + 1, () => {
    const h = product(x, w1).map((row) => row.map((value, j) => Math.tanh(value + b1[j]!)));
    const off = product(h, w2).map(([y], i) => y! + b2 - x[i]![0]! * x[i]![1]!);
    const dy = off.map((each) => [(2 * each) / 20]);
    const dh = dy.map(([of], i) => w2.map(([w], j) => of! * w! * (1 - h[i]![j]! ** 2)));
    b1 = b1.map((b, j) => b - 0.1 * sum(dh.map((row) => row[j]!)));
    b2 -= 0.1 * sum(dy.map(([of]) => of!));
    w2 = down(w2, product(transposed(h), dy));
    w1 = down(w1, product(transposed(x), dh));
    return sum(off.map((each) => each * each)) / 20;
  }).filter((_, step) => step % 10 === 0);
}

function attentionOf(length: number, isCausal: boolean): number[] {
  const at = (i: number, by: number): number => (hash(i, seed + by) % 2001) / 1000 - 1;
  return numbers(2 * length, (row) => row).flatMap((row) => {
    const head = row - (row % length);
    const keys = numbers(isCausal ? (row % length) + 1 : length, (j) => head + j);
    const weights = keys.map((key) =>
      Math.exp(sum(numbers(8, (d) => at(row * 8 + d, 0) * at(key * 8 + d, 1))) / Math.sqrt(8)),
    );
    return numbers(8, (d) => sum(keys.map((key, j) => weights[j]! * at(key * 8 + d, 2))) / sum(weights));
  });
}

/** The polynomial of `n` terms nearest to program `householder`'s points, and the squares that are left. */
function fit(m: number, n: number): number[] {
  const t = numbers(m, (i) => (2 * i) / (m - 1) - 1);
  const y = t.map((x, i) => 1 + 2 * x - 3 * x * x + (hash(i, seed) % 1001) / 1000);
  const system = numbers(n, (i) => i).map((i) => [
    ...numbers(n, (j) => sum(t.map((x) => x ** (i + j)))),
    sum(t.map((x, k) => x ** i * y[k]!)),
  ]);
  for (let k = 0; k < n; k++)
    for (let i = 0; i < n; i++) {
      const factor = system[i]![k]! / system[k]![k]!;
      if (i !== k) system[i] = system[i]!.map((value, j) => value - factor * system[k]![j]!);
    }
  const x = system.map((row, k) => row[n]! / row[k]!);
  return [...x, sum(t.map((at, i) => (sum(x.map((c, k) => c * at ** k)) - y[i]!) ** 2))];
}

const programs: Record<string, Program> = {
  viterbi: {
    args: [40, seed],
    prints: () => {
      const states = numbers(24, (s) => s);
      let scores = states.map((s) => hash(s, seed + 2) % 50);
      const from = numbers(40, (t) => t).map((t) => {
        const best = states.map((state) => {
          const scored = states.map((s) => scores[s]! + (hash(s * 24 + state, seed) % 100));
          return scored.indexOf(Math.max(...scored));
        });
        scores = states.map(
          (state) =>
            scores[best[state]!]! +
            (hash(best[state]! * 24 + state, seed) % 100) +
            (hash(state * 6 + (hash(t, seed + 3) % 6), seed + 1) % 100),
        );
        return best;
      });
      const score = Math.max(...scores);
      let state = scores.indexOf(score);
      const path = from.toReversed().map((best) => {
        const here = state;
        state = best[here]!;
        return here;
      });
      return `score ${score}: ${path.join(" ")}\n`;
    },
  },
  "k-core": {
    args: [150, 700, seed],
    prints: () => {
      const adjacent = numbers(150, (v) => v).map(() => new Set<number>());
      for (let e = 0; e < 700; e++) {
        const a = hash(2 * e, seed) % 150;
        const b = hash(2 * e + 1, seed) % (1 + (hash(e, seed + 1) % 150));
        if (a === b) continue;
        adjacent[a]!.add(b);
        adjacent[b]!.add(a);
      }
      const cores = coresOf(adjacent);
      return `greatest core ${Math.max(...cores)} checksum ${checksum(cores)}\n`;
    },
  },
  polygons: {
    args: [500, seed],
    prints: () => {
      const at = (i: number): number => (hash(i, seed) % 2001) - 1000;
      const inside = numbers(500, (i) => (isInside(at(2 * i), at(2 * i + 1)) ? 1 : 0));
      const words = numbers(16, (w) => sum(numbers(32, (k) => (inside[32 * w + k] ?? 0) * 2 ** k)));
      return `${words.map((word) => `${word.toString(16).padStart(8, "0")} `).join("")}${sum(inside)} inside\n`;
    },
  },
  passwords: {
    args: ["warp", "grid"],
    prints: () =>
      ["warp", "grid"]
        .map((word) => {
          const found = fourLetters.filter((each) => ((fnv1a(each) ^ fnv1a(word)) & 0xffff) === 0);
          return `${word}: ${found.join(" ")}\n`;
        })
        .join(""),
  },
  "line-of-sight": {
    args: [1000, seed],
    prints: () => {
      let steepest = -Infinity;
      const seen = numbers(1000, (i) => i).filter((i) => {
        // Slopes of different hills that are equal are one double, too: a quotient is the nearest to the fraction.
        const slope = (Math.floor((i * i) / 300) + (hash(i, seed) % 40) - 20) / (i + 1);
        if (slope <= steepest) return false;
        steepest = slope;
        return true;
      });
      return `${seen.map((i) => `${i} `).join("")}\n${seen.length} of 1000\n`;
    },
  },
  "cell-lists": {
    args: [700, seed],
    prints: () => {
      const at = numbers(2100, (i) => hash(i, seed) % 1000);
      const isNear = (i: number, j: number): boolean =>
        sum([0, 1, 2].map((d) => (at[3 * i + d]! - at[3 * j + d]!) ** 2)) < 10_000;
      const found = numbers(700, (i) => numbers(700, (j) => j).filter((j) => j !== i && isNear(i, j)).length);
      return `${sum(found) / 2} pairs checksum ${checksum(found)}\n`;
    },
  },
  philox: {
    args: [seed],
    prints: () => {
      const lines = [0, 50, 100, 150, 200, 250].map((id) => {
        const [first, then] = [2, 3].map((at) =>
          philox([at, 0, id, 0], [seed, 0]).map((word) => word.toString(16).padStart(8, "0")),
        );
        return `${first!.join(" ")} then ${then!.slice(0, 3).join(" ")}\n`;
      });
      return `${lines.join("")}pi 1\n`;
    },
  },
  "skip-ahead": {
    args: [30, seed],
    prints: () => {
      let [x, all, ones] = [BigInt(seed), 0n, 0];
      const firsts: bigint[] = [];
      for (let i = 0; i < 256 * 30; i++) {
        if (i % 30 === 0) firsts.push(x);
        x = BigInt.asUintN(64, x * 6364136223846793005n + 1442695040888963407n);
        all ^= x;
        ones += [...(x >> 32n).toString(2)].filter((bit) => bit === "1").length;
      }
      const hex = (word: bigint): string => word.toString(16).padStart(16, "0");
      return `${firsts[0]} ${firsts[1]} ${hex(firsts[255]!)}\nall ${hex(all)} ones ${ones}\n`;
    },
  },
  "neural-network": {
    args: [60, seed],
    // Half of the last digit printed; steps of this size make no difference between doubles large.
    prints: () => ({ numbers: lossesOf(60), within: 0.51e-8 }),
  },
  attention: {
    args: [45, seed],
    prints: () => ({
      numbers: [false, true].flatMap((isCausal) => attentionOf(45, isCausal).filter((_, i) => i % 37 === 0)),
      within: 0.51e-10,
    }),
  },
  "reaction-diffusion": {
    args: [3, 25, seed],
    prints: () => {
      const n = 24;
      let cells = numbers(n * n, (i) => i).map((i) => (hash(i, seed) % 9 === 0 ? [0.5, 0.25] : [1, 0]));
      for (let step = 0; step < 25; step++) {
        const before = cells;
        const spread = (x: number, y: number, k: number): number =>
          sum(
            [
              [x, y + n - 1],
              [x, y + 1],
              [x + n - 1, y],
              [x + 1, y],
            ].map(([i, j]) => before[(j! % n) * n + (i! % n)]![k]! - before[y * n + x]![k]!),
          );
        cells = before.map(([u, v], i) => {
          const [x, y, reaction] = [i % n, Math.floor(i / n), u! * v! * v!];
          return [
            u! + 0.16 * spread(x, y, 0) - reaction + 0.035 * (1 - u!),
            v! + 0.08 * spread(x, y, 1) + reaction - 0.1 * v!,
          ];
        });
      }
      return { numbers: cells.filter((_, i) => i % 61 === 0).flat(), within: 0.51e-10 };
    },
  },
  householder: {
    args: [200, seed],
    prints: () => ({ numbers: [2, 3, 4].flatMap((n) => fit(200, n)), within: 0.51e-9 }),
  },
  settings: {
    args: [5],
    prints: () => {
      const lines = [
        { steps: [1, -1, 2, -2], low: -100 },
        { steps: [1, 40, -40, -2], low: -50 },
      ].map(({ steps, low }, k) => {
        const values = numbers(100, (i) => 5 * (i - 50) + steps[i % 4]!);
        const kept = values.map((value) => Math.max(low, Math.min(value, 100)));
        const most = Math.max(...values.map(Math.abs));
        return `sum ${sum(kept.map((value, i) => value * (i + 1)))} bits 3fc00000 calls ${k + 1} most ${most}\n`;
      });
      return `${lines.join("")}5 1 40 -40 -2 4\n`;
    },
  },
};

runSomePrograms("applications", programs);
