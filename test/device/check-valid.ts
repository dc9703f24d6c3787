// Kernels without a mistake, of the kinds that a checker may take for one.
import { empty, tensor, zeros, type Kernel, type Tensor } from "../../native/lib/index.ts";

const on = { device: "cpu" } as const;
const floats = (n: number): Tensor =>
  tensor(
    Array.from({ length: n }, (_, i) => (i * 7) % 11),
    on,
  );
const integers = (n: number): Tensor =>
  tensor(
    Array.from({ length: n }, (_, i) => (i * 7) % 5),
    { dtype: "int32", ...on },
  );
const fresh = (n: number, dtype: "float32" | "int32" | "uint8" = "float32"): Tensor => empty([n], { dtype, ...on });
const cleared = (n: number, dtype: "float32" | "int32" | "uint32" | "float64" | "uint8" = "float32"): Tensor =>
  zeros([n], { dtype, ...on });

export const source = `
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
extern "C" __global__ void tree(const float* x, float* y, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int o = blockDim.x / 2; o > 0; o /= 2) {
    if (t < o) s[t] += s[t + o];
    __syncthreads();
  }
  if (t == 0) atomicAdd(y, s[0]);
}
extern "C" __global__ void barriersInTurn(const float* x, float* y) {
  __shared__ float s[96];
  int t = threadIdx.x, n = blockDim.x;
  s[t] = x[t];
  for (int k = 0; k < 6; k++) {
    __syncthreads();
    float v = s[(t + 1) % n];
    if (k % 2 == 0) {
      if (__syncthreads_count(t % 3 == 0) != n / 3) v = 0;
    } else if (k % 3 == 0) {
      cg::this_thread_block().sync();
    } else {
      __syncthreads();
    }
    v += __shfl_xor_sync(0xffffffffu, v, 1);
    s[t] = v;
  }
  if (t >= 40) return;
  __syncwarp(t < 32 ? 0xffffffffu : 0xffu);
  y[t] = s[t];
}
extern "C" __global__ void warps(const float* x, float* y, int n) {
  __shared__ float sums[32];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
    for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o);
    if (threadIdx.x == 0) atomicAdd(y, v);
  }
}
extern "C" __global__ void tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[16][16], tb[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    ta[threadIdx.y][threadIdx.x] = row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : 0;
    tb[threadIdx.y][threadIdx.x] = k + threadIdx.y < n && column < n ? b[(k + threadIdx.y) * n + column] : 0;
    __syncthreads();
    for (int j = 0; j < 16; j++) sum += ta[threadIdx.y][j] * tb[j][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}
extern "C" __global__ void doubled(const float* x, float* y) {
  __shared__ float s[2][128];
  int t = threadIdx.x, from = 0;
  s[0][t] = x[t];
  __syncthreads();
  for (int o = 1; o < 128; o *= 2) {
    s[1 - from][t] = s[from][t] + (t >= o ? s[from][t - o] : 0);
    from = 1 - from;
    __syncthreads();
  }
  y[t] = s[from][t];
}
extern "C" __global__ void blelloch(const float* x, float* y) {
  extern __shared__ float d[];
  int t = threadIdx.x, n = 2 * blockDim.x, offset = 1;
  d[2 * t] = x[2 * t];
  d[2 * t + 1] = x[2 * t + 1];
  for (int k = n / 2; k > 0; k /= 2) {
    __syncthreads();
    if (t < k) d[offset * (2 * t + 2) - 1] += d[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) d[n - 1] = 0;
  for (int k = 1; k < n; k *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < k) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      float left = d[a];
      d[a] = d[b];
      d[b] += left;
    }
  }
  __syncthreads();
  y[2 * t] = d[2 * t];
  y[2 * t + 1] = d[2 * t + 1];
}
extern "C" __global__ void bins(const int* x, int* out, int n) {
  __shared__ int own[5];
  for (int t = threadIdx.x; t < 5; t += blockDim.x) own[t] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&own[x[i]], 1);
  __syncthreads();
  if (threadIdx.x < 5) atomicAdd(&out[threadIdx.x], own[threadIdx.x]);
}
extern "C" __global__ void earlyReturn(const float* x, float* y, int n) {
  __shared__ float s[128];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i >= n) return;
  s[t] = x[i];
  __syncthreads();
  y[i] = s[t > 0 ? t - 1 : 0];
}
extern "C" __global__ void transposed(const float* x, float* y, int n) {
  __shared__ float tile[16][17];
  tile[threadIdx.y][threadIdx.x] = x[(blockIdx.y * 16 + threadIdx.y) * n + blockIdx.x * 16 + threadIdx.x];
  __syncthreads();
  y[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__device__ double addDouble(double* address, double value) {
  unsigned long long* bits = (unsigned long long*)address;
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, (unsigned long long)__double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
extern "C" __global__ void casLoop(const float* x, double* y) { addDouble(y, x[blockIdx.x * blockDim.x + threadIdx.x]); }
extern "C" __global__ void locked(int* lock, int* count) {
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    count[0] = count[0] + 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}
extern "C" __global__ void lastBlock(const float* x, float* partial, unsigned* ended, float* y) {
  __shared__ float s[64];
  __shared__ bool isLast;
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 64 + t];
  __syncthreads();
  for (int o = 32; o > 0; o /= 2) {
    if (t < o) s[t] += s[t + o];
    __syncthreads();
  }
  if (t == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    isLast = atomicAdd(ended, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (isLast && t == 0) {
    float sum = 0;
    for (unsigned k = 0; k < gridDim.x; k++) sum += partial[k];
    y[0] = sum;
  }
}
extern "C" __global__ void handshake(const float* x, float* y) {
  __shared__ float buffer[32];
  __shared__ volatile int isFull;
  int t = threadIdx.x;
  if (t == 0) isFull = 0;
  __syncthreads();
  if (t < 32) {
    buffer[t] = x[t];
    __threadfence_block();
    __syncwarp();
    if (t == 0) isFull = 1;
  } else {
    while (isFull == 0) {}
    __threadfence_block();
    y[t - 32] = buffer[t - 32];
  }
}
extern "C" __global__ void tiles(const float* x, float* y) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  float sum = cg::reduce(tile, x[threadIdx.x], cg::plus<float>());
  if (tile.thread_rank() == 0) y[threadIdx.x / 8] = sum;
}
extern "C" __global__ void wholeGrid(float* x, float* y, int n) {
  cg::grid_group grid = cg::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = i;
  grid.sync();
  y[i] = x[n - 1 - i];
}
extern "C" __global__ void compacted(const int* x, int* y, int* count) {
  int t = threadIdx.x, v = x[t];
  unsigned kept = __ballot_sync(0xffffffffu, v > 2);
  int base = 0;
  if (t % 32 == 0) base = atomicAdd(count, __popc(kept));
  base = __shfl_sync(0xffffffffu, base, 0);
  if (v > 2) y[base + __popc(kept & ((1u << t % 32) - 1))] = v;
}
extern "C" __global__ void blurred(const unsigned char* x, unsigned char* y, int w, int h) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= w || r >= h) return;
  int sum = 0, count = 0;
  for (int dr = -1; dr <= 1; dr++)
    for (int dc = -1; dc <= 1; dc++)
      if (r + dr >= 0 && r + dr < h && c + dc >= 0 && c + dc < w) {
        sum += x[(r + dr) * w + c + dc];
        count++;
      }
  y[r * w + c] = (unsigned char)(sum / count);
}
extern "C" __global__ void sameFlag(const int* x, int* found) { if (x[blockIdx.x * blockDim.x + threadIdx.x] == 3) *found = 1; }
extern "C" __global__ void twoArrays(const float* x, float* y, int* z) {
  extern __shared__ unsigned char memory[];
  float* a = (float*)memory;
  int* b = (int*)(a + blockDim.x);
  int t = threadIdx.x, other = blockDim.x - 1 - t;
  a[t] = x[t];
  b[t] = t;
  __syncthreads();
  y[t] = a[other];
  z[t] = b[other];
}
struct Filter { float weights[5]; int radius; };
__constant__ float scale[2] = {2, 0.5f};
extern "C" __global__ void filtered(const float* x, float* y, int n, Filter filter) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = -filter.radius; k <= filter.radius; k++)
    if (i + k >= 0 && i + k < n) sum += filter.weights[k + filter.radius] * x[i + k];
  y[i] = sum * scale[i % 2];
}
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void recursive(int* y) {
  int stack[8];
  for (int k = 0; k < 8; k++) stack[k] = fibonacci(k);
  y[threadIdx.x] = stack[threadIdx.x % 8];
}
extern "C" __global__ void vectors(const float4* x, float4* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 v = x[i];
    y[i] = make_float4(v.w, v.z, v.y, v.x);
  }
}
__device__ int counter;
extern "C" __global__ void counted(int* y) { y[threadIdx.x] = atomicAdd(&counter, 1) >= 0; }
extern "C" __global__ void selected(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mask = __ballot_sync(0xffffffffu, i < n);
  if (i < n) {
    float v = x[i];
    for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_xor_sync(mask, v, o));
    y[i] = v;
  }
}
`;

