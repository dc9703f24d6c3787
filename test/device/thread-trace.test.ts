// A thread of a kernel, step by step: what it came to, what its variables held, what it read and wrote, as a model here
// has it, with every compiler that is here.
import { beforeAll, describe, expect, test } from "vitest";
import { CheckError } from "../../native/lib/errors.ts";
import {
  compile,
  tensor,
  traceThread,
  zeros,
  type CudaModule,
  type Kernel,
  type StepAccess,
  type ThreadTrace,
} from "../../native/lib/index.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { compilers, use } from "./cpu-cell.ts";
import { devices } from "./devices.ts";

const source = `
#include <cuda_fp16.h>
__device__ float twice(float v) {
  float r = 2 * v;
  return r;
}
extern "C" __global__ void sum(const float* x, float* y, int n) {
  __shared__ float part[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v;
  if (i < n) v = twice(x[i]);
  else v = 0;
  part[threadIdx.x] = v;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}
struct Named { float x, y; int id; };
template <class A, class B> __device__ A pick(A a, B) { return a; }
extern "C" __global__ void kinds(float4* v, half* h, unsigned char* bytes, const Named* named, int n, double d, bool flag) {
  int t = threadIdx.y;
  float4 a = v[t];
  a.x += d;
  int list[4] = {1, 2, 3, 4}, k, *none = nullptr;
  Named one = named[0];
  half z = h[t];
  volatile float watched = 2;
  for (k = 0; k < 2; ++k) list[k] = k * n;
  unsigned char c = bytes[t];
  long long big = 1ll << 60;
  unsigned long long most = ~0ull;
  float* into = &v[t].y;
  short narrow = pick<short, int>(-7, 3);
  bool isOdd = n % 2;
  atomicAdd(into, 1.5f);
  if (list[1] == n && one.id == 0 && none == nullptr && isOdd && flag) bytes[t] = c + 1;
  h[t] = z + __float2half(watched);
  a.y = narrow + float(big) + float(most);
}
extern "C" __global__ void ways(int* out, int n) {
  int sum = 0;
  while (sum < n) sum += 2;
  do {
    sum--;
  } while (sum > n);
  switch (n) {
    case 3: sum += 10; break;
    default: sum += 20;
  }
  auto more = [&](int by) { return sum + by; };
  out[0] = more(5);
  if (n < 0) return;
  extern __shared__ int words[];
  words[threadIdx.x + 1] = out[0];
}
extern "C" __global__ void long_way(int* out, int n) {
  for (int i = 0; i < n; i++) {
    out[0] += i;
  }
}
`;
const lines = source.split("\n");
const lineOf = (text: string, from = ""): number => {
  const first = lines.findIndex((line) => line.includes(from));
  return lines.findIndex((line, at) => at >= first && line.includes(text)) + 1;
};

const on = { device: "cpu" } as const;
const random = seeded(freshSeed());
const below = (limit: number): number => Math.floor(random() * limit);
const accesses = (trace: ThreadTrace): StepAccess[] => trace.steps.flatMap((step) => step.accesses);
const read = (name: string, index: number, value: unknown) => ({ how: "read", name, index, value });
const write = (name: string, index: number, value: unknown) => ({ how: "write", name, index, value });

