// Counts of a launch, line by line: known kernels have the counts that a pencil gives, with every compiler that is here.
import { beforeAll, describe, expect, test } from "vitest";
import { CheckError } from "../../native/lib/errors.ts";
import {
  compile,
  ones,
  sourceCounters,
  zeros,
  type CudaModule,
  type Kernel,
  type SourceCounterRow,
  type SourceCounters,
} from "../../native/lib/index.ts";
import { compilers, use } from "./cpu-cell.ts";
import { launches, source as validSource } from "./check-valid.ts";
import { devices } from "./devices.ts";

const source = `
extern "C" __global__ void stride(const float* x, float* y, int s) {
  int t = threadIdx.x;
  float v = x[t * s]; // load
  y[t] = v; // store
}
extern "C" __global__ void vector(const float4* x, float4* y) {
  float4 v = x[threadIdx.x]; // load
  y[threadIdx.x] = v; // store
}
extern "C" __global__ void bytes(const unsigned char* x, unsigned char* y) {
  y[threadIdx.x] = x[threadIdx.x]; // both
}
template <int W> __device__ void by_column(const float* x, float* y) {
  __shared__ float tile[32][W];
  int t = threadIdx.x;
  for (int r = 0; r < 32; r++) // loop
    tile[r][t] = x[r * 32 + t]; // rows
  __syncthreads();
  float sum = 0;
  for (int c = 0; c < 32; c++) {
    sum += tile[t][c]; // columns
  }
  y[t] = sum;
}
extern "C" __global__ void plain(const float* x, float* y) { by_column<32>(x, y); }
extern "C" __global__ void padded(const float* x, float* y) { by_column<33>(x, y); }
extern "C" __global__ void same(const float* x, float* y) {
  extern __shared__ double words[];
  words[threadIdx.x] = x[0]; // one
  __syncthreads();
  y[threadIdx.x] = words[0]; // broadcast
}
extern "C" __global__ void odd(float* y, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return; // guard
  if (t % 2) {
    y[t] = 1; // odd
  } else if (t % 4 == 0) y[t] = 2; // fourth
  switch (t / 32) { // choice
    case 0:
      y[t] += 1; // first warp
      break;
    default: y[t] += 2; // other warps
  }
}
extern "C" __global__ void turns(float* y) {
  int t = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < t; k++) // turns
    sum += k; // body
  int k = 0;
  do k++; // once
  while (k < 2); // twice
  while (k-- > 0) { // down
    sum += 1; // two
  }
  y[t] = sum; // end
}
extern "C" __global__ void watched(const volatile int* x) {
  if (x[threadIdx.x] == 0) return; // flag
}
extern "C" __global__ void bins(const int* x, int* y, float* z) {
  atomicAdd(&y[x[threadIdx.x]], 1); // bins
  atomicAdd(z, 1.0f); // sum
}
`;

const lines = source.split("\n");

/** The row of the line that ends with a comment, in the kernel from there on. */
function rowAt(counts: SourceCounters, kernel: string, comment: string): SourceCounterRow {
  const first = lines.findIndex((line) => line.includes(` ${kernel}(`));
  const line = lines.findIndex((text, index) => index >= first && text.endsWith(`// ${comment}`)) + 1;
  const row = counts.rows.find((each) => each.line === line);
  if (row === undefined) throw new Error(`line ${line} has no row:\n${counts}`);
  return row;
}

const on = { device: "cpu" };
const floats = (length: number) => zeros([length], on);

