// Whole programs on graphs, tables, automata and whole numbers.
import { checksum, hash, numbers, runPrograms, seed, sum, type Program } from "./program-runner.ts";

/** Vertices by their distance from vertex 0, -1 where there is no way. */
function distancesIn(neighbours: readonly (readonly number[])[]): { distance: number[]; levels: number } {
  const distance = neighbours.map(() => -1);
  distance[0] = 0;
  let [frontier, levels] = [[0], 0];
  while (frontier.length > 0) {
    levels += 1;
    const next: number[] = [];
    for (const v of frontier)
      for (const other of neighbours[v]!)
        if (distance[other] === -1) {
          distance[other] = levels;
          next.push(other);
        }
    frontier = next;
  }
  return { distance, levels };
}

function editDistance(a: string, b: string): number {
  let row = numbers(b.length + 1, (i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1), row[j]! + 1, next[j - 1]! + 1));
    row = next;
  }
  return row[b.length]!;
}

const words = ["kitten", "sitting", "a quick brown fox", "the lazy dog", "same", "same", "x", "shared memory"];

/** Steps of the game of life on a torus. */
function lifeAfter(steps: number, width: number, height: number): number[] {
  let cells = numbers(width * height, (i) => (hash(i, seed) % 3 === 0 ? 1 : 0));
  for (let step = 0; step < steps; step++)
    cells = cells.map((cell, i) => {
      const [x, y] = [i % width, Math.floor(i / width)];
      let around = -cell;
      for (const dy of [height - 1, 0, 1])
        for (const dx of [width - 1, 0, 1]) around += cells[((y + dy) % height) * width + ((x + dx) % width)]!;
      return around === 3 || (around === 2 && cell === 1) ? 1 : 0;
    });
  return cells;
}

