// Whole programs that call Thrust and CUB for the whole device: their headers here are ours, and launch our kernel.
import { checksum, numbers, runSomePrograms, seed, sum, type Program } from "./program-runner.ts";

const n = 2311;
const x = (i: number): number => ((i * 37 + seed) % 101) / 8;
const y = (i: number): number => ((i * 11 + seed) % 53) / 4;
const byNumber = (a: number, b: number): number => a - b;
const { fround } = Math;

/** As many numbers below `count` as there are values, each with its value. */
const counted = (values: readonly number[]): [number, number][] =>
  [
    ...values.reduce((counts, value) => counts.set(value, (counts.get(value) ?? 0) + 1), new Map<number, number>()),
  ].sort(([a], [b]) => a - b);

/** Of each element what it and those in front of it have in common; `null` in front of the first. */
function scanned(values: readonly number[], op: (a: number, b: number) => number): number[] {
  const all: number[] = [];
  for (const value of values) all.push(all.length === 0 ? value : op(all.at(-1)!, value));
  return all;
}
const plus = (a: number, b: number): number => a + b;

/** minstd_rand: the next number of each. */
const next = (state: number): number => Number((BigInt(state) * 48271n) % 2147483647n);
const unit = (state: number): number => (state - 1) / 2147483646;

function mixed(seedOf: number): number {
  let a = seedOf | 0;
  a = (a + 0x7ed55d16 + (a << 12)) | 0;
  a = a ^ 0xc761c23c ^ (a >>> 19);
  a = (a + 0x165667b1 + (a << 5)) | 0;
  a = (a + 0xd3a2646c) ^ (a << 9);
  a = (a + 0xfd7046c5 + (a << 3)) | 0;
  return (a ^ 0xb55a4f09 ^ (a >>> 16)) >>> 0;
}

/** How many of 200 darts of a generator land in the circle. */
function hits(id: number): number {
  let state = mixed(id) % 2147483647 || 1;
  let inside = 0;
  for (let i = 0; i < 200; i++) {
    const a = (state = next(state));
    state = next(a);
    if (unit(a) ** 2 + unit(state) ** 2 < 1) inside += 1;
  }
  return inside;
}

const line = (name: string, values: readonly number[]): string => `${name} ${values.length}: ${checksum(values)}\n`;
const told = (name: string, values: readonly number[]): string => `${name}: ${checksum(values)}\n`;