describe.each(compilers)("with %s", (compiler) => {
  let module: CudaModule;
  beforeAll(async () => {
    use(compiler);
    module = await compile(source, { ...on, name: "counted.cu" });
  }, 120_000);
  const kernel = (name: string) => module.kernels[name] as Kernel;

  test.each([
    [1, 4],
    [2, 8],
    [4, 16],
    [8, 32],
    [32, 32],
    [0, 1],
  ])("a stride of %i takes %i sectors", async (stride, sectors) => {
    const counts = await sourceCounters(() =>
      kernel("stride").launch({ grid: 1, block: 32 }, floats(32 * 32), floats(32), stride),
    );
    const fewest = stride === 0 ? 1 : 4;
    const wanted = { requests: 1, transactions: sectors, fewest, worst: sectors, contention: 0 };
    expect(rowAt(counts, "stride", "load").global).toEqual(wanted);
    expect(rowAt(counts, "stride", "store").global).toEqual({ ...wanted, transactions: 4, fewest: 4, worst: 4 });
    expect(rowAt(counts, "stride", "load").shared).toBeNull();
  });

  test("a view that begins within a sector takes one more", async () => {
    const x = floats(33);
    const counts = await sourceCounters(() =>
      kernel("stride").launch({ grid: 1, block: 32 }, x.slice([1, 33]), floats(32), 1),
    );
    expect(rowAt(counts, "stride", "load").global).toMatchObject({ transactions: 5, fewest: 4 });
  });

  test("a vector is one request of all of its bytes", async () => {
    const counts = await sourceCounters(() =>
      kernel("vector").launch({ grid: 1, block: 64 }, floats(256), floats(256)),
    );
    for (const line of ["load", "store"])
      expect(rowAt(counts, "vector", line).global).toMatchObject({ requests: 2, transactions: 32, fewest: 32 });
  });

  test("bytes of a warp are one sector", async () => {
    const x = () => zeros([32], { dtype: "uint8", ...on });
    const counts = await sourceCounters(() => kernel("bytes").launch({ grid: 1, block: 32 }, x(), x()));
    expect(rowAt(counts, "bytes", "both").global).toMatchObject({ requests: 2, transactions: 2, fewest: 2 });
  });

  test("columns of a shared tile are in one bank, of a padded one in all", async () => {
    const run = (name: string) =>
      sourceCounters(() => kernel(name).launch({ grid: 1, block: 32 }, floats(1024), floats(32)));
    const [plain, padded] = [await run("plain"), await run("padded")];
    expect(rowAt(plain, "by_column", "columns").shared).toMatchObject({
      requests: 32,
      transactions: 1024,
      fewest: 32,
      worst: 32,
    });
    expect(rowAt(padded, "by_column", "columns").shared).toMatchObject({ transactions: 32, fewest: 32, worst: 1 });
    for (const counts of [plain, padded]) {
      expect(rowAt(counts, "by_column", "rows").shared).toMatchObject({ transactions: 32, fewest: 32, worst: 1 });
      expect(rowAt(counts, "by_column", "rows").global).toMatchObject({ requests: 32, transactions: 128, fewest: 128 });
      expect(rowAt(counts, "by_column", "rows")).toMatchObject({ threads: 32, executions: 1024, warpExecutions: 32 });
      expect(rowAt(counts, "by_column", "loop")).toMatchObject({ executions: 33 * 32, divergent: 0 });
    }
  });

  test("words of 8 bytes go by halves of a warp, and one word for all is no conflict", async () => {
    const counts = await sourceCounters(() =>
      kernel("same").launch({ grid: 1, block: 32, shared: 256 }, ones([1], on), floats(32)),
    );
    expect(rowAt(counts, "same", "one").shared).toMatchObject({ requests: 1, transactions: 2, fewest: 2, worst: 1 });
    expect(rowAt(counts, "same", "broadcast").shared).toMatchObject({ transactions: 2, fewest: 2, worst: 1 });
  });

  test("branches that only some threads of a warp take", async () => {
    const counts = await sourceCounters(() => kernel("odd").launch({ grid: 2, block: 64 }, floats(96), 96));
    const of = (line: string) => rowAt(counts, "odd", line);
    expect(of("guard")).toMatchObject({ threads: 128, executions: 128, warpExecutions: 4, activeThreads: 32 });
    expect(of("odd")).toMatchObject({
      threads: 48,
      executions: 48,
      warpExecutions: 3,
      divergent: 3,
      activeThreads: 16,
    });
    expect(of("odd").global).toMatchObject({ requests: 3, transactions: 12, fewest: 6 });
    expect(of("choice")).toMatchObject({ threads: 96, divergent: 0, activeThreads: 32 });
    expect(of("first warp")).toMatchObject({ threads: 32, warpExecutions: 1, divergent: 0 });
    expect(of("other warps")).toMatchObject({ threads: 64, warpExecutions: 2, divergent: 0 });
    // A branch and what it guards in one line: the one is run more often, the other diverges more.
    const fourth = { threads: 48, executions: 48, warpExecutions: 3, divergent: 3, activeThreads: 8 };
    expect(of("fourth")).toMatchObject(fourth);
  });

  test("turns of loops", async () => {
    const counts = await sourceCounters(() => kernel("turns").launch({ grid: 1, block: 32 }, floats(32)));
    const of = (line: string) => rowAt(counts, "turns", line);
    const sum = (32 * 31) / 2;
    expect(of("turns")).toMatchObject({ threads: 32, executions: sum + 32, warpExecutions: 32, divergent: 31 });
    expect(of("body")).toMatchObject({ threads: 31, executions: sum, warpExecutions: 31, activeThreads: sum / 31 });
    expect(of("once")).toMatchObject({ executions: 64, divergent: 0 });
    expect(of("twice")).toMatchObject({ executions: 64, divergent: 0 });
    expect(of("down")).toMatchObject({ executions: 96, divergent: 0 });
    expect(of("two")).toMatchObject({ executions: 64 });
    expect(of("end")).toMatchObject({ executions: 32, warpExecutions: 1 });
  });

  test("threads of a warp that an atomic function has at one address", async () => {
    const zero = () => zeros([32], { dtype: "int32", ...on });
    const counts = await sourceCounters(() => kernel("bins").launch({ grid: 1, block: 32 }, zero(), zero(), floats(1)));
    expect(rowAt(counts, "bins", "bins").global).toMatchObject({ requests: 2, contention: 32 });
    expect(rowAt(counts, "bins", "sum").global).toMatchObject({ requests: 1, transactions: 1, contention: 32 });
  });

  test("volatile reads at the end of each block", async () => {
    const x = zeros([32], { dtype: "int32", ...on });
    const counts = await sourceCounters(() => kernel("watched").launch({ grid: 4, block: 32 }, x));
    const wanted = { requests: 4, transactions: 16, fewest: 16, worst: 4, contention: 0 };
    expect(rowAt(counts, "watched", "flag")).toMatchObject({ warpExecutions: 4, divergent: 0, global: wanted });
  });

  test("launches add up, and what they compute is right", async () => {
    const y = floats(32);
    const counts = await sourceCounters(() => {
      for (let i = 0; i < 3; i++) kernel("stride").launch({ grid: 1, block: 32 }, ones([1024], on), y, 2);
    });
    expect(counts.launches).toBe(3);
    expect(rowAt(counts, "stride", "load")).toMatchObject({
      executions: 96,
      global: { requests: 3, transactions: 24 },
    });
    expect(y.toArray()).toEqual(new Array(32).fill(1));
  });

  test("blocks that take turns in a cooperative launch", async () => {
    const { kernels } = await compile(
      `#include <cooperative_groups.h>
extern "C" __global__ void all(float* x, float* y) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  x[t] = 1;
  cooperative_groups::this_grid().sync();
  y[t] = x[(t + 32) % 64];
}`,
      { ...on },
    );
    const counts = await sourceCounters(() =>
      (kernels["all"] as Kernel).launch({ grid: 2, block: 32, cooperative: true }, floats(64), floats(64)),
    );
    const [row] = counts.rows.filter(({ line }) => line === 4);
    expect(row).toMatchObject({
      threads: 64,
      warpExecutions: 2,
      divergent: 0,
      global: { requests: 2, transactions: 8 },
    });
  });

  test("one thread that goes far ahead of its warp, and how many accesses that leaves out", async () => {
    const { kernels } = await compile(
      `extern "C" __global__ void ahead(float* x, int n) {
  if (threadIdx.x == 0)
    for (int i = 0; i < n; i++) x[i % 32] = i;
}`,
      { ...on },
    );
    const held = 1 << 18;
    const run = (n: number) =>
      sourceCounters(() => (kernels["ahead"] as Kernel).launch({ grid: 1, block: 32 }, floats(32), n));
    const [within, beyond] = [await run(held), await run(held + 5)];
    expect(within.notes).toEqual([]);
    expect(within.rows.at(-1)?.global).toMatchObject({ requests: held, transactions: held, fewest: held });
    expect(beyond.rows.at(-1)?.global).toMatchObject({ requests: held });
    expect(beyond.notes).toEqual(["5 accesses are left out: threads of a warp went too far apart to be put together."]);
  });

  test("sources of every kind have counters before their statements", async () => {
    const { kernels } = await compile(validSource, { ...on, name: "valid.cu" });
    for (const [name, run] of launches) {
      const counts = await sourceCounters(() => run(kernels[name] as Kernel));
      expect(counts.notes, name).toEqual([]);
      expect(
        counts.rows.some(({ executions }) => executions !== null),
        name,
      ).toBe(true);
    }
  }, 120_000);

  test("source that counters do not fit has its accesses counted, and says so", async () => {
    const { kernels } = await compile(
      `#define AT_COMPILE_TIME constexpr
AT_COMPILE_TIME __device__ int twice(int i) { return 2 * i; }
static_assert(twice(2) == 4, "");
extern "C" __global__ void even(float* x) {
  x[twice(threadIdx.x)] = 1;
}`,
      { ...on },
    );
    const counts = await sourceCounters(() => (kernels["even"] as Kernel).launch({ grid: 1, block: 32 }, floats(64)));
    expect(counts.rows).toMatchObject([{ line: 5, executions: null, global: { requests: 1, transactions: 8 } }]);
    expect(String(counts)).toContain(
      "! How often lines ran is not known: a source does not compile with counters before its statements.",
    );
  });
});

