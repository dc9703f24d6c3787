// Checked launches on the cpu device: every planted bug is found with its line, and the same kernels without them are
// clean, with every compiler that is here.
import { beforeAll, describe, expect, test } from "vitest";
import {
  check,
  compile,
  DeviceVariable,
  empty,
  ones,
  setChecking,
  synchronize,
  zeros,
  type CudaModule,
  type Kernel,
  type KernelTemplate,
} from "../../native/lib/index.ts";
import { CheckError, LaunchError, type CheckFinding } from "../../native/lib/errors.ts";
import { compilers, cpu, use } from "./cpu-cell.ts";
import { devices } from "./devices.ts";
import { planted, sourceOf, wrongLine } from "./check-bugs.ts";
import { launches, source as validSource } from "./check-valid.ts";

async function foundBy(run: () => void): Promise<CheckError | null> {
  run();
  try {
    await synchronize();
    return null;
  } catch (error) {
    if (error instanceof CheckError) return error;
    throw error;
  }
}

describe.each(compilers)("with %s", (compiler) => {
  let bugs: CudaModule, right: CudaModule, valid: CudaModule;
  beforeAll(async () => {
    use(compiler);
    const options = { device: "cpu", check: true };
    bugs = await compile(sourceOf("bug"), { ...options, name: "bugs.cu" });
    right = await compile(sourceOf("right"), { ...options, name: "right.cu" });
    valid = await compile(validSource, { ...options, name: "valid.cu" });
  }, 120_000);

  test.each(planted.map((each) => [each.name, each] as const))("finds %s", async (name, { kind, run }) => {
    const error = await foundBy(() => run(bugs.kernels[name] as Kernel));
    const [first] = error?.findings ?? [];
    const said = (each: CheckFinding) => [each.line, each.otherLine].map((line) => `${each.kind} in line ${line}`);
    expect(error?.findings.flatMap(said), error?.message).toContain(`${kind} in line ${wrongLine(name)}`);
    expect(said(first!), error?.message).toContain(`${kind} in line ${wrongLine(name)}`);
    expect(first!.sentence).toContain(name);
  });

  test.each(planted.map((each) => [each.name, each] as const))("%s is clean without it", async (name, each) => {
    const error = await foundBy(() => (each.runRight ?? each.run)(right.kernels[name] as Kernel));
    expect(error?.message).toBeUndefined();
  });

  test.each(launches)("finds nothing in %s", async (name, run) => {
    const error = await foundBy(() => run(valid.kernels[name] as Kernel));
    expect(error?.message).toBeUndefined();
  });

  test("a mistake that the compiler has seen is told once, with its line", async () => {
    const { kernels } = await compile(
      `extern "C" __global__ void said(const float* x, float* y) {
  float sum;
  for (int k = 0; k < 4; k++) sum += x[k];
  y[0] = sum;
  printf("%d\\n", y[0]);
}`,
      { device: "cpu", check: true },
    );
    const run = () => (kernels["said"] as Kernel).launch({ grid: 1, block: 1 }, ones([4], on), zeros([1], on));
    const error = await foundBy(run);
    expect(error?.findings.map(({ kind, line }) => [kind, line])).toEqual([
      ["warning", 3],
      ["warning", 5],
    ]);
    expect(error?.findings[0]!.sentence).toMatch(/^The compiler says of line 3: .*'?sum'?.* uninitialized/);
    expect(await foundBy(run)).toBeNull();
  });
});

test.each([
  "__device__ int place(dim3 blockDim, int k) { return blockDim.x + k; }\n#define PLACE(k) place(dim3(3), k) - 3",
  "__device__ int place(const uint3 &threadIdx) { return threadIdx.x; }\n#define PLACE(k) place(threadIdx) + 0 * k",
  "struct Plan { dim3 gridDim; };\n__device__ int place(Plan plan, int k) { return plan.gridDim.y + k - 1; }\n#define PLACE(k) place(Plan(), k)",
  "__device__ int place(int k) { return ::threadIdx.x + 0 * k; }\n#define PLACE(k) place(k)",
  "#define PLACE(k) (blockDim.x > threadIdx.x ? threadIdx.x : k)",
])("a checked cell may have names that the indices have: %s", async (declared) => {
  const kernel = await kernelOf(
    `${declared}\nextern "C" __global__ void places(int* y) {\n  y[PLACE((int)threadIdx.x)] = blockIdx.x;\n}`,
  );
  const y = empty([16], { dtype: "int32", ...on });
  expect(await foundBy(() => kernel.launch({ grid: 1, block: 16 }, y))).toBeNull();
  expect(Array.from(y.data() as Int32Array)).toEqual(Array(16).fill(0));
  expect((await foundBy(() => kernel.launch({ grid: 1, block: 17 }, y)))?.findings).toMatchObject([
    { kind: "bounds", thread: [16, 0, 0] },
  ]);
});