const programs: Record<string, Program> = {
  "thrust-saxpy": {
    args: [n, seed],
    prints: () => {
      const last = numbers(n, (i) => 4 * x(i) - (0.5 * x(i) + (2 * x(i) + y(i))));
      return { numbers: [checksum(last), 5, 6, n], within: 0.00051 };
    },
  },
  "thrust-histogram": {
    args: [n, seed],
    prints: () => {
      const input = numbers(n, (i) => (((i * 29 + seed) % 13) * ((i * 17 + seed) % 11)) % 23);
      const pairs = counted(input);
      const bins = numbers(pairs.at(-1)![0] + 1, (bin) => input.filter((value) => value === bin).length);
      const [values, counts] = [pairs.map(([value]) => value), pairs.map(([, count]) => count)];
      return `dense ${bins.join(" ")}\nvalues ${values.join(" ")}\ncounts ${counts.join(" ")}\n`;
    },
  },
  "thrust-statistics": {
    args: [n, seed],
    prints: () => {
      const [xs, ys] = [numbers(n, x), numbers(n, y)];
      const dot = sum(xs.map((value, i) => value * ys[i]!));
      const mean = sum(xs) / n;
      const variance = sum(xs.map((value) => (value - mean) ** 2)) / (n - 1);
      const [least, most] = [Math.min(...xs), Math.max(...xs)];
      const pairs = [mean, variance, n, least, xs.indexOf(least), most, xs.indexOf(most), Math.min(...ys)];
      const above = xs.filter((value) => value > 6).length;
      const norm = Math.sqrt(sum(xs.map((value) => value * value)));
      const equal = xs.filter((value) => value === 1).length;
      return { numbers: [dot, norm, ...pairs, Math.max(...ys), 2 * dot, above, equal], within: 0.00051 };
    },
  },
  "thrust-monte-carlo": {
    args: [1500, seed],
    prints: () => {
      const inside = sum(numbers(1500, (i) => hits(seed + i)));
      let state = seed + 1;
      for (let i = 0; i < 1001; i++) state = next(state);
      const die = Math.trunc(unit(next(state)) * 6 + 1);
      const pi = ((4 * inside) / (1500 * 200)).toFixed(6);
      return `${inside} inside, pi is about ${pi}\n${state} ${state}, a die shows ${die}\n`;
    },
  },
  "thrust-compaction": {
    args: [n, seed],
    prints: () => {
      const all = numbers(n, (i) => (i * 7919 + seed) % 1000);
      const odd = all.filter((value) => value % 2 !== 0);
      const runs = all.map((value) => Math.trunc(value / 300)).filter((value, i, of) => i === 0 || value !== of[i - 1]);
      const fifths = (is: boolean): number[] => all.filter((value) => (value % 5 === 0) === is);
      const replaced = all.map((value) => (value % 10 === 0 ? -1 : value === 7 ? 70 : value));
      return [
        line(
          "thirds",
          all.filter((value) => value % 3 === 0),
        ),
        line(
          "by stencil",
          all.filter((_, i) => (seed + i) % 4 === 0),
        ),
        line("odd", odd),
        line(
          "but one",
          odd.filter((value) => value !== 501),
        ),
        line("runs", runs),
        line("fifths", fifths(true)),
        line("others", fifths(false)),
        line("replaced", replaced),
        `${replaced.filter((value) => value === -1).length} replaced\n`,
        line("on the host", odd),
      ].join("");
    },
  },
  "thrust-keys": {
    args: [n, seed],
    prints: () => {
      const key = (i: number): number => (i * 7919 + seed) % 57;
      const order = numbers(n, (i) => i).sort((a, b) => key(a) - key(b) || a - b);
      const groups = counted(order.map(key)).map(([value]) => order.filter((i) => key(i) === value));
      const backwards = numbers(n, (i) => key(n - 1 - i));
      const forwards = numbers(n, key);
      const rows = numbers(Math.floor(n / 10), (row) => sum(forwards.slice(10 * row, 10 * row + 10)));
      return [
        told("values by key", order),
        `${groups.length} runs\n`,
        told("sums", groups.map(sum)),
        told(
          "highest",
          groups.map((group) => group.at(-1)!),
        ),
        told(
          "running",
          groups.flatMap((group) => scanned(group, plus)),
        ),
        told(
          "before",
          groups.flatMap((group) => group.map((_, i) => 100 + sum(group.slice(0, i)))),
        ),
        told("back, from the last", backwards),
        told("gathered", forwards),
        told("scattered", forwards),
        `second half ${sum(forwards.slice(0, Math.floor(n / 2)))}\n`,
        told("rows", rows),
      ].join("");
    },
  },
  "thrust-and-kernels": {
    args: [n, seed],
    prints: () => {
      const steps = numbers(n, (i) => {
        let count = 0;
        for (let value = i + 1; value !== 1; count++) value = value % 2 === 0 ? value / 2 : 3 * value + 1;
        return count;
      });
      const floats = numbers(n, (i) => ((i * 31 + seed) % 64) * 0.25);
      const cell = (i: number): number => (i * 7919 + seed) % 50;
      const particles = numbers(n, (i) => i).sort((a, b) => cell(a) - cell(b) || a - b);
      return [
        `${sum(steps)} steps, the last from ${sum(steps.slice(0, -1))}\n`,
        `by three: ${sum(steps.map((count) => count % 3))}\n`,
        `most ${Math.max(...floats).toFixed(2)}\n`,
        `first ${Math.min(...floats).toFixed(2)}, last ${Math.max(...floats).toFixed(2)}\n`,
        "in order\n",
        `particles ${checksum(particles) + sum(particles.map(cell))}\n`,
        "all 1, any 0\n",
      ].join("");
    },
  },
  "thrust-bounding-box": {
    args: [n, seed],
    prints: () => {
      let state = seed + 1;
      // As floats are drawn: 2^31 − 2 is 2^31 among them.
      const drawn = (): number => {
        state = next(state);
        return fround(fround(fround(fround(state - 1) / 2147483648) * 2) - 1);
      };
      const points = numbers(n, () => [drawn(), drawn()] as const);
      const [xs, ys] = [points.map(([first]) => first), points.map(([, second]) => second)];
      const radii = points.map(([a, b]) => Math.hypot(a, b)).sort(byNumber);
      const some = radii.filter((_, i) => i % Math.floor(n / 4) === 0);
      const angle = sum(points.map(([a, b]) => Math.atan2(b, a))) / n;
      // A radius below 2 is off by 3 roundings of 2^-24 of it, an angle below pi by 3 units of 2^-22 (atan2f).
      return {
        numbers: [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys), ...some, angle],
        within: 2e-6,
      };
    },
  },
  "cub-device": {
    args: [n, seed],
    prints: () => {
      const all = numbers(n, (i) => Math.trunc(((i * 7919 + seed) % 200) / 4));
      const most = Math.max(...all);
      const before = (values: readonly number[], first: number): number[] => [first, ...values.slice(0, -1)];
      const pairs = counted(all);
      const selected: [string, number[]][] = [
        ["inclusive", scanned(all, plus)],
        ["exclusive", before(scanned(all, plus), 0)],
        ["highest before", before(scanned(all, Math.max), -1)],
        ["bins", numbers(6, (bin) => all.filter((value) => Math.trunc(value / 7) === bin).length)],
        ["below 9", all.filter((value) => value < 9)],
        ["flagged", all.filter((value) => value !== 0)],
        ["unique", all.filter((value, i) => i === 0 || value !== all[i - 1])],
        ["values", pairs.map(([value]) => value)],
        ["lengths", pairs.map(([, count]) => count)],
      ];
      return [
        `sum ${sum(all)}\nmax ${most}\nmin ${Math.min(...all)}\nmost ${most} at ${all.indexOf(most)}\n`,
        `block ${sum(all.slice(0, 128))}\n`,
        ...selected.map(([name, values]) => line(name, values)),
        "too little: cudaErrorInvalidValue\n",
      ].join("");
    },
  },
  "cub-radix-sort": {
    args: [n, seed],
    prints: () => {
      const key = (i: number): number => ((i * 7919 + seed) % 301) - 150;
      const sorted = (by: (i: number) => number): number[] =>
        numbers(n, (i) => i).sort((a, b) => by(a) - by(b) || a - b);
      const keys = numbers(n, key).sort(byNumber);
      const floats = [...keys].reverse().map((value) => value / 4);
      const [up, down] = [sorted(key), sorted((i) => -key(i))];
      const bits = sorted((i) => key(i) & 7);
      const rows: [string, number[]][] = [
        ["keys", keys],
        ["floats, down", floats],
        ["places", up],
        ["places, down", down],
        ["by three bits", bits],
        ["buffered", up],
      ];
      return rows.map(([name, values]) => `${name}: ${checksum(values).toFixed(2)}\n`).join("");
    },
  },
};

