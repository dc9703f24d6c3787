// Whole programs with main() on every device: what they print is computed here in float64, from the same random seed.
import { hash, numbers, runPrograms, seed, source, sum, type Program } from "./program-runner.ts";

const programs: Record<string, Program> = {
  "vector-add": {
    args: [1003, seed],
    prints: () => {
      const c = numbers(1003, (i) => (hash(i, seed) % 1000) + (hash(i, seed + 1) % 1000));
      return `first ${c[0]} last ${c.at(-1)} sum ${sum(c)}\n`;
    },
  },
  "saxpy-events": {
    args: [5000, seed],
    prints: () => `sum ${sum(numbers(5000, (i) => 2 * (hash(i, seed) % 64) + (hash(i, seed + 7) % 64)))} timed true\n`,
  },
  "matmul-tiled": {
    args: [37, seed],
    prints: () => {
      const n = 37;
      const a = numbers(n * n, (i) => (hash(i, seed) % 16) - 8);
      const b = numbers(n * n, (i) => (hash(i, seed + 1) % 16) - 8);
      const c = numbers(n * n, (at) => {
        const [row, column] = [Math.floor(at / n), at % n];
        return sum(numbers(n, (k) => a[row * n + k]! * b[k * n + column]!));
      });
      return `corner ${c[0]} ${c.at(-1)} checksum ${sum(c.map((value, i) => value * (i % 97)))}\n`;
    },
  },
  reduction: {
    args: [70_001, seed],
    prints: () => `sum ${sum(numbers(70_001, (i) => (hash(i, seed) % 2001) - 1000))}\n`,
  },
  histogram: {
    args: [20_000, seed],
    prints: () => {
      const bins = numbers(32, () => 0);
      for (let i = 0; i < 20_000; i++) bins[(hash(i, seed) & 255) % 32]! += 1;
      return `${bins.join(" ")}\n`;
    },
  },
  "constant-filter": {
    args: [300, seed],
    prints: () => {
      const weights = [1, 2, 4, 16, 4, 2, 1];
      const x = numbers(300, (i) => hash(i, seed) % 256);
      const y = x.map((_, i) => 1.5 + sum(weights.map((weight, k) => weight * (x[i + k - 3] ?? 0))));
      return `sum ${sum(y).toFixed(1)} edges 12 then 0 centre 16 size 28\n`;
    },
  },
  streams: {
    args: [700, seed],
    prints: () => {
      const parts = numbers(4, (part) =>
        sum(
          numbers(700, (i) => {
            const x = (hash(part * 700 + i, seed) % 100) ** 2 + part;
            return part === 0 ? x * x + 1 : x;
          }),
        ),
      );
      return `${parts.join(" ")}\n`;
    },
  },
  managed: {
    args: [40, seed],
    prints: () => {
      const once = sum(numbers(40, (i) => hash(i, seed) % 50).map((value) => (value > 10 ? value : -5)));
      return `sum ${once} visits 40\nsum ${2 * once} visits 81\n`;
    },
  },
  templates: {
    args: [1000, seed],
    prints: () => {
      const x = numbers(1000, (i) => hash(i, seed) % 20);
      const whole = x.map((value) => (-(2 * value + 3)) ** 3 + 15);
      return `${sum(whole)} ${sum(x.map((value) => 2 * value * 0.25)).toFixed(2)}\n`;
    },
  },
  transpose: {
    args: [70, 45, seed],
    prints: () => {
      const [width, height] = [70, 45];
      const turned = numbers(width * height, (at) => {
        const [row, column] = [Math.floor(at / height), at % height];
        return hash(column * width + row, seed) % 1000;
      });
      return `checksum ${sum(turned.map((value, i) => value * (i % 1009)))} pitched 1\n`;
    },
  },
  scan: {
    args: [1500, seed],
    prints: () => {
      let before = 0;
      const scanned = numbers(1500, (i) => {
        const now = before;
        before += hash(i, seed) % 100;
        return now;
      });
      return `last ${scanned.at(-1)} checksum ${sum(scanned.map((value, i) => value * (i % 13)))}\n`;
    },
  },
  pi: {
    args: [40, seed],
    prints: () => {
      let hits = 0;
      for (let k = 0; k < 256 * 40; k++)
        if ((hash(2 * k, seed) >>> 16) ** 2 + (hash(2 * k + 1, seed) >>> 16) ** 2 < 2 ** 32) hits += 1;
      return `hits ${hits} of ${256 * 40}\n`;
    },
    stderr: /^pi is about 3\.\d\d \(timed\)\n$/,
  },
  errors: {
    args: [],
    prints: () =>
      `${[
        "fine: cudaSuccess",
        "huge: cudaErrorMemoryAllocation",
        "last: cudaErrorMemoryAllocation",
        "gone: cudaSuccess",
        "large block: cudaErrorInvalidConfiguration",
        "no blocks: cudaErrorInvalidConfiguration",
        "again: cudaErrorInvalidConfiguration",
        "bounds: cudaErrorLaunchOutOfResources",
        "shared: cudaErrorInvalidValue",
        "right: cudaSuccess",
        "direction: cudaErrorInvalidMemcpyDirection",
        "null: cudaErrorInvalidValue",
        "device: cudaErrorInvalidDevice",
        "free: cudaErrorInvalidValue",
        "9 9",
        `line ${lineOf("errors", "cudaMemset(nullptr")}: invalid argument (cudaErrorInvalidValue, 1)`,
      ].join("\n")}\n`,
    exitCode: () => 7,
  },
  "device-query": {
    args: [],
    prints: () =>
      [
        "Device 0 named something",
        "warp 32 threads 1024 block (1024, 1024, 64) shared 49152",
        "agrees 1",
        "textures 1 1 1 1",
        "managed 1 pools 1 preemption 1",
        "bus 12 0 cudaErrorInvalidValue cudaErrorInvalidDevice\n",
      ].join("\n"),
  },
  cooperative: {
    args: [900, seed],
    prints: () => {
      const x = numbers(900, (i) => hash(i, seed) % 100);
      const y = x.map((value) => value * 900 - sum(x));
      return `sum ${sum(y)} weighted ${sum(y.map((value, i) => value * (i % 7)))}\ncudaErrorCooperativeLaunchTooLarge\n`;
    },
  },
  graph: {
    args: [500, seed],
    prints: () => {
      // Each run adds 1, and what the second stream has gathered: 2, 4, … 20.
      const added = sum(numbers(10, (run) => 1 + 2 * (run + 1)));
      return `nodes 3 capturing 1 sum ${sum(numbers(500, (i) => (hash(i, seed) % 100) + added))}\n`;
    },
  },
  occupancy: {
    args: [seed],
    prints: () => {
      const part = 16 * 1024;
      const x = numbers(2 * part, (i) => 2 * (hash(i, seed) % 100));
      const reversed = x.map((_, i) => x[Math.floor(i / part) * part + part - 1 - (i % part)]!);
      return `cudaErrorInvalidValue then cudaSuccess, ${4 * part} bytes, sum ${sum(reversed.map((value, i) => value * (i % 11)))}, block 1\n`;
    },
  },
  life: {
    args: [12, seed],
    prints: () => `living ${living(12)}\n`,
    exitCode: () => living(12) % 200,
  },
  sort: {
    args: [9, seed],
    prints: () => {
      const keys = numbers(512, (i) => hash(i, seed) % 100_000).sort((a, b) => a - b);
      return `${keys[0]} ${keys[256]} ${keys[511]}\n`;
    },
  },
  heat: {
    args: [200, 50, 0.2, seed],
    prints: () => {
      let bar = numbers(200, (i) => hash(i, seed) % 100);
      for (let step = 0; step < 50; step++)
        bar = bar.map((x, i) => (i === 0 || i === 199 ? x : x + 0.2 * (bar[i - 1]! - 2 * x + bar[i + 1]!)));
      return [0, 50, 100, 150].map((i) => `${bar[i]!.toFixed(9)}\n`).join("");
    },
  },
  spmv: {
    args: [300, seed],
    prints: () => {
      let at = 0;
      const y = numbers(300, (row) =>
        sum(
          numbers(hash(row, seed) % 50, () => {
            const column = hash(at, seed + 1) % 300;
            const value = (hash(at++, seed + 2) % 21) - 10;
            return value * (hash(column, seed + 3) % 10);
          }),
        ),
      );
      return `entries ${at} checksum ${sum(y.map((value, row) => value * (row % 17)))}\n`;
    },
  },
  // 1 + 2 + 3 + 3; …; at the end 11 and five times 2.
  mixture: { args: [], prints: () => "9\n19\n1.5\n15\n6.5\n11 12\n1\n21\n" },
  textures: {
    args: [13, 9, seed],
    prints: () => {
      const [w, h] = [13, 9];
      const image = numbers(w * h, (i) => hash(i, seed) % 256);
      const turned = numbers(w * h, (i) => {
        const [x, y] = [i % h, Math.floor(i / h)];
        const row = (h - 1 - x) * w;
        return (image[row + y]! + image[row + Math.min(w - 1, y + 1)]!) / 2;
      });
      const mixed = numbers(w, (x) => sum(numbers(3, (layer) => (layer + 1) * image[layer * w + x]!)));
      const bytes = numbers(40, (i) => hash(i, seed + 1) & 255);
      const got = numbers(10, (i) => bytes[9 - i]! + 1000 * bytes[4 * i + 2]!);
      const weighed = sum(turned.map((value, i) => value * ((i % 7) + 1)));
      return `turned ${turned[0]!.toFixed(1)} ${turned.at(-1)!.toFixed(1)} sum ${weighed.toFixed(1)}
layers ${sum(mixed.map((value, x) => value * (x + 1)))}
fetched ${sum(got.map((value, i) => value * (i + 1)))}
cudaErrorInvalidValue
cudaErrorInvalidValue
`;
    },
  },
  halves: { args: [], prints: () => "0 0\n" },
  talk: {
    args: ["one", "two words"],
    prints: () => "host one\ndevice 1.0\nhost two words\ndevice 2.0\ninput none\nfarewell\n",
    stderr: "leaving with 3\n",
    exitCode: () => 3,
  },
};

function living(steps: number): number {
  const [width, height] = [48, 32];
  let cells = numbers(width * height, (i) => (hash(i, seed) % 3 === 0 ? 1 : 0));
  for (let step = 0; step < steps; step++)
    cells = cells.map((cell, i) => {
      const [x, y] = [i % width, Math.floor(i / width)];
      let around = -cell;
      for (const dy of [-1, 0, 1])
        for (const dx of [-1, 0, 1])
          around += cells[((y + dy + height) % height) * width + ((x + dx + width) % width)]!;
      return around === 3 || (around === 2 && cell === 1) ? 1 : 0;
    });
  return sum(cells);
}

function lineOf(name: string, text: string): number {
  return source(name).slice(0, source(name).indexOf(text)).split("\n").length;
}

runPrograms("whole programs", programs);