const on = { device: "cpu" };

async function kernelOf(source: string, options = {}): Promise<Kernel> {
  const { kernels } = await compile(source, { ...on, check: true, ...options });
  return Object.values(kernels)[0] as Kernel;
}

test("a tensor that was disposed of is named as memory that nobody has", async () => {
  const source = `__device__ float* kept;
extern "C" __global__ void keep(float* x, float* y, int first) {
  if (first) kept = x;
  else y[threadIdx.x] = kept[threadIdx.x];
}`;
  const kernel = await kernelOf(source);
  const [x, y] = [ones([5000], on), zeros([32], on)];
  const run = (first: number) => () => kernel.launch({ grid: 1, block: 32 }, first === 1 ? x : y, y, first);
  expect(await foundBy(() => kernel.launch({ grid: 1, block: 1 }, x, y, 1))).toBeNull();
  expect(await foundBy(run(0))).toBeNull();
  x.dispose();
  await synchronize();
  const error = await foundBy(run(0));
  expect(error?.findings.map(({ kind, line, threads }) => [kind, line, threads])).toEqual([["disposed", 4, 32]]);
  expect(error?.message).toBe(
    "Kernel keep reads memory that no tensor has any more, one that was disposed of perhaps, in line 4, `else y[threadIdx.x] = kept[threadIdx.x];`, block (0, 0, 0), thread (0, 0, 0), and in 31 other threads.",
  );
});

test("what is written outside of a tensor is undone", async () => {
  const kernel = await kernelOf(`extern "C" __global__ void all(float* x, int n) { x[threadIdx.x] = n; }`);
  const tensors = Array.from({ length: 8 }, () => zeros([64], on));
  for (const each of tensors)
    expect((await foundBy(() => kernel.launch({ grid: 1, block: 128 }, each, 7)))?.findings).toMatchObject([
      { kind: "bounds", threads: 64, block: [0, 0, 0], thread: [64, 0, 0] },
    ]);
  for (const each of tensors) expect(Array.from(each.data() as Float32Array)).toEqual(Array(64).fill(7));
});

test("memory of empty is unwritten until something writes it", async () => {
  const kernel = await kernelOf(`extern "C" __global__ void add(float* x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = x[threadIdx.x] + 1;
}`);
  const half = await kernelOf(
    `extern "C" __global__ void set(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }`,
  );
  const x = empty([64], on);
  const add = () => kernel.launch({ grid: 1, block: 64 }, x, 64);
  expect(await foundBy(() => half.launch({ grid: 1, block: 32 }, x, 32))).toBeNull();
  expect((await foundBy(add))?.findings).toMatchObject([{ kind: "unwritten", threads: 32, thread: [32, 0, 0] }]);
  expect(await foundBy(add)).toBeNull();
  const y = empty([64], on);
  y.fill_(1);
  expect(await foundBy(() => kernel.launch({ grid: 1, block: 64 }, y, 64))).toBeNull();
});

test("a grid that is too small for the elements that a kernel is told of leaves some out", async () => {
  const kernel = await kernelOf(`extern "C" __global__ void set(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1;
}`);
  const error = await foundBy(() => kernel.launch({ grid: 3, block: 32 }, zeros([100], on), 100));
  expect(error?.message).toBe(
    "Kernel set leaves out 4 of the 100 elements of x (float32, shape [100]): the grid has 96 threads, and each wrote one element, the last x[95]. Launch it with set.over(100)(…), or with more blocks.",
  );
  expect(await foundBy(() => kernel.over(100)(zeros([100], on), 100))).toBeNull();
});

test("check runs a function with the launches of all kernels checked, and returns what it returns", async () => {
  const { kernels } = await compile(
    `extern "C" __global__ void next(const float* x, float* y, int n) {
  if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x + 1];
}
template <class T> __global__ void past(T* x, int n) { x[n] = 0; }`,
    on,
  );
  const next = kernels["next"] as Kernel;
  const [x, y] = [ones([32], on), zeros([32], on)];
  const launch = () => next.launch({ grid: 1, block: 32 }, x, y, 32);
  expect(check(() => [launch, next.launch({ grid: 1, block: 31 }, x, y, 31)].length)).toBe(2);
  expect(() => check(launch)).toThrow(CheckError);
  launch();
  await synchronize();
  const past = (kernels["past"] as KernelTemplate).as("float");
  const wrong = async () => {
    await Promise.resolve();
    past.launch({ grid: 1, block: 1 }, x, 32);
    return 1;
  };
  await expect(check(wrong)).rejects.toThrow(/^Kernel past<float> writes x\[32\], one past the end of x/);
  expect(() =>
    check(() => {
      throw new RangeError("of the function");
    }),
  ).toThrow(RangeError);
});

