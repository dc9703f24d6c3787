// Kernels with loops by strides, most of them without barriers: what split-kernels.ts is for barriers.
import { anyBlocks, kernel, solids, type SplitKernel } from "./split-kernels.ts";

const stride = "gridDim.x * blockDim.x";
const start = "blockIdx.x * blockDim.x + threadIdx.x";
const flat = "threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)";
const shapes = [...anyBlocks, ...solids];
const loop = { way: /^loop$/ };

export const strideKernels: SplitKernel[] = [
  // The forms of the loop.
  kernel("float", "grid_stride", `for (int i = ${start}; i < n; i += ${stride}) out[i] = 2.5f * in[i];`),
  kernel("int", "grid_unsigned", `for (unsigned i = ${start}; i < n - 5; i += ${stride}) out[i] = in[i] + i;`),
  kernel(
    "int",
    "grid_size_t",
    `size_t size = n - 1; for (size_t i = ${start}; i < size; i += ${stride}) out[i] = 3 * in[i];`,
  ),
  kernel(
    "int",
    "grid_long",
    `for (long long i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i = i + ${stride}) out[i] = (int)(i * 7);`,
  ),
  kernel("int", "grid_auto", `for (auto i = ${start}; i < n; i += ${stride}) { out[i] = in[i] - 1; }`),
  kernel(
    "int",
    "grid_variables",
    `int tid = ${start}; const int step = ${stride}; for (int i = tid; i < n; i += step) out[i] = in[i] ^ tid;`,
  ),
  kernel("int", "grid_while", `int i = ${start}; while (i < n) { out[i] = in[i] + 1; i += ${stride}; }`),
  kernel(
    "int",
    "grid_before",
    `int i = ${start}; int stride = ${stride}; for (; i < n; i += stride) out[i] = in[i] * 2;`,
  ),
  kernel(
    "int",
    "grid_assigned",
    `int i, sum = 0; for (i = threadIdx.x; i < 700; i += blockDim.x) sum += in[i]; out[${start}] = sum;`,
  ),
  kernel(
    "int",
    "bound_included",
    `for (int i = ${start}; n - 8 >= i; i += ${stride}) out[i] = in[i]; for (int i = threadIdx.x; i <= 7; i += blockDim.x) atomicAdd(&out[n + i], 1);`,
  ),
  kernel(
    "int",
    "from_an_offset",
    `for (int i = 3 + (int)threadIdx.x - (int)blockIdx.x; i < 900; i += blockDim.x) out[1024 * blockIdx.x + i] = in[i + 2];`,
  ),
  kernel(
    "int",
    "constant_stride",
    `for (int i = threadIdx.x; i < 1000; i += 64) if (threadIdx.x < 64) out[1024 * blockIdx.x + i] = in[i];`,
  ),
  kernel("int", "unrolled", `#pragma unroll 4\nfor (int i = ${start}; i < n; i += ${stride}) out[i] = in[i] / 3;`),
  // Bounds and overflow.
  kernel(
    "int",
    "nothing_to_do",
    `out[${start}] = 7; for (int i = ${start}; i < n - 3072; i += ${stride}) out[i] = in[i];`,
  ),
  kernel("int", "negative_bound", `out[${start}] = 7; for (int i = ${start}; i < -n; i += ${stride}) out[0] = in[0];`),
  kernel(
    "int",
    "negative_start",
    `for (int i = (int)threadIdx.x - 2000; i < -100; i += blockDim.x) out[2000 * (int)(blockIdx.x != 0) + i + 2000] = in[i + 2000];`,
    { blocks: [[256, 1, 1]] },
  ),
  kernel(
    "int",
    "negative_as_unsigned",
    `unsigned size = 900; for (int i = (int)threadIdx.x - 5; i < size; i += blockDim.x) out[1024 * blockIdx.x + i] = in[i];`,
  ),
  kernel(
    "int",
    "start_wraps",
    `for (unsigned i = threadIdx.x - 5; i < 900; i += blockDim.x) out[1024 * blockIdx.x + i] = in[i];`,
  ),
  kernel(
    "int",
    "to_the_greatest",
    `const int step = ${stride}, end = 2147483647 - step, from = end - 3000; for (int i = from + (int)(${start}); i < end; i += step) out[i - from] = in[i - from] + i;`,
  ),
  kernel(
    "int",
    "to_the_greatest_unsigned",
    `unsigned step = ${stride}, end = 4294967295u - step, from = end - 3000; for (unsigned i = from + ${start}; i < end; i += step) out[i - from] = in[i - from] + (int)(i / 2);`,
  ),
  kernel(
    "int",
    "beyond_32_bits",
    `const long long from = 5000000000; for (long long i = from + ${start}; i < from + n; i += ${stride}) out[i - from] = (int)(i / 3) + in[i - from];`,
  ),
  kernel(
    "int",
    "short_index",
    `for (short i = threadIdx.x; i < 900; i += blockDim.x) out[1024 * blockIdx.x + i] = in[i];`,
  ),
  kernel(
    "float",
    "real_bound",
    `for (int i = threadIdx.x; i < 900.5f; i += blockDim.x) out[1024 * blockIdx.x + i] = in[i];`,
  ),
  kernel(
    "int",
    "changing_bound",
    `int end = 100; for (int i = threadIdx.x; i < end; i += blockDim.x) { if (end < 500) end += 300; if (blockIdx.x == 0) out[i] = in[i]; }`,
    loop,
  ),
  kernel(
    "int",
    "own_bound",
    `int end = in[threadIdx.x] & 511; for (int i = threadIdx.x; i < end; i += blockDim.x) atomicAdd(&out[i], 1);`,
    loop,
  ),
  kernel("int", "short_steps", `for (int i = threadIdx.x; i < 900; i++) atomicAdd(&out[i], 1);`, loop),
  kernel(
    "int",
    "chunks",
    `int t = ${start}, size = n / (${stride}); for (int i = t * size; i < (t + 1) * size; i += 1) out[i] = in[i];`,
    loop,
  ),
  kernel("int", "downwards", `for (int i = n - 1 - (int)(${start}); i >= 0; i -= ${stride}) out[i] = in[i];`, loop),
  // What stands in it.
  kernel(
    "float",
    "sum_of_each",
    `float sum = 0; int count = 0; for (int i = ${start}; i < n - 77; i += ${stride}) { sum += in[i]; count++; } out[${start}] = sum; out[4096 + ${start}] = count;`,
  ),
  kernel(
    "int",
    "goes_on",
    `for (int i = ${start}; i < n; i += ${stride}) { if (in[i] % 3 == 0) continue; int v = in[i] * 2; if (v > 50) { out[i] = v; continue; } out[i] = -v; }`,
  ),
  kernel(
    "int",
    "goes_on_before_uniform",
    `for (int i = ${start}; i < n; i += ${stride}) { if (in[i] % 3 == 0) continue; int u = gridDim.x * 3; { int w = u + 1; if (in[i] % 5 == 0) continue; u += w; } out[i] = u + in[i]; if (u < 5) continue; out[i] += 9; }`,
  ),
  kernel(
    "int",
    "ends_early",
    `for (int i = ${start}; i < n; i += ${stride}) { if (in[i] % 7 == 0) break; out[i] = in[i]; }`,
    loop,
  ),
  kernel(
    "int",
    "returns",
    `for (int i = ${start}; i < n; i += ${stride}) { if (in[i] % 7 == 0) return; out[i] = in[i]; }`,
    loop,
  ),
  kernel(
    "int",
    "ended_before",
    `if (threadIdx.x % 5 == 1) return; for (int i = ${start}; i < n; i += ${stride}) out[i] = in[i] + threadIdx.x;`,
  ),
  kernel(
    "int",
    "changed_index",
    `for (int i = ${start}; i < n; i += ${stride}) { out[i] = in[i]; if (in[i] % 5 == 0) i += ${stride}; }`,
    loop,
  ),
  kernel(
    "int",
    "index_used_later",
    `int i = ${start}; while (i < n) { out[i] = in[i]; i += ${stride}; } out[4096 + ${start}] = i;`,
    loop,
  ),
  kernel(
    "int",
    "array_of_each",
    `int last[2] = {0, 1}; for (int i = ${start}; i < n; i += ${stride}) { last[i & 1] = in[i]; out[i] = last[0] - last[1]; }`,
    loop,
  ),
  kernel(
    "int",
    "inner_loops",
    `for (int i = ${start}; i < n; i += ${stride}) { int sum = 0; for (int k = 0; k < 5; k++) sum += in[i + k * 100]; int j = 0; while (j < in[i] % 4) { sum += j; j++; } out[i] = sum; }`,
  ),
  kernel(
    "int",
    "within_another",
    `for (int i = threadIdx.x; i < 200; i += blockDim.x) { int sum = 0; for (short j = threadIdx.x; j < 90; j += blockDim.x) sum += in[j + i]; for (int j = threadIdx.x; j < 150; j += 32) sum += in[j - i + 200]; out[200 * blockIdx.x + i] = sum; }`,
  ),
  kernel("int", "divided_step", `for (int i = ${start}; i < n; i += ${stride} / 2 + 1) out[i] = in[i];`, loop),
  kernel(
    "int",
    "columns",
    `for (int c = threadIdx.x; c < 300; c += blockDim.x) { int sum = 0; for (int k = 0; k < 20; k++) sum += in[k * 300 + c]; out[blockIdx.x * 300 + c] = sum; }`,
  ),
  kernel(
    "int",
    "rows_of_memory",
    `for (int r = ${start}; r < 300; r += ${stride}) { int sum = 0; for (int k = 0; k < 20; k++) sum += in[r * 20 + k]; out[r] = sum; }`,
  ),
  kernel(
    "int",
    "in_loops",
    `for (int row = blockIdx.x; row < 10; row += gridDim.x) { int sum = 0; for (int i = threadIdx.x; i < 300; i += blockDim.x) { sum += in[row * 300 + i]; out[row * 300 + i] = sum; } }`,
  ),
  kernel(
    "int",
    "twice",
    `for (int i = threadIdx.x; i < 100; i += blockDim.x) out[blockIdx.x * 100 + i] = in[i]; for (int i = threadIdx.x; i < 100; i += blockDim.x) out[blockIdx.x * 100 + i] += 2;`,
  ),
  {
    name: "calls",
    type: "int",
    source: `__device__ int leaky(int v) { return v > 500 ? v : v / 8; } __device__ int own_index() { return threadIdx.x; }
      __global__ void calls(const int* in, int* out, int n) { for (int i = ${start}; i < n; i += ${stride}) out[i] = leaky(in[i]) + own_index(); }`,
  },
  {
    name: "of_a_type",
    type: "float",
    expression: "of_a_type<float, 4>",
    source: `template <class T, int N> __global__ void of_a_type(const T* in, T* out, int n) { T most = in[0]; for (int i = ${start}; i < n / N; i += ${stride}) { T v = in[i * N]; most = v > most ? v : most; out[i] = most; } }`,
  },
  kernel("int", "histogram_of_all", `for (int i = ${start}; i < n; i += ${stride}) atomicAdd(&out[in[i] & 63], 1);`),
  // With barriers.
  kernel(
    "int",
    "dot_product",
    `__shared__ int cache[1024]; int tid = ${start}, at = threadIdx.x; int sum = 0; while (tid < n) { sum += in[tid] * (in[tid + 1] & 15); tid += ${stride}; }
     cache[at] = sum; __syncthreads(); for (int k = 512; k > 0; k /= 2) { if (at < k && at + k < blockDim.x) cache[at] += cache[at + k]; __syncthreads(); } if (at == 0) out[blockIdx.x] = cache[0];`,
  ),
  kernel(
    "int",
    "row_by_row",
    `__shared__ int s[1024]; for (int row = blockIdx.x; row < 8; row += gridDim.x) { int sum = 0; for (int i = threadIdx.x; i < 500; i += blockDim.x) sum += in[row * 500 + i]; s[threadIdx.x] = sum; __syncthreads();
     if (threadIdx.x == 0) { int all = 0; for (int k = 0; k < blockDim.x; k++) all += s[k]; out[row] = all; } __syncthreads(); }`,
  ),
  kernel(
    "int",
    "tile_by_tile",
    `__shared__ int s[256]; int sum = 0; for (int tile = 0; tile < 1024; tile += 256) { for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = in[tile + i]; __syncthreads(); for (int i = threadIdx.x; i < 256; i += blockDim.x) sum += s[255 - i]; __syncthreads(); } out[${start}] = sum;`,
  ),
  // Two and three dimensions.
  kernel(
    "int",
    "flat_stride",
    `int t = ${flat}, size = blockDim.x * blockDim.y * blockDim.z; for (int i = t; i < 1000; i += size) out[1024 * blockIdx.x + i] = in[i] + threadIdx.y;`,
    { blocks: shapes },
  ),
  kernel(
    "int",
    "strides_of_both",
    `for (int y = threadIdx.y; y < 40; y += blockDim.y) for (int x = threadIdx.x; x < 50; x += blockDim.x) if (threadIdx.z == 0) out[blockIdx.x * 2000 + y * 50 + x] = in[y * 50 + x] + y;`,
    { blocks: shapes },
  ),
  kernel(
    "int",
    "stride_of_rows",
    `int x = threadIdx.x, sum = 0; for (int y = threadIdx.y; y < 40; y += blockDim.y) { sum += y; if (x < 50 && threadIdx.z == 0) out[blockIdx.x * 2000 + y * 50 + x] = in[y * 50 + x] - sum; }`,
    { blocks: shapes },
  ),
  kernel(
    "float",
    "stencil_of_strides",
    `for (int y = threadIdx.y + 1; y < 39; y += blockDim.y) { float left = y; for (int x = threadIdx.x + 1; x < 49; x += blockDim.x) { left += in[y * 50 + x - 1]; if (threadIdx.z == 0) out[blockIdx.x * 2000 + y * 50 + x] = left + in[y * 50 + x + 1] + in[y * 50 - 50 + x]; } }`,
    { blocks: shapes },
  ),
  kernel(
    "int",
    "product_of_strides",
    `for (int row = threadIdx.y; row < 20; row += blockDim.y) for (int col = threadIdx.x; col < 30; col += blockDim.x) { int sum = 0; for (int k = 0; k < 25; k++) sum += in[row * 25 + k] * in[k * 30 + col]; if (threadIdx.z == 0) out[blockIdx.x * 600 + row * 30 + col] = sum; }`,
    { blocks: shapes },
  ),
];
