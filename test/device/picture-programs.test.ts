// Whole programs that work on pictures.
import { checksum, hash, numbers, runPrograms, seed, sum, type Program } from "./program-runner.ts";

const clamped = (value: number, size: number): number => Math.min(Math.max(value, 0), size - 1);

/** A picture made of one that is given by a function, pixel by pixel. */
const picture = (width: number, height: number, of: (x: number, y: number) => number): number[] =>
  numbers(width * height, (i) => of(i % width, Math.floor(i / width)));

/** The least or greatest of each pixel and its four neighbours. */
function around(x: readonly number[], width: number, of: (...values: number[]) => number): number[] {
  return x.map((value, i) => {
    const column = i % width;
    const sides = [column > 0 ? x[i - 1] : value, column + 1 < width ? x[i + 1] : value];
    return of(value, ...[...sides, x[i - width], x[i + width]].map((each) => each ?? value));
  });
}

const programs: Record<string, Program> = {
  sobel: {
    args: [45, 35, seed],
    prints: () => {
      const at = (x: number, y: number): number =>
        hash(Math.floor((clamped(y, 35) * 45 + clamped(x, 45)) / 3), seed) % 100;
      const side = (x: number, y: number, dx: number, dy: number): number =>
        at(x + dx + dy, y + dy + dx) + 2 * at(x + dx, y + dy) + at(x + dx - dy, y + dy - dx);
      const edges = picture(45, 35, (x, y) => {
        const across = Math.abs(side(x, y, 1, 0) - side(x, y, -1, 0));
        const down = Math.abs(side(x, y, 0, 1) - side(x, y, 0, -1));
        return Math.min(across + down, 255);
      });
      return `checksum ${checksum(edges)}\n`;
    },
  },
  bilateral: {
    args: [32, 20, seed],
    prints: () => {
      const x = picture(32, 20, (px, py) => (px < 16 ? 50 : 150) + (hash(py * 32 + px, seed) % 20));
      const y = picture(32, 20, (px, py) => {
        let [total, weights] = [0, 0];
        for (let dy = -2; dy <= 2; dy++)
          for (let dx = -2; dx <= 2; dx++) {
            if (px + dx < 0 || px + dx >= 32 || py + dy < 0 || py + dy >= 20) continue;
            const there = x[(py + dy) * 32 + px + dx]!;
            const apart = (there - x[py * 32 + px]!) / 30;
            const weight = Math.exp(-(dx * dx + dy * dy) / 4.5 - (apart * apart) / 2);
            total += weight * there;
            weights += weight;
          }
        return total / weights;
      });
      return { numbers: y.filter((_, i) => i % 41 === 0), within: 1e-9 };
    },
  },
  median: {
    args: [41, 23, seed],
    prints: () => {
      const y = picture(41, 23, (px, py) => {
        const nine = numbers(9, (k) => {
          const [x, y] = [clamped(px + (k % 3) - 1, 41), clamped(py + Math.floor(k / 3) - 1, 23)];
          return hash(y * 41 + x, seed) % 256;
        });
        return nine.sort((a, b) => a - b)[4]!;
      });
      return `checksum ${checksum(y)}\n`;
    },
  },
  "separable-blur": {
    args: [100, 30, seed],
    prints: () => {
      const weights = [1, 6, 15, 20, 15, 6, 1];
      const at = (x: number, y: number): number =>
        x < 0 || x >= 100 || y < 0 || y >= 30 ? 0 : hash(y * 100 + x, seed) % 256;
      const blurred = picture(100, 30, (x, y) =>
        sum(weights.flatMap((down, j) => weights.map((across, i) => down * across * at(x + i - 3, y + j - 3)))),
      );
      return `checksum ${checksum(blurred)}\n`;
    },
  },
  equalise: {
    args: [4096, seed],
    prints: () => {
      const x = numbers(4096, (i) => 90 + (hash(i, seed) % 30) + (hash(i, seed + 1) % 30));
      const table = numbers(256, (v) => Math.floor((x.filter((value) => value <= v).length * 255) / 4096));
      return `checksum ${checksum(x.map((value) => table[value]!))}\n`;
    },
  },
  morphology: {
    args: [40, 25, seed],
    prints: () => {
      let x = numbers(1000, (i) => hash(i, seed) % 100);
      for (const of of [Math.min, Math.min, Math.max, Math.max]) x = around(x, 40, of);
      return `checksum ${checksum(x)}\n`;
    },
  },
  "integral-image": {
    args: [seed],
    prints: () => {
      const sums = numbers(64 * 64, () => 0);
      for (let i = 0; i < 64 * 64; i++) {
        const [x, above] = [i % 64, sums[i - 64] ?? 0];
        sums[i] = (hash(i, seed) % 256) + above + (x > 0 ? sums[i - 1]! - (sums[i - 65] ?? 0) : 0);
      }
      const box = sum(numbers(31 * 31, (i) => hash((10 + Math.floor(i / 31)) * 64 + 20 + (i % 31), seed) % 256));
      return `box ${box} checksum ${checksum(sums)}\n`;
    },
  },
  resize: {
    args: [13, 9, 40, 31, seed],
    prints: () => {
      const y = numbers(40 * 31 * 3, (at) => {
        const [colour, px, py] = [at % 3, Math.floor(at / 3) % 40, Math.floor(at / 120)];
        const [fx, fy] = [Math.floor((px * 12 * 256) / 39), Math.floor((py * 8 * 256) / 30)];
        const [left, top, across, down] = [fx >> 8, fy >> 8, fx & 255, fy & 255];
        const pixel = (dx: number, dy: number): number =>
          hash((Math.min(top + dy, 8) * 13 + Math.min(left + dx, 12)) * 3 + colour, seed) % 256;
        const above = pixel(0, 0) * (256 - across) + pixel(1, 0) * across;
        const below = pixel(0, 1) * (256 - across) + pixel(1, 1) * across;
        return (above * (256 - down) + below * down + 32_768) >> 16;
      });
      return `checksum ${checksum(y)}\n`;
    },
  },
  ising: {
    args: [32, 20, seed],
    prints: () => {
      const chances = [2 ** 32 - 1, 2 ** 32 - 1, 2 ** 31, 4e8, 4e7];
      const spins = numbers(1024, (i) => (hash(i, seed) % 2 === 1 ? 1 : -1));
      const at = (x: number, y: number): number => spins[((y + 32) % 32) * 32 + ((x + 32) % 32)]!;
      for (let k = 0; k < 20; k++)
        for (let i = 0; i < 1024; i++) {
          const [x, y] = [i % 32, Math.floor(i / 32)];
          if ((x + y + k) % 2 === 1) continue;
          const sides = at(x + 1, y) + at(x - 1, y) + at(x, y + 1) + at(x, y - 1);
          if (hash(i, seed + 1 + k) <= chances[(spins[i]! * sides + 4) / 2]!) spins[i] = -spins[i]!;
        }
      return `sum ${sum(spins)} checksum ${checksum(spins)}\n`;
    },
  },
  dithering: {
    args: [60, 30, seed],
    prints: () => {
      const grey = picture(60, 30, (x, y) => 16 * (Math.floor((x * 200) / 60) + (hash(y * 60 + x, seed) % 50)));
      const out = grey.map((_, i) => {
        const [x, isLast] = [i % 60, i >= 29 * 60];
        const now = grey[i]! < 128 * 16 ? 0 : 255 * 16;
        const error = grey[i]! - now;
        const give = (isThere: boolean, to: number, part: number): void => {
          if (isThere) grey[to]! += Math.trunc((error * part) / 16);
        };
        give(x + 1 < 60, i + 1, 7);
        give(!isLast && x > 0, i + 59, 3);
        give(!isLast, i + 60, 5);
        give(!isLast && x + 1 < 60, i + 61, 1);
        return now > 0 ? 1 : 0;
      });
      return `checksum ${checksum(out)}\n`;
    },
  },
};

runPrograms("programs for pictures", programs);
