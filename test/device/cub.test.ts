// CUB's block and warp collectives in cells on every device and with every compiler: blocks of any shape, several
// elements a thread, parts of a block, operations of the user. On a GPU they come with the toolkit.
import "./cache.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { full, tensor, zeros } from "../../native/lib/index.ts";
import { targets, use } from "./cpu-cell.ts";
import { below, bits } from "./random-integers.ts";
import { kernelOf } from "./toolkit.ts";

/** X, Y and Z as CUB's template arguments after the algorithm. */
const shapes = [
  [128, 1, 1],
  [40, 1, 1],
  [8, 4, 3],
] as const;
const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
const running = (list: readonly number[], initial: number, of = (a: number, b: number) => a + b): number[] => {
  let all = initial;
  return list.map((value) => (all = of(all, value)));
};

describe.each(targets)("on $device with $compiler", ({ device, compiler }) => {
  beforeAll(() => use(compiler));
  const ints = (x: readonly number[]) => tensor(Int32Array.from(x), { device });

  test.each(shapes)("BlockReduce and BlockScan over %d × %d × %d threads", async (x, y, z) => {
    const n = x * y * z;
    const k = await kernelOf(
      `#include <cub/block/block_reduce.cuh>
      #include <cub/block/block_scan.cuh>
      struct Larger { __device__ int operator()(int a, int b) const { return a > b ? a : b; } };
      struct Running { int all; __device__ int operator()(int block) { int old = all; all += block; return old; } };
      __global__ void k(const int* in, int* sums, int* out, int valid) {
        using Reduce = cub::BlockReduce<int, ${x}, cub::BLOCK_REDUCE_WARP_REDUCTIONS, ${y}, ${z}>;
        using Scan = cub::BlockScan<int, ${x}, cub::BLOCK_SCAN_WARP_SCANS, ${y}, ${z}>;
        __shared__ typename Reduce::TempStorage reduce; __shared__ typename Scan::TempStorage scan;
        int t = threadIdx.x + ${x} * (threadIdx.y + ${y} * threadIdx.z);
        int a[3] = {in[3 * t], in[3 * t + 1], in[3 * t + 2]}, b[3], all;
        int r[5];
        r[0] = Reduce(reduce).Sum(a[0]); __syncthreads();
        r[1] = Reduce(reduce).Sum(a); __syncthreads();
        r[2] = Reduce(reduce).Sum(a[0], valid); __syncthreads();
        r[3] = Reduce(reduce).Reduce(a[1], Larger()); __syncthreads();
        r[4] = Reduce(reduce).Reduce(a, [](int p, int q) { return p < q ? p : q; }); __syncthreads();
        if (t == 0) for (int i = 0; i < 5; i++) sums[i] = r[i];
        out += t * 20;
        Scan(scan).InclusiveSum(a[0], out[0]); __syncthreads();
        Scan(scan).ExclusiveSum(a[0], out[1], all); out[2] = all; __syncthreads();
        Scan(scan).ExclusiveSum(a, b); out[3] = b[0]; out[4] = b[2]; __syncthreads();
        Scan(scan).InclusiveSum(a, b, all); out[5] = b[0]; out[6] = b[2]; out[7] = all; __syncthreads();
        Scan(scan).InclusiveScan(a[1], out[8], Larger()); __syncthreads();
        Scan(scan).ExclusiveScan(a[1], out[9], 17, Larger()); __syncthreads();
        Scan(scan).ExclusiveScan(a, b, -5, Larger(), all); out[10] = b[1]; out[11] = all; __syncthreads();
        Running before = {1000};
        Scan(scan).ExclusiveSum(a[0], out[12], before); __syncthreads();
        Scan(scan).ExclusiveSum(a, b, before); out[13] = b[0]; out[14] = b[2]; __syncthreads();
        Scan(scan).InclusiveScan(a[2], out[15], cub_plus(), before); __syncthreads();
        Scan(scan).ExclusiveScan(a[1], all, Larger()); out[16] = t == 0 ? 0 : all;
      }`.replace("cub_plus()", "[](int p, int q) { return p + q; }"),
      device,
    );
    if (k === null) return;
    const input = Array.from({ length: 3 * n }, () => below(2000) - 1000),
      valid = 1 + below(n);
    const sums = zeros([5], { dtype: "int32", device }),
      out = full([n, 20], 0, { dtype: "int32", device });
    k.launch({ grid: 1, block: [x, y, z] }, ints(input), sums, out, valid);
    const a = [0, 1, 2].map((i) => input.filter((_, at) => at % 3 === i)) as [number[], number[], number[]];
    const wantedSums = [sum(a[0]), sum(input), sum(a[0].slice(0, valid)), Math.max(...a[1]), Math.min(...input)];
    expect(sums.toArray()).toEqual(wantedSums);
    const until = running(a[0], 0),
      untilAll = running(input, 0),
      larger = running(a[1], -Infinity, Math.max),
      largest = running(input, -5, Math.max);
    const first = 1000 + sum(a[0]),
      second = first + sum(input);
    expect(out.toArray()).toEqual(
      Array.from({ length: n }, (_, t) => [
        ...[until[t], until[t]! - a[0][t]!, sum(a[0])],
        ...[untilAll[3 * t]! - input[3 * t]!, untilAll[3 * t + 1], untilAll[3 * t], untilAll[3 * t + 2], sum(input)],
        ...[larger[t], t === 0 ? 17 : Math.max(17, larger[t - 1]!), largest[3 * t], Math.max(...input)],
        ...[1000 + until[t]! - a[0][t]!, first + untilAll[3 * t]! - input[3 * t]!, first + untilAll[3 * t + 1]!],
        ...[second + running(a[2], 0)[t]!, t === 0 ? 0 : larger[t - 1], 0, 0, 0],
      ]),
    );
  });

  test("BlockLoad, BlockStore and BlockExchange: arrangements, parts, places", async () => {
    const k = await kernelOf(
      `#include <cub/block/block_load.cuh>
      #include <cub/block/block_store.cuh>
      #include <cub/block/block_exchange.cuh>
      __global__ void k(const int* in, int* out, int valid) {
        using Load = cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>; using Striped = cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_STRIPED>;
        using Store = cub::BlockStore<int, 64, 4, cub::BLOCK_STORE_TRANSPOSE>; using Exchange = cub::BlockExchange<int, 64, 4>;
        __shared__ union { typename Load::TempStorage load; typename Store::TempStorage store; typename Exchange::TempStorage exchange; typename Striped::TempStorage striped; } temp;
        int a[4], b[4];
        Load(temp.load).Load(in, a); __syncthreads();
        // A transposing store leaves its items in another order.
        int c[4]; for (int i = 0; i < 4; i++) { b[i] = a[i] * 2; c[i] = a[i]; }
        Store(temp.store).Store(out, b); __syncthreads();
        Load(temp.load).Load(in, b, valid, -9); __syncthreads();
        Store(temp.store).Store(out + 256, b); __syncthreads();
        Store(temp.store).Store(out + 512, a, valid); __syncthreads();
        Striped(temp.striped).Load(in, b); __syncthreads();
        Exchange(temp.exchange).StripedToBlocked(b); __syncthreads();
        for (int i = 0; i < 4; i++) out[768 + threadIdx.x * 4 + i] = b[i];
        Exchange(temp.exchange).BlockedToStriped(c, b); __syncthreads();
        cub::StoreDirectStriped<64>(threadIdx.x, out + 1024, b);
        Exchange(temp.exchange).BlockedToWarpStriped(c, b); __syncthreads();
        for (int i = 0; i < 4; i++) out[1280 + threadIdx.x / 32 * 128 + threadIdx.x % 32 + 32 * i] = b[i];
        int ranks[4]; for (int i = 0; i < 4; i++) ranks[i] = 255 - (threadIdx.x * 4 + i);
        Exchange(temp.exchange).ScatterToBlocked(c, ranks);
        cub::StoreDirectBlocked(threadIdx.x, out + 1536, c);
      }`,
      device,
    );
    if (k === null) return;
    const x = Array.from({ length: 256 }, () => below(1e6)),
      valid = 1 + below(255),
      out = full([1792], -1, { dtype: "int32", device });
    k.launch({ grid: 1, block: 64 }, ints(x), out, valid);
    expect(out.toArray()).toEqual([
      ...x.map((value) => 2 * value),
      ...x.map((value, i) => (i < valid ? value : -9)),
      ...x.map((value, i) => (i < valid ? value : -1)),
      ...[...x, ...x, ...x, ...x.toReversed()],
    ]);
  });

  test("BlockRadixSort: integers and floats, pairs, descending, by some bits", async () => {
    const k = await kernelOf(
      `#include <cub/block/block_radix_sort.cuh>
      __global__ void k(const int* in, const float* floats, int* out, float* sorted) {
        using Sort = cub::BlockRadixSort<int, 64, 3>; using Pairs = cub::BlockRadixSort<unsigned, 64, 3, int>; using Floats = cub::BlockRadixSort<float, 64, 3>;
        __shared__ union { typename Sort::TempStorage sort; typename Pairs::TempStorage pairs; typename Floats::TempStorage floats; } temp;
        int t = threadIdx.x, a[3], index[3]; unsigned u[3]; float f[3];
        for (int i = 0; i < 3; i++) a[i] = in[3 * t + i];
        Sort(temp.sort).Sort(a); __syncthreads();
        for (int i = 0; i < 3; i++) { out[3 * t + i] = a[i]; a[i] = in[3 * t + i]; }
        Sort(temp.sort).SortDescendingBlockedToStriped(a); __syncthreads();
        for (int i = 0; i < 3; i++) { out[192 + t + 64 * i] = a[i]; u[i] = in[3 * t + i]; index[i] = 3 * t + i; }
        Pairs(temp.pairs).Sort(u, index, 4, 9); __syncthreads();
        for (int i = 0; i < 3; i++) { out[384 + 3 * t + i] = index[i]; f[i] = floats[3 * t + i]; }
        Floats(temp.floats).SortDescending(f); __syncthreads();
        for (int i = 0; i < 3; i++) sorted[3 * t + i] = f[i];
      }`,
      device,
    );
    if (k === null) return;
    const x = Array.from({ length: 192 }, () => bits() | 0),
      f = Array.from({ length: 192 }, () => Math.fround((bits() - 2 ** 31) / 977)),
      out = zeros([576], { dtype: "int32", device }),
      sorted = zeros([192], { device });
    k.launch({ grid: 1, block: 64 }, ints(x), tensor(f, { device }), out, sorted);
    const digit = (i: number) => (x[i]! >>> 4) & 31;
    expect(out.toArray()).toEqual([
      ...x.toSorted((a, b) => a - b),
      ...x.toSorted((a, b) => b - a),
      ...x.map((_, i) => i).toSorted((a, b) => digit(a) - digit(b)),
    ]);
    expect(sorted.toArray()).toEqual(f.toSorted((a, b) => b - a));
  });

  test("BlockHistogram", async () => {
    const k = await kernelOf(
      `#include <cub/block/block_histogram.cuh>
      __global__ void k(const unsigned char* in, unsigned* out) {
        using Histogram = cub::BlockHistogram<unsigned char, 128, 4, 256, cub::BLOCK_HISTO_ATOMIC>;
        __shared__ typename Histogram::TempStorage temp; __shared__ unsigned bins[256];
        unsigned char a[4]; for (int i = 0; i < 4; i++) a[i] = in[threadIdx.x * 4 + i];
        Histogram(temp).Histogram(a, bins); __syncthreads();
        Histogram(temp).Composite(a, bins); __syncthreads();
        for (int i = threadIdx.x; i < 256; i += 128) out[i] = bins[i];
      }`,
      device,
    );
    if (k === null) return;
    const x = Uint8Array.from({ length: 512 }, () => below(40) * below(6)),
      out = zeros([256], { dtype: "uint32", device });
    k.launch({ grid: 1, block: 128 }, tensor(x, { device }), out);
    const bins = Array(256).fill(0) as number[];
    x.forEach((value) => (bins[value]! += 2));
    expect(out.toArray()).toEqual(bins);
  });

  test.each([32, 8])("WarpReduce and WarpScan over %d threads", async (width) => {
    const k = await kernelOf(
      `#include <cub/warp/warp_reduce.cuh>
      #include <cub/warp/warp_scan.cuh>
      struct Larger { __device__ int operator()(int a, int b) const { return a > b ? a : b; } };
      __global__ void k(const int* in, int* out, int valid) {
        constexpr int W = ${width};
        using Reduce = cub::WarpReduce<int, W>; using Scan = cub::WarpScan<int, W>;
        __shared__ typename Reduce::TempStorage reduce[96 / W]; __shared__ typename Scan::TempStorage scan[96 / W];
        int t = threadIdx.x, part = t / W, v = in[t], r, all; out += 12 * t;
        r = Reduce(reduce[part]).Sum(v); __syncwarp(); if (t % W == 0) out[0] = r;
        r = Reduce(reduce[part]).Reduce(v, Larger()); __syncwarp(); if (t % W == 0) out[1] = r;
        r = Reduce(reduce[part]).Sum(v, valid); __syncwarp(); if (t % W == 0) out[2] = r;
        r = Reduce(reduce[part]).HeadSegmentedSum(v, v % 5 == 0); __syncwarp(); if (t % W == 0 || v % 5 == 0) out[3] = r;
        Scan(scan[part]).InclusiveSum(v, out[4]); __syncwarp();
        Scan(scan[part]).ExclusiveSum(v, out[5], all); __syncwarp(); out[6] = all;
        Scan(scan[part]).InclusiveScan(v, out[7], Larger()); __syncwarp();
        Scan(scan[part]).ExclusiveScan(v, out[8], -50, Larger()); __syncwarp();
        out[9] = Scan(scan[part]).Broadcast(v, 3);
      }`,
      device,
    );
    if (k === null) return;
    const x = Array.from({ length: 96 }, () => below(200) - 100),
      valid = 1 + below(width),
      out = full([96, 12], -7, { dtype: "int32", device });
    k.launch({ grid: 1, block: 96 }, ints(x), out, valid);
    expect(out.toArray()).toEqual(
      x.map((v, t) => {
        const rank = t % width,
          first = t - rank,
          part = x.slice(first, first + width),
          is = (holds: boolean, value: number) => (holds ? value : -7);
        const end = part.findIndex((value, i) => i > rank && value % 5 === 0);
        const until = part.slice(0, rank + 1);
        return [
          is(rank === 0, sum(part)),
          is(rank === 0, Math.max(...part)),
          is(rank === 0, sum(part.slice(0, valid))),
          is(rank === 0 || v % 5 === 0, sum(part.slice(rank, end < 0 ? width : end))),
          ...[sum(until), sum(until) - v, sum(part), Math.max(...until)],
          Math.max(-50, ...part.slice(0, rank)),
          part[3],
          ...[-7, -7],
        ];
      }),
    );
  });
});
