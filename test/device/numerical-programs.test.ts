// Whole programs of numerical mathematics, in double or in whole numbers.
import { checksum, hash, numbers, runPrograms, seed, sum, type Program } from "./program-runner.ts";

type Vector = readonly [number, number, number];

function bodiesAfter(steps: number, n: number): Vector[] {
  let places = numbers(n, (i) => i).map((i): Vector => {
    const [x, y, z] = [0, 1, 2].map((k) => (hash(3 * i + k, seed) % 1000) / 1000) as [number, number, number];
    return [x, y, z];
  });
  const speeds = places.map(() => [0, 0, 0]);
  for (let step = 0; step < steps; step++) {
    places.forEach((mine, i) => {
      for (const other of places) {
        const [x, y, z] = [other[0] - mine[0], other[1] - mine[1], other[2] - mine[2]];
        const weight = (0.5 / n) * (x * x + y * y + z * z + 0.01) ** -1.5;
        [x, y, z].forEach((each, k) => (speeds[i]![k]! += weight * each * 0.01));
      }
    });
    places = places.map((place, i) => place.map((each, k) => each + speeds[i]![k]! * 0.01) as unknown as Vector);
  }
  return places;
}

/** Numbers of a complex Fourier transform by its definition. */
function fourierOf(x: readonly (readonly [number, number])[], k: number): number[] {
  const turned = x.map(([re, im], i) => {
    const angle = (-2 * Math.PI * ((i * k) % x.length)) / x.length;
    return [re * Math.cos(angle) - im * Math.sin(angle), re * Math.sin(angle) + im * Math.cos(angle)] as const;
  });
  return [sum(turned.map(([re]) => re)), sum(turned.map(([, im]) => im))];
}

function priceByPaths(paths: number): number {
  const ends = numbers(paths, (path) => {
    const [u, v] = [(hash(2 * path, seed) + 0.5) / 2 ** 32, hash(2 * path + 1, seed) / 2 ** 32];
    const normal = Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v);
    return Math.max(100 * Math.exp((0.03 - 0.02) * 1.5 + 0.2 * Math.sqrt(1.5) * normal) - 105, 0);
  });
  return (Math.exp(-0.03 * 1.5) * sum(ends)) / paths;
}