programs["thrust-searches"] = {
  args: [n, seed],
  prints: () => {
    const given = numbers(n, (i) => (i * 7919 + seed) % 301);
    const wanted = numbers(n, (i) => (i * 31 + seed) % 310);
    const sorted = [...given].sort(byNumber);
    const before = (value: number): number => sorted.filter((each) => each < value).length;
    const has = new Set(given);
    const twice = sorted.map((value) => 2 * value);
    const half = Math.floor(n / 2);
    const x = sorted.map((value, i) => (i < half ? twice[n - 1 - i]! : value));
    const y = twice.reverse().map((value, i) => (i < half ? sorted[i]! : value));
    const odd = (value: number): boolean => value % 2 !== 0;
    const [firstOdd, firstEven] = [x.findIndex(odd), x.findIndex((value) => !odd(value))];
    const ten = (value: number): number => Math.trunc(value / 10);
    const heads = numbers(n, (i) => i).filter((i) => i === 0 || ten(x[i]!) !== ten(x[i - 1]!));
    const tens = heads.map((i) => x[i]!);
    const quarter = [...tens, ...x.slice(tens.length)].slice(0, Math.floor(n / 4));
    const longer = [...quarter.slice(0, 3), ...numbers(n - 1, () => 7), 11];
    const both = [
      line("lower", wanted.map(before)),
      line(
        "there",
        wanted.map((value) => Number(has.has(value))),
      ),
      `one: ${before(50)} ${before(51)} ${Number(has.has(50))}\n`,
      line("merged", [...sorted, ...twice].sort(byNumber)),
      "in order: 1 0 1\n",
      line("swapped", x),
      line("reversed", [...x].reverse()),
      `equal: 1 ${Number(x.every((value, i) => value === y[i]))}\n`,
      `odd: first ${firstOdd}, first even ${firstEven}, any 1, all 0, none 0\n`,
      `found at ${x.indexOf(x[Math.floor(n / 3)]!)}\n`,
      line(
        "odd ones negated",
        x.map((value, i) => (odd(value) ? -value : y[i]!)),
      ),
      line(
        "even",
        x.filter((value) => !odd(value)),
      ),
      line("tens", tens),
      line("scanned", scanned([5, ...x.slice(0, -1).map((value) => 3 * value)], plus)),
      line("from the end", scanned([...x].reverse(), plus)),
      line("keys", tens),
      line("their places", heads),
      line(
        "three",
        quarter.map((value) => value + 49),
      ),
      line("longer", longer),
    ].join("");
    const order = numbers(n, (i) => i).sort((a, b) => given[a]! - given[b]! || a - b);
    const highest = counted(given).map(([value]) => Math.max(...order.filter((i) => given[i] === value)));
    const ranges = [0, 10, 100, 150, 400];
    const least = Math.min(...given);
    return [
      both,
      both,
      line("min", [least]),
      `twice ${1 + 2 * sum(given)}\n`,
      `least ${least} at ${given.indexOf(least)}\n`,
      line("sorted", order),
      line("highest", highest),
      line(
        "ranges",
        numbers(4, (bin) => given.filter((value) => value >= ranges[bin]! && value < ranges[bin + 1]!).length),
      ),
      line(
        "bulk",
        sorted.map((value, i) => value + i),
      ),
      "in order 1\nnines 36\n",
    ].join("");
  },
};

runSomePrograms("Thrust and CUB", programs);
