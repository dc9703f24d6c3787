// Kernels with barriers, after the topics of textbooks: each is run as fibers and as loops over the threads of a block,
// and has to write the same bytes.

/** A kernel `NAME(const T* in, T* out, int n)` with T = float or int. */
export interface SplitKernel {
  name: string;
  source: string;
  type: "float" | "int";
  /** Those of {@link anyBlocks}, unless the kernel is for some shapes only. */
  blocks?: [number, number, number][];
  /** Bytes of dynamic shared memory of a thread. */
  shared?: number;
  /** What the device says of it: "split" when left out. */
  way?: RegExp;
  /** It is in a cell of its own. */
  isAlone?: boolean;
  /** How it is made callable, where it is a template. */
  expression?: string;
}

export const anyBlocks: [number, number, number][] = [
  [1, 1, 1],
  [31, 1, 1],
  [32, 1, 1],
  [33, 1, 1],
  [256, 1, 1],
  [1024, 1, 1],
];
const powers: [number, number, number][] = [1, 2, 32, 256, 1024].map((x) => [x, 1, 1]);
const tiles: [number, number, number][] = [[16, 16, 1]];
export const solids: [number, number, number][] = [
  [16, 16, 1],
  [7, 5, 3],
  [1, 1, 64],
  [33, 2, 2],
];

const head = {
  float: (name: string) => `__global__ void ${name}(const float* in, float* out, int n)`,
  int: (name: string) => `__global__ void ${name}(const int* in, int* out, int n)`,
};

export function kernel(
  type: "float" | "int",
  name: string,
  body: string,
  more: Partial<SplitKernel> = {},
): SplitKernel {
  return { name, type, source: `${head[type](name)} {\n${body}\n}`, ...more };
}

const index = "int tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;";

