// The headers that cells include, on every device and with every compiler: reductions and scans over warps and blocks
// of any size, views of tensors, loads of four, and strides over the grid.
import "./cache.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { compile, full, LaunchError, tensor, zeros, type DType, type Kernel } from "../../native/lib/index.ts";
import { compilers, use } from "./cpu-cell.ts";
import { devices } from "./devices.ts";
import { seeded } from "../helpers/random.ts";

const targets = devices.flatMap(({ name }): { device: string; compiler: string }[] =>
  (name === "cpu" ? compilers : ["NVRTC"]).map((compiler) => ({ device: name, compiler })),
);
const blocks: [number, number, number][] = [
  [1, 1, 1],
  [2, 1, 1],
  [31, 1, 1],
  [32, 1, 1],
  [33, 1, 1],
  [64, 1, 1],
  [100, 1, 1],
  [7, 5, 3],
  [1, 1, 64],
  [16, 16, 1],
  [3, 11, 31],
  [1000, 1, 1],
  [1023, 1, 1],
  [1024, 1, 1],
  [32, 32, 1],
  [5, 7, 1],
];

describe.each(targets)("on $device with $compiler", ({ device, compiler }) => {
  beforeAll(() => {
    if (device === "cpu") use(compiler);
  });
  const seed = Math.floor(Math.random() * 2 ** 31);
  const random = seeded(seed);

  // Small whole numbers: every sum of up to 1024 of them is exact, also in float16.
  test.each([
    ["float", "float32"],
    ["double", "float64"],
    ["int", "int32"],
    ["long long", "int64"],
    ["__half", "float16"],
    ["__nv_bfloat16", "bfloat16"],
  ] as [string, DType][])("sums, extremes and scans of %s", async (type, dtype) => {
    const { kernels } = await compile(
      `
      ${type.startsWith("__") ? `#include <cuda_${type === "__half" ? "fp16" : "bf16"}.h>` : ""}
      #include <warpcell/reduce.cuh>
      using T = ${type};
      __global__ void k(const T* in, T* out) {
        using namespace warpcell;
        int i = thread_rank(), n = block_threads();
        T x = in[i];
        T results[] = {warp_sum(x), warp_max(x), warp_min(x), block_sum(x), block_max(x), block_min(x), warp_inclusive_sum(x), warp_exclusive_sum(x), block_inclusive_sum(x), block_exclusive_sum(x)};
        for (int k = 0; k < 10; k++) out[k * n + i] = results[k];
        T all;
        T before = block_exclusive_sum(x, all);
        out[10 * n + i] = before;
        out[11 * n + i] = all;
      }`,
      { device },
    );
    const kernel = kernels["k"] as Kernel<unknown[]>;
    for (const block of blocks) {
      const count = block[0] * block[1] * block[2];
      // bfloat16 holds whole numbers up to 256 exactly.
      const x = Array.from({ length: count }, () =>
        dtype === "bfloat16" ? Number(random() < 0.2) - Number(random() < 0.2) : Math.floor(random() * 5) - 2,
      );
      const out = full([12, count], 77, { dtype, device });
      kernel.launch(
        { grid: 1, block },
        tensor(dtype === "int64" ? (x.map(BigInt) as never) : x, { dtype, device }),
        out,
      );
      const warp = (i: number) => x.slice(Math.floor(i / 32) * 32, Math.floor(i / 32) * 32 + 32);
      const sum = (list: number[]) => list.reduce((a, b) => a + b, 0);
      const expected = [
        (i: number) => sum(warp(i)),
        (i: number) => Math.max(...warp(i)),
        (i: number) => Math.min(...warp(i)),
        () => sum(x),
        () => Math.max(...x),
        () => Math.min(...x),
        (i: number) => sum(warp(i).slice(0, (i % 32) + 1)),
        (i: number) => sum(warp(i).slice(0, i % 32)),
        (i: number) => sum(x.slice(0, i + 1)),
        (i: number) => sum(x.slice(0, i)),
        (i: number) => sum(x.slice(0, i)),
        () => sum(x),
      ].map((of) => x.map((_, i) => of(i) + 0));
      const got = (out.toArray() as (number | bigint)[][]).map((row) => row.map((value) => Number(value) + 0));
      expect(got, `seed ${seed}, block ${block.join(" × ")}`).toEqual(expected);
    }
  });

  test("any type and any associative operation, in the order of threads, again and again", async () => {
    const { kernels } = await compile(
      `
      #include <warpcell/reduce.cuh>
      struct Line { double slope, start, more; };  // 24 bytes, and composition does not commute
      __global__ void __launch_bounds__(1024) k(const double* in, double* out) {
        int i = warpcell::thread_rank(), n = warpcell::block_threads();
        auto then = [](Line a, Line b) { return Line{a.slope * b.slope, a.start * b.slope + b.start, a.more + b.more}; };
        Line mine = {in[i], in[n + i], 1};
        for (int turn = 0; turn < 3; turn++) {
          Line all = warpcell::block_reduce(mine, then), until = warpcell::block_inclusive_scan(mine, then), before = warpcell::block_exclusive_scan(mine, then, Line{1, 0, 0});
          const Line lines[] = {all, until, before};
          for (int k = 0; k < 3; k++) { out[(2 * k) * n + i] = lines[k].start; out[(2 * k + 1) * n + i] = lines[k].more; }
        }
      }`,
      { device },
    );
    const kernel = kernels["k"] as Kernel<unknown[]>;
    for (const block of blocks) {
      const count = block[0] * block[1] * block[2];
      const slopes = Array.from({ length: count }, () => (random() < 0.5 ? 1 : -1)),
        starts = Array.from({ length: count }, () => Math.floor(random() * 9) - 4);
      const running: number[] = [];
      slopes.reduce((value, slope, i) => {
        running.push(value * slope + starts[i]!);
        return running[i]!;
      }, 0);
      const out = full([6, count], NaN, { dtype: "float64", device });
      kernel.launch({ grid: 1, block }, tensor([...slopes, ...starts], { dtype: "float64", device }), out);
      expect(
        (out.toArray() as number[][]).map((row) => row.map((value) => value + 0)),
        `seed ${seed}, block ${block.join(" × ")}`,
      ).toEqual([
        running.map(() => running.at(-1)! + 0),
        running.map(() => count),
        running.map((value) => value + 0),
        running.map((_, i) => i + 1),
        [0, ...running.slice(0, -1)].map((value) => value + 0),
        running.map((_, i) => i),
      ]);
    }
  });

  test("an extreme of numbers with a NaN is NaN", async () => {
    const { kernels } = await compile(
      "#include <warpcell/reduce.cuh>\n__global__ void k(const float* in, float* out) { out[0] = warpcell::block_max(in[threadIdx.x]); out[1] = warpcell::warp_min(in[threadIdx.x]); }",
      { device },
    );
    for (const at of [0, 5, 31]) {
      const out = zeros([2], { device });
      (kernels["k"] as Kernel<unknown[]>).launch(
        { grid: 1, block: 32 },
        tensor(
          Array.from({ length: 32 }, (_, i) => (i === at ? NaN : i)),
          { device },
        ),
        out,
      );
      expect(out.toArray()).toEqual([NaN, NaN]);
    }
  });

  test("a view takes tensors of any strides, and a launch checks them", async () => {
    const module = await compile(
      `
      #include <warpcell/tensor.cuh>
      constexpr int kAxes = 2;
      using Matrix = warpcell::Tensor<float, kAxes>;
      __global__ void add(warpcell::Tensor<const float, 2> a, warpcell::Tensor<const float, 2> b, Matrix out) {
        for (long long i : warpcell::grid_stride(out.size())) {
          long long row = i / out.shape[1], column = i % out.shape[1];
          out(row, column) = a(row, column) + b[i];
        }
      }
      template <class T, int N> __global__ void twice(int pad, warpcell::Tensor<T, N> x) { for (long long i : warpcell::grid_stride(x.size())) x[i] = x[i] * T(2) + T(pad); }`,
      { device },
    );
    const add = module.kernels["add"] as Kernel<unknown[]>;
    expect(module.declarations.map(({ text }) => text).join("\n")).toContain(
      `a: import("warpcell").Tensor<"float32">, b: import("warpcell").Tensor<"float32">, out: import("warpcell").Tensor<"float32">`,
    );
    const a = tensor(
        [
          [1, 2, 3],
          [4, 5, 6],
        ],
        { device },
      ),
      b = tensor(
        [
          [10, 20],
          [30, 40],
          [50, 60],
        ],
        { device },
      );
    for (const [grid, block] of [
      [1, 1],
      [2, 4],
      [
        [2, 2, 2],
        [2, 3, 1],
      ],
    ] as never[][]) {
      const wide = full([4, 6], -1, { device });
      const out = wide.slice([1, 3], [0, 6, 2]);
      const version = wide.storage!.version;
      add.launch({ grid: grid!, block: block! }, a, b.T, out);
      expect(out.toArray()).toEqual([
        [11, 32, 53],
        [24, 45, 66],
      ]);
      expect((wide.toArray() as number[][])[0]).toEqual(Array(6).fill(-1));
      expect(wide.storage!.version).toBeGreaterThan(version);
    }
    const twice = module.kernels["twice"] as unknown as { as(...args: unknown[]): Kernel<unknown[]> };
    const deep = tensor(
      Array.from({ length: 24 }, (_, i) => i),
      { dtype: "int32", device },
    )
      .reshape([2, 3, 4])
      .transpose([2, 0, 1]);
    twice.as("int", 3).over(24)(1, deep);
    expect(deep.transpose([1, 2, 0]).reshape([-1]).toArray()).toEqual(Array.from({ length: 24 }, (_, i) => 2 * i + 1));
    add.launch({ grid: 1, block: 1 }, zeros([0, 3], { device }), zeros([0, 3], { device }), zeros([0, 3], { device }));

    const refused = (...args: unknown[]) => {
      try {
        add.launch({ grid: 1, block: 1 }, ...args);
        return null;
      } catch (error) {
        return [(error as LaunchError).code, (error as Error).message];
      }
    };
    const wanted =
      "Argument 1 (a) of kernel add must be a tensor of float32 with 2 axes (warpcell::Tensor<const float, 2>), but got";
    expect([
      refused(a.reshape([6]), a, a),
      refused(a.to("float64"), a, a),
      refused(null, a, a),
      refused([1], a, a),
    ]).toEqual([
      ["NDIM", `${wanted} one of shape [6].`],
      ["DTYPE", `${wanted} a tensor of float64.`],
      ["ARGUMENT_TYPE", `${wanted} null.`],
      ["HOST_ARRAY", `${wanted} an array of 1. Nothing is copied implicitly: make a tensor of it with tensor(…).`],
    ]);
    const gone = zeros([1, 1], { device });
    gone.dispose();
    expect(refused(gone, a, a)![0]).toBe("FREED");
    await expect(
      compile("#include <warpcell/tensor.cuh>\n__global__ void k(warpcell::Tensor<float, 17> x) {}", { device }),
    ).rejects.toThrow(/Parameter x of kernel k/);
  });

  test.each([
    ["float", "float32"],
    ["double", "float64"],
    ["__half", "float16"],
    ["unsigned char", "uint8"],
  ] as [string, DType][])("four %s at a time, aligned or not", async (type, dtype) => {
    const { kernels } = await compile(
      `
      ${type === "__half" ? "#include <cuda_fp16.h>" : ""}
      #include <warpcell/tensor.cuh>
      __global__ void k(int n, int from, int to, const ${type}* in, ${type}* out) {
        for (long long i : warpcell::grid_stride(n / 4)) {
          auto four = warpcell::load4(in + from + 4 * i);
          four[0] = four[3];
          warpcell::store4(out + to + 4 * i, four);
        }
      }`,
      { device },
    );
    for (const [from, to] of [
      [0, 0],
      [4, 8],
      [1, 0],
      [0, 3],
      [2, 1],
    ] as const) {
      const out = zeros([80], { dtype, device });
      (kernels["k"] as Kernel<unknown[]>).launch(
        { grid: 2, block: 5 },
        64,
        from,
        to,
        tensor(
          Array.from({ length: 80 }, (_, i) => i),
          { dtype, device },
        ),
        out,
      );
      const expected = Array.from({ length: 80 }, (_, i) =>
        i < to || i >= to + 64 ? 0 : i - to + from + ((i - to) % 4 === 0 ? 3 : 0),
      );
      expect(out.toArray()).toEqual(expected);
    }
  });
});
