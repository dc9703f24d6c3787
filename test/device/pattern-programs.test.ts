// Whole programs for the patterns of parallel programming: sorts, searches, scans, reductions, compaction, atomics.
import { checksum, hash, numbers, runPrograms, seed, sum, type Program } from "./program-runner.ts";

const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

/** The values of runs, and where each begins. */
function runsOf(x: readonly number[]): { values: number[]; starts: number[] } {
  const starts = x.flatMap((value, i) => (i === 0 || value !== x[i - 1] ? [i] : []));
  return { values: starts.map((start) => x[start]!), starts };
}

const programs: Record<string, Program> = {
  "bitonic-sort": {
    args: [11, seed],
    prints: () => {
      const x = ascending(numbers(2048, (i) => (hash(i, seed) % 200_000) - 100_000));
      return `${x[0]} ${x[1024]} ${x[2047]} checksum ${checksum(x)}\n`;
    },
  },
  "radix-sort": {
    args: [3001, seed],
    prints: () => {
      const keys = numbers(3001, (i) => hash(i, seed) % 65_536);
      const places = numbers(3001, (i) => i).toSorted((a, b) => keys[a]! - keys[b]! || a - b);
      const x = places.map((place) => keys[place]!);
      return `${x[0]} … ${x.at(-1)} checksum ${checksum(x)} places ${checksum(places)}\n`;
    },
  },
  "merge-sort": {
    args: [1777, seed],
    prints: () => {
      const x = ascending(numbers(1777, (i) => hash(i, seed) % 500));
      return `${x[0]} ${x[888]} ${x.at(-1)} checksum ${checksum(x)}\n`;
    },
  },
  "odd-even-sort": {
    args: [201, seed],
    prints: () => {
      const x = numbers(201, (i) => hash(i, seed) % 1000);
      let rounds = 0;
      for (let isChanged = true; isChanged; rounds++) {
        isChanged = false;
        for (const phase of [0, 1])
          for (let low = phase; low + 1 < 201; low += 2)
            if (x[low]! > x[low + 1]!) {
              [x[low], x[low + 1]] = [x[low + 1]!, x[low]!];
              isChanged = true;
            }
      }
      return `rounds ${rounds} checksum ${checksum(x)}\n`;
    },
  },
  "binary-search": {
    args: [900, seed],
    prints: () => {
      let last = 0;
      const table = numbers(512, (i) => (last += hash(i, seed) % 7));
      const places = numbers(900, (i) => table.filter((value) => value < hash(i, seed + 1) % 1600).length);
      return `${places[0]} ${places[899]} checksum ${checksum(places)}\n`;
    },
  },
  "run-lengths": {
    args: [1300, seed],
    prints: () => {
      const x = numbers(1300, (i) => hash(Math.floor(i / (1 + (hash(Math.floor(i / 50), seed) % 5))), seed + 1) % 3);
      const { values, starts } = runsOf(x);
      const lengths = starts.map((start, i) => (starts[i + 1] ?? 1300) - start);
      return `runs ${starts.length} values ${checksum(values)} lengths ${checksum(lengths)}\n`;
    },
  },
  "string-search": { args: ["to be or not to be", "that is the question"], prints: () => "2 2 1 1\n" },
  compaction: {
    args: [2000, seed],
    prints: () => {
      const kept = ascending(numbers(2000, (i) => hash(i, seed) % 10_000).filter((value) => value % 3 === 0));
      return `kept ${kept.length} checksum ${checksum(kept)}\n`;
    },
  },
  "segmented-sum": {
    args: [150, seed],
    prints: () => {
      let at = 0;
      const sums = numbers(150, (s) => sum(numbers(hash(s, seed) % 80, () => hash(at++, seed + 1) | 0)));
      return `${sums[0]} ${sums[149]} checksum ${checksum(sums)}\n`;
    },
  },
  "segmented-scan": {
    args: [500, seed],
    prints: () => {
      let total = 0;
      const scanned = numbers(500, (i) => {
        if (hash(i, seed + 1) % 10 === 0) total = 0;
        return (total += hash(i, seed) % 100);
      });
      return `checksum ${checksum(scanned)}\n`;
    },
  },
  "warp-aggregated": {
    args: [3000, seed],
    prints: () => {
      const odd = numbers(3000, (i) => hash(i, seed) % 100_000).filter((value) => value % 2 === 1);
      return `${odd.length} odd, ${odd.length} of them are, squares ${sum(odd.map((value) => value * value))}\n`;
    },
  },
  "dot-products": {
    args: [5000, seed],
    prints: () => {
      const dot = sum(numbers(5000, (i) => ((hash(i, seed) % 201) - 100) * ((hash(i, seed + 1) % 201) - 100)));
      return `${dot}\n`.repeat(3);
    },
  },
  extremes: {
    args: [4000, seed],
    prints: () => {
      const x = numbers(4000, (i) => 7 + (hash(i, seed) % 1000));
      const [least, greatest] = [Math.min(...x), Math.max(...x)];
      return `least ${least} at ${x.indexOf(least)}, greatest ${greatest} at ${x.indexOf(greatest)}\n`;
    },
  },
  "dynamic-shared": {
    args: [250, seed],
    prints: () =>
      numbers(4, (block) => {
        const x = numbers(64, (t) => (block * 64 + t < 250 ? hash(block * 64 + t, seed) % 1000 : 0));
        return sum(x.map((value) => (value % 2 === 1 ? value / 2 : value))) / 64;
      })
        .map((mean) => `${mean.toFixed(7)}\n`)
        .join(""),
  },
  "look-back-scan": {
    args: [6000, seed],
    prints: () => {
      let total = 0;
      const scanned = numbers(6000, (i) => (total += hash(i, seed) % 50));
      return `last ${total} checksum ${checksum(scanned)}\n`;
    },
  },
  "spin-lock": {
    args: [6, 5],
    prints: () => {
      const visits = 6 * 32 * 5;
      return `lock 0 balance ${visits * 1.5} visits ${visits} turns ${visits % 7} ${(10 - (visits % 10)) % 10}\n`;
    },
  },
};

runPrograms("patterns", programs);