test("shows itself as text and as HTML without scripts", async () => {
  const { kernels } = await compile(source, { ...on, name: "counted.cu" });
  const counts = await sourceCounters(() =>
    (kernels["stride"] as Kernel).launch({ grid: 1, block: 32 }, floats(256), floats(32), 8),
  );
  expect(String(counts).split("\n")).toEqual([
    "1 launch, 3 lines",
    "Runs  Threads of a warp  Sectors  Line  counted.cu",
    "  32                 32              3  int t = threadIdx.x;",
    "  32                 32  32 of 4     4  float v = x[t * s]; // load",
    "  32                 32   4 of 4     5  y[t] = v; // store",
  ]);
  const shown = (counts as unknown as Record<symbol, () => Record<string, string>>)[Symbol.for("Jupyter.display")]!();
  expect(shown["text/plain"]).toBe(String(counts));
  expect(shown["text/html"]).toContain("Line 4: a request of 32 threads moves 32 sectors of 32 bytes");
  expect(shown["text/html"]).toContain("data:image/svg+xml;base64,");
  expect(shown["text/html"]).not.toContain("<script");
});

test("lines of shared code have their file and text", async () => {
  const first = await compile("__device__ float twice(float x) {\n  return 2 * x;\n}", { ...on, name: "first.cu" });
  const second = await compile('extern "C" __global__ void use(float* x) {\n  x[threadIdx.x] = twice(1);\n}', {
    ...on,
    name: "second.cu",
    after: first,
  });
  const counts = await sourceCounters(() =>
    (second.kernels["use"] as Kernel).launch({ grid: 1, block: 32 }, floats(32)),
  );
  const row = counts.rows.find(({ file }) => file === "first.cu");
  expect(row).toMatchObject({ line: 2, text: "  return 2 * x;", executions: 32 });
});

