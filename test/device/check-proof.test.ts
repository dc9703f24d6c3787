// What a checked launch on the cpu device proves before it looks at every access by itself: proven launches compute what
// unchecked ones do, a doubt leaves no trace in memory, and each kind of mistake is doubted.
import { beforeAll, describe, expect, test } from "vitest";
import {
  compile,
  empty,
  synchronize,
  tensor,
  zeros,
  type CudaModule,
  type Kernel,
  type Tensor,
} from "../../native/lib/index.ts";
import * as warpcell from "../../native/lib/index.ts";
import { CheckError } from "../../native/lib/errors.ts";
import { kernelsOf, source as textbook } from "../bench/common/checked-kernels.mjs";
import { compilers, use } from "./cpu-cell.ts";
import { cleared, floats, fresh, integers, on } from "./check-rows.ts";

async function found(run: () => void): Promise<readonly string[]> {
  run();
  try {
    await synchronize();
    return [];
  } catch (error) {
    if (!(error instanceof CheckError)) throw error;
    return error.findings.map(({ kind, line }) => `${kind} in line ${line}`);
  }
}

const one = (kernel: Kernel): void => kernel.launch({ grid: 1, block: 64 }, integers(64), fresh(64, "int32"));
const shared = (body: string): string =>
  `(const int* x, int* y) {\n__shared__ int s[64];\nint t = threadIdx.x;\n${body}\n}`;

