// Clusters of blocks on every device that has them: their barrier, each other's shared memory, their shape, and what a
// launch says that cannot be.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  check,
  compile,
  graph,
  runProgram,
  synchronize,
  tensor,
  validateLaunch,
  zeros,
  type Kernel,
} from "../../native/lib/index.ts";
import { DeviceProcess } from "../../native/lib/device/process.ts";
import { LaunchError } from "../../native/lib/errors.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const hasClusters = ({ kind, properties }: DeviceProcess) =>
  kind === "cpu" || Number(/\d+/.exec(properties.arch)?.[0]) >= 90;

const source = (body: string, parameters: string, attributes = "") =>
  `#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\nextern "C" __global__ void ${attributes} k(${parameters}) {\n${body}\n}`;

describe.each(devices.filter(hasClusters).map(({ name }) => name))("on %s", (device) => {
  const kernelOf = async (body: string, parameters: string, attributes?: string): Promise<Kernel> =>
    (await compile(source(body, parameters, attributes), { device })).kernels["k"] as Kernel;
  const int32 = { dtype: "int32", device } as const;

  test.each<[number, number, number]>([
    [2, 2, 32],
    [12, 4, 64],
    [64, 8, 33],
    [300, 2, 1],
  ])("%i blocks in clusters of %i, %i threads: a histogram over distributed shared memory", async (grid, cluster, block) => {
    const k = await kernelOf(
      `extern __shared__ int bins[];
      auto cluster = cg::this_cluster();
      for (int i = threadIdx.x; i < each; i += blockDim.x) bins[i] = 0;
      cluster.sync();
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int bin = values[i];
        atomicAdd(cluster.map_shared_rank(bins, bin / each) + bin % each, 1);
      }
      cluster.sync();
      for (int i = threadIdx.x; i < each; i += blockDim.x) atomicAdd(&out[cluster.block_rank() * each + i], bins[i]);`,
      "const int* values, int n, int each, int* out",
    );
    const [n, each] = [5000, 10];
    const values = Array.from({ length: n }, () => Math.floor(random() * cluster * each));
    const out = zeros([cluster * each], int32);
    k.launch({ grid, block, cluster, shared: 4 * each }, tensor(values, int32), n, each, out);
    const wanted = Array<number>(cluster * each).fill(0);
    for (const value of values) wanted[value]! += 1;
    expect(out.toArray()).toEqual(wanted);
  });

  test("rounds of a ring: each block reads what its neighbour wrote, and waits", async () => {
    const k = await kernelOf(
      `__shared__ int mine[2];
      auto cluster = cg::this_cluster();
      unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
      if (threadIdx.x == 0) mine[0] = blockIdx.x * 1000;
      cluster.sync();
      for (int i = 0; i < rounds; i++) {
        if (threadIdx.x == 0) mine[(i + 1) % 2] = *cluster.map_shared_rank(&mine[i % 2], next) + 1;
        cg::cluster_group::arrival_token token = cluster.barrier_arrive();
        cluster.barrier_wait(cg::cluster_group::arrival_token(token));
      }
      if (threadIdx.x == 0) out[blockIdx.x] = mine[rounds % 2];`,
      "int* out, int rounds",
    );
    const out = zeros([24], int32);
    k.launch({ grid: 24, block: 32, cluster: 6 }, out, 15);
    expect(out.toArray()).toEqual(
      Array.from({ length: 24 }, (_, i) => (Math.floor(i / 6) * 6 + (((i % 6) + 15) % 6)) * 1000 + 15),
    );
  });

  test("the shape of a cluster with several axes, and whose memory an address is in", async () => {
    const k = await kernelOf(
      `__shared__ int s; extern __shared__ int more[];
      auto c = cg::this_cluster();
      int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
      int* to = out + 14 * block;
      dim3 index = c.block_index(), size = c.dim_blocks(), thread = c.thread_index(), threads = c.dim_threads();
      int other = c.num_blocks() - 1 - c.block_rank();
      c.sync();
      if (c.thread_rank() % (blockDim.x * blockDim.y) == 3) {
        int values[14] = {int(index.x), int(index.y), int(index.z), int(size.x * 100 + size.y * 10 + size.z),
                          int(thread.x * 100 + thread.y * 10 + thread.z), int(threads.x * 100 + threads.y * 10 + threads.z),
                          int(c.block_rank()), int(c.num_blocks()), int(c.thread_rank()), int(c.num_threads()),
                          int(c.query_shared_rank(&s)), int(c.query_shared_rank(c.map_shared_rank(&s, other))),
                          int(c.query_shared_rank(more)), int(c.query_shared_rank(c.map_shared_rank(more, other)))};
        for (int i = 0; i < 14; i++) to[i] = values[i];
      }
      c.sync();`,
      "int* out",
    );
    const grid = [4, 3, 2];
    const out = zeros([24, 14], int32);
    k.launch({ grid, block: [2, 2], cluster: [2, 1, 2], shared: 64 }, out);
    const wanted = Array.from({ length: 24 }, (_, block) => {
      const [x, z] = [(block % 4) % 2, Math.floor(block / 12)];
      const rank = x + 2 * z;
      return [x, 0, z, 212, (2 * x + 1) * 100 + 10 + z, 422, rank, 4, 4 * rank + 3, 16, rank, 3 - rank, rank, 3 - rank];
    });
    expect(out.toArray()).toEqual(wanted);
  });

  test("__cluster_dims__ needs no setting, and a launch may say the same", async () => {
    const k = await kernelOf(
      "out[blockIdx.x] = 10 * cg::this_cluster().num_blocks() + cg::this_cluster().block_rank();",
      "int* out",
      "__cluster_dims__(2, 1, 1)",
    );
    expect(k.info.cluster).toEqual([2, 1, 1]);
    const out = zeros([4], int32);
    k.launch({ grid: 4, block: 1 }, out);
    expect(out.toArray()).toEqual([20, 21, 20, 21]);
    k.launch({ grid: 4, block: 1, cluster: [2, 1, 1] }, out.fill_(0));
    expect(out.toArray()).toEqual([20, 21, 20, 21]);
    k.over(3, { block: 1 })(out.fill_(0)); // one block more than that, to fill the cluster
    expect(out.toArray()).toEqual([20, 21, 20, 21]);
    expect(() => k.launch({ grid: 4, block: 1, cluster: 4 }, out)).toThrow(
      "Kernel k is compiled for clusters of [2, 1, 1] blocks (__cluster_dims__), but was launched with [4, 1, 1].",
    );
    expect(() => k.launch({ grid: 3, block: 1 }, out)).toThrow(
      "The grid of kernel k, [3, 1, 1], must be a multiple of its clusters of [2, 1, 1] blocks along each axis.",
    );
  });

  test("a kernel without clusters has those of one block, and one that declares none says so", async () => {
    const k = await kernelOf(
      "auto c = cg::this_cluster(); c.sync(); out[blockIdx.x] = 10 * c.num_blocks() + c.block_rank();",
      "int* out",
    );
    expect(k.info.cluster).toBeNull();
    const out = zeros([3], int32);
    k.launch({ grid: 3, block: 1 }, out);
    k.launch({ grid: 3, block: 1, cluster: 1 }, out);
    expect(out.toArray()).toEqual([10, 10, 10]);
  });

  test("blocks that end before the others hold up nobody; graphs and cooperative launches have clusters", async () => {
    const k = await kernelOf(
      `__shared__ int s;
      auto c = cg::this_cluster();
      if (threadIdx.x == 0) s = blockIdx.x;
      c.sync();
      int first = *c.map_shared_rank(&s, 0);
      c.sync();
      if (c.block_rank() == 1) return;
      c.sync();
      if (threadIdx.x == 0) out[blockIdx.x] += 1 + first;`,
      "int* out",
    );
    const out = zeros([6], int32);
    k.launch({ grid: 6, block: 32, cluster: 3 }, out);
    expect(out.toArray()).toEqual([1, 0, 1, 4, 0, 4]);
    const run = graph(() => k.launch({ grid: 6, block: 32, cluster: 3 }, out));
    run();
    run();
    expect(out.toArray()).toEqual([3, 0, 3, 12, 0, 12]);
    k.launch({ grid: 6, block: 32, cluster: 3, cooperative: true }, out.fill_(0));
    expect(out.toArray()).toEqual([1, 0, 1, 4, 0, 4]);
  });

  test("what a launch refuses", async () => {
    const k = await kernelOf("", "int* out");
    const launch =
      (cluster: unknown, grid: number | number[] = 16) =>
      () =>
        k.launch({ grid, block: 1, cluster: cluster as number }, null);
    const sizes =
      "The cluster of kernel k must be a whole number ≥ 1 or [x, y, z] of them, at most 8 blocks together, but got";
    expect(launch(0)).toThrow(`${sizes} 0.`);
    expect(launch(9)).toThrow(`${sizes} 9.`);
    expect(launch([4, 4])).toThrow(`${sizes} [4, 4].`);
    expect(launch("2")).toThrow(`${sizes} "2".`);
    expect(launch(3)).toThrow(LaunchError);
    expect(launch([2, 2], [16, 3])).toThrow(
      "The grid of kernel k, [16, 3, 1], must be a multiple of its clusters of [2, 2, 1] blocks along each axis.",
    );
    expect(() => validateLaunch({ grid: 5, block: 1, cluster: 2, device })).toThrow(
      "The grid of a launch, [5, 1, 1], must be a multiple of its clusters of [2, 1, 1] blocks along each axis.",
    );
  });

  test("programs launch clusters by an attribute", async () => {
    const { stdout, exitCode, unchecked } = await runProgram(
      `#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void neighbours(int* out) {
  __shared__ int mine;
  auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) mine = 10 * blockIdx.x;
  cluster.sync();
  unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(&mine, next) + cluster.num_blocks();
  cluster.sync();
}
cudaError_t launch(unsigned grid, unsigned size, int* out) {
  cudaLaunchConfig_t config = {0};
  config.gridDim = grid;
  config.blockDim = 32;
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = size;
  attribute[0].val.clusterDim.y = 1;
  attribute[0].val.clusterDim.z = 1;
  config.attrs = attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, neighbours, out);
}
int main() {
  int *out, host[8];
  cudaMalloc(&out, sizeof host);
  if (launch(8, 4, out) != cudaSuccess) return 2;
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (int value : host) printf("%d ", value);
  bool fails = launch(6, 4, out) != cudaSuccess && cudaGetLastError() != cudaSuccess;
  bool has_no_size = launch(6, 0, out) == cudaErrorInvalidValue && cudaGetLastError() != cudaSuccess;
  printf("%d %d\\n", fails, has_no_size);
  cudaFree(out);
}
`,
      { device },
    );
    expect({ stdout, exitCode, unchecked }).toEqual({
      stdout: "14 24 34 4 54 64 74 44 1 1\n",
      exitCode: 0,
      unchecked: [],
    });
  });

  test.runIf(device === "cpu")("a checked launch says that clusters are not followed", async () => {
    const k = await kernelOf("cg::this_cluster().sync();", "");
    expect(() => check(() => k.launch({ grid: 2, block: 1, cluster: 2 }))).toThrow(
      "A launch with clusters of several blocks is not checked: their shared memory is each other's. Launch the kernel without --check.",
    );
    await synchronize();
  });
});

test.each(
  devices.filter((device) => !hasClusters(device)).map(({ name }) => name),
)("%s has no clusters", async (device) => {
  const k = (await compile('extern "C" __global__ void k() { }', { device })).kernels["k"] as Kernel;
  expect(() => k.launch({ grid: 2, block: 1, cluster: 2 })).toThrow(
    /^The clusters of kernel k need a GPU of compute capability 9\.0 or more, but cuda:0 is sm_\d+: share through global memory there\.$/,
  );
});