test("says what is wrong", async () => {
  await expect(sourceCounters(3 as never)).rejects.toThrow(
    "sourceCounters takes a function, as in sourceCounters(() => kernel.over(n)(x, n)), but got 3.",
  );
  const none = await sourceCounters(() => {});
  expect(none.rows).toEqual([]);
  expect(String(none)).toContain(
    "! No launch was counted: the function launches no kernel of a %%cuda cell, or only by a graph.",
  );
  const { kernels } = await compile('extern "C" __global__ void last(float* x, int n) { x[n] = 1; }', on);
  const failed = sourceCounters(() => (kernels["last"] as Kernel).launch({ grid: 1, block: 1 }, floats(3), 3));
  await expect(failed).rejects.toThrow(CheckError);
});

const gpus = devices.map(({ name }) => name).filter((name) => name !== "cpu");
test.each(gpus)("a launch on %s is refused", async (device) => {
  const { kernels } = await compile('extern "C" __global__ void one(float* x) { x[0] = 1; }', { device });
  const refused = sourceCounters(() =>
    (kernels["one"] as Kernel).launch({ grid: 1, block: 1 }, zeros([1], { device })),
  );
  await expect(refused).rejects.toThrow(
    `Kernel one is for ${(kernels["one"] as Kernel).info.device}, but launches are counted on the cpu device: compile it with --device cpu, or { device: "cpu" }, and give it tensors of the cpu.`,
  );
});
