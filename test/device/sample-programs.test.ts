// Whole programs after the topics of NVIDIA's samples: streams, mapped memory, transforms, formats, allocation.
import { checksum, hash, numbers, runSomePrograms, seed, sum, type Program } from "./program-runner.ts";

const longest = (a: string, b: string): number[][] => {
  const table = [numbers(b.length + 1, () => 0)];
  for (const letter of a) {
    const [above, row] = [table.at(-1)!, [0]];
    for (let j = 1; j <= b.length; j++)
      row.push(letter === b[j - 1] ? above[j - 1]! + 1 : Math.max(above[j]!, row[j - 1]!));
    table.push(row);
  }
  return table;
};

const least = (x: readonly number[], width: number): number[] =>
  numbers(x.length / width, (block) => Math.min(...x.slice(block * width, (block + 1) * width)));

const reversed = (bits: number): number =>
  Number.parseInt((bits >>> 0).toString(2).padStart(32, "0").split("").reverse().join(""), 2);

const programs: Record<string, Program> = {
  "async-api": {
    args: [30_000, seed],
    prints: () => `sum ${sum(numbers(30_000, (i) => (hash(i, seed) % 1000) + 26))} timed 1\n`,
    stderr: /^counted to \d+\n$/,
  },
  clocks: {
    args: [9, seed],
    prints: () => {
      const x = least(
        numbers(9 * 128, (i) => hash(i, seed) % 100_000),
        128,
      );
      return `least ${x[0]} sum ${sum(x)} in order 9\n`;
    },
  },
  "zero-copy": {
    args: [1234, seed],
    prints: () => `checksum ${checksum(numbers(1234, (i) => (hash(i, seed) % 5000) - (hash(i, seed + 1) % 5000)))}\n`,
  },
  "scalar-products": {
    args: [20, seed],
    prints: () => {
      const at = (i: number, by: number): number => (hash(i, by) % 2001) - 1000;
      const c = numbers(20, (pair) =>
        sum(numbers(333, (i) => at(pair * 333 + i, seed) * at(pair * 333 + i, seed + 1))),
      );
      return `first ${c[0]} checksum ${checksum(c)}\n`;
    },
  },
  "low-discrepancy": {
    args: [500, seed],
    prints: () => {
      // The second axis: rows of Pascal's triangle modulo 2, which is C(k, j) & 1 = 1 where j is a part of k.
      const second = (at: number): number => {
        let bits = 0;
        for (let j = 0; j < 32; j++) {
          let parity = 0;
          for (let k = j; k < 32; k++) if ((at >>> k) & 1 && (k & j) === j) parity ^= 1;
          bits += parity * 2 ** (31 - j);
        }
        return bits;
      };
      const points = numbers(500, (i) => [reversed(seed + i), second(seed + i)] as const);
      const all = points.reduce((bits, [x, y]) => (bits ^ (x + Math.imul(31, y))) >>> 0, 0);
      const inside = points.filter(([x, y]) => (x >>> 16) ** 2 + (y >>> 16) ** 2 < 2 ** 32).length;
      return `last ${points[499]!.join(" ")} all ${all} inside ${inside}\n`;
    },
  },
  walsh: {
    args: [1024, seed],
    prints: () => {
      const [a, b] = [seed, seed + 1].map((by) => numbers(1024, (i) => hash(i, by) % 16));
      const c = numbers(1024, (i) => sum(a!.map((value, j) => value * b![i ^ j]!)));
      return `first ${c[0]} last ${c[1023]} checksum ${checksum(c)}\n`;
    },
  },
  haar: {
    args: [128, seed],
    prints: () => {
      const x = numbers(128, (i) => hash(i, seed) % 1024);
      const mean = (from: number, to: number): number => sum(x.slice(from, to)) / (to - from);
      const details = numbers(128, (at) => {
        if (at === 0) return 0;
        const size = 2 ** Math.floor(Math.log2(at));
        const width = 128 / size;
        const from = (at - size) * width;
        return (mean(from, from + width / 2) - mean(from + width / 2, from + width)) / 2;
      });
      return `mean ${mean(0, 128).toFixed(10)} details ${checksum(details).toFixed(10)} same 128\n`;
    },
  },
  bisection: {
    args: [40, seed],
    prints: () => ({
      numbers: numbers(40, (k) => (hash(0, seed) % 10) - 2 * Math.cos((Math.PI * (k + 1)) / 41)),
      // Half of a digit printed, and far less for the 60 halvings and the roundings of a matrix of norm below 12.
      within: 0.51e-9,
    }),
  },
  "hillis-steele": {
    args: [2500, seed],
    prints: () => {
      let total = 0;
      const x = numbers(2500, (i) => (total += hash(i, seed) % 1000));
      return `steps 12 last ${total} checksum ${checksum(x)}\n`;
    },
  },
  "sparse-formats": {
    args: [700, seed],
    prints: () => {
      const lengths = numbers(700, (row) => hash(row, seed) % 9);
      const y = lengths.map((length, row) =>
        sum(numbers(length, (k) => ((row % 7) + k - 4) * (hash(hash(row * 8 + k, seed + 1) % 700, seed + 2) % 100))),
      );
      return `entries ${sum(lengths)} ELL ${checksum(y)} COO ${checksum(y)}\n`;
    },
  },
  subsequence: {
    args: [90, seed],
    prints: () => {
      const [a, b] = [seed, seed + 1].map((by) =>
        numbers(90, (i) => hash(i, by) % 6)
          .map((k) => "abcdef"[k])
          .join(""),
      ) as [string, string];
      const table = longest(a, b);
      let [i, j, common] = [90, 90, ""];
      while (common.length < table[90]![90]!) {
        const left = table[90]![90]! - common.length;
        if (table[i - 1]![j] === left) i -= 1;
        else if (table[i]![j - 1] === left) j -= 1;
        else [i, j, common] = [i - 1, j - 1, a[i - 1]! + common];
      }
      return `${common.length} ${common}\n`;
    },
  },
  lu: {
    args: [20, seed],
    prints: () => {
      const small = (at: number, by: number): number => (hash(at, by) % 7) - 3;
      const doublings = numbers(20, (k) => hash(k, seed + 1) % 3);
      const a = numbers(400, (at) => {
        const [row, column] = [Math.floor(at / 20), at % 20];
        if (row > column) return small(at, seed);
        return row === column ? 2 ** doublings[row]! : small(at, seed + 2);
      });
      return `determinant 2^${sum(doublings)} checksum ${checksum(a)}\n`;
    },
  },
  "modular-inverse": { args: [24, seed], prints: () => "right 576\n" },
  "fence-reduction": {
    args: [40_000, seed],
    prints: () => {
      const x = numbers(40_000, (i) => (hash(i, seed) % 100_001) - 50_000);
      return `sum ${sum(x)}\nsum ${sum(x.slice(0, 20_000))}\n`;
    },
  },
  "new-delete": {
    args: [300, seed],
    prints: () => {
      const results = numbers(300, (i) => {
        const items = numbers((i % 10) + 1, (k) => hash(i * 10 + k, seed) % 100);
        return items.reduceRight((total, item) => total * 3 + item, 0);
      });
      return `no error ${sum(results)}\n`;
    },
  },
  "async-copies": {
    args: [48, seed],
    prints: () => {
      const [a, b] = [seed, seed + 1].map((by) => numbers(48 * 48, (i) => (hash(i, by) % 20) - 10));
      const c = numbers(48 * 48, (at) => {
        const [row, column] = [Math.floor(at / 48), at % 48];
        return sum(numbers(48, (k) => a![row * 48 + k]! * b![k * 48 + column]!));
      });
      return `corner ${c.at(-1)} checksum ${checksum(c)}\n`;
    },
  },
  partitions: {
    args: [1024, seed],
    prints: () => {
      const x = numbers(1024, (i) => hash(i, seed) % 1000);
      const [even, odd] = [0, 1].map((parity) => x.filter((value) => value % 2 === parity));
      return `even ${even!.length} sum ${sum(even!)} odd ${odd!.length} sum ${sum(odd!)}\n`;
    },
  },
  "all-devices": {
    args: [12_345, seed],
    prints: () => `sum ${sum(numbers(12_345, (i) => hash(i, seed) % 5000))}\n`,
  },
  priorities: {
    args: [800, seed],
    prints: () => `sum ${sum(numbers(800, (i) => ((hash(i, seed) % 100) * 3 + i) * 5 + i))} ordered 1\n`,
  },
  volume: {
    args: [12, seed],
    prints: () => {
      const at = (x: number, y: number, z: number): number => hash((z * 12 + y) * 12 + Math.min(x, 11), seed) % 256;
      const picture = numbers(144, (i) => {
        const [x, y] = [i % 12, Math.floor(i / 12)];
        return Math.max(...numbers(12, (z) => (at(x, y, z) + at(x + 1, y, z)) / 2));
      });
      return `first ${picture[0]!.toFixed(1)} checksum ${checksum(picture).toFixed(1)}\n`;
    },
  },
  "video-colours": {
    args: [42, seed],
    prints: () => {
      const [width, height] = [84, 42];
      const at = (i: number): number => hash(i, seed) % 256;
      const byte = (value: number): number => Math.max(0, Math.min(255, Math.floor(value / 256)));
      const picture = numbers(width * height, (i) => {
        const [x, y] = [i % width, Math.floor(i / width)];
        const colours = width * height + 2 * (Math.floor(y / 2) * (width / 2) + Math.floor(x / 2));
        const [c, d, e] = [298 * (at(i) - 16) + 128, at(colours) - 128, at(colours + 1) - 128];
        return [byte(c + 409 * e), byte(c - 100 * d - 208 * e), byte(c + 516 * d), 255];
      }).flat();
      return `first ${picture.slice(0, 3).join(" ")} checksum ${checksum(picture)}\n`;
    },
  },
};

runSomePrograms("samples", programs);