export const splitKernels: SplitKernel[] = [
  // Reductions, as they are taught one after another.
  kernel(
    "int",
    "reduce0",
    `__shared__ int s[1024]; unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
     s[tid] = in[i]; __syncthreads();
     for (unsigned int k = 1; k < blockDim.x; k *= 2) { if (tid % (2 * k) == 0 && tid + k < blockDim.x) s[tid] += s[tid + k]; __syncthreads(); }
     if (tid == 0) out[blockIdx.x] = s[0];`,
  ),
  kernel(
    "int",
    "reduce1",
    `__shared__ int s[1024]; unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
     s[tid] = in[i]; __syncthreads();
     for (unsigned int k = 1; k < blockDim.x; k *= 2) { int j = 2 * k * tid; if (j + k < blockDim.x) { s[j] += s[j + k]; } __syncthreads(); }
     if (tid == 0) out[blockIdx.x] = s[0];`,
  ),
  kernel(
    "float",
    "reduce2",
    `__shared__ float s[1024]; unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
     s[tid] = i < n ? in[i] : 0; __syncthreads();
     for (unsigned int k = blockDim.x / 2; k > 0; k >>= 1) { if (tid < k) s[tid] += s[tid + k]; __syncthreads(); }
     if (tid == 0) out[blockIdx.x] = s[0];`,
    { blocks: powers },
  ),
  kernel(
    "float",
    "reduce3",
    `__shared__ float s[1024]; unsigned tid = threadIdx.x; unsigned i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
     float mine = i < n ? in[i] : 0; if (i + blockDim.x < n) mine += in[i + blockDim.x];
     s[tid] = mine; __syncthreads();
     for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) { if (tid < k) s[tid] = mine = mine + s[tid + k]; __syncthreads(); }
     if (tid == 0) out[blockIdx.x] = mine;`,
    { blocks: powers },
  ),
  {
    name: "reduce5",
    type: "float",
    expression: "reduce5<256>",
    blocks: [[256, 1, 1]],
    source: `template <unsigned int blockSize> __global__ void reduce5(const float* in, float* out, int n) {
      __shared__ float s[blockSize]; unsigned int tid = threadIdx.x, i = blockIdx.x * blockSize * 2 + tid;
      s[tid] = in[i] + in[i + blockSize]; __syncthreads();
      if (blockSize >= 512) { if (tid < 256) { s[tid] += s[tid + 256]; } __syncthreads(); }
      if (blockSize >= 256) { if (tid < 128) { s[tid] += s[tid + 128]; } __syncthreads(); }
      if (blockSize >= 128) { if (tid < 64) s[tid] += s[tid + 64]; __syncthreads(); }
      for (int k = 32; k > 0; k /= 2) { if (tid < k) s[tid] += s[tid + k]; __syncthreads(); }
      if (tid == 0) out[blockIdx.x] = s[0];
    }`,
  },
  kernel(
    "float",
    "reduce6",
    `extern __shared__ float sdata[]; unsigned int tid = threadIdx.x, size = gridDim.x * blockDim.x;
     float sum = 0; for (unsigned int i = blockIdx.x * blockDim.x + tid; i < n; i += size) sum += in[i];
     sdata[tid] = sum; __syncthreads();
     for (int k = blockDim.x / 2; k > 0; k >>= 1) { if (tid < k) { sdata[tid] += sdata[tid + k]; } __syncthreads(); }
     if (tid == 0) out[blockIdx.x] = sdata[0];`,
    { blocks: powers, shared: 4 },
  ),
  kernel(
    "int",
    "reduce_volatile",
    `__shared__ int s[64]; int tid = threadIdx.x; s[tid] = in[tid]; __syncthreads();
     if (tid < 32) { volatile int* v = s; v[tid] += v[tid + 32]; }
     if (tid == 0) out[0] = s[0];`,
    { blocks: [[64, 1, 1]], way: /^fibers: the cell uses volatile memory$/, isAlone: true },
  ),
  kernel(
    "float",
    "maximum_and_place",
    `__shared__ float v[1024]; __shared__ int at[1024]; ${index}
     v[tid] = in[i]; at[tid] = i; __syncthreads();
     for (int k = 512; k > 0; k >>= 1) {
       if (tid < k && tid + k < blockDim.x && (v[tid + k] > v[tid] || (v[tid + k] == v[tid] && at[tid + k] < at[tid]))) { v[tid] = v[tid + k]; at[tid] = at[tid + k]; }
       __syncthreads();
     }
     if (tid == 0) { out[2 * blockIdx.x] = v[0]; out[2 * blockIdx.x + 1] = at[0]; }`,
  ),
  kernel(
    "float",
    "variance",
    `__shared__ float s[1024]; __shared__ float mean; ${index}
     float x = in[i]; s[tid] = x; __syncthreads();
     if (tid == 0) { float sum = 0; for (int k = 0; k < blockDim.x; k++) sum += s[k]; mean = sum / blockDim.x; }
     __syncthreads();
     float d = x - mean; s[tid] = d * d; __syncthreads();
     if (tid == 0) { float sum = 0; for (int k = 0; k < blockDim.x; k++) sum += s[k]; out[gridDim.x * blockDim.x + blockIdx.x] = sum; }
     out[i] = d;`,
  ),
  // Scans.
  kernel(
    "int",
    "hillis_steele",
    `__shared__ int s[1024]; ${index}
     s[tid] = in[i];
     for (int k = 1; k < blockDim.x; k *= 2) { __syncthreads(); int v = 0; if (tid >= k) v = s[tid - k]; __syncthreads(); s[tid] += v; }
     out[i] = s[tid];`,
  ),
  kernel(
    "float",
    "double_buffer",
    `extern __shared__ float temp[]; int t = threadIdx.x; int pout = 0, pin = 1; int n1 = blockDim.x;
     temp[pout * n1 + t] = (t > 0) ? in[blockIdx.x * blockDim.x + t - 1] : 0;
     __syncthreads();
     for (int offset = 1; offset < n1; offset *= 2) {
       pout = 1 - pout; pin = 1 - pout;
       if (t >= offset) temp[pout * n1 + t] = temp[pin * n1 + t] + temp[pin * n1 + t - offset]; else temp[pout * n1 + t] = temp[pin * n1 + t];
       __syncthreads();
     }
     out[blockIdx.x * blockDim.x + t] = temp[pout * n1 + t];`,
    { shared: 8 },
  ),
  kernel(
    "float",
    "blelloch",
    `__shared__ float temp[2048]; int t = threadIdx.x, offset = 1, m = 2 * blockDim.x, base = blockIdx.x * m;
     temp[2 * t] = in[base + 2 * t]; temp[2 * t + 1] = in[base + 2 * t + 1];
     for (int d = m >> 1; d > 0; d >>= 1) {
       __syncthreads();
       if (t < d) { int ai = offset * (2 * t + 1) - 1; int bi = offset * (2 * t + 2) - 1; temp[bi] += temp[ai]; }
       offset *= 2;
     }
     if (t == 0) { temp[m - 1] = 0; }
     for (int d = 1; d < m; d *= 2) {
       offset >>= 1;
       __syncthreads();
       if (t < d) { int ai = offset * (2 * t + 1) - 1; int bi = offset * (2 * t + 2) - 1; float was = temp[ai]; temp[ai] = temp[bi]; temp[bi] += was; }
     }
     __syncthreads();
     out[base + 2 * t] = temp[2 * t]; out[base + 2 * t + 1] = temp[2 * t + 1];`,
    { blocks: powers },
  ),
  kernel(
    "int",
    "brent_kung",
    `__shared__ int s[1024]; ${index} s[tid] = i < n ? in[i] : 0;
     for (unsigned int k = 1; k <= blockDim.x / 2; k *= 2) { __syncthreads(); int at = (tid + 1) * 2 * k - 1; if (at < blockDim.x) s[at] += s[at - k]; }
     for (int k = blockDim.x / 4; k > 0; k /= 2) { __syncthreads(); int at = (tid + 1) * k * 2 - 1; if (at + k < blockDim.x) s[at + k] += s[at]; }
     __syncthreads(); if (i < n) out[i] = s[tid];`,
  ),
  kernel(
    "int",
    "segmented",
    `__shared__ int v[1024], f[1024]; ${index} v[tid] = in[i]; f[tid] = in[i] % 7 == 0; __syncthreads();
     for (int k = 1; k < blockDim.x; k <<= 1) {
       int a = 0, b = 0; bool has = tid >= k;
       if (has) { a = v[tid - k]; b = f[tid - k]; }
       __syncthreads();
       if (has) { if (!f[tid]) v[tid] += a; f[tid] |= b; }
       __syncthreads();
     }
     out[i] = v[tid];`,
  ),
  // Two dimensions.
  kernel(
    "float",
    "transpose",
    `__shared__ float tile[16][17]; int x = blockIdx.x * 16 + threadIdx.x, y = threadIdx.y, width = gridDim.x * 16;
     tile[threadIdx.y][threadIdx.x] = in[y * width + x];
     __syncthreads();
     out[(blockIdx.x * 16 + threadIdx.y) * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];`,
    { blocks: tiles },
  ),
  kernel(
    "float",
    "transpose_rows",
    `__shared__ float tile[32][33]; int x = threadIdx.x;
     for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][x] = in[(threadIdx.y + j) * 32 + x + blockIdx.x];
     __syncthreads();
     for (int j = 0; j < 32; j += 8) out[blockIdx.x * 1024 + (threadIdx.y + j) * 32 + x] = tile[x][threadIdx.y + j];`,
    { blocks: [[32, 8, 1]] },
  ),
  kernel(
    "float",
    "tiled_product",
    `__shared__ float a[16][16], b[16][16]; int tx = threadIdx.x, ty = threadIdx.y, width = 48; float sum = 0.0f;
     int row = blockIdx.x * 16 + ty;
     for (int m = 0; m < width / 16; ++m) {
       a[ty][tx] = in[row * width + m * 16 + tx]; b[ty][tx] = in[(m * 16 + ty) * width + tx];
       __syncthreads();
       for (int k = 0; k < 16; ++k) { sum += a[ty][k] * b[k][tx]; }
       __syncthreads();
     }
     out[row * 16 + tx] = sum;`,
    { blocks: tiles },
  ),
  kernel(
    "float",
    "tiled_guarded",
    `__shared__ float a[16][16]; __shared__ float b[16][16]; int tx = threadIdx.x, ty = threadIdx.y, width = 37; float sum = 0;
     int row = blockIdx.x * 16 + ty, col = tx;
     for (int m = 0; m < (width + 15) / 16; m++) {
       if (row < width && m * 16 + tx < width) a[ty][tx] = in[row * width + m * 16 + tx]; else a[ty][tx] = 0;
       b[ty][tx] = m * 16 + ty < width && col < width ? in[(m * 16 + ty) * width + col] : 0.0f;
       __syncthreads();
       #pragma unroll
       for (int k = 0; k < 16; k++) sum += a[ty][k] * b[k][tx];
       __syncthreads();
     }
     if (row < width && col < width) out[row * width + col] = sum;`,
    { blocks: tiles },
  ),
  kernel(
    "float",
    "coarsened_product",
    `__shared__ float a[16][16], b[16][16]; int tx = threadIdx.x, ty = threadIdx.y; float sums[4]; for (int c = 0; c < 4; c++) sums[c] = 0.0f;
     for (int m = 0; m < 3; m++) {
       a[ty][tx] = in[(blockIdx.x * 16 + ty) * 48 + m * 16 + tx];
       for (int c = 0; c < 4; c++) {
         b[ty][tx] = in[(m * 16 + ty) * 64 + c * 16 + tx];
         __syncthreads();
         for (int k = 0; k < 16; k++) sums[c] += a[ty][k] * b[k][tx];
         __syncthreads();
       }
     }
     for (int c = 0; c < 4; c++) out[(blockIdx.x * 16 + ty) * 64 + c * 16 + tx] = sums[c];`,
    { blocks: tiles },
  ),
  kernel(
    "float",
    "convolution_tile",
    `__shared__ float t[20][20]; int tx = threadIdx.x, ty = threadIdx.y; int row = ty - 2, col = (int)blockIdx.x * 16 + tx - 2;
     for (int y = ty; y < 20; y += 16) for (int x = tx; x < 20; x += 16) { int r = y - 2, c = (int)blockIdx.x * 16 + x - 2; t[y][x] = r >= 0 && r < 16 && c >= 0 && c < 48 ? in[r * 48 + c] : 0.f; }
     __syncthreads();
     float sum = 0; for (int y = 0; y < 5; y++) for (int x = 0; x < 5; x++) sum += t[ty + y][tx + x] * (y + 2 * x);
     out[(row + 2) * 48 + col + 2] = sum;`,
    { blocks: tiles },
  ),
  kernel(
    "float",
    "blocks_of_any_shape",
    `__shared__ float s[1024]; int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); int size = blockDim.x * blockDim.y * blockDim.z;
     s[t] = in[blockIdx.x * size + t]; __syncthreads();
     float x = s[size - 1 - t] + threadIdx.x * 0.5f + threadIdx.y * 0.25f - threadIdx.z; __syncthreads();
     s[t] = x; __syncthreads();
     out[blockIdx.x * size + t] = s[(t + 1) % size];`,
    { blocks: [...anyBlocks, ...solids] },
  ),
  // Stencils.
  kernel(
    "float",
    "stencil",
    `__shared__ float s[1024 + 6]; ${index} int g = tid + 3;
     s[g] = in[i]; if (tid < 3) { s[tid] = i >= 3 ? in[i - 3] : 0; s[g + blockDim.x] = in[i + blockDim.x]; }
     __syncthreads();
     float sum = 0; for (int k = -3; k <= 3; k++) sum += s[g + k]; out[i] = sum;`,
    {
      blocks: [
        [32, 1, 1],
        [256, 1, 1],
        [1024, 1, 1],
      ],
    },
  ),
  kernel(
    "float",
    "heat",
    `__shared__ float a[1024], b[1024]; ${index} a[tid] = in[i]; __syncthreads();
     for (int step = 0; step < 5; step++) {
       float left = tid > 0 ? a[tid - 1] : 0, right = tid + 1 < blockDim.x ? a[tid + 1] : 0;
       b[tid] = a[tid] + 0.25f * (left - 2 * a[tid] + right);
       __syncthreads();
       a[tid] = b[tid];
       __syncthreads();
     }
     out[i] = a[tid];`,
  ),
  kernel(
    "float",
    "heat_pointers",
    `__shared__ float a[1024], b[1024]; ${index} float* from = a; float* to = b; from[tid] = in[i]; __syncthreads();
     for (int step = 0; step < 4; step++) {
       float left = tid > 0 ? from[tid - 1] : 0, right = tid + 1 < blockDim.x ? from[tid + 1] : 0;
       to[tid] = from[tid] * 0.5f + 0.25f * (left + right);
       __syncthreads();
       float* swap_ = from; from = to; to = swap_;
     }
     out[i] = from[tid];`,
  ),
  // Histograms and atomics.
  kernel(
    "int",
    "histogram",
    `__shared__ int h[64]; ${index} for (int k = tid; k < 64; k += blockDim.x) h[k] = 0; __syncthreads();
     for (int k = i; k < n; k += blockDim.x * gridDim.x) atomicAdd(&h[in[k] & 63], 1);
     __syncthreads();
     for (int k = tid; k < 64; k += blockDim.x) atomicAdd(&out[k], h[k]);`,
  ),
  kernel(
    "int",
    "shared_atomics",
    `__shared__ int a, m; __shared__ unsigned o[4]; ${index}
     if (tid == 0) { a = 0; m = 1 << 30; } if (tid < 4) o[tid] = 0; __syncthreads();
     atomicAdd(&a, in[i] & 15); atomicMin(&m, in[i]); atomicOr(o + (tid & 3), 1u << (in[i] & 31)); atomicXor(&o[tid % 4], tid);
     __syncthreads();
     out[i] = a + m + (int)o[tid & 3];`,
  ),
  kernel(
    "int",
    "compaction",
    `__shared__ int count; __shared__ int list[1024]; ${index} if (tid == 0) count = 0; __syncthreads();
     bool mine = in[i] % 3 == 0; if (mine) atomicAdd(&count, 1); list[tid] = mine; __syncthreads();
     int place = 0; for (int k = 0; k < tid; k++) place += list[k];
     if (mine) out[blockIdx.x * blockDim.x + place] = in[i]; if (tid == 0) out[gridDim.x * blockDim.x + blockIdx.x] = count;`,
  ),
  {
    name: "last_block",
    type: "int",
    source: `__device__ unsigned arrived;
${head.int("last_block")} {
     __shared__ bool last; ${index} if (tid == 0) out[blockIdx.x + 1] = in[i]; __threadfence();
     if (tid == 0) last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1; __syncthreads();
     if (!last) return;
     if (tid == 0) { int sum = 0; for (int b = 0; b < gridDim.x; b++) sum += out[b + 1]; out[200] = sum; }
}`,
  },
  kernel(
    "int",
    "lock",
    `__shared__ int mutex_; ${index} if (tid == 0) mutex_ = 0; __syncthreads();
     while (atomicExch(&mutex_, 1) != 0) {} out[0] += in[i]; atomicExch(&mutex_, 0);`,
    { way: /^fibers: it may wait for another thread/, blocks: [[33, 1, 1]] },
  ),
  // Sorts.
  kernel(
    "int",
    "bitonic",
    `__shared__ int s[1024]; unsigned tid = threadIdx.x; s[tid] = in[blockIdx.x * blockDim.x + tid]; __syncthreads();
     for (unsigned k = 2; k <= blockDim.x; k *= 2) {
       for (unsigned j = k / 2; j > 0; j /= 2) {
         unsigned other = tid ^ j;
         if (other > tid) { if ((tid & k) == 0 ? s[tid] > s[other] : s[tid] < s[other]) { int was = s[tid]; s[tid] = s[other]; s[other] = was; } }
         __syncthreads();
       }
     }
     out[blockIdx.x * blockDim.x + tid] = s[tid];`,
    { blocks: powers },
  ),
  kernel(
    "int",
    "odd_even",
    `__shared__ int s[1024]; ${index} s[tid] = in[i]; __syncthreads();
     for (int round = 0; round < blockDim.x; round++) {
       int left = 2 * tid + (round & 1), right = left + 1;
       if (right < blockDim.x) { int a = s[left], b = s[right]; if (a > b) { s[left] = b; s[right] = a; } }
       __syncthreads();
     }
     out[i] = s[tid];`,
    {
      blocks: [
        [1, 1, 1],
        [31, 1, 1],
        [256, 1, 1],
      ],
    },
  ),
  kernel(
    "int",
    "rank_sort",
    `__shared__ int s[1024]; ${index} int x = in[i]; s[tid] = x; __syncthreads();
     int rank = 0; for (int k = 0; k < blockDim.x; k++) rank += s[k] < x || (s[k] == x && k < tid);
     __syncthreads(); s[rank] = x; __syncthreads(); out[i] = s[tid];`,
  ),
  kernel(
    "int",
    "radix_sort",
    `__shared__ int s[1024], bits[1024]; ${index} int size = blockDim.x; s[tid] = in[i] & 255; __syncthreads();
     for (int b = 0; b < 8; b++) {
       int x = s[tid], bit = x >> b & 1; bits[tid] = bit; __syncthreads();
       int before = 0, ones = 0; for (int k = 0; k < size; k++) { if (k < tid) before += bits[k]; ones += bits[k]; }
       int place = bit ? size - ones + before : tid - before; __syncthreads();
       s[place] = x; __syncthreads();
     }
     out[i] = s[tid];`,
    {
      blocks: [
        [1, 1, 1],
        [33, 1, 1],
        [256, 1, 1],
      ],
    },
  ),
  // Bodies.
  kernel(
    "float",
    "bodies",
    `__shared__ float4 tile[256]; ${index} int count = gridDim.x * blockDim.x; float x = in[i], y = in[i + 1], ax = 0, ay = 0;
     for (int base = 0; base < count; base += blockDim.x) {
       tile[threadIdx.x] = make_float4(in[base + tid], in[base + tid + 1], 1.0f, 0.0f);
       __syncthreads();
       for (int k = 0; k < blockDim.x; k++) { float dx = tile[k].x - x, dy = tile[k].y - y, r = dx * dx + dy * dy + 0.01f, f = 1.0f / (r * sqrtf(r)); ax += dx * f; ay += dy * f; }
       __syncthreads();
     }
     out[i] = ax + ay;`,
    {
      blocks: [
        [32, 1, 1],
        [256, 1, 1],
      ],
    },
  ),
  // Control flow.
  kernel(
    "float",
    "early_return",
    `${index} __shared__ float s[1024]; if (i >= n - 700) return; s[tid] = in[i]; __syncthreads(); out[i] = s[tid] * 2;`,
  ),
  kernel(
    "int",
    "returns_in_between",
    `__shared__ int s[1024]; ${index} s[tid] = in[i]; __syncthreads(); int x = s[(tid + 1) % blockDim.x]; if (tid % 3 == 1) { out[i] = -1; return; } __syncthreads();
     s[tid] = x; __syncthreads(); for (int k = 0; k < 5; k++) { if (in[i] % 5 == k) { out[i] = k; return; } } __syncthreads(); out[i] = s[tid] + 1000;`,
  ),
  kernel(
    "int",
    "uniform_return",
    `__shared__ int s[1024]; ${index} s[tid] = in[i]; __syncthreads(); if (blockIdx.x == 1) return; if (n < 0) { return; } out[i] = s[blockDim.x - 1 - tid];`,
  ),
  kernel(
    "int",
    "nested_loops",
    `__shared__ int s[1024]; ${index} s[tid] = in[i]; int total = 0;
     for (int a = 0; a < 3; a++) { int inner = a; for (int b = a; b < 4; ++b) { __syncthreads(); int v = s[(tid + a * b) % blockDim.x]; __syncthreads(); s[tid] = v + b; inner += v; } total += inner; }
     out[i] = total;`,
  ),
  kernel(
    "int",
    "while_and_do",
    `__shared__ int s[1024]; ${index} s[tid] = in[i]; int rounds = 3; while (rounds > 0) { __syncthreads(); int v = s[(tid + rounds) % blockDim.x]; __syncthreads(); s[tid] += v; rounds--; }
     int left = 2; do { __syncthreads(); int v = s[(tid + 1) % blockDim.x]; __syncthreads(); s[tid] = v; } while (--left > 0); out[i] = s[tid];`,
  ),
  kernel(
    "int",
    "break_and_continue",
    `__shared__ int s[1024]; ${index} s[tid] = in[i]; __syncthreads();
     for (int k = 0; k < 10; k++) { if (k == 2) continue; if (k * 3 > blockDim.x || k == 7) break; int v = s[(tid + k) % blockDim.x]; __syncthreads(); s[tid] = v - k; __syncthreads(); if (tid == k) continue_(v); for (int j = 0; j < 9; j++) { if (j == tid) break; s[tid] += j; } __syncthreads(); }
     out[i] = s[tid];`.replace("if (tid == k) continue_(v);", ""),
  ),
  kernel(
    "int",
    "uniform_branch",
    `__shared__ int s[1024]; ${index} s[tid] = in[i]; if (gridDim.x > 2) { __syncthreads(); int v = s[(tid + 7) % blockDim.x]; __syncthreads(); s[tid] = v; } else { s[tid] = 0; __syncthreads(); } if (blockIdx.x & 1) { __syncthreads(); } out[i] = s[tid];`,
  ),
  kernel(
    "int",
    "switch_inside",
    `__shared__ int s[1024]; ${index} s[tid] = in[i]; __syncthreads(); int v; switch (s[tid] & 3) { case 0: v = 10; break; case 1: v = 20; case 2: v = 30; break; default: v = s[(tid + 1) % blockDim.x]; } __syncthreads(); s[tid] = v; __syncthreads(); out[i] = s[blockDim.x - 1 - tid];`,
  ),
  kernel(
    "int",
    "ternaries_and_commas",
    `__shared__ int s[1024]; ${index} int a, b; a = in[i], b = a > 5 ? a : -a; s[tid] = b; __syncthreads(); for (int k = 0, m = 1; k < 3; k++, m *= 2) { int v = s[(tid + m) % blockDim.x]; __syncthreads(); s[tid] = k & 1 ? v : v + a; __syncthreads(); } out[i] = (a += 3, s[tid] + a + b);`,
  ),
  kernel(
    "int",
    "uniform_values",
    `__shared__ int s[1024]; ${index} int half = blockDim.x / 2, twice = half * 2, power = 1; while (power < blockDim.x) power *= 2; if (gridDim.x > 1) { twice += 1; } s[tid] = in[i]; __syncthreads(); for (int k = power / 2; k > 0; k /= 2) { if (tid < k && tid + k < blockDim.x) s[tid] += s[tid + k]; __syncthreads(); } out[i] = s[0] + twice + half;`,
  ),
  kernel(
    "int",
    "changed_parameter",
    `__shared__ int s[1024]; ${index} if (tid & 1) n -= tid; s[tid] = in[i]; __syncthreads(); n += s[(tid + 1) % blockDim.x]; __syncthreads(); out[i] = n;`,
  ),
  kernel(
    "int",
    "parameter_for_all",
    `__shared__ int s[1024]; ${index} n = n / 2 + gridDim.x; s[tid] = in[i]; __syncthreads(); out[i] = s[(tid + n) % blockDim.x];`,
  ),
  kernel(
    "int",
    "pointer_walks",
    `__shared__ int s[1024]; ${index} const int* p = in + i; int* q = &s[tid]; *q = *p; __syncthreads(); p++; int v = s[(tid + 1) % blockDim.x]; __syncthreads(); *q += *p + v; __syncthreads(); out[i] = s[blockDim.x - 1 - tid];`,
  ),
  kernel(
    "int",
    "address_of_local",
    `__shared__ int s[1024]; ${index} int mine = in[i]; int* p = &mine; s[tid] = mine; __syncthreads(); *p += s[(tid + 1) % blockDim.x]; __syncthreads(); out[i] = mine;`,
  ),
  kernel(
    "float",
    "arrays_of_threads",
    `__shared__ float s[1024]; ${index} float a[3][2] = {{1, 2}, {3, 4}}; a[2][0] = in[i]; s[tid] = a[2][0] + a[2][1]; __syncthreads(); for (int k = 0; k < 3; k++) a[k][1] += s[(tid + k) % blockDim.x]; __syncthreads(); out[i] = a[0][1] + a[1][1] * a[2][1] + a[tid % 3][0];`,
  ),
  kernel(
    "int",
    "same_names",
    `__shared__ int s[1024]; ${index} s[tid] = in[i]; __syncthreads(); { int v = s[(tid + 1) % blockDim.x]; __syncthreads(); s[tid] = v; } __syncthreads(); { int v = s[(tid + 2) % blockDim.x]; __syncthreads(); s[tid] += v; } for (int k = 0; k < 2; k++) s[tid] += k; for (int k = 0; k < 3; k++) { __syncthreads(); } out[i] = s[tid];`,
  ),
  // Functions, types, macros.
  {
    name: "functions",
    type: "int",
    source: `__device__ int own_thread() { return threadIdx.x + blockDim.x * threadIdx.y; }
      __device__ void put(int* to, int v) { to[own_thread()] = v; }
      __device__ void add_to(int& x, int y) { x += y; }
      __global__ void functions(const int* in, int* out, int n) {
        __shared__ int s[1024]; int t = own_thread(), x = 1;
        put(s, in[t] + blockIdx.x); __syncthreads();
        add_to(x, s[(t + 1) % blockDim.x]); __syncthreads();
        put(s, x); __syncthreads();
        out[blockIdx.x * blockDim.x + t] = s[t] + x;
      }`,
  },
  {
    name: "waiting_function",
    type: "int",
    source: `__device__ void meet() { __syncthreads(); }
      __global__ void waiting_function(const int* in, int* out, int n) {
        __shared__ int s[1024]; s[threadIdx.x] = in[threadIdx.x]; meet(); __syncthreads(); out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
      }`,
  },
  {
    name: "functions_that_wait",
    type: "float",
    source: `// Adds what the threads of a block have.
      __device__ float block_total(float* s, const float value, int /* of each */ step)
      {
        int tid = threadIdx.x;
        s[tid] = value;
        __syncthreads();
        #pragma unroll
        for (int k = 512; k > 0; k /= 2) {
          if (tid < k && tid + k < blockDim.x) s[tid] += s[tid + k];
          __syncthreads();
        }
        float sum = s[0]; // of all
        __syncthreads();
        return sum * step;
      }
      __device__ inline void put_and_meet(float *s, float value) { s[threadIdx.x] = value; __syncthreads(); }
      __device__ float total_of_pairs(float* s, float v) { put_and_meet(s, v); const float other = s[blockDim.x - 1 - threadIdx.x]; __syncthreads(); return block_total(s, other + v, 2); }
      __global__ void functions_that_wait(const float* in, float* out, int n) {
        __shared__ float s[1024]; ${index} int step = 3; float v = in[i]; float sum = block_total(s, v * v, step - 1);
        const float all = block_total(s, v,
          1);
        sum += total_of_pairs(s, all + v); { auto s2 = total_of_pairs(s, sum); put_and_meet(s, s2); }
        out[i] = sum + s[(tid + 1) % blockDim.x];
      }`,
  },
  {
    name: "functions_with_shared_memory",
    type: "int",
    source: `__device__ int value_before(int value) { __shared__ int kept[1024]; kept[threadIdx.x] = value; __syncthreads(); int v = kept[threadIdx.x == 0 ? 0 : threadIdx.x - 1]; return v; }
      __global__ void functions_with_shared_memory(const int* in, int* out, int n) { ${index} int v = 0; if (n > 0) v = value_before(in[i]); out[i] = v; }`,
  },
  {
    name: "shared_memory_of_two_calls",
    type: "int",
    way: /^fibers: it calls value_since, of which it is said: it waits at __syncthreads$/,
    source: `__device__ int value_since(int value) { __shared__ int kept[1024]; int v = value > 0 ? 0 : kept[blockDim.x - 1 - threadIdx.x]; __syncthreads(); kept[threadIdx.x] = value; __syncthreads(); return v; }
      __global__ void shared_memory_of_two_calls(const int* in, int* out, int n) { ${index} int v = value_since(1 + tid); v = value_since(0); out[i] = v + in[i]; }`,
  },
  {
    name: "waits_in_a_function_alone",
    type: "int",
    way: /^fibers: it calls value_turned, of which it is said: it waits at __syncthreads$/,
    source: `__device__ int value_turned(const int* in, int* s) {
        s[threadIdx.x] = in[threadIdx.x]; if (in == nullptr) return 0; __syncthreads(); return s[blockDim.x - 1 - threadIdx.x];
      }
      __global__ void waits_in_a_function_alone(const int* in, int* out, int n) { __shared__ int s[1024]; out[threadIdx.x] = value_turned(in, s); }`,
  },
  {
    name: "structs",
    type: "float",
    source: `struct Pair { float a; int b; };
      __global__ void structs(const float* in, float* out, int n) {
        __shared__ Pair s[1024]; ${index} Pair mine = {in[i], tid}; s[tid] = mine; __syncthreads();
        Pair other = s[(tid + 3) % blockDim.x]; mine.a += other.a; __syncthreads(); s[tid].a = mine.a; __syncthreads();
        out[i] = s[tid].a * 2 + mine.b + other.b;
      }`,
  },
  {
    name: "templates",
    type: "int",
    expression: "templates<int, 4>",
    source: `template <class T, int N> __global__ void templates(const T* in, T* out, int n) {
        __shared__ T s[1024]; ${index} T sum = 0; s[tid] = in[i]; __syncthreads();
        for (int k = 0; k < N; k++) { sum += s[(tid + k) % blockDim.x]; __syncthreads(); if constexpr (N > 2) s[tid] = sum; __syncthreads(); }
        out[i] = sum;
      }`,
  },
  {
    name: "references",
    type: "int",
    way: /^fibers: the reference slot is used behind a barrier$/,
    source: `__global__ void references(const int* in, int* out, int n) {
        __shared__ int s[1024]; int& slot = s[threadIdx.x]; slot = in[threadIdx.x]; __syncthreads(); int v = s[(threadIdx.x + 1) % blockDim.x]; __syncthreads(); slot += v; out[threadIdx.x] = s[threadIdx.x];
      }`,
  },
  {
    name: "macros",
    type: "int",
    source: `#define WIDTH 1024
      #define WAIT __syncthreads()
      #define WAIT_TOO __syncthreads();
      #define AT(t, k) ((t + k) % blockDim.x)
      __global__ void macros(const int* in, int* out, int n) {
        __shared__ int s[WIDTH]; ${index} s[tid] = in[i]; WAIT; int v = s[AT(tid, 1)]; WAIT_TOO s[tid] = v + s[tid]; WAIT; out[i] = s[AT(tid, 2)];
      }`,
  },
  {
    name: "hidden_barrier",
    type: "int",
    way: /^fibers: the macro TURN is more than a value$/,
    source: `#define TURN do { __syncthreads(); s[tid] = s[tid] + 1; __syncthreads(); } while (0)
      __global__ void hidden_barrier(const int* in, int* out, int n) {
        __shared__ int s[1024]; ${index} s[tid] = in[i]; TURN; __syncthreads(); out[i] = s[tid];
      }`,
  },
  {
    name: "in_a_namespace",
    type: "int",
    expression: "outer::in_a_namespace",
    source: `namespace outer { __global__ void in_a_namespace(const int* in, int* out, int n) { __shared__ int s[1024]; ${index} s[tid] = in[i]; __syncthreads(); out[i] = s[blockDim.x - 1 - tid]; } }`,
  },
  {
    name: "bounded",
    type: "int",
    source: `extern "C" __global__ void __launch_bounds__(1024) bounded(const int* __restrict__ in, int* __restrict__ out, const int n) { __shared__ int s[1024]; ${index} s[tid] = in[i]; __syncthreads(); out[i] = s[blockDim.x - 1 - tid] + n; }`,
  },
  {
    name: "constants",
    type: "float",
    source: `constexpr int RADIUS = 2; enum { STEPS = 3 }; __constant__ float weights[3] = {0.5f, 0.25f, 0.125f};
      __global__ void constants(const float* in, float* out, int n) {
        __shared__ float s[1024]; const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid; s[tid] = in[i]; __syncthreads();
        for (int k = 0; k < STEPS; k++) { float v = weights[k] * s[(tid + RADIUS) % blockDim.x]; __syncthreads(); s[tid] += v; __syncthreads(); }
        out[i] = s[tid];
      }`,
  },
  {
    name: "constructed",
    type: "float",
    source: `__global__ void constructed(const float* in, float* out, int n) {
        __shared__ float2 s[1024]; ${index} float2 v = make_float2(in[i], in[i + 1]); float w(v.x), z{v.y}; s[tid] = v; __syncthreads(); float2 o = s[(tid + 1) % blockDim.x]; __syncthreads(); v.x += o.y; s[tid] = v; __syncthreads(); out[i] = s[tid].x + w - z + v.y;
      }`,
  },
  kernel(
    "int",
    "unsigned_and_long",
    `__shared__ unsigned long long s[1024]; ${index} unsigned long long x = 0x100000000ull * in[i]; unsigned char small = in[i]; s[tid] = x; __syncthreads(); x ^= s[(tid + 1) % blockDim.x] >> 3; small += 200; __syncthreads(); out[i] = (int)(x >> 32) + small + (int)x;`,
  ),
  kernel(
    "int",
    "auto_and_const",
    `__shared__ int s[1024]; const auto t = threadIdx.x; auto size = blockDim.x; const int i = blockIdx.x * size + t; s[t] = in[i]; __syncthreads(); auto v = s[(t + 1) % size]; out[i] = v + s[t];`,
  ),
  // Kept as fibers, each for its reason.
  kernel(
    "int",
    "divergent",
    `__shared__ int s[64]; int tid = threadIdx.x; s[tid] = in[tid]; if (tid < 64) __syncthreads(); out[tid] = s[63 - tid];`,
    { blocks: [[64, 1, 1]], way: /^fibers: a barrier in a branch that depends on the thread$/ },
  ),
  kernel(
    "int",
    "divergent_loop",
    `__shared__ int s[1024]; ${index} s[tid] = 0; for (int k = tid; k < tid + 3; k++) { __syncthreads(); s[tid] += in[k]; } out[i] = s[tid];`,
    { way: /^fibers: a barrier in a loop/ },
  ),
  kernel(
    "int",
    "loaded_condition",
    `__shared__ int s[1024]; ${index} s[tid] = in[i]; int rounds = in[0] & 3; for (int k = 0; k < rounds; k++) { __syncthreads(); int v = s[(tid + 1) % blockDim.x]; __syncthreads(); s[tid] = v; } out[i] = s[tid];`,
    { way: /^fibers: a barrier in a loop/ },
  ),
  kernel(
    "int",
    "leaves_the_loop",
    `__shared__ int s[1024]; ${index} s[tid] = in[i]; for (int k = 0; k < 4; k++) { if (tid == 2 * k) break; __syncthreads(); } out[i] = s[tid];`,
    { way: /^fibers: a barrier in a loop that a thread may leave before the others$/ },
  ),
  kernel(
    "int",
    "lambda",
    `__shared__ int s[1024]; ${index} auto f = [&](int x) { return x + 1; }; s[tid] = f(in[i]); __syncthreads(); out[i] = s[blockDim.x - 1 - tid];`,
    { way: /^fibers: it has a lambda$/ },
  ),
  kernel(
    "int",
    "jump",
    `__shared__ int s[1024]; ${index} s[tid] = in[i]; __syncthreads(); if (in[i] > 3) goto end; s[tid] = 7; end: out[i] = s[tid];`,
    { way: /^fibers: .*goto/ },
  ),
  kernel(
    "int",
    "barrier_in_expression",
    `__shared__ int s[1024]; ${index} s[tid] = in[i], __syncthreads(); out[i] = s[blockDim.x - 1 - tid];`,
    { way: /^fibers: a barrier stands inside an expression$/ },
  ),
  kernel(
    "int",
    "static_variable",
    `__shared__ int s[1024]; ${index} static const int two = 2; s[tid] = in[i] * two; __syncthreads(); out[i] = s[blockDim.x - 1 - tid];`,
    { way: /^fibers: its statements have the word static$/ },
  ),
];