/** Each launch with the name of its kernel. */
export const launches: readonly (readonly [name: string, run: (kernel: Kernel) => void])[] = [
  ["saxpy", (k) => k.launch({ grid: 4, block: 256 }, 2, floats(1000), floats(1000), 1000)],
  ["tree", (k) => k.launch({ grid: 4, block: 256 }, floats(1000), cleared(1), 1000)],
  ["barriersInTurn", (k) => k.launch({ grid: 1, block: 96 }, floats(96), fresh(40))],
  ["warps", (k) => k.launch({ grid: 2, block: 256 }, floats(5000), cleared(1), 5000)],
  ["tiled", (k) => k.launch({ grid: [3, 3], block: [16, 16] }, floats(40 * 40), floats(40 * 40), fresh(40 * 40), 40)],
  ["doubled", (k) => k.launch({ grid: 1, block: 128 }, floats(128), fresh(128))],
  ["blelloch", (k) => k.launch({ grid: 1, block: 128, shared: 1024 }, floats(256), fresh(256))],
  ["bins", (k) => k.launch({ grid: 4, block: 64 }, integers(250), cleared(5, "int32"), 250)],
  ["earlyReturn", (k) => k.launch({ grid: 2, block: 128 }, floats(200), fresh(200), 200)],
  ["transposed", (k) => k.launch({ grid: [2, 2], block: [16, 16] }, floats(1024), fresh(1024), 32)],
  ["casLoop", (k) => k.launch({ grid: 4, block: 64 }, floats(256), cleared(1, "float64"))],
  ["locked", (k) => k.launch({ grid: 8, block: 128 }, cleared(1, "int32"), cleared(1, "int32"))],
  ["lastBlock", (k) => k.launch({ grid: 8, block: 64 }, floats(512), fresh(8), cleared(1, "uint32"), fresh(1))],
  ["handshake", (k) => k.launch({ grid: 2, block: 64 }, floats(32), fresh(32))],
  ["tiles", (k) => k.launch({ grid: 1, block: 64 }, floats(64), fresh(8))],
  ["wholeGrid", (k) => k.launch({ grid: 4, block: 32, cooperative: true }, fresh(128), fresh(128), 128)],
  ["compacted", (k) => k.launch({ grid: 1, block: 128 }, integers(128), fresh(128, "int32"), cleared(1, "int32"))],
  [
    "blurred",
    (k) => k.launch({ grid: [3, 3], block: [16, 8] }, cleared(40 * 20, "uint8"), fresh(800, "uint8"), 40, 20),
  ],
  ["sameFlag", (k) => k.launch({ grid: 4, block: 64 }, integers(256), cleared(1, "int32"))],
  ["twoArrays", (k) => k.launch({ grid: 1, block: 64, shared: 512 }, floats(64), fresh(64), fresh(64, "int32"))],
  [
    "filtered",
    (k) => k.launch({ grid: 2, block: 64 }, floats(100), fresh(100), 100, { weights: [1, 2, 3, 2, 1], radius: 2 }),
  ],
  ["recursive", (k) => k.launch({ grid: 1, block: 32 }, fresh(32, "int32"))],
  ["vectors", (k) => k.launch({ grid: 1, block: 32 }, floats(100), fresh(100), 25)],
  ["counted", (k) => k.launch({ grid: 1, block: 32 }, fresh(32, "int32"))],
  ["selected", (k) => k.launch({ grid: 2, block: 64 }, floats(100), fresh(100), 100)],
];