test("a checked source that comes from the cache is called as it is now", async () => {
  const source = `extern "C" __global__ void last(float* x, int n) { x[n] = 3; }`;
  for (const name of ["Cell [3]", "Cell [4]", "Cell [4]"]) {
    const { kernels } = await compile(source, { ...on, check: true, name });
    const error = await foundBy(() => (kernels["last"] as Kernel).launch({ grid: 1, block: 1 }, zeros([3], on), 3));
    expect(error?.message).toMatch(/in line 1, `extern "C" __global__ void last/);
  }
});

test("setChecking(true) has all launches checked until it ends", async () => {
  const { kernels } = await compile(`extern "C" __global__ void beyond(float* x, int n) { x[n] = 1; }`, on);
  const kernel = kernels["beyond"] as Kernel;
  const config = { grid: 1, block: 1 };
  const launch = () => kernel.launch(config, zeros([32], on).slice([0, 16]), 16);
  const following = setChecking(true);
  expect((await foundBy(launch))?.findings[0]?.kind).toBe("bounds");
  {
    using _off = setChecking(false);
    expect(await foundBy(launch)).toBeNull();
    expect(() => check(launch)).toThrow(CheckError);
  }
  expect(await foundBy(launch)).toBeInstanceOf(CheckError);
  await kernel.time({ ...config, repeats: 1, warmup: 0 }, zeros([32], on).slice([0, 16]), 16);
  following[Symbol.dispose]();
  expect(await foundBy(launch)).toBeNull();
  for (const [given, said] of [
    ["on", '"on"'],
    [null, "null"],
    [{ launches: 1 }, "an object with launches"],
    [{ races: true }, "an object with races"],
  ] as const)
    expect(() => setChecking(given as never)).toThrow(
      `setChecking takes true, false, or { launches, streams } with true or false, but got ${said}.`,
    );
});

test("check(fn) leaves kernels their variables", async () => {
  const { kernels, globals } = await compile(
    `__constant__ int step = 1;
    __device__ int count = 3;
    extern "C" __global__ void advance() { count += step; }`,
    on,
  );
  const advance = () => (kernels["advance"] as Kernel).launch({ grid: 1, block: 1 });
  const { step, count } = globals as Record<string, DeviceVariable<number, number>>;
  step!.set(10);
  check(advance);
  expect(count!.data()).toBe(13);
  advance();
  step!.set(100);
  check(advance);
  advance();
  expect(count!.data()).toBe(223);
  count!.set(0);
  check(advance);
  expect([count!.data(), step!.data()]).toEqual([100, 100]);
});

test("a launch that is refused says so as ever", async () => {
  const kernel = await kernelOf(`extern "C" __global__ void set(float* x) { x[0] = 1; }`);
  expect(() => kernel.launch({ grid: 0, block: 1 }, zeros([1], on))).toThrow(LaunchError);
  expect(() => kernel.launch({ grid: 1, block: 1 }, 3 as never)).toThrow(LaunchError);
});

test("findings of several launches are one error, each mistake once, the worst first", async () => {
  const kernel = await kernelOf(`extern "C" __global__ void mix(float* x, int* bins, int n) {
  bins[0]++;
  x[n + threadIdx.x] = 1;
}`);
  const run = () => kernel.launch({ grid: 1, block: 4 }, zeros([8], on), zeros([1], { dtype: "int32", ...on }), 8);
  const error = await foundBy(() => [run(), run()]);
  expect(error?.findings.map(({ kind, line }) => [kind, line])).toEqual([
    ["bounds", 3],
    ["race", 2],
  ]);
  expect(error?.message).toMatch(
    /^The check found 2 mistakes:\n {2}1\. Kernel mix writes x\[8\], .*\n {2}2\. Kernel mix has a race/,
  );
});

test.skipIf(devices.every(({ kind }) => kind !== "cuda"))("a GPU refuses what is to be checked", async () => {
  await expect(compile("__global__ void f() {}", { device: "cuda", check: true, name: "f.cu" })).rejects.toThrow(
    'f.cu is for cuda:0, but launches are checked on the cpu device: write --check --device cpu, or { check: true, device: "cpu" }, and give the kernels tensors of the cpu.',
  );
});

describe("the device refuses", () => {
  const request = (change: object) => () =>
    cpu.request("check", {
      launch: new Uint8Array(64),
      arguments: [],
      blocks: [],
      hasAddresses: false,
      followed: "",
      ...change,
    });
  test.each([
    ["a record that is cut off", { launch: new Uint8Array(32) }, "There is no launch record to check in 32 bytes."],
    ["a launch of no blocks", {}, "A grid is at least 1×1×1, but this one is 0×0×0."],
  ])("%s", (_, change, sentence) => expect(request(change)).toThrow(sentence));
});