const programs: Record<string, Program> = {
  "floyd-warshall": {
    args: [45, seed],
    prints: () => {
      const n = 45;
      const d = numbers(n * n, (i) => {
        if (Math.floor(i / n) === i % n) return 0;
        return hash(i, seed) % 4 === 0 ? 1 + (hash(i, seed + 1) % 100) : 1_000_000;
      });
      for (let k = 0; k < n; k++)
        for (let i = 0; i < n * n; i++) d[i] = Math.min(d[i]!, d[Math.floor(i / n) * n + k]! + d[k * n + (i % n)]!);
      return `${d[1]} ${d[n * n - 2]} checksum ${checksum(d)}\n`;
    },
  },
  "breadth-first": {
    args: [2000, seed],
    prints: () => {
      let edges = 0;
      const neighbours = numbers(2000, (v) => v).map((v) =>
        numbers(hash(v, seed) % 4, () => hash(edges++, seed + 1) % 2000),
      );
      const { distance, levels } = distancesIn(neighbours);
      const reached = distance.filter((each) => each >= 0).length;
      return `reached ${reached} levels ${levels} checksum ${checksum(distance)}\n`;
    },
  },
  "shortest-paths": {
    args: [400, seed],
    prints: () => {
      const edges = numbers(1200, (i) => i).map(
        (i) => [hash(i, seed) % 400, hash(i, seed + 1) % 400, 1 + (hash(i, seed + 2) % 30)] as const,
      );
      // A way that nobody has begun is as long as that and its edges.
      const distance = numbers(400, (v) => (v === 0 ? 0 : 1_000_000));
      for (let isChanged = true; isChanged; ) {
        isChanged = false;
        for (const [from, to, weight] of edges)
          if (distance[from]! + weight < distance[to]!) {
            distance[to] = distance[from]! + weight;
            isChanged = true;
          }
      }
      return `checksum ${checksum(distance)}\n`;
    },
  },
  components: {
    args: [600, seed],
    prints: () => {
      const label = numbers(600, (v) => v);
      const find = (v: number): number => (label[v] === v ? v : find(label[v]!));
      for (let i = 0; i < 450; i++) {
        const [a, b] = [find(hash(i, seed) % 600), find(hash(i, seed + 1) % 600)];
        label[Math.max(a, b)] = Math.min(a, b);
      }
      const roots = numbers(600, find);
      return `components ${new Set(roots).size} checksum ${checksum(roots)}\n`;
    },
  },
  pagerank: {
    args: [300, 40, seed],
    prints: () => {
      let at = 0;
      const from = numbers(300, (v) => v).map((v) => {
        at += 1;
        return [(v + 1) % 300, ...numbers(hash(v, seed) % 6, () => hash(at++, seed + 1) % 300)];
      });
      const out = numbers(300, () => 0);
      for (const page of from.flat()) out[page]! += 1;
      let rank = numbers(300, () => 1 / 300);
      for (let round = 0; round < 40; round++)
        rank = from.map((pages) => 0.15 / 300 + 0.85 * sum(pages.map((page) => rank[page]! / out[page]!)));
      return { numbers: [0, 60, 120, 180, 240].map((v) => rank[v]!), within: 2e-12 };
    },
  },
  "edit-distance": {
    args: words,
    prints: () => [0, 2, 4, 6].map((i) => `${editDistance(words[i]!, words[i + 1]!)}\n`).join(""),
  },
  knapsack: {
    args: [40, 700, seed],
    prints: () => {
      let best = numbers(701, () => 0);
      for (let i = 0; i < 40; i++) {
        const [weight, value] = [1 + (hash(i, seed) % 50), hash(i, seed + 1) % 100];
        best = best.map((without, room) => Math.max(without, room >= weight ? best[room - weight]! + value : 0));
      }
      return `${best[175]} ${best[350]} ${best[700]}\n`;
    },
  },
  queens: { args: [9], prints: () => "352\n" },
  primes: { args: [10_000], prints: () => "1229 primes up to 10000\n" },
  collatz: {
    args: [9000],
    prints: () => {
      let [most, from] = [0, 0];
      for (let start = 1; start <= 9000; start++) {
        let steps = 0;
        for (let x = start; x !== 1; steps++) x = x % 2 === 1 ? 3 * x + 1 : x / 2;
        if (steps > most) [most, from] = [steps, start];
      }
      return `${most} steps from ${from}\n`;
    },
  },
  "life-shared": { args: [50, 37, 9, seed], prints: () => `checksum ${checksum(lifeAfter(9, 50, 37))}\n` },
  "rule-30": {
    args: [8, 100],
    prints: () => {
      // Bit k of word i is cell 32 i + k.
      let cells = numbers(256, (i) => (i === 128 ? 1 : 0));
      for (let step = 0; step < 100; step++)
        cells = cells.map((cell, i) => (cells[i - 1] ?? 0) ^ (cell | (cells[i + 1] ?? 0)));
      return `${numbers(8, (word) => sum(numbers(32, (k) => cells[32 * word + k]! * 2 ** k)))
        .map((word) => word.toString(16).padStart(8, "0"))
        .join("")}\n`;
    },
  },
  hanoi: {
    args: [9],
    prints: () => {
      const sums = [0, 0, 0];
      let index = 0;
      const move = (discs: number, from: number, to: number): void => {
        if (discs === 0) return;
        move(discs - 1, from, 3 - from - to);
        sums[to]! += index;
        sums[from]! -= index++;
        move(discs - 1, 3 - from - to, to);
      };
      move(9, 0, 2);
      return `${sums.join(" ")}\n`;
    },
  },
  "batched-product": {
    args: [20, seed],
    prints: () => {
      const [a, b] = [0, 1].map((by) => numbers(20 * 144, (i) => (hash(i, seed + by) % 401) - 200)) as [
        number[],
        number[],
      ];
      const c = a.map((_, at) => {
        const [batch, row, column] = [Math.floor(at / 144), Math.floor((at % 144) / 12), at % 12];
        return sum(numbers(12, (k) => a[batch * 144 + row * 12 + k]! * b[batch * 144 + k * 12 + column]!));
      });
      return `checksum ${checksum(c)}\n`;
    },
  },
  transposes: {
    args: [70, 41, seed],
    prints: () => {
      const y = numbers(70 * 41, (at) => hash((at % 70) * 41 + Math.floor(at / 70), seed) % 1000);
      return `checksum ${checksum(y)}\n`.repeat(4);
    },
  },
};

runPrograms("discrete programs", programs);