/** Of words that a proof reads in ways of their own; the line that is wrong ends in `// !`. */
const mistakes: readonly (readonly [name: string, kind: string, text: string, run: (kernel: Kernel) => void])[] = [
  ["constantPast", "index", `(const int* x, int* y) {\nint t = threadIdx.x;\ny[t] = table[x[t]]; // !\n}`, one],
  [
    "ownPast",
    "index",
    `(const int* x, int* y) {\nint a[2][3] = {};\nint t = threadIdx.x;\na[1][x[t]] = t; // !\ny[t] = a[1][0];\n}`,
    one,
  ],
  [
    "endedEarly",
    "ended",
    shared(`s[t] = x[t];\nif (t >= 60) return;\nif (blockDim.x > 1)\n  __syncthreads(); // !\ny[t] = s[59 - t];`),
    one,
  ],
  ["condition", "race", shared(`s[t] = x[t];\nif (s[0] > 1) // !\n  __syncthreads();\ny[t] = s[t];`), one],
  [
    "laterWrite",
    "race",
    shared(
      `s[t] = x[t];\n__syncthreads();\nint left = s[(t + 1) % 64]; // !\nfor (int k = 0; k < 2; k++) {\n  s[t] = left;\n  __syncthreads();\n}\ny[t] = s[t];`,
    ),
    one,
  ],
  [
    "twoBlocks",
    "race",
    `(const int* x, int* y) {\nint t = threadIdx.x;\ny[t] = x[t] + blockIdx.x; // !\n}`,
    (kernel) => kernel.launch({ grid: 7, block: 64 }, integers(64), fresh(64, "int32")),
  ],
  [
    "plainAndAtomic",
    "race",
    `(const int* x, int* y) {\nint t = threadIdx.x + blockIdx.x * blockDim.x;\nif (t == 0) y[0] = 0;\natomicAdd(&y[0], x[t % 64]); // !\n}`,
    (kernel) => kernel.launch({ grid: 4, block: 64 }, integers(64), cleared(1, "int32")),
  ],
  [
    "chain",
    "bounds",
    `(const int* x, int* y) {\nint t = threadIdx.x, k = t;\nwhile (k < 1000)\n  k = x[k] + 32 + 2 * k; // !\ny[t] = k;\n}`,
    one,
  ],
  [
    "sameTensor",
    "race",
    `(const int* x, int* y) {\nint t = threadIdx.x;\nif (t > 0) y[t] = x[t - 1]; // !\n}`,
    (kernel) => {
      const x = integers(64);
      kernel.launch({ grid: 1, block: 64 }, x, x);
    },
  ],
  [
    "partOfTensor",
    "race",
    `(const int* x, int* y) {\nint t = threadIdx.x;\ny[t] = x[(t + 1) % 16] + 1; // !\n}`,
    (kernel) => {
      const y = integers(64);
      kernel.launch({ grid: 1, block: 64 }, y.slice([16, 32]), y);
    },
  ],
  [
    "product",
    "overflow",
    `(const int* x, int* y) {\nint t = threadIdx.x;\ny[t] = (x[t] + 1) * 1000000000; // !\n}`,
    one,
  ],
  [
    "strides",
    "race",
    `(const int* x, int* y) {\nfor (int k = blockIdx.x * blockDim.x + threadIdx.x; k < 64; k += blockDim.x)\n  y[k] = x[k] + blockIdx.x; // !\n}`,
    (kernel) => kernel.launch({ grid: 2, block: 32 }, integers(64), fresh(64, "int32")),
  ],
  [
    "neverWritten",
    "unwritten",
    `(const int* x, int* y) {\nextern __shared__ int d[];\nint t = threadIdx.x;\nif (x[t] > 0) d[t] = t;\n__syncthreads();\ny[t] = d[t]; // !\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 64, shared: 256 }, integers(64), fresh(64, "int32")),
  ],
];
const source = `__constant__ int table[4] = {1, 2, 3, 4};\n${mistakes
  .map(([name, , text]) => `extern "C" __global__ void ${name}${text}`)
  .join("\n")}`;
const lines = source.split("\n");
const lineOf = (name: string): number => {
  const start = lines.findIndex((line) => line.includes(`void ${name}(`));
  return lines.findIndex((line, at) => at >= start && line.endsWith("// !")) + 1;
};

describe.each(compilers)("with %s", (compiler) => {
  let wrong: CudaModule;
  beforeAll(async () => {
    use(compiler);
    wrong = await compile(source, { ...on, check: true, name: "doubts.cu" });
  }, 60_000);

  test.each(mistakes)("%s is doubted", async (name, kind, _, run) => {
    expect(await found(() => run(wrong.kernels[name] as Kernel))).toContain(`${kind} in line ${lineOf(name)}`);
  });

  test("textbook kernels compute the same, checked and unchecked", async () => {
    const results: unknown[][] = [];
    for (const check of [false, true]) {
      const { kernels } = await compile(textbook, { ...on, check, name: "textbook.cu" });
      const written: unknown[] = [];
      for (const { kernel, config, args, name } of kernelsOf(warpcell, "cpu", [1 << 12], [64])) {
        expect(await found(() => (kernels[kernel] as Kernel).launch(config, ...args))).toEqual([]);
        const tensors = args.filter((each: unknown): each is Tensor => typeof each === "object");
        written.push([name, tensors.map((each: Tensor) => each.data())]);
      }
      results.push(written);
    }
    expect(results[1]!.length).toBe(10);
    expect(results[1]).toEqual(results[0]);
  }, 60_000);

  test("what is doubted is run from the memory that it was given", async () => {
    const { kernels } = await compile(
      `extern "C" __global__ void next(float* x, float* y, int n) {
  int t = threadIdx.x;
  y[t] += 1;
  x[t] = x[t] + x[t + 1];
}
extern "C" __global__ void turn(float* x) {
  int t = threadIdx.x;
  float left = x[(t + 63) % 64];
  __syncthreads();
  x[t] = left;
}`,
      { ...on, check: true, name: "again.cu" },
    );
    const [x, y] = [floats(64), zeros([64], on)];
    const given = Array.from(x.data() as Float32Array);
    expect(await found(() => (kernels["turn"] as Kernel).launch({ grid: 1, block: 64 }, x))).toEqual([]);
    const turned = Array.from(x.data() as Float32Array);
    expect(turned).toEqual(given.map((_, t) => given[(t + 63) % 64]));
    const kinds = await found(() => (kernels["next"] as Kernel).launch({ grid: 1, block: 64 }, x, y, 64));
    expect(kinds).toContain("bounds in line 4");
    expect(Array.from(y.data() as Float32Array)).toEqual(Array(64).fill(1));
    expect(Array.from(x.data() as Float32Array).slice(0, 63)).toEqual(
      turned.slice(0, 63).map((value, t) => value + turned[t + 1]!),
    );
  });

  test("what is written in several launches may be read", async () => {
    const { kernels } = await compile(
      `extern "C" __global__ void half(float* x, int from) { x[from + threadIdx.x] = threadIdx.x; }
extern "C" __global__ void twice(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }`,
      { ...on, check: true, name: "halves.cu" },
    );
    const [x, y] = [empty([64], on), fresh(64)];
    const half = (from: number) => () => (kernels["half"] as Kernel).launch({ grid: 1, block: 32 }, x, from);
    const twice = () => (kernels["twice"] as Kernel).launch({ grid: 1, block: 64 }, x, y);
    expect(await found(half(32))).toEqual([]);
    expect(await found(twice)).toEqual(["unwritten in line 2"]);
    expect(await found(half(0))).toEqual([]);
    expect(await found(twice)).toEqual([]);
    expect(Array.from(y.data() as Float32Array)).toEqual(Array.from({ length: 64 }, (_, i) => 2 * (i % 32)));
  });

  test("an update that nothing doubts happens once", async () => {
    const { kernels } = await compile(
      `extern "C" __global__ void count(int* bins, const int* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&bins[x[i] % 5], 1);
  y[i] += i;
}`,
      { ...on, check: true, name: "once.cu" },
    );
    const n = 64 * 256;
    const x = tensor(
      Int32Array.from({ length: n }, (_, i) => i % 5),
      on,
    );
    const [bins, y] = [cleared(5, "int32"), zeros([n], on)];
    expect(await found(() => (kernels["count"] as Kernel).launch({ grid: 64, block: 256 }, bins, x, y))).toEqual([]);
    expect(Array.from(bins.data() as Int32Array)).toEqual([3277, 3277, 3277, 3277, 3276]);
    expect(Array.from(y.data() as Float32Array)).toEqual(Array.from({ length: n }, (_, i) => i));
  });
});