/** The share of normal numbers below x: a series, or a continued fraction far out. */
function normalBelow(x: number): number {
  if (x < -6) return 0;
  if (x < 0) return 1 - normalBelow(-x);
  if (x > 6) return 1 - normalBelow(-x);
  let [term, total] = [x, x];
  for (let k = 1; Math.abs(term) > 1e-18; k++) total += term *= (x * x) / (2 * k + 1);
  return 0.5 + (total * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

function callPrice(share: number, strike: number, years: number): number {
  const root = 0.3 * Math.sqrt(years);
  const d1 = (Math.log(share / strike) + (0.02 + 0.045) * years) / root;
  return share * normalBelow(d1) - strike * Math.exp(-0.02 * years) * normalBelow(d1 - root);
}

const programs: Record<string, Program> = {
  "n-body": {
    args: [100, 5, seed],
    prints: () => {
      const places = bodiesAfter(5, 100);
      return { numbers: [0, 25, 50, 75].flatMap((i) => [...places[i]!]), within: 5e-12 };
    },
  },
  "red-black": {
    args: [30, 20, seed],
    prints: () => {
      const n = 30;
      const u = numbers(n * n, (i) => hash(i, seed) % 100);
      for (let sweep = 0; sweep < 40; sweep++)
        for (let y = 1; y < n - 1; y++)
          for (let x = 1; x < n - 1; x++)
            if ((x + y) % 2 === sweep % 2)
              u[y * n + x] = (u[y * n + x - 1]! + u[y * n + x + 1]! + u[(y - 1) * n + x]! + u[(y + 1) * n + x]!) / 4;
      return { numbers: [1, 7, 13, 19, 25].map((i) => u[i * n + n - 1 - i]!), within: 1e-9 };
    },
  },
  mandelbrot: {
    args: [60, 40, 80],
    prints: () => {
      const one = 2 ** 24;
      const times = (a: number, b: number): number => Number((BigInt(a) * BigInt(b)) >> 24n);
      const counts = numbers(2400, (i) => {
        const [cx, cy] = [
          Math.trunc((3 * one * (i % 60)) / 60) - 2 * one,
          Math.trunc((2 * one * Math.floor(i / 60)) / 40) - one,
        ];
        let [zx, zy, count] = [0, 0, 0];
        while (count < 80 && times(zx, zx) + times(zy, zy) < 4 * one) {
          [zx, zy] = [times(zx, zx) - times(zy, zy) + cx, 2 * times(zx, zy) + cy];
          count += 1;
        }
        return count;
      });
      return `inside ${counts.filter((count) => count === 80).length} checksum ${checksum(counts)}\n`;
    },
  },
  fourier: {
    args: [3, seed],
    prints: () => {
      const x = numbers(768, (i) => i).map((i) => [hash(i, seed) % 100, hash(i, seed + 1) % 100] as const);
      const found = [3, 153, 303, 453, 603, 753].flatMap((i) => {
        const start = Math.floor(i / 256) * 256;
        return fourierOf(x.slice(start, start + 256), i % 256);
      });
      return { numbers: [...found, 1], within: 1e-8 };
    },
  },
  cosine: {
    args: [24, 16, seed],
    prints: () => {
      const basis = (u: number, k: number): number =>
        (u > 0 ? 0.5 : Math.sqrt(0.125)) * Math.cos(((2 * k + 1) * u * Math.PI) / 16);
      const out = numbers(24 * 16, (at) => {
        const [x, y] = [at % 24, Math.floor(at / 24)];
        return sum(
          numbers(64, (i) => {
            const [row, column] = [Math.floor(i / 8), i % 8];
            const pixel = (hash((y - (y % 8) + row) * 24 + x - (x % 8) + column, seed) % 256) - 128;
            return pixel * basis(y % 8, row) * basis(x % 8, column);
          }),
        );
      });
      return { numbers: out.filter((_, i) => i % 37 === 0), within: 2e-9 };
    },
  },
  elimination: { args: [24, seed], prints: () => ({ numbers: numbers(24, (i) => i + 1), within: 1e-9 }) },
  "conjugate-gradients": { args: [100], prints: () => ({ numbers: numbers(100, (i) => i + 1), within: 2e-9 }) },
  tridiagonal: {
    args: [6, seed],
    prints: () => ({ numbers: numbers(35, (i) => ((11 * i) % 64) + 1), within: 1e-9 }),
  },
  "option-price": { args: [8, 10, seed], prints: () => ({ numbers: [priceByPaths(8 * 64 * 10)], within: 2e-9 }) },
  "black-scholes": {
    args: [500, seed],
    prints: () => {
      const calls = numbers(500, (i) =>
        callPrice(80 + (hash(i, seed) % 40), 80 + (hash(i, seed + 1) % 40), 0.25 + (hash(i, seed + 2) % 8) / 4),
      );
      return { numbers: [sum(calls) / 500, 1], within: 2e-9 };
    },
  },
  "power-method": {
    args: [40, 60, seed],
    prints: () => {
      const entry = (i: number, k: number): number => hash(Math.max(i, k) * 40 + Math.min(i, k), seed) % 10;
      let [x, largest] = [numbers(40, () => 1), 0];
      for (let round = 0; round < 60; round++) {
        const y = x.map((_, i) => sum(x.map((value, k) => entry(i, k) * value)));
        largest = Math.max(...y.map(Math.abs));
        x = y.map((value) => value / largest);
      }
      return { numbers: [largest], within: 2e-8 };
    },
  },
  "heat-3d": {
    args: [13, 6, seed],
    prints: () => {
      const n = 13;
      let u = numbers(n ** 3, (i) => hash(i, seed) % 10);
      for (let step = 0; step < 6; step++) {
        const at = (x: number, y: number, z: number): number =>
          [x, y, z].every((each) => each >= 0 && each < n) ? u[(z * n + y) * n + x]! : 0;
        u = u.map((here, i) => {
          const [x, y, z] = [i % n, Math.floor(i / n) % n, Math.floor(i / n / n)];
          const around =
            at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) + at(x, y, z - 1) + at(x, y, z + 1);
          return here + 0.1 * (around - 6 * here);
        });
      }
      return { numbers: u.filter((_, i) => i % 211 === 0), within: 1e-10 };
    },
  },
  "k-means": {
    args: [700, 6, seed],
    prints: () => {
      const points = numbers(700, (i) => i).map(
        (i) => [hash(2 * i, seed) % 1000, hash(2 * i + 1, seed) % 1000] as const,
      );
      let centres: (readonly [number, number])[] = points.slice(0, 5);
      let which: number[] = [];
      for (let round = 0; round < 6; round++) {
        which = points.map(([x, y]) => {
          const apart = centres.map(([cx, cy]) => (x - cx) ** 2 + (y - cy) ** 2);
          return apart.indexOf(Math.min(...apart));
        });
        centres = centres.map((centre, k) => {
          const mine = points.filter((_, i) => which[i] === k);
          if (mine.length === 0) return centre;
          return [0, 1].map((axis) => Math.trunc(sum(mine.map((point) => point[axis]!)) / mine.length)) as [
            number,
            number,
          ];
        });
      }
      return `${centres.map(([x, y]) => `${x} ${y}\n`).join("")}checksum ${checksum(which)}\n`;
    },
  },
};

runPrograms("numerical programs", programs);
