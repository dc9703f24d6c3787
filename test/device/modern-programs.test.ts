// Whole programs in modern C++: concepts, folds, virtual functions, classes that own memory, expression templates.
import { checksum, numbers, runSomePrograms, seed, sum, type Program } from "./program-runner.ts";

type Quaternion = readonly [w: number, x: number, y: number, z: number];

const times = ([a, b, c, d]: Quaternion, [e, f, g, h]: Quaternion): Quaternion => [
  a * e - b * f - c * g - d * h,
  a * f + b * e + c * h - d * g,
  a * g - b * h + c * e + d * f,
  a * h + b * g - c * f + d * e,
];

interface Shape {
  readonly area: number;
  has(x: number, y: number): boolean;
}

/** Shape `i` of program `shapes`, after it has grown. */
function shapeOf(i: number): Shape {
  const [x, y] = [((7 * i) % 30) - 1, (11 * i) % 30];
  if (i % 3 === 1) {
    const radius = 1 + (i % 6);
    return { area: 2 * radius ** 2, has: (px, py) => Math.abs(px - x) + Math.abs(py - y) <= radius };
  }
  const [width, height] = i % 3 === 0 ? [4 + (i % 5), 3 + (i % 4)] : [6 + (i % 3), 5 + (i % 3)];
  const isIn = (by: number, px: number, py: number): boolean =>
    px >= x + by && px < x + width - by && py >= y + by && py < y + height - by;
  if (i % 3 === 0) return { area: width * height, has: (px, py) => isIn(0, px, py) };
  return {
    area: width * height - (width - 2) * (height - 2),
    has: (px, py) => isIn(0, px, py) && !isIn(1, px, py),
  };
}

/** Where x·eˣ - sin x / (x² + 2) is `shift`, and how steep it is there. */
function rootOf(shift: number): number[] {
  const f = (x: number): number => x * Math.exp(x) - Math.sin(x) / (x * x + 2) - shift;
  let [low, high] = [0, 4];
  for (let step = 0; step < 80; step++) {
    const middle = (low + high) / 2;
    if (f(middle) < 0) low = middle;
    else high = middle;
  }
  const x = low;
  const below = x * x + 2;
  return [x, (1 + x) * Math.exp(x) - (Math.cos(x) * below - 2 * x * Math.sin(x)) / below ** 2];
}

