// Cooperative launches on every device: the blocks of a grid wait for each other, the limit of blocks, settings that
// there are not; groups of threads.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { compile, full, synchronize, tensor, zeros, type Kernel } from "../../native/lib/index.ts";
import { DeviceFault, LaunchError } from "../../native/lib/errors.ts";
import { devices } from "./devices.ts";

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const kernel = async (source: string): Promise<Kernel> =>
    (await compile(`#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n${source}`, { device }))
      .kernels["k"] as Kernel;

  // Each round every block reads what another one wrote in the round before.
  const rounds = `__global__ void k(int* left, int* right, int rounds) {
    cg::grid_group grid = cg::this_grid();
    for (int i = 0; i < rounds; i++) {
      int *from = i % 2 ? right : left, *to = i % 2 ? left : right;
      to[grid.thread_rank()] = from[(grid.thread_rank() + blockDim.x) % grid.size()] + 1;
      grid.sync();
    }
  }`;

  test.each([
    [1, 1],
    [2, 32],
    [7, 33],
    [16, 256],
  ])("%i blocks of %i threads wait for each other at this_grid().sync()", async (grid, block) => {
    const k = await kernel(rounds);
    const n = grid * block,
      count = 2 * grid + 2;
    const left = tensor(
      Int32Array.from({ length: n }, (_, i) => Math.floor(i / block) * 1000),
      { device },
    );
    const right = zeros([n], { dtype: "int32", device });
    k.launch({ grid, block, cooperative: true }, left, right, count);
    expect(left.toArray()).toEqual(
      Array.from({ length: n }, (_, i) => ((Math.floor(i / block) + count) % grid) * 1000 + count),
    );
    k.over(n, { block, cooperative: true })(left, right, 2);
    expect((left.toArray() as number[])[0]).toBe(((count + 2) % grid) * 1000 + count + 2);
  });

  test("shared memory is each block's own, also while all wait", async () => {
    const k = await kernel(`__global__ void k(int* out) {
      __shared__ int mine; extern __shared__ int more[];
      if (threadIdx.x == 0) mine = blockIdx.x;
      more[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
      cg::this_grid().sync();
      out[blockIdx.x * blockDim.x + threadIdx.x] = mine * 10000 + more[blockDim.x - 1 - threadIdx.x];
    }`);
    const out = zeros([8 * 64], { dtype: "int32", device });
    k.launch({ grid: 8, block: 64, shared: 256, cooperative: true }, out);
    expect(out.toArray()).toEqual(Array.from({ length: 512 }, (_, i) => (i >> 6) * 10100 + 63 - (i & 63)));
  });

  test("blocks that spin on each other's flags all run", async () => {
    const k = await kernel(
      `__global__ void k(volatile int* flags) { if (blockIdx.x + 1 < gridDim.x) while (flags[blockIdx.x + 1] == 0) { } flags[blockIdx.x] = 1; }`,
    );
    const flags = zeros([4], { dtype: "int32", device });
    k.launch({ grid: 4, block: 1, cooperative: true }, flags);
    expect(flags.toArray()).toEqual([1, 1, 1, 1]);
  });

  test("more blocks than can run at once are refused", async () => {
    const k = await kernel(rounds);
    const x = zeros([1024], { dtype: "int32", device });
    k.launch({ grid: 100_000, block: 1024, cooperative: true }, x, x, 1);
    const error = await synchronize().then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(LaunchError);
    expect((error as LaunchError).message).toMatch(
      /^A cooperative launch runs all its blocks at once: .* at most \d+ of 1024 threads.*, but the grid has 100000 \(kernel k/,
    );
  });

  test.runIf(device === "cpu")("a grid that is not launched cooperatively says how", async () => {
    const k = await kernel(rounds);
    const x = zeros([64], { dtype: "int32", device });
    k.launch({ grid: 2, block: 32 }, x, x, 1);
    const error = await synchronize().then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(DeviceFault);
    expect((error as DeviceFault).code).toBe("NOT_COOPERATIVE");
    expect((error as Error).message).toContain("waits for the whole grid but was not launched cooperatively");
  });

  test.runIf(device === "cpu")("a block that ends while others wait for the grid is a deadlock", async () => {
    const k = await kernel(
      `__global__ void k(int* p) { if (blockIdx.x == 1) return; cg::this_grid().sync(); p[0] = 1; }`,
    );
    k.launch({ grid: 3, block: 32, cooperative: true }, zeros([1], { dtype: "int32", device }));
    const error = await synchronize().then(
      () => null,
      (reason: unknown) => reason,
    );
    expect((error as DeviceFault).code).toBe("DEADLOCK");
    expect((error as Error).message).toContain("of them have ended");
  });

  test("settings that there are not are refused with those that there are", async () => {
    const k = await kernel("__global__ void k(int* p) {}");
    expect(() => k.launch({ grid: 1, block: 1, queue: 3 } as never, null)).toThrow(
      new LaunchError(
        "INVALID_OPTION",
        'launch of kernel k has no setting "queue". It has grid, block, cluster, shared, cooperative, bytes, flops and stream.',
      ),
    );
    expect(() => k.launch({ gridDim: 1, block: 1 } as never, null)).toThrow(
      new LaunchError("INVALID_OPTION", 'launch of kernel k has no setting "gridDim". Write grid.'),
    );
    expect(() => k.over(1, { sharedMem: 8 } as never)).toThrow(
      new LaunchError("INVALID_OPTION", 'over of kernel k has no setting "sharedMem". Write shared.'),
    );
    expect(() => k.launch({ grid: 1, block: 1, bytes: -1 }, null)).toThrow(
      new LaunchError("INVALID_OPTION", "bytes of a launch must be a number ≥ 0, but kernel k was launched with -1."),
    );
    expect(() => k.launch({ grid: 1, block: 1, flops: "2" } as never, null)).toThrow(
      new LaunchError("INVALID_OPTION", 'flops of a launch must be a number ≥ 0, but kernel k was launched with "2".'),
    );
    expect(() => k.over(1, { grid: 1 } as never)).toThrow(
      new LaunchError(
        "INVALID_OPTION",
        'over of kernel k has no setting "grid". It has block, cluster, shared, cooperative, bytes, flops and stream.',
      ),
    );
    expect(() => k.launch({ grid: 1, block: 1, cooperative: 1 } as never, null)).toThrow(
      new LaunchError("INVALID_OPTION", "cooperative must be true or false, but kernel k was launched with 1."),
    );
    await expect(k.time({ grid: 1, block: 1, repeat: 3 } as never, null)).rejects.toThrow('has no setting "repeat"');
  });

  test("a block, its tiles and what their threads exchange", async () => {
    const k = await kernel(`#include <cooperative_groups/reduce.h>
    template <int N> __device__ void tile(int* o) {
      auto block = cg::this_thread_block();
      auto tile = cg::tiled_partition<N>(block);
      int v = int(block.thread_rank()) * 3 % 17;
      o[0] = tile.thread_rank(); o[1] = tile.size(); o[2] = tile.meta_group_rank(); o[3] = tile.shfl(v, 1 % N); o[4] = tile.shfl_down(v, 1); o[5] = tile.shfl_xor(v, N / 2);
      o[6] = int(tile.ballot(v & 1)); o[7] = cg::reduce(tile, v, cg::plus<int>()); o[8] = tile.any(v == 16) * 2 + tile.all(v < 17); o[9] = cg::reduce(tile, v, cg::greater<int>());
      tile.sync();
      cg::sync(block);
    }
    __global__ void k(int* o, int n) { o += threadIdx.x * 10; if (n == 4) tile<4>(o); else if (n == 16) tile<16>(o); else tile<32>(o); }`);
    for (const n of [4, 16, 32]) {
      const out = full([64, 10], -1, { dtype: "int32", device });
      k.launch({ grid: 1, block: 64 }, out, n);
      const v = Array.from({ length: 64 }, (_, t) => (t * 3) % 17);
      const wanted = v.map((value, t) => {
        const first = t - (t % n),
          rank = t % n,
          all = v.slice(first, first + n);
        const ballot = all.reduce((bits, x, i) => bits | ((x & 1) << i), 0);
        return [
          rank,
          n,
          (t / n) | 0,
          all[1],
          rank + 1 < n ? all[rank + 1] : value,
          all[rank ^ (n / 2)],
          ballot,
          all.reduce((a, b) => a + b),
          Number(all.includes(16)) * 2 + 1,
          Math.max(...all),
        ];
      });
      expect(out.toArray()).toEqual(wanted);
    }
  });
});
