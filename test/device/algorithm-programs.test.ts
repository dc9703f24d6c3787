// Whole programs for more algorithms: waiting across blocks, graphs, texts, ciphers, generators.
import { createHash } from "node:crypto";
import { checksum, hash, numbers, runSomePrograms, seed, sum, type Program } from "./program-runner.ts";

/** The last of `count` numbers of a Mersenne twister. */
function twister(start: number, count: number): number {
  const state = [start >>> 0];
  for (let i = 1; i < 624; i++) state.push((Math.imul(1812433253, state[i - 1]! ^ (state[i - 1]! >>> 30)) + i) >>> 0);
  for (let i = 0; i < count; i++) {
    const mixed = (state[i]! & 0x80000000) | (state[i + 1]! & 0x7fffffff);
    state.push((state[i + 397]! ^ (mixed >>> 1) ^ (mixed & 1 ? 0x9908b0df : 0)) >>> 0);
  }
  let word = state.at(-1)!;
  word ^= word >>> 11;
  word ^= (word << 7) & 0x9d2c5680;
  word ^= (word << 15) & 0xefc60000;
  return (word ^ (word >>> 18)) >>> 0;
}

function xtea(key: readonly number[], nonce: number, counter: number): [number, number] {
  let [a, b, total] = [nonce, counter, 0];
  const mixed = (x: number): number => (((x << 4) ^ (x >>> 5)) + x) | 0;
  for (let round = 0; round < 32; round++) {
    a = (a + (mixed(b) ^ (total + key[total & 3]!))) | 0;
    total = (total + 0x9e3779b9) | 0;
    b = (b + (mixed(a) ^ (total + key[(total >>> 11) & 3]!))) | 0;
  }
  return [a, b];
}

/** What stays when `x` has toppled, one place after the other. */
function stable(x: number[], size: number): number[] {
  const left = x.flatMap((height, at) => (height > 3 ? [at] : []));
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    const falls = Math.floor(x[at]! / 4);
    x[at]! -= 4 * falls;
    if (falls === 0) continue;
    const [row, column] = [Math.floor(at / size), at % size];
    for (const [y, x2] of [
      [row - 1, column],
      [row + 1, column],
      [row, column - 1],
      [row, column + 1],
    ] as const) {
      if (y < 0 || x2 < 0 || y >= size || x2 >= size) continue;
      x[y * size + x2]! += falls;
      left.push(y * size + x2);
    }
  }
  return x;
}

