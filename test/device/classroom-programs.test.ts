// Whole programs as courses write them: C with structs and macros, classical scans, sorts, sparse formats, simulations.
import { checksum, hash, numbers, runSomePrograms, seed, sum, type Program } from "./program-runner.ts";

const text = "The quick brown fox jumps over the lazy dog, and then it sleeps until noon!";

/** The rows of a sparse matrix, each a list of columns and values. */
const sparse = (rows: number): (readonly [column: number, value: number])[][] =>
  numbers(rows, (r) => r).map((r) =>
    numbers(hash(r, seed) % 9, (k) => r * 9 + k).map(
      (at) => [hash(at, seed + 1) % rows, (hash(at, seed + 2) % 19) - 9] as const,
    ),
  );

/** The root of each vertex: the least vertex that edges lead to. */
function rootsOf(n: number, edges: readonly (readonly [number, number])[]): number[] {
  const roots = numbers(n, (i) => i);
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (const [a, b] of edges) {
      if (roots[a] === roots[b]) continue;
      roots[a] = roots[b] = Math.min(roots[a]!, roots[b]!);
      isChanged = true;
    }
  }
  return roots;
}

/** How a word's suffixes are ordered. */
const suffixesOf = (word: string): number[] =>
  numbers(word.length, (i) => i).toSorted((a, b) => (word.slice(a) < word.slice(b) ? -1 : 1));

/** How many letters tell every two suffixes of a word apart. */
const longestRepeat = (word: string): number => {
  const order = suffixesOf(word);
  const shared = order.slice(1).map((b, i) => {
    let length = 0;
    while (word[order[i]! + length] === word[b + length]) length += 1;
    return length;
  });
  return Math.max(...shared);
};

const word = numbers(300, (i) => hash(i, seed) % 2)
  .map((k) => "ab"[k])
  .join("");

function optionPrice(i: number): number {
  const [spot, strike] = [50 + (hash(3 * i, seed) % 100), 50 + (hash(3 * i + 1, seed) % 100)];
  const dt = (1 + (hash(3 * i + 2, seed) % 8) / 4) / 200;
  const up = Math.exp(0.25 * Math.sqrt(dt));
  const chance = (Math.exp(0.03 * dt) - 1 / up) / (up - 1 / up);
  const payoff = (ups: number, day: number): number => {
    const share = spot * Math.exp((2 * ups - day) * 0.25 * Math.sqrt(dt));
    return Math.max(i % 2 === 1 ? strike - share : share - strike, 0);
  };
  let values = numbers(201, (ups) => payoff(ups, 200));
  for (let day = 199; day >= 0; day--) {
    const later = values;
    values = numbers(day + 1, (ups) => {
      const kept = Math.exp(-0.03 * dt) * (chance * later[ups + 1]! + (1 - chance) * later[ups]!);
      return i % 4 > 1 ? Math.max(kept, payoff(ups, day)) : kept;
    });
  }
  return values[0]!;
}

