// libcu++ in cells on every device and with every compiler: cuda::atomic and atomic_ref, barriers, pipelines, latches and
// semaphores, cuda::std, and the primitives of cuda_pipeline.h. On a GPU they come with the toolkit.
import "./cache.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { full, tensor, zeros } from "../../native/lib/index.ts";
import { targets, use } from "./cpu-cell.ts";
import { below } from "./random-integers.ts";
import { kernelOf, kernelsOf } from "./toolkit.ts";

describe.each(targets)("on $device with $compiler", ({ device, compiler }) => {
  beforeAll(() => use(compiler));

  test("cuda::atomic in shared memory, cuda::atomic_ref of a tensor's elements", async () => {
    const k = await kernelOf(
      `#include <cuda/atomic>
      __global__ void k(const int* in, int n, int* bins, float* sum) {
        __shared__ cuda::atomic<int, cuda::thread_scope_block> local[8];
        if (threadIdx.x < 8) local[threadIdx.x] = 0;
        __syncthreads();
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
          local[in[i] % 8].fetch_add(1, cuda::memory_order_relaxed);
          cuda::atomic_ref<int, cuda::thread_scope_device> most(bins[8]), least(bins[9]), mask(bins[10]);
          most.fetch_max(in[i]); least.fetch_min(in[i]); mask |= 1 << in[i] % 31; mask.fetch_xor(0);
          cuda::atomic_ref<float, cuda::thread_scope_device>(*sum).fetch_add(0.5f);
          cuda::atomic_ref<int, cuda::thread_scope_device> product(bins[11]);
          int seen = product.load(cuda::memory_order_relaxed);
          while (!product.compare_exchange_weak(seen, (seen * 3 + 3) % 1000003 - seen * 2, cuda::memory_order_relaxed)) { }
        }
        __syncthreads();
        if (threadIdx.x < 8) cuda::atomic_ref<int>(bins[threadIdx.x]) += local[threadIdx.x].load();
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
        if (threadIdx.x == 0 && blockIdx.x == 0) bins[12] = sizeof(local[0]) + local[0].is_lock_free();
      }`,
      device,
    );
    if (k === null) return;
    const n = 5000,
      x = Int32Array.from({ length: n }, () => below(100000));
    const bins = tensor(Int32Array.from([0, 0, 0, 0, 0, 0, 0, 0, -1, 1 << 30, 0, 0, 0]), { device }),
      sum = zeros([1], { device });
    k.launch({ grid: 5, block: 96 }, tensor(x, { device }), n, bins, sum);
    const wanted = Array(8).fill(0) as number[];
    x.forEach((value) => wanted[value % 8]!++);
    const got = bins.toArray() as number[];
    // Each change adds 3 to what was there.
    expect(got).toEqual([
      ...wanted,
      Math.max(...x),
      Math.min(...x),
      x.reduce((bits, value) => bits | (1 << (value % 31)), 0),
      3 * n,
      5,
    ]);
    expect(sum.toArray()).toEqual([n / 2]);
  });

  test("a flag that another thread of the block sets", async () => {
    const k = await kernelOf(
      `#include <cuda/atomic>
      __global__ void k(int* out) {
        __shared__ cuda::atomic<int, cuda::thread_scope_block> flag; __shared__ int data;
        if (threadIdx.x == 0) flag = 0;
        __syncthreads();
        if (threadIdx.x == 63) { data = 42; flag.store(1, cuda::memory_order_release); }
        else if (threadIdx.x < 32) { while (flag.load(cuda::memory_order_acquire) == 0) { } out[threadIdx.x] = data; }
        else if (threadIdx.x == 32) { flag.wait(0); out[32] = data + flag.exchange(5); }
      }`,
      device,
    );
    if (k === null) return;
    const out = zeros([33], { dtype: "int32", device });
    k.launch({ grid: 1, block: 64 }, out);
    expect(out.toArray()).toEqual([...Array(32).fill(42), 43]);
  });

  test("barriers of a part of a block: producers and consumers, tokens, drops, parities", async () => {
    const k = await kernelOf(
      `#include <cuda/barrier>
      __global__ void k(const int* in, int* out) {
        using barrier = cuda::barrier<cuda::thread_scope_block>;
        __shared__ barrier full[2], empty[2], last;
        __shared__ int buffer[2][32];
        if (threadIdx.x == 0) { for (int i = 0; i < 2; i++) { init(&full[i], 64); init(&empty[i], 64); } init(&last, 64); }
        __syncthreads();
        int lane = threadIdx.x % 32;
        if (threadIdx.x < 32) {
          for (int i = 0; i < 10; i++) {
            if (i >= 2) empty[i % 2].wait_parity((i / 2 - 1) & 1);
            buffer[i % 2][lane] = in[i * 32 + lane];
            (void)full[i % 2].arrive();
            (void)empty[i % 2].arrive();
          }
        } else {
          int sum = 0;
          for (int i = 0; i < 10; i++) {
            full[i % 2].arrive_and_wait();
            for (int j = 0; j < 32; j++) sum += buffer[i % 2][j] * (lane + 1);
            (void)empty[i % 2].arrive();
          }
          out[lane] = sum;
        }
        if (threadIdx.x % 2) last.arrive_and_drop();
        else { barrier::arrival_token token = last.arrive(); last.wait(static_cast<barrier::arrival_token&&>(token)); last.arrive_and_wait(); out[32 + threadIdx.x / 2] = 7; }
      }`,
      device,
    );
    if (k === null) return;
    const x = Int32Array.from({ length: 320 }, () => below(1000)),
      out = zeros([64], { dtype: "int32", device });
    k.launch({ grid: 1, block: 64 }, tensor(x, { device }), out);
    const sum = x.reduce((a, b) => a + b, 0);
    expect(out.toArray()).toEqual([...Array.from({ length: 32 }, (_, lane) => sum * (lane + 1)), ...Array(32).fill(7)]);
  });

  test("copies that arrive at a barrier, and a two-stage pipeline of a block", async () => {
    const k = await kernelOf(
      `#include <cooperative_groups.h>
      #include <cuda/barrier>
      #include <cuda/pipeline>
      namespace cg = cooperative_groups;
      __global__ void k(const int* in, int* out, int batches) {
        auto block = cg::this_thread_block();
        __shared__ int stage[2][64], once[64];
        __shared__ cuda::barrier<cuda::thread_scope_block> bar;
        if (block.thread_rank() == 0) init(&bar, block.size());
        block.sync();
        cuda::memcpy_async(block, once, in, sizeof once, bar);
        bar.arrive_and_wait();
        out[threadIdx.x] = once[63 - threadIdx.x];
        __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
        auto pipe = cuda::make_pipeline(block, &state);
        int sum = 0;
        for (int compute = 0, fetch = 0; compute < batches; compute++) {
          for (; fetch < batches && fetch < compute + 2; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stage[fetch % 2], in + 64 * fetch, cuda::aligned_size_t<4>(sizeof(int) * 64), pipe);
            pipe.producer_commit();
          }
          pipe.consumer_wait();
          sum += stage[compute % 2][(threadIdx.x * 7 + compute) % 64];
          pipe.consumer_release();
        }
        out[64 + threadIdx.x] = sum;
        block.sync();
        auto own = cuda::make_pipeline();
        own.producer_acquire(); cuda::memcpy_async(&stage[0][threadIdx.x], &in[threadIdx.x], sizeof(int), own); own.producer_commit();
        cuda::pipeline_consumer_wait_prior<0>(own);
        out[128 + threadIdx.x] = stage[0][threadIdx.x];
      }`,
      device,
    );
    if (k === null) return;
    const batches = 5,
      x = Int32Array.from({ length: 64 * batches }, () => below(1000)),
      out = zeros([192], { dtype: "int32", device });
    k.launch({ grid: 1, block: 64 }, tensor(x, { device }), out, batches);
    expect(out.toArray()).toEqual([
      ...Array.from({ length: 64 }, (_, t) => x[63 - t]),
      ...Array.from({ length: 64 }, (_, t) => {
        let sum = 0;
        for (let batch = 0; batch < batches; batch++) sum += x[64 * batch + ((t * 7 + batch) % 64)]!;
        return sum;
      }),
      ...x.slice(0, 64),
    ]);
  });

  test("producers and consumers of a pipeline are different threads", async () => {
    const k = await kernelOf(
      `#include <cooperative_groups.h>
      #include <cuda/pipeline>
      namespace cg = cooperative_groups;
      __global__ void k(const int* in, int* out) {
        auto block = cg::this_thread_block();
        __shared__ int stage[4][32];
        __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 4> state;
        auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
        auto pipe = cuda::make_pipeline(block, &state, role);
        int lane = threadIdx.x % 32, sum = 0;
        for (int i = 0; i < 11; i++) {
          if (role == cuda::pipeline_role::producer) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stage[i % 4][lane], &in[32 * i + lane], sizeof(int), pipe);
            pipe.producer_commit();
          } else { pipe.consumer_wait(); sum += stage[i % 4][31 - lane]; pipe.consumer_release(); }
        }
        if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
      }`,
      device,
    );
    if (k === null) return;
    const x = Int32Array.from({ length: 32 * 11 }, () => below(1000)),
      out = zeros([64], { dtype: "int32", device });
    k.launch({ grid: 1, block: 96 }, tensor(x, { device }), out);
    expect(out.toArray()).toEqual(
      Array.from({ length: 64 }, (_, t) =>
        Array.from({ length: 11 }, (_, i) => x[32 * i + 31 - (t % 32)]!).reduce((a, b) => a + b),
      ),
    );
  });

  test("the primitives of cuda_pipeline.h", async () => {
    const k = await kernelOf(
      `#include <cuda_pipeline.h>
      __global__ void k(const float4* in, float4* out) {
        __shared__ float4 stage[32];
        __pipeline_memcpy_async(&stage[threadIdx.x], &in[threadIdx.x], 16, threadIdx.x == 3 ? 8 : 0);
        __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads();
        out[threadIdx.x] = stage[31 - threadIdx.x];
      }`,
      device,
    );
    if (k === null) return;
    const x = Float32Array.from({ length: 128 }, () => below(1000)),
      out = zeros([128], { device });
    k.launch({ grid: 1, block: 32 }, tensor(x, { device }), out);
    const wanted = Array.from({ length: 32 }, (_, t) => [...x.slice(4 * (31 - t), 4 * (32 - t))]);
    wanted[28] = [x[12]!, x[13]!, 0, 0];
    expect(out.toArray()).toEqual(wanted.flat());
  });

  test("latches and semaphores", async () => {
    const kernels = await kernelsOf(
      `#include <cuda/latch>
      #include <cuda/semaphore>
      __global__ void k(int* out, cuda::latch<cuda::thread_scope_device>* start, cuda::binary_semaphore<cuda::thread_scope_device>* lock) {
        if (threadIdx.x % 2) start->count_down();
        start->wait();
        lock->acquire();
        int seen = *(volatile int*)out; *(volatile int*)out = seen + 3;
        __threadfence();
        lock->release();
        if (!start->try_wait()) out[1] = -1;
      }
      __global__ void made(cuda::latch<cuda::thread_scope_device>* start, cuda::binary_semaphore<cuda::thread_scope_device>* lock) {
        new (start) cuda::latch<cuda::thread_scope_device>(48); new (lock) cuda::binary_semaphore<cuda::thread_scope_device>(1);
      }`.replace("#include <cuda/latch>", "#include <new>\n#include <cuda/latch>"),
      device,
    );
    if (kernels === null) return;
    const out = zeros([2], { dtype: "int32", device }),
      latch = full([64], 0, { dtype: "uint8", device }),
      lock = full([64], 0, { dtype: "uint8", device });
    kernels["made"]!.launch({ grid: 1, block: 1 }, latch, lock);
    kernels["k"]!.launch({ grid: 1, block: 96 }, out, latch, lock);
    expect(out.toArray()).toEqual([288, 0]);
  });

  test("cuda::std: span, array, tuple, complex, limits, optional, bit, chrono and their like", async () => {
    const k = await kernelOf(
      `#include <cuda/std/span>
      #include <cuda/std/array>
      #include <cuda/std/tuple>
      #include <cuda/std/utility>
      #include <cuda/std/complex>
      #include <cuda/std/limits>
      #include <cuda/std/optional>
      #include <cuda/std/type_traits>
      #include <cuda/std/cstdint>
      #include <cuda/std/bit>
      #include <cuda/std/chrono>
      __device__ double total(cuda::std::span<const double> values) { double sum = 0; for (double value : values.subspan(1)) sum += value; return sum + values.size(); }
      __device__ cuda::std::optional<int> half_of(int x) { if (x % 2) return cuda::std::nullopt; return x / 2; }
      __global__ void k(const double* in, double* out) {
        out[0] = total(cuda::std::span<const double>(in, 4));
        cuda::std::array<int, 3> a{3, 1, 2}; a[1] += 10; out[1] = a[0] + a[1] * a.size();
        auto t = cuda::std::make_tuple(1.5, 2); out[2] = cuda::std::get<0>(t) + cuda::std::get<1>(t);
        cuda::std::complex<double> z(in[0], in[1]); z = z * cuda::std::conj(z) + cuda::std::complex<double>(0, 1); out[3] = z.real(); out[4] = z.imag();
        out[5] = cuda::std::numeric_limits<float>::max() == 3.402823466e38f && cuda::std::numeric_limits<int>::min() < 0;
        out[6] = half_of(6).value_or(-1) * 10 + half_of(7).value_or(-1);
        out[7] = cuda::std::is_same_v<cuda::std::remove_const_t<const int>, int> + sizeof(cuda::std::uint16_t);
        out[8] = cuda::std::popcount(0xffu) + cuda::std::countl_zero(1u) + cuda::std::bit_cast<int>(1.0f) / (1 << 23);
        auto p = cuda::std::pair<int, int>(1, 2); cuda::std::swap(p.first, p.second); out[9] = p.first * 10 + p.second;
        out[10] = cuda::std::chrono::duration_cast<cuda::std::chrono::milliseconds>(cuda::std::chrono::seconds(3)).count();
        double local[4] = {1, 2, 3, 4}; cuda::std::span<double, 4> fixed(local); fixed[2] = 9; out[11] = fixed.back() + local[2] + fixed.first<2>().size();
      }`,
      device,
    );
    if (k === null) return;
    const out = zeros([12], { dtype: "float64", device });
    k.launch({ grid: 1, block: 1 }, tensor(Float64Array.from([3, 4, 5, 6]), { device }), out);
    expect(out.toArray()).toEqual([19, 36, 3.5, 25, 1, 1, 29, 3, 8 + 31 + 127, 21, 3000, 15]);
  });

  test("cuda::maximum, cuda::ceil_div and their like", async () => {
    const k = await kernelOf(
      `#include <cuda/functional>
      #include <cuda/cmath>
      __global__ void k(int* out) { out[0] = cuda::maximum<int>()(3, 5) * 10 + cuda::minimum<>{}(3, 5); out[1] = cuda::ceil_div(10, 3); }`,
      device,
    );
    if (k === null) return;
    const out = zeros([2], { dtype: "int32", device });
    k.launch({ grid: 1, block: 1 }, out);
    expect(out.toArray()).toEqual([53, 4]);
  });
});