const programs: Record<string, Program> = {
  "grid-barrier": {
    args: [700, seed],
    prints: () => {
      let x = numbers(700, (i) => hash(i, seed) % 100);
      for (let round = 0; round < 4; round++) x = x.map((value, i) => x[(i + 699) % 700]! + x[(i + 1) % 700]! - value);
      return `cudaSuccess checksum ${checksum(x)}\n`;
    },
  },
  flags: {
    args: [1000, seed],
    prints: () => `sum ${sum(numbers(1000, (i) => (hash(i, seed) % 1000) * ((i % 3) + 1)))}\n`,
  },
  atomics: {
    args: [640, seed],
    prints: () => {
      const x = numbers(640, (i) => hash(i, seed) % 4096);
      const greatest = Math.max(...x);
      const last = x.lastIndexOf(greatest);
      const folded = (by: (a: number, b: number) => number, from: number): number => x.reduce(by, from);
      return `${[
        sum(x),
        -sum(x),
        Math.max(0, greatest - 2048),
        Math.min(0, Math.min(...x) - 2048),
        folded((a, b) => a ^ b, 0),
        folded((a, b) => a | (b & 0x555), 0),
        folded((a, b) => a & (b | 0xff0), -1),
        sum(x) % 100_003,
        640 % 17,
        // From 0 to 36 at once, then down.
        (37 - (640 % 37)) % 37,
        sum(x) * 2 ** 24,
        (BigInt(greatest) << 32n) | BigInt(last),
        (640 * 641) / 2,
      ].join(" ")}\n`;
    },
  },
  spheres: {
    args: [100, seed],
    prints: () => {
      const at = (k: number, field: number): number => hash(4 * k + field, seed);
      const spheres = numbers(
        24,
        (k) => [at(k, 0) % 100, at(k, 1) % 100, at(k, 2) % 100, 5 + (at(k, 3) % 20)] as const,
      );
      const picture = numbers(10_000, (i) => {
        let [nearest, light] = [-Infinity, 0];
        for (const [x, y, z, radius] of spheres) {
          const rest = radius ** 2 - ((i % 100) - x) ** 2 - (Math.floor(i / 100) - y) ** 2;
          const up = Math.floor(Math.sqrt(rest));
          if (rest < 0 || z + up <= nearest) continue;
          [nearest, light] = [z + up, Math.floor((255 * up) / radius)];
        }
        return light;
      });
      return `centre ${picture[5050]} checksum ${checksum(picture)}\n`;
    },
  },
  "word-count": {
    args: [5000, seed],
    prints: () => {
      const text = numbers(5000, (i) => hash(i, seed) % 10).map((k) => "aeinrst \n."[k]);
      const words = text.join("").match(/[a-z]+/g)!;
      const lengths = numbers(15, (k) => words.filter((word) => Math.min(word.length, 15) === k + 1).length);
      return `words ${words.length}: ${lengths.join(" ")}\n`;
    },
  },
  "matrix-chain": {
    args: [40, seed],
    prints: () => {
      const sizes = numbers(41, (i) => 1 + (hash(i, seed) % 50));
      const known = new Map<number, number>();
      const cost = (from: number, to: number): number => {
        if (from === to) return 0;
        const best =
          known.get(from * 40 + to) ??
          Math.min(
            ...numbers(
              to - from,
              (k) =>
                cost(from, from + k) + cost(from + k + 1, to) + sizes[from]! * sizes[from + k + 1]! * sizes[to + 1]!,
            ),
          );
        known.set(from * 40 + to, best);
        return best;
      };
      return `${cost(0, 39)} products of numbers\n`;
    },
  },
  "spanning-tree": {
    args: [200, seed],
    prints: () => {
      const edges = numbers(1200, (e) => ({
        a: e < 200 ? e : hash(3 * e, seed) % 200,
        b: e < 200 ? (e + 1) % 200 : hash(3 * e + 1, seed) % 200,
        weight: hash(3 * e + 2, seed) % 1000,
      })).toSorted((one, other) => one.weight - other.weight);
      const part = numbers(200, (i) => i);
      let weight = 0;
      for (const edge of edges) {
        const [a, b] = [part[edge.a]!, part[edge.b]!];
        if (a === b) continue;
        weight += edge.weight;
        for (let i = 0; i < 200; i++) if (part[i] === b) part[i] = a;
      }
      return `edges 199 weight ${weight}\n`;
    },
  },
  colouring: {
    args: [500, seed],
    prints: () => {
      const steps = numbers(4, (k) => 1 + (hash(k, seed + 1) % 250));
      const order = numbers(500, (v) => v).toSorted((a, b) => hash(b, seed) - hash(a, seed) || b - a);
      const colours = numbers(500, () => -1);
      for (const v of order) {
        const taken = new Set(steps.flatMap((step) => [colours[(v + step) % 500], colours[(v + 500 - step) % 500]]));
        colours[v] = numbers(9, (k) => k).find((k) => !taken.has(k))!;
      }
      return `conflicts 0 checksum ${checksum(colours)} done 1\n`;
    },
  },
  triangles: {
    args: [70, seed],
    prints: () => {
      const is = (a: number, b: number): boolean => hash(a * 70 + b, seed) % 5 === 0;
      let count = 0;
      for (let a = 0; a < 70; a++)
        for (let b = 0; b < a; b++) if (is(a, b)) for (let c = 0; c < b; c++) if (is(a, c) && is(b, c)) count += 1;
      return `triangles ${count}\n`;
    },
  },
  sandpile: {
    args: [25, seed],
    prints: () => {
      const x = numbers(625, (i) => (hash(i, seed) % 8) + (i === 312 ? 200 : 0));
      const ended = stable(x, 25);
      const counts = numbers(4, (height) => ended.filter((value) => value === height).length);
      return `${counts.join(" ")} checksum ${checksum(ended)}\n`;
    },
  },
  brackets: {
    args: [1000, seed],
    prints: () => {
      let depth = 0;
      const depths = numbers(1000, (i) => (depth += hash(i, seed) % 2 === 0 ? 1 : -1));
      return `end ${depth} least ${Math.min(0, ...depths)} checksum ${checksum(depths)}\n`;
    },
  },
  md5: {
    args: [150, seed],
    prints: () =>
      [0, 149]
        .map((m) => Uint8Array.from(numbers(43, (i) => hash(m * 43 + i, seed) % 256)))
        .map((message) => `${createHash("md5").update(message).digest("hex")}\n`)
        .join(""),
  },
  xtea: {
    args: [300, seed],
    prints: () => {
      const key = numbers(4, (k) => hash(k, seed));
      const all = numbers(300, (i) => i).reduce((total, i) => {
        const [a, b] = xtea(key, seed, i);
        return (Math.imul(total, 31) + (a ^ i ^ b ^ (3 * i))) >>> 0;
      }, 0);
      return `${all.toString(16).padStart(8, "0")} same 300\n`;
    },
  },
  // The first number is what the C++ standard says of std::mt19937.
  twister: { args: [40, seed], prints: () => `4123659995 ${twister(seed + 39, 10_000)}\n` },
  "packed-numbers": {
    args: [900, seed],
    prints: () => {
      const bytes = numbers(900, (i) => hash(i, seed) >>> (hash(i, seed + 1) % 32)).flatMap((value) => {
        const own: number[] = [];
        for (; value > 127; value = Math.floor(value / 128)) own.push((value % 128) + 128);
        return [...own, value];
      });
      return `bytes ${bytes.length} checksum ${checksum(bytes)}\n`;
    },
  },
  "fuzzy-search": {
    args: [6000, seed],
    prints: () => {
      const text = numbers(6000, (i) => hash(i, seed) % 4);
      const pattern = text.slice(3000, 3012);
      const ends = text.flatMap((_, end) => {
        if (end < 11) return [];
        return pattern.filter((letter, k) => letter !== text[end - 11 + k]).length <= 2 ? [end] : [];
      });
      return `found ${ends.length} sum ${sum(ends)}\n`;
    },
  },
  "lucas-lehmer": {
    args: [3, 5, 11, 13, 23, 31, 61, 67, 89, 107, 113, 127, 257],
    prints: () => {
      const isPrime = (p: number): boolean => {
        const modulus = 2n ** BigInt(p) - 1n;
        let x = 4n;
        for (let step = 0; step < p - 2; step++) x = (x * x - 2n) % modulus;
        return x % modulus === 0n;
      };
      const tested = [3, 5, 11, 13, 23, 31, 61, 67, 89, 107, 113, 127, 257];
      return `${tested.map((p) => `${p}:${isPrime(p) ? 1 : 0} `).join("")}\n`;
    },
  },
  "best-stretch": {
    args: [1500, seed],
    prints: () => {
      const x = numbers(1500, (i) => (hash(i, seed) % 201) - 100);
      let [best, here] = [0, 0];
      for (const value of x) [here, best] = [Math.max(0, here + value), Math.max(best, here + value)];
      return `best ${best} total ${sum(x)}\n`;
    },
  },
  "closest-pair": {
    args: [400, seed],
    prints: () => {
      let best = [Infinity, 0, 0];
      const points = numbers(400, (i) => [hash(2 * i, seed) % 100_000, hash(2 * i + 1, seed) % 100_000] as const);
      for (let i = 0; i < 400; i++)
        for (let k = i + 1; k < 400; k++) {
          const far = (points[i]![0] - points[k]![0]) ** 2 + (points[i]![1] - points[k]![1]) ** 2;
          if (far < best[0]!) best = [far, i, k];
        }
      return `${best[0]} between ${best[1]} and ${best[2]}\n`;
    },
  },
  maze: {
    args: [30, seed],
    prints: () => {
      const way = numbers(900, () => -1);
      way[0] = 0;
      // Grows while it is walked.
      const reached = [0];
      for (const at of reached) {
        const x = at % 30;
        for (const next of [x > 0 ? at - 1 : -1, x < 29 ? at + 1 : -1, at - 30, at + 30]) {
          if (next < 0 || next >= 900 || way[next] !== -1 || hash(next, seed) % 4 === 0) continue;
          way[next] = way[at]! + 1;
          reached.push(next);
        }
      }
      return `reached ${reached.length} longest ${Math.max(...way)} checksum ${checksum(way)}\n`;
    },
  },
  "lattice-gas": {
    args: [45, seed],
    prints: () => {
      // Particles as a list: each moves, then cells of two that face each other turn.
      const steps = [
        [1, 0],
        [0, -1],
        [-1, 0],
        [0, 1],
      ] as const;
      let cells = numbers(2025, (i) => hash(i, seed) % 16);
      for (let round = 0; round < 20; round++) {
        const next = numbers(2025, () => 0);
        cells.forEach((cell, i) => {
          steps.forEach(([dx, dy], k) => {
            const at = ((Math.floor(i / 45) + dy + 45) % 45) * 45 + (((i % 45) + dx + 45) % 45);
            if (cell & (1 << k)) next[at]! |= 1 << k;
          });
        });
        cells = next.map((cell) => (cell === 5 ? 10 : cell === 10 ? 5 : cell));
      }
      const particles = sum(numbers(2025, (i) => sum(numbers(4, (k) => (hash(i, seed) >>> k) & 1))));
      return `particles ${particles} checksum ${checksum(cells)}\n`;
    },
  },
  "float-order": {
    args: [1111, seed],
    prints: () => {
      const x = numbers(1111, (i) => ((hash(i, seed) % 20_001) - 10_000) / 64).toSorted((a, b) => a - b);
      return `${[x[0]!, x[555]!, x[1110]!].map((value) => value.toFixed(6)).join(" ")} checksum ${checksum(x).toFixed(6)}\n`;
    },
  },
  "independent-set": {
    args: [200, seed],
    prints: () => {
      // As if each came in turn, the highest number first.
      const isEdge = (a: number, b: number): boolean => hash(Math.max(a, b) * 1000 + Math.min(a, b), seed) % 16 === 0;
      const order = numbers(200, (v) => v).toSorted((a, b) => hash(b, seed + 1) - hash(a, seed + 1) || b - a);
      const chosen: number[] = [];
      for (const v of order) if (!chosen.some((w) => isEdge(v, w))) chosen.push(v);
      return `size ${chosen.length} checksum ${checksum(numbers(200, (v) => (chosen.includes(v) ? 1 : 2)))}\n`;
    },
  },
};

runSomePrograms("algorithms", programs);
