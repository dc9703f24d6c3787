// Whole programs for functions of the runtime and of warps: graphs, volumes, pools, helpers of samples, groups by label.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { checksum, hash, numbers, runSomePrograms, seed, sum, type Program } from "./program-runner.ts";

const folder = mkdtempSync(join(tmpdir(), "warpcell-program-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The warps of a list. */
const warpsOf = <T>(x: readonly T[]): T[][] =>
  numbers(x.length / 32, (w) => w).map((w) => x.slice(32 * w, 32 * w + 32));

/** What program `captured-loop` ends with: how many rounds, and the temperatures. */
function plateOf(n: number, limit: number): { rounds: number; plate: number[] } {
  const stride = n + 2;
  const isEdge = (i: number): boolean => i < stride || i >= stride * (n + 1) || i % stride === 0 || i % stride > n;
  let plate = numbers(stride * stride, (i) => (i % stride === n + 1 ? 100 : i < stride ? (100 * i) / (n + 1) : 0));
  for (let rounds = 1; ; rounds++) {
    let largest = 0;
    for (let step = 0; step < 10; step++) {
      const before = plate;
      plate = before.map((value, i) =>
        isEdge(i) ? value : (before[i - 1]! + before[i + 1]! + before[i - stride]! + before[i + stride]!) / 4,
      );
      largest = Math.max(...plate.map((value, i) => Math.abs(value - before[i]!)));
    }
    if (largest <= limit) return { rounds, plate };
  }
}

/** Where particle `i` of program `particles` ends, along each axis. */
function fall(i: number, steps: number): number[] {
  const first = [0, 1, 2].map((k) => hash(4 * i + k, seed) % 17);
  const speeds = [hash(4 * i + 3, seed) % 9, i % 9, (i * i) % 9].map((v) => (v - 4) / 2);
  return first.map((start, axis) => {
    let [p, v] = [start, speeds[axis]!];
    for (let step = 0; step < steps; step++) {
      if (axis === 1) v -= 0.5;
      p += v / 2;
      if (p < 0 || p > 16) v = -v;
      p = Math.min(Math.max(p, 0), 16);
    }
    return p;
  });
}

const programs: Record<string, Program> = {
  "launch-attributes": {
    args: [500, 3],
    prints: () => {
      const filled = numbers(500, (i) => Math.floor(i * 1.5));
      const total = sum(filled.map((_, i) => 3 * filled[(i + 3) % 500]! * (i % 97)));
      return `checksum ${total}\nlast 998\ncudaErrorInvalidConfiguration\ncudaErrorInvalidValue\n`;
    },
  },
  "own-pools": {
    args: [5000],
    prints: () =>
      [
        "kept 1048576, another pool 1",
        "last 7, used 1, reserved 1",
        "used 0, once more 1",
        "again from 0",
        "the device's 1, used 1",
        "access 3\n",
      ].join("\n"),
  },
  "graph-nodes": {
    args: [900, seed],
    prints: () => {
      const total = sum(numbers(900, (i) => hash(i, seed) % 1000));
      return `nodes 6 6: ${[0, 100, 200].map((more) => -3 * (total + more)).join(" ")}\n`;
    },
  },
  "pitched-volumes": {
    args: [21, 10, 6, seed],
    prints: () => {
      const at = (x: number, y: number, z: number): number =>
        x > 0 && z >= 0 && z < 5 ? hash((z * 10 + y) * 21 + x, seed) % 100 : 0;
      const out = numbers(21 * 10 * 6, (i) => {
        const [x, y, z] = [i % 21, Math.floor(i / 21) % 10, Math.floor(i / 210)];
        return y < 2 ? -1 : at(x, y, z - 1) + at(x, y, z) + at(x, y, z + 1);
      });
      return `1 21 10\nchecksum ${checksum(out)}\n`;
    },
  },
  "sample-helpers": {
    args: ["-width=33", "--Height=21", "-gain=0.5", "-name=slow"],
    prints: () => {
      const column = (x: number): number => Math.min(Math.max(x, 0), 32);
      const row = (y: number): number => Math.min(Math.max(y, 0), 20);
      const total = sum(
        numbers(33 * 21, (i) =>
          sum(
            [-1, 0, 1].flatMap((dy) =>
              [-1, 0, 1].map((dx) => ((row(Math.floor(i / 33) + dy) * 33 + column((i % 33) + dx)) * 7) % 31),
            ),
          ),
        ),
      );
      return [
        "[smooth] - Starting...",
        `device 0 slow 33 x 21, sum ${(total / 2).toFixed(1)}, timed 1`,
        "Test passed 0\n",
      ].join("\n");
    },
  },
  "sample-files": {
    args: [seed % 200, folder],
    prints: () =>
      [
        "saved 1",
        "loaded 1, 7 x 5",
        `as a float ${((((seed % 200) + 34 * 7) % 256) / 255).toFixed(4)}`,
        "inverted 1",
        "1 of 35 elements are off by more than 0.5.",
        "one off 0, and few 1",
        "four samples 1: 1",
        "the same 1",
        "no image 0",
        `4 numbers -2 ${seed % 200}`,
        "binary 1",
        "not found 1",
        "15 dat 2",
        "device 0 0 0",
        "64 128 Ampere 1",
        "cudaErrorInvalidValue 3 -3",
        "45 by 1\n",
      ].join("\n"),
    stderr: `The image ${folder}/none.pgm cannot be opened.\n`,
  },
  "runtime-rest": {
    args: [seed],
    prints: () =>
      [
        `${seed + 9} 0 -10 ${seed + 21} -10`,
        "beyond the end: cudaErrorInvalidValue",
        "2 nodes, 2",
        "7",
        "copied",
        "0",
        "0 cudaErrorInvalidDevice cudaErrorPeerAccessNotEnabled cudaErrorInvalidDevice",
        "0.5\n",
      ].join("\n"),
  },
  "older-calls": {
    args: [],
    prints: () => {
      const x = numbers(256, (i) => 16 * (i % 16) + Math.floor(i / 16));
      const difference = sum(x.map((value, i) => (i % 2 === 0 ? value : -value)));
      return [
        "device 0 peer 0 with Bank Mode:4-Byte",
        "priority 1 threshold 1048576 reuse 0",
        `256 threads: ${difference.toFixed(1)}, row ${x.slice(0, 4).join(" ")}\n`,
      ].join("\n");
    },
  },
  "labelled-groups": {
    args: [seed],
    prints: () => {
      const threads = numbers(192, (i) => i).map((i) => ({
        i,
        label: hash(i, seed) % 8,
        value: hash(i, seed + 1) % 50,
      }));
      const found = warpsOf(threads).flatMap((warp) =>
        warp.map(({ i, label }) => {
          const group = warp.filter((other) => other.label === label);
          const ahead = group.filter((other) => other.i < i);
          const values = (of: typeof group): number => sum(of.map(({ value }) => value));
          return [values(group), values(ahead) * 100 + ahead.length, group[0]!.i * 100 + group.length];
        }),
      );
      const totals = numbers(8, (label) =>
        sum(threads.filter((each) => each.label === label).map(({ value }) => value)),
      );
      const most = Math.max(...warpsOf(threads).map((warp) => warp[6]!.value)) * 1000 + 16;
      return `${[...[0, 1, 2].map((k) => checksum(found.map((each) => each[k]!))), ...totals, most].join(" ")} \n`;
    },
  },
  "register-sort": {
    args: [seed],
    prints: () => {
      const entries = numbers(768, (i) => i).map((i) => ({ key: hash(i, seed) % 300, place: i }));
      const sorted = [0, 256, 512].flatMap((from) =>
        entries.slice(from, from + 256).toSorted((a, b) => a.key - b.key || a.place - b.place),
      );
      const keys = sorted.map(({ key }) => key);
      const places = checksum(sorted.map(({ place }) => place));
      return `${keys[0]} … ${keys.at(-1)} keys ${checksum(keys)} places ${places}\n`;
    },
  },
  "warp-reductions": {
    args: [seed],
    prints: () => {
      const x = numbers(128, (i) => (Math.floor(i / 32) === 1 ? hash(i, seed) >>> 1 : hash(i, seed)));
      const results = warpsOf(x).flatMap((warp) => {
        const isSame = new Set(warp.map((value) => value >>> 31)).size === 1;
        const odd = warp.filter((value) => value % 2 === 1);
        const of = [
          sum(warp.map((value) => value % 1000)),
          Math.min(...warp),
          Math.max(...warp.map((value) => (value | 0) % 1000)) >>> 0,
          warp.reduce((all, value) => (all & (value | 0xf0f0f0f0)) >>> 0, 0xffffffff),
          warp.reduce((all, value) => (all | (value & 0x0f000f00)) >>> 0, 0),
          warp.reduce((all, value) => (all ^ value) >>> 0, 0),
          isSame ? 0xffffffff : 0,
          isSame ? 1 : 0,
        ];
        return warp.map((value, lane) => {
          if (value % 2 === 0) return [...of, 0, 0];
          const before = warp.slice(0, lane).filter((other) => other % 2 === 1).length;
          return [...of, sum(odd.map((other) => other % 100)), before];
        });
      });
      return `${numbers(10, (k) => sum(results.map((each, i) => each[k]! * (i + 1)))).join(" ")} \n`;
    },
  },
  particles: {
    args: [120, 25, seed],
    prints: () => {
      const particles = numbers(120, (i) => i).map((i) => {
        const [x, y, z] = fall(i, 25).map((p) => p - 8) as [number, number, number];
        const w = i % 5;
        const spin = w * ((y - z) * Math.abs(x) + (z - x) * Math.abs(y) + (x - y) * Math.abs(z));
        return { at: [x + 8, y + 8, z + 8], spin: spin + 8 * sum([x, y, z].map((p) => p - Math.floor(p))) };
      });
      const of = (value: (p: number, axis: number) => number): number[] =>
        [0, 1, 2].map((axis) => sum(particles.map(({ at }, i) => value(at[axis]!, axis) * (i % 7))));
      const places = of((p) => p).map((total) => total.toFixed(4));
      const cells = of((p, axis) => Math.min(Math.floor(p / 4), 3) + 10 ** axis);
      const spin = sum(particles.map((each) => each.spin)).toFixed(4);
      return `${places.join(" ")} cells ${cells.join(" ")} spin ${spin}\n`;
    },
  },
  "captured-loop": {
    args: [12, 0.001],
    prints: () => {
      const { rounds, plate } = plateOf(12, 0.001);
      const at = [1, 4, 7, 10].flatMap((y) => [1, 4, 7, 10].map((x) => plate[y * 14 + x]!));
      return { numbers: [rounds, ...at], within: 0.51e-8 };
    },
  },
  "life-surfaces": {
    args: [37, 22, 6, seed],
    prints: () => {
      let cells = numbers(37 * 22, (i) => hash(i, seed) % 3 === 0);
      const isAlive = (x: number, y: number): boolean => x >= 0 && x < 37 && (cells[y * 37 + x] ?? false);
      for (let generation = 0; generation < 6; generation++)
        cells = cells.map((alive, i) => {
          const [x, y] = [i % 37, Math.floor(i / 37)];
          const around = numbers(9, (k) => k).filter(
            (k) => k !== 4 && isAlive(x + (k % 3) - 1, y + Math.floor(k / 3) - 1),
          ).length;
          return around === 3 || (alive && around === 2);
        });
      return numbers(22, (y) => y)
        .map(
          (y) =>
            `${numbers(37, (x) => x)
              .map((x) => (isAlive(x, y) ? "#" : "."))
              .join("")}\n`,
        )
        .join("");
    },
  },
  "ring-buffers": {
    args: [500, 11, seed],
    prints: () => {
      const sums = numbers(11, (round) => sum(numbers(500, (i) => hash(round * 500 + i, seed) % 1000)));
      return `last ${sums[10]} total ${sums.reduce((total, each) => ((total * 3) % 1_000_003) + each, 0)}\n`;
    },
  },
  strassen: {
    args: [64, seed],
    prints: () => {
      const [a, b] = [seed, seed + 1].map((by) => numbers(4096, (i) => (hash(i, by) % 21) - 10)) as [
        number[],
        number[],
      ];
      const c = numbers(4096, (i) => sum(numbers(64, (k) => a[i - (i % 64) + k]! * b[k * 64 + (i % 64)]!)));
      return `49 products checksum ${checksum(c)}\n`;
    },
  },
  satisfiability: {
    args: [13, 40, seed],
    prints: () => {
      const clauses = numbers(40, (c) => 6 * c).map((at) =>
        [0, 1, 2].map((k) => [hash(at + k, seed) % 13, hash(at + k + 3, seed) % 2] as const),
      );
      const fitting = numbers(2 ** 13, (setting) => setting).filter((setting) =>
        clauses.every((clause) => clause.some(([variable, wanted]) => ((setting >> variable) & 1) === wanted)),
      );
      return fitting.length > 0 ? `${fitting.length} settings, the first ${fitting[0]}\n` : "none\n";
    },
  },
};

runSomePrograms("the runtime", programs);