const programs: Record<string, Program> = {
  concepts: {
    args: [130],
    std: "c++20",
    prints: () => {
      const costs = numbers(130, (i) => [3 * (i % 10) ** 2, i]);
      const first = sum(costs.map(([a, b]) => 2 * a! + 7 + 2 * b! + 7));
      const second = -sum(costs.map(([a, b]) => a! + b!));
      return `${first} ${second} ${((129 / 2) ** 3).toFixed(3)} 1 1\n`;
    },
  },
  folds: {
    args: [250],
    prints: () => {
      const columns = numbers(250, (i) => [-(i % 50), ((i * i) % 301) - 150, (3 * i) % 256]);
      const of = (rows: readonly number[][]): number =>
        checksum(rows.map((values) => sum(values) * 10 + Math.max(...values)));
      const second = columns.map(([, b]) => b!);
      let factorial = 1;
      const factorials = numbers(12, (i) => (factorial *= Math.max(1, i)));
      const rest = [Math.min(...second) * 1000 + Math.max(...second), 101 + 2000 + 30_000, 4321 * 7];
      return `${[of(columns), of(second.map((b) => [b])), ...factorials, ...rest].join(" ")} \n`;
    },
  },
  shapes: {
    args: [25],
    prints: () => {
      const shapes = numbers(25, (i) => i).map(shapeOf);
      const picture = numbers(8, (row) => 4 * row).map((y) =>
        numbers(32, (x) => shapes.filter((shape) => shape.has(x, y)).length)
          .map((count) => (count === 0 ? "." : count % 10))
          .join(""),
      );
      return `${picture.join("\n")}\narea ${sum(shapes.map(({ area }) => area)).toFixed(1)}, 25 destroyed\n`;
    },
  },
  "device-buffers": {
    args: [300],
    prints: () =>
      [
        `${[20, 3, 5].map((by) => by * sum(numbers(300, (i) => i))).join(" ")} live 3`,
        "live 2",
        "cudaGetLastError(): invalid configuration argument (cudaErrorInvalidConfiguration)",
        "live 0 last 0",
        "cudaMalloc(&data_, size * sizeof(T)): out of memory\n",
      ].join("\n"),
    exitCode: () => 3,
  },
  "expression-templates": {
    args: [600],
    prints: () => {
      const [x, y, z] = [3, 5, 7].map((by) => numbers(600, (i) => (by * i + 13) % 101)) as [
        number[],
        number[],
        number[],
      ];
      const first = x.map((value, i) => value + 2 * y[i]! * z[i]!);
      const second = x.map((value, i) => ((value + y[i]!) * (y[i]! + z[i]!)) ^ (2 * first[i]!));
      const third = x.map((value, i) => 3 * value + 12 * y[i]! + 60 * z[i]!);
      return `${[first, second, third].map(checksum).join(" ")} in 3 launches\n`;
    },
  },
  "dual-numbers": {
    args: [12],
    prints: () => ({
      numbers: [1, ...numbers(12, (i) => i).flatMap((i) => rootOf(0.5 + i / 4))],
      // Half of the last digit printed; rounding of functions of such a size is far below.
      within: 0.51e-9,
    }),
  },
  quaternions: {
    args: [9],
    prints: () => {
      const by: Quaternion = [0.5, 0.5, 0.5, 0.5];
      const turned = numbers(9, (i) => i).flatMap((i) => {
        let all: Quaternion = [1, 0, 0, 0];
        for (let k = 0; k < i % 4; k++) all = times(by, all);
        const [w, x, y, z] = all;
        const [, ...point] = times(times(all, [0, i, (i * i) % 7, -2 * i]), [w, -x, -y, -z]);
        return point.map((value, axis) => value + (i % 2) * 0.5 * (axis + 1));
      });
      return { numbers: [1, ...turned], within: 0.51e-6 };
    },
  },
  "shared-atomics": {
    args: [1000],
    prints: () => {
      const total = sum(numbers(1000, (i) => 3 * i + 1));
      return `1000 in the list, sums ${total} ${total}, highest 2998, tickets 1000\n`;
    },
  },
  "generic-lambdas": {
    args: [777],
    prints: () =>
      [(x: number): number => x * x, (x: number): number => x - 40]
        .map((of) => {
          const y = numbers(777, (i) => of((17 * i + 5) % 777));
          // Each thread counts its own turns.
          return `sum ${sum(y)} least ${Math.min(...y)} of 777\n`;
        })
        .join(""),
  },
  "host-lambdas": {
    args: [3001, seed],
    prints: () => {
      let x = numbers(3001, (i) => (i * 31 + seed) % 1000);
      const before = checksum(x);
      for (const factor of [2, 3, 4]) x = x.map((value) => (factor * value + seed) % 10007);
      const [after, mean] = [checksum(x), checksum(x) / 3001];
      return { numbers: [before, after, mean, 1.75, 2, 32], within: 0.00051 };
    },
  },
  "device-lambdas": {
    args: [3000, seed],
    prints: () => {
      const x = numbers(3000, (i) => {
        const bits = Math.imul(Math.imul(seed, 2654435761) ^ i, 2246822519);
        return ((bits ^ (bits >>> 15)) & 1023) / 256 - 2;
      });
      const below = x.filter((value) => value < 0).length;
      const every = (above: number): number => x.filter((value, i) => i % 3 === 0 && value > above).length;
      const counts = [0, below, 3000 - below, 0, every(0), 1, every(1), 3000];
      const squares = [3, 0.5].map((factor) => sum(x.map((value) => factor * value * value + (factor === 3 ? -1 : 1))));
      return { numbers: [...squares, ...counts], within: 0.00051 };
    },
  },
};

runSomePrograms("modern C++", programs);