describe.each(compilers)("with %s", (compiler) => {
  let module: CudaModule;
  beforeAll(async () => {
    use(compiler);
    module = await compile(source, { ...on, name: "traced.cu" });
  }, 120_000);
  const kernel = (name: string) => module.kernels[name] as Kernel;

  test("a sum in shared memory: every statement, value and access of a thread", async () => {
    const n = 100;
    const values = Array.from({ length: 128 }, () => below(1000));
    const x = tensor(values, on);
    const y = zeros([2], on);
    const [block, thread] = [below(2), below(64)];
    const trace = await traceThread(() => kernel("sum").launch({ grid: 2, block: 64 }, x, y, n), { block, thread });
    const doubled = values.map((value, i) => (i < n ? 2 * value : 0)).slice(64 * block, 64 * block + 64);
    expect(y.toArray()).toEqual(
      [0, 1].map((b) => values.reduce((all, v, i) => (i >> 6 === b && i < n ? all + 2 * v : all), 0)),
    );

    const i = 64 * block + thread;
    const wanted: unknown[] = [...(i < n ? [read("x", i, values[i])] : []), write("part", thread, doubled[thread])];
    const part = [...doubled];
    for (let half = 32; half > 0; half >>= 1) {
      if (thread < half)
        wanted.push(expect.objectContaining({ how: "read" }), expect.objectContaining({ how: "read" }));
      for (let t = 0; t < half; t++) part[t]! += part[t + half]!;
      if (thread < half) wanted.push(write("part", thread, part[thread]));
    }
    if (thread === 0) wanted.push(read("part", 0, part[0]), write("y", block, part[0]));
    expect(accesses(trace)).toEqual(wanted);

    expect(trace).toMatchObject({ kernel: "sum", block: [block, 0, 0], thread: [thread, 0, 0] });
    expect(trace.count).toBe(trace.steps.length);
    const [first, second] = trace.steps;
    expect(first).toEqual({
      file: "traced.cu",
      line: lineOf("int i = blockIdx.x"),
      text: "int i = blockIdx.x * blockDim.x + threadIdx.x;",
      function: "sum",
      values: { x: "x[0]", y: "y[0]", n },
      changed: { i },
      accesses: [],
    });
    // `v` has no value yet.
    expect(second).toMatchObject({ text: "float v;", values: { i, n }, changed: {} });
    expect(trace.steps[3]!.values).not.toHaveProperty("v");
    const inTwice = trace.steps.filter((step) => step.function === "twice");
    expect(inTwice.map(({ line, values: held }) => ({ line, held }))).toEqual(
      i < n
        ? [
            { line: 4, held: { v: values[i] } },
            { line: 5, held: { v: values[i], r: 2 * values[i]! } },
          ]
        : [],
    );
    const halves = trace.steps.filter(({ line }) => line === lineOf("for (int half"));
    expect(halves.map(({ values: { half } }) => half)).toEqual([undefined, 32, 16, 8, 4, 2, 1, 0]);
    expect(halves[0]!.changed).toEqual({ half: 32 });
  });

  test("values of every kind, vectors, arrays, pointers; what has other parts is left out", async () => {
    const v = tensor([0, 1, 2, 3, 4, 5, 6, 7], on);
    const h = tensor([0.5, 1.5], { ...on, dtype: "float16" });
    const bytes = tensor([9, 200], { ...on, dtype: "uint8" });
    const named = zeros([12], { ...on, dtype: "uint8" });
    const trace = await traceThread(
      () => kernel("kinds").launch({ grid: 1, block: [1, 2] }, v, h, bytes, named, 3, 0.25, true),
      { thread: [0, 1] },
    );
    expect(trace.thread).toEqual([0, 1, 0]);
    const { values } = trace.steps.at(-1)!;
    expect(values).toEqual({
      ...{ v: "v[0]", h: "h[0]", bytes: "bytes[0]", named: "named[0]", n: 3, d: 0.25, flag: true },
      ...{ t: 1, a: [4.25, 5, 6, 7], list: [0, 3, 3, 4], k: 2, none: "null", z: 1.5, watched: 2, c: 200 },
      ...{ big: 2n ** 60n, most: 2n ** 64n - 1n, into: "v[5]", narrow: -7, isOdd: true },
    });
    expect(accesses(trace)).toContainEqual({ how: "change", name: "v", index: 5, value: 6.5 });
    expect(accesses(trace)).toContainEqual(read("h", 1, 1.5));
    expect(accesses(trace)).toContainEqual(write("h", 1, 3.5));
    expect(trace.steps.find(({ text }) => text.startsWith("int list"))!.changed).toEqual({
      list: [1, 2, 3, 4],
      none: "null",
    });
  });

  test("branches, loops and choices are steps as often as the thread comes to them", async () => {
    const out = zeros([1], { ...on, dtype: "int32" });
    const trace = await traceThread(() => kernel("ways").launch({ grid: 1, block: 1, shared: 16 }, out, 3));
    const line = (text: string) => lineOf(text, "void ways");
    expect(trace.steps.map((step) => step.line)).toEqual([
      ...[line("int sum = 0"), line("while (sum < n)"), line("while (sum < n)"), line("while (sum < n)")],
      ...[line("while (sum < n)"), line("while (sum < n)"), line("sum--"), line("} while"), line("switch")],
      ...[line("case 3"), line("case 3"), line("auto more"), line("out[0] = more"), line("if (n < 0)")],
      line("words[threadIdx.x + 1]"),
    ]);
    expect(out.item()).toBe(18);
    expect(trace.steps.at(-1)!.accesses).toEqual([read("out", 0, 18), write("words", 1, 18)]);
  });

  test("of a long way the first 10,000 steps are kept, and 200 shown", async () => {
    const out = zeros([1], { ...on, dtype: "int32" });
    const trace = await traceThread(() => kernel("long_way").launch({ grid: 1, block: 1 }, out, 6000));
    expect([trace.count, trace.steps.length, out.item()]).toEqual([1 + 6001 + 6000, 10_000, (6000 * 5999) / 2]);
    const text = String(trace).split("\n");
    expect(text).toHaveLength(202);
    expect(text[0]).toBe("Thread (0, 0, 0) of block (0, 0, 0) of kernel long_way: 12,002 steps");
    expect(text.at(-1)).toBe("! 11,802 more steps are not shown: .steps has the first 10,000.");
    const html = (trace as unknown as Record<symbol, () => Record<string, string>>)[Symbol.for("Jupyter.display")]!();
    expect(html["text/html"]).toContain("i &lt; n; i++)");
    expect(html["text/html"]!.split("<tr").length).toBe(202);
    expect(html["text/plain"]).toBe(String(trace));
  });

  test("a line says what changed, and what was read and written", async () => {
    const trace = await traceThread(() =>
      kernel("sum").launch({ grid: 1, block: 2 }, tensor([4, 5], on), zeros([1], on), 2),
    );
    const text = String(trace);
    expect(text).toMatch(/^11 {2}if \(i < n\) v = twice\(x\[i\]\); +v = 8 +reads x\[0\] = 4$/m);
    expect(text).toMatch(/^ 4 {2}float r = 2 \* v; {2}\(twice\) +r = 8$/m);
    expect(text).toMatch(/reads part\[[01]\] = \d+, part\[[01]\] = \d+; writes part\[0\] = 18$/m);
    expect(text).toMatch(/reads part\[0\] = 18; writes y\[0\] = 18$/m);
  });

  test("a source that does not compile with its variables told says so, and runs", async () => {
    const odd = 'extern "C" __global__ void odd(float* x, const float* __restrict__) { x[0] = 3; }';
    const { kernels } = await compile(odd, on);
    const x = zeros([1], on);
    const trace = await traceThread(() => (kernels["odd"] as Kernel).launch({ grid: 1, block: 1 }, x, x));
    expect(String(trace)).toBe(
      "Thread (0, 0, 0) of block (0, 0, 0) of kernel odd: 0 steps\n! What odd does is not known: it does not compile with a note before each of its statements.",
    );
    expect(x.item()).toBe(3);
  });

  test("the first launch is followed, the others run as ever, and what is wrong in it is found", async () => {
    const [x, y] = [tensor([1, 2], on), zeros([1], on)];
    const trace = await traceThread(() => {
      kernel("sum").launch({ grid: 1, block: 2 }, x, y, 2);
      kernel("sum").launch({ grid: 1, block: 2 }, x, y, 1);
    });
    expect([trace.steps[0]!.values["n"], y.item()]).toEqual([2, 2]);
    const beyond = traceThread(() => kernel("sum").launch({ grid: 2, block: 2 }, x, y, 2));
    await expect(beyond).rejects.toThrow("Kernel sum writes y[1], one past the end of y");
  });

  test.each([
    [
      { thread: 64 },
      "traceThread follows a thread from 0 to 63 of kernel sum, or [x, y, z] below [64, 1, 1], but got 64.",
    ],
    [
      { block: [0, 1] },
      "traceThread follows a block from 0 to 1 of kernel sum, or [x, y, z] below [2, 1, 1], but got [0, 1].",
    ],
    [{ thread: -1 }, "but got -1."],
    [{ thread: 1.5 }, "but got 1.5."],
    [{ thread: [0, 0, 0, 0] }, "but got [0, 0, 0, 0]."],
    [{ lane: 3 }, "traceThread has no option lane. Its options are block, thread."],
  ])("%o is refused", async (options, message) => {
    const run = () => kernel("sum").launch({ grid: 2, block: 64 }, zeros([128], on), zeros([2], on), 0);
    const error = await traceThread(run, options as never).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CheckError);
    expect((error as Error).message).toContain(message);
  });
});

test("something that is no function, and a function that launches nothing, are refused", async () => {
  await expect(traceThread(3 as never)).rejects.toThrow(
    "traceThread takes a function, as in traceThread(() => kernel.over(n)(x, n), { thread: 3 }), but got 3.",
  );
  await expect(traceThread(() => {})).rejects.toThrow(
    "traceThread follows a thread of the first launch in the function, which launches no kernel of a %%cuda cell, or only by a graph.",
  );
});

test.runIf(devices.some(({ name }) => name === "cuda"))("a launch on a GPU says where threads are traced", async () => {
  const { kernels } = await compile('extern "C" __global__ void k() {}', { device: "cuda" });
  await expect(traceThread(() => (kernels["k"] as Kernel).launch({ grid: 1, block: 1 }))).rejects.toThrow(
    'Kernel k is for cuda:0, but launches are traced on the cpu device: compile it with --device cpu, or { device: "cpu" }, and give it tensors of the cpu.',
  );
});