const programs: Record<string, Program> = {
  "visual-studio": {
    args: [3],
    prints: () => `${[1, 2, 383].map((i) => i * i - 3 * i).join(" ")}\n`,
    stderr: "addKernel launch failed: invalid configuration argument\n",
  },
  "sub-matrices": {
    args: [2, 4, 3, seed],
    prints: () => {
      const at = (i: number, by: number): number => (hash(i, by) % 21) - 10;
      const entry = (row: number, column: number): number =>
        sum(numbers(32, (k) => at(row * 32 + k, seed) * at(k * 24 + column, seed + 1)));
      return [0, 5, 10, 15].map((row) => `${numbers(8, (k) => entry(row, 3 * k)).join(" ")} \n`).join("");
    },
  },
  "jagged-rows": {
    args: [21, seed],
    prints: () =>
      numbers(21, (i) => 20 - i)
        .map((row) => {
          const length = 1 + (hash(row, seed + 1) % 70);
          const total = sum(numbers(length, (k) => (hash(row * 100 + k, seed) % 1000) * (length - k)));
          return `${total} of ${length}\n`;
        })
        .join(""),
  },
  "block-sizes": {
    args: [30_001, seed],
    prints: () => {
      const total = (n: number): number => sum(numbers(n, (i) => hash(i, seed) % 100));
      const [large, small] = [total(30_001), total(4096)];
      return [large, large, large.toFixed(1), small].map((each) => `${`${each} `.repeat(3)}\n`).join("");
    },
  },
  "brent-kung": {
    args: [2001, seed],
    prints: () => {
      let total = 0;
      const scanned = numbers(2001, (i) => (total += (hash(i, seed) % 41) - 20));
      return `last ${total} (${total}) checksum ${checksum(scanned)} different 0\n`;
    },
  },
  "co-rank": {
    args: [333, 444, seed],
    prints: () => {
      const list = (n: number, from: number): number[][] =>
        numbers(n, (i) => hash(i, seed + from) % 300).map((key) => [key, from]);
      const merged = [...list(333, 0), ...list(444, 1)].toSorted((a, b) => a[0]! - b[0]! || a[1]! - b[1]!);
      const keys = merged.map(([key]) => key!);
      return `${keys[0]} … ${keys.at(-1)} keys ${checksum(keys)} sources ${checksum(merged.map(([, from]) => from!))}\n`;
    },
  },
  "jagged-diagonals": {
    args: [500, seed],
    prints: () => {
      const matrix = sparse(500);
      const lengths = matrix.map((row) => row.length);
      const y = matrix.map((row) => sum(row.map(([column, value]) => value * (hash(column, seed + 3) % 100))));
      const rest = sum(lengths.map((length) => Math.max(0, length - 3)));
      const product = checksum(y);
      return `entries ${sum(lengths)} diagonals ${Math.max(...lengths)} rest ${rest} JDS ${product} hybrid ${product}\n`;
    },
  },
  letters: {
    args: [text, "zz top"],
    prints: () =>
      [text, "zz top"]
        .map((each) => {
          const bins = ["a-d", "e-h", "i-l", "m-p", "q-t", "u-x", "y-z"].map((range) => {
            const count = String(each.match(new RegExp(`[${range}]`, "gi"))?.length ?? 0).padStart(2);
            return `${range} ${count} ${count}`;
          });
          return `${bins.join(" | ")}\n`;
        })
        .join(""),
  },
  coulomb: {
    args: [70, seed],
    prints: () => {
      const atoms = numbers(70, (n) => n).map((n) => {
        const [x, y, z, charge] = [0, 1, 2, 3].map((k) => hash(4 * n + k, seed)) as [number, number, number, number];
        return [(x % 100) / 10, (y % 50) / 10, 1 + (z % 9), (charge % 5) - 2] as const;
      });
      const points = numbers(17, (k) => 13 * k).map((i) =>
        sum(
          atoms.map(([x, y, z, charge]) => charge / Math.hypot((i % 21) / 2 - x, Math.floor(i / 21) / 2 - y, 0.25 - z)),
        ),
      );
      // Half of the last digit printed; 70 terms below 3 in double are far nearer.
      return { numbers: points, within: 0.51e-9 };
    },
  },
  "rank-sort": {
    args: [45, seed],
    prints: () =>
      numbers(45, (i) => i)
        .map((i) => ({
          name: String.fromCharCode(...numbers(5, (k) => 97 + (hash(5 * i + k, seed) % 26))),
          year: 2000 + (hash(i, seed + 1) % 4),
          mark: 1 + (hash(i, seed + 2) % 13) / 4,
        }))
        .toSorted((a, b) => a.year - b.year || b.mark - a.mark)
        .map(({ name, year, mark }) => `${name.padEnd(8)}${year}${mark.toFixed(2).padStart(6)}\n`)
        .join(""),
  },
  "union-find": {
    args: [400, 300, seed],
    prints: () => {
      const edges = numbers(300, (i) => i).map((i) => [hash(2 * i, seed) % 400, hash(2 * i + 1, seed) % 400] as const);
      const roots = rootsOf(400, edges);
      return `${new Set(roots).size} sets checksum ${checksum(roots)}\n`;
    },
  },
  "nearest-neighbours": {
    args: [333, 70, seed],
    prints: () => {
      const at = (i: number, by: number): number[] => numbers(3, (d) => hash(3 * i + d, seed + by) % 1000);
      const found = numbers(70, (q) => q).map((q) => {
        const nearest = numbers(333, (i) => i)
          .map((i) => [sum(at(i, 0).map((x, d) => (x - at(q, 1)[d]!) ** 2)), hash(i, seed + 2) % 4] as const)
          .toSorted(([a], [b]) => a - b)
          .slice(0, 5);
        const counts = numbers(4, (c) => nearest.filter(([, each]) => each === c).length);
        return `${counts.indexOf(Math.max(...counts))}:${nearest[4]![0]} `;
      });
      return `${found.join("")}\n`;
    },
  },
  "convolution-layer": {
    args: [3, seed],
    prints: () => {
      const x = (n: number, c: number, h: number, w: number): number =>
        hash(((n * 3 + c) * 13 + h) * 11 + w, seed) % 256;
      const f = (m: number, at: number): number => (hash(m * 48 + at, seed + 1) % 19) - 9;
      const y = numbers(3 * 5 * 80, (i) => {
        const [n, m, h, w] = [Math.floor(i / 400), Math.floor(i / 80) % 5, Math.floor(i / 8) % 10, i % 8];
        return sum(numbers(48, (k) => f(m, k) * x(n, Math.floor(k / 16), h + (Math.floor(k / 4) % 4), w + (k % 4))));
      });
      return `checksum ${checksum(y)} different 0\n`;
    },
  },
  "suffix-array": {
    args: [word],
    prints: () => {
      // Each round doubles the letters that are looked at, from two on.
      const rounds = Math.max(1, Math.ceil(Math.log2(longestRepeat(word) + 1)));
      return `${rounds} rounds: ${suffixesOf(word).join(" ")}\n`;
    },
  },
  "binomial-options": {
    args: [10, seed],
    // Half of the last digit printed; 200 steps of weighted means in double are far nearer.
    prints: () => ({ numbers: numbers(10, optionPrice), within: 0.51e-9 }),
  },
};

runSomePrograms("the classroom", programs);
