// Cooperative groups of lanes on every device and with every compiler: tiles, coalesced, labelled and binary groups,
// what they exchange, reduce, scan and copy; a block without clusters.
import "./cache.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { compile, full, tensor, type Kernel } from "../../native/lib/index.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { targets, use } from "./cpu-cell.ts";

const draw = seeded(freshSeed());
const random = (limit: number): number => Math.floor(draw() * limit);

describe.each(targets)("on $device with $compiler", ({ device, compiler }) => {
  beforeAll(() => use(compiler));

  const kernel = async (source: string): Promise<Kernel<unknown[]>> =>
    (await compile(`#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n${source}`, { device }))
      .kernels["k"] as Kernel<unknown[]>;

  /** What each thread of one block writes: `width` integers, of one that it reads. */
  const rows = async (source: string, input: number[], width: number): Promise<number[][]> => {
    const k = await kernel(source);
    const out = full([input.length, width], -77, { dtype: "int32", device });
    k.launch({ grid: 1, block: input.length }, tensor(Int32Array.from(input), { device }), out);
    return out.toArray() as number[][];
  };

  test("the lanes that are active together: ranks, shuffles, votes and matches by rank", async () => {
    const x = Array.from({ length: 96 }, () => random(1000));
    const got = await rows(
      `__global__ void k(const int* in, int* out) {
        int v = in[threadIdx.x]; out += threadIdx.x * 12;
        if (v % 3 != 0) {
          cg::coalesced_group g = cg::coalesced_threads();
          out[0] = g.thread_rank(); out[1] = g.size(); out[2] = g.shfl(v, 1 % g.size()); out[3] = g.shfl_up(v, 2); out[4] = g.shfl_down(v, 3);
          out[5] = g.ballot(v & 1); out[6] = g.any(v > 900); out[7] = g.all(v < 990); out[8] = g.match_any(v % 4); int same; out[9] = g.match_all(v % 2, same); out[10] = same;
          g.sync(); out[11] = g.num_threads();
        }
      }`,
      x,
      12,
    );
    const wanted = x.map((v, t) => {
      if (v % 3 === 0) return Array(12).fill(-77);
      const mates = x.map((_, i) => i).filter((i) => i >> 5 === t >> 5 && x[i]! % 3 !== 0);
      const rank = mates.indexOf(t),
        values = mates.map((i) => x[i]!);
      const bits = (holds: (value: number) => boolean) =>
        values.reduce((all, value, i) => all | (holds(value) ? 1 << i : 0), 0);
      const isSame = values.every((value) => value % 2 === values[0]! % 2);
      return [
        rank,
        values.length,
        values[1 % values.length],
        values[rank - 2] ?? v,
        values[rank + 3] ?? v,
        bits((value) => value % 2 === 1),
        Number(values.some((value) => value > 900)),
        Number(values.every((value) => value < 990)),
        bits((value) => value % 4 === v % 4),
        isSame ? bits(() => true) : 0,
        Number(isSame),
        values.length,
      ];
    });
    expect(got).toEqual(wanted);
  });

  test("parts of a group: by size, by label, by predicate, and tiles of tiles", async () => {
    const x = Array.from({ length: 64 }, () => random(1000));
    const got = await rows(
      `__global__ void k(const int* in, int* out) {
        int v = in[threadIdx.x]; out += threadIdx.x * 16;
        auto block = cg::this_thread_block();
        auto tile = cg::tiled_partition<16>(block);
        auto small = cg::tiled_partition<4>(tile);
        out[0] = small.meta_group_rank(); out[1] = small.meta_group_size(); out[2] = small.shfl(v, 3);
        auto label = cg::labeled_partition(tile, v % 3);
        out[3] = label.thread_rank(); out[4] = label.size(); out[5] = label.shfl(v, 0); out[6] = label.meta_group_rank(); out[7] = label.meta_group_size();
        auto odd = cg::binary_partition(tile, v & 1);
        out[8] = odd.thread_rank(); out[9] = odd.size(); out[10] = odd.shfl(v, odd.size() - 1);
        cg::thread_group any = cg::tiled_partition(block, 8);
        out[11] = any.thread_rank(); out[12] = any.size(); any.sync();
        cg::thread_group whole = block; out[13] = whole.thread_rank() * 1000 + whole.size(); whole.sync();
        cg::coalesced_group part = cg::tiled_partition(odd, 2); out[14] = part.thread_rank() + 10 * part.size(); out[15] = part.shfl(v, 0);
      }`,
      x,
      16,
    );
    const wanted = x.map((v, t) => {
      const tile = x.map((_, i) => i).filter((i) => i >> 4 === t >> 4);
      const label = tile.filter((i) => x[i]! % 3 === v % 3),
        odd = tile.filter((i) => x[i]! % 2 === v % 2);
      const labels = [...new Set(tile.map((i) => x[i]! % 3))];
      const pair = odd.indexOf(t) & ~1,
        part = odd.slice(pair, pair + 2);
      return [
        (t % 16) >> 2,
        4,
        x[t | 3],
        label.indexOf(t),
        label.length,
        x[label[0]!],
        labels.indexOf(v % 3),
        labels.length,
        odd.indexOf(t),
        odd.length,
        x[odd.at(-1)!],
        t % 8,
        8,
        t * 1000 + 64,
        (odd.indexOf(t) & 1) + 10 * part.length,
        x[part[0]!],
      ];
    });
    expect(got).toEqual(wanted);
  });

  test("reductions and scans of tiles and of any lanes, with every operation", async () => {
    const x = Array.from({ length: 64 }, () => random(1000));
    const got = await rows(
      `#include <cooperative_groups/reduce.h>
      #include <cooperative_groups/scan.h>
      template <class Group> __device__ void all(Group g, int v, int* out) {
        out[0] = cg::reduce(g, v, cg::plus<int>()); out[1] = cg::reduce(g, v, cg::less<int>()); out[2] = cg::reduce(g, v, cg::greater<int>());
        out[3] = cg::reduce(g, v, cg::bit_and<int>()); out[4] = cg::reduce(g, v, cg::bit_or<int>()); out[5] = cg::reduce(g, v, cg::bit_xor<int>());
        out[6] = cg::inclusive_scan(g, v); out[7] = cg::exclusive_scan(g, v); out[8] = cg::inclusive_scan(g, v, cg::greater<int>());
        out[9] = cg::exclusive_scan(g, v, cg::plus<int>());
        out[10] = (int)cg::reduce(g, (double)v / 2, cg::plus<double>());
      }
      __global__ void k(const int* in, int* out) {
        int v = in[threadIdx.x]; out += threadIdx.x * 22;
        all(cg::tiled_partition<8>(cg::this_thread_block()), v, out);
        if (v % 4 != 0) all(cg::coalesced_threads(), v, out + 11);
      }`,
      x,
      22,
    );
    const wanted = x.map((v, t) => {
      const of = (mates: number[]) => {
        const values = mates.map((i) => x[i]!),
          until = values.slice(0, mates.indexOf(t) + 1);
        const sum = (list: number[]) => list.reduce((a, b) => a + b, 0);
        return [
          sum(values),
          Math.min(...values),
          Math.max(...values),
          values.reduce((a, b) => a & b),
          values.reduce((a, b) => a | b),
          values.reduce((a, b) => a ^ b),
          sum(until),
          sum(until) - v,
          Math.max(...until),
          sum(until) - v,
          Math.trunc(sum(values) / 2),
        ];
      };
      const every = x.map((_, i) => i);
      return [
        ...of(every.filter((i) => i >> 3 === t >> 3)),
        ...(v % 4 === 0 ? Array(11).fill(-77) : of(every.filter((i) => i >> 5 === t >> 5 && x[i]! % 4 !== 0))),
      ];
    });
    expect(got).toEqual(wanted);
  });

  test("values of more than a word travel between lanes", async () => {
    const k = await kernel(`struct Big { double a; int b; float c, d; };
      __global__ void k(const double* in, double* out) {
        auto tile = cg::tiled_partition<32>(cg::this_thread_block());
        Big mine = {in[threadIdx.x], (int)threadIdx.x, (float)threadIdx.x / 2, -1.0f};
        Big other = tile.shfl_xor(mine, 5), next = tile.shfl_down(mine, 1);
        out[threadIdx.x * 4] = other.a; out[threadIdx.x * 4 + 1] = other.b + other.c; out[threadIdx.x * 4 + 2] = next.a; out[threadIdx.x * 4 + 3] = next.d;
      }`);
    const x = Float64Array.from({ length: 32 }, () => random(2 ** 30) / 3);
    const out = full([32, 4], NaN, { dtype: "float64", device });
    k.launch({ grid: 1, block: 32 }, tensor(x, { device }), out);
    expect(out.toArray()).toEqual(Array.from(x, (_, t) => [x[t ^ 5], (t ^ 5) * 1.5, x[Math.min(t + 1, 31)], -1]));
  });

  test("blocks copy together, and wait for what they copied", async () => {
    const k = await kernel(`#include <cooperative_groups/memcpy_async.h>
      __global__ void k(const int* in, int* out) {
        __shared__ int stage[2][96];
        auto block = cg::this_thread_block();
        cg::memcpy_async(block, stage[0], in, sizeof(int) * 96);
        cg::memcpy_async(block, stage[1], 96, in + 96, 90);
        cg::wait_prior<1>(block);
        int first = stage[0][95 - threadIdx.x];
        cg::wait(block);
        out[threadIdx.x] = first; out[96 + threadIdx.x] = threadIdx.x < 90 ? stage[1][89 - threadIdx.x] : -1;
      }`);
    const x = Int32Array.from({ length: 192 }, () => random(1e6));
    const out = full([192], -77, { dtype: "int32", device });
    k.launch({ grid: 1, block: 96 }, tensor(x, { device }), out);
    expect(out.toArray()).toEqual(Array.from(x, (_, i) => (i < 96 ? x[95 - i] : i < 186 ? x[96 + 89 - (i - 96)] : -1)));
  });

  test("one thread of a group does it for all; arriving and waiting are two", async () => {
    const got = await rows(
      `__global__ void k(const int* in, int* out) {
        __shared__ int count, first; if (threadIdx.x == 0) count = first = 0; __syncthreads();
        auto block = cg::this_thread_block(); auto tile = cg::tiled_partition<8>(block);
        cg::invoke_one(tile, [&] { atomicAdd(&count, 1); });
        int leader = cg::invoke_one_broadcast(tile, [&] { return in[threadIdx.x]; });
        cg::invoke_one(block, [&] { atomicAdd(&first, 100); });
        auto token = block.barrier_arrive(); block.barrier_wait(cuda_move(token));
        out[threadIdx.x * 2] = count + first; out[threadIdx.x * 2 + 1] = leader;
      }`.replace("cuda_move(token)", "static_cast<decltype(token)&&>(token)"),
      Array.from({ length: 64 }, (_, i) => i * 3),
      2,
    );
    // Which thread of a tile it is, is open.
    got.forEach(([count, leader], t) => {
      expect(count).toBe(108);
      expect(Math.floor(leader! / 24)).toBe(t >> 3);
    });
    expect(new Set(got.slice(0, 8).map(([, leader]) => leader)).size).toBe(1);
  });
});

test.each(targets.filter(({ device }) => device === "cpu"))("without clusters each block is one ($compiler)", async ({
  compiler,
}) => {
  use(compiler);
  const { kernels } = await compile(
    `#include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    __global__ void k(int* out) {
      __shared__ int mine; auto cluster = cg::this_cluster();
      if (threadIdx.x == 0) mine = blockIdx.x * 10;
      cluster.sync();
      int* there = cluster.map_shared_rank(&mine, cluster.block_rank());
      out[blockIdx.x * blockDim.x + threadIdx.x] = *there + cluster.num_blocks() + 100 * cluster.thread_rank();
    }`,
    { device: "cpu" },
  );
  const out = full([2, 4], -1, { dtype: "int32", device: "cpu" });
  (kernels["k"] as Kernel<unknown[]>).launch({ grid: 2, block: 4 }, out);
  expect(out.toArray()).toEqual([0, 1].map((block) => [0, 1, 2, 3].map((t) => block * 10 + 1 + 100 * t)));
});
