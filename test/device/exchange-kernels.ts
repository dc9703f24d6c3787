// Kernels in which the threads of a warp, or of a block, tell each other something: each is run as fibers and as loops
// over the threads of a block, and has to write the same bytes.
import { anyBlocks, kernel, solids, type SplitKernel } from "./split-kernels.ts";

const index = "int tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;";
const flat =
  "int tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), i = blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + tid;";
const shared = `__shared__ int s[1024]; ${index} s[tid] = in[i]; __syncthreads();`;
const all = [...anyBlocks, [65, 1, 1] as [number, number, number]];

export const exchangeKernels: SplitKernel[] = [
  kernel(
    "float",
    "sum_of_warp",
    `${index} float sum = 0; for (int k = i; k < n; k += blockDim.x * gridDim.x) sum += in[k];
     for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffff, sum, k);
     if (tid % 32 == 0) out[i] = sum;`,
    { blocks: all },
  ),
  kernel(
    "float",
    "sum_of_all",
    `${index} float sum = in[i]; for (int k = warpSize / 2; k > 0; k >>= 1) sum += __shfl_xor_sync(~0u, sum, k); out[i] = sum;`,
    { blocks: all },
  ),
  kernel(
    "int",
    "scan_of_warp",
    `${index} const int lane = tid & 31; int x = in[i];
     for (int k = 1; k < 32; k <<= 1) { int y = __shfl_up_sync(0xFFFFFFFFu, x, k); if (lane >= k) x += y; }
     out[i] = x;`,
    { blocks: all },
  ),
  kernel(
    "int",
    "any_lane",
    `${flat} int a = __shfl_sync(-1, in[i], in[i + 1] & 63), b = __shfl_sync(-1, a, tid * 7, 8);
     int c = __shfl_up_sync(-1, b, in[i] & 7, 16), d = __shfl_down_sync(-1, a, 3, 4), e = __shfl_xor_sync(-1, d, 5, 8);
     out[i] = a ^ b * 3 ^ c * 5 ^ d * 7 ^ e * 11;`,
    { blocks: [...all, ...solids] },
  ),
  kernel(
    "int",
    "wide_and_narrow",
    `${flat} long long x = 0x100000001ll * in[i]; unsigned char c = in[i]; double d = in[i] * 0.5; bool is = in[i] > 500; short h = in[i];
     x = __shfl_xor_sync(-1, x, 1); c = __shfl_up_sync(-1, c, 3); d = __shfl_down_sync(-1, d, 2); is = __shfl_sync(-1, is, 4); h = __shfl_xor_sync(-1, h, 9);
     out[i] = (int)(x >> 32) + c + (int)(4 * d) + is + h;`,
    { blocks: [...all, ...solids] },
  ),
  kernel(
    "int",
    "votes_of_warp",
    `${flat} int x = in[i]; unsigned odd = __ballot_sync(0xffffffff, x & 1); int some = __any_sync(0xffffffff, x > 990); int every = __all_sync(0xffffffff, x > 30);
     unsigned same = __match_any_sync(0xffffffff, x & 3);
     out[i] = odd ^ (some << 5) ^ (every << 9) ^ same * 3;`,
    { blocks: [...all, ...solids] },
  ),
  kernel(
    "int",
    "reductions_of_warp",
    `${flat} int x = in[i] - 500; unsigned u = in[i];
     int a = __reduce_add_sync(0xffffffff, x), b = __reduce_min_sync(0xffffffff, x), c = __reduce_max_sync(0xffffffff, x);
     unsigned d = __reduce_and_sync(0xffffffff, u), e = __reduce_or_sync(0xffffffff, u), f = __reduce_xor_sync(0xffffffff, u), g = __reduce_min_sync(0xffffffff, u - 500);
     out[i] = a ^ b * 3 ^ c * 5 ^ d * 7 ^ e * 11 ^ f * 13 ^ g;`,
    { blocks: [...all, ...solids] },
  ),
  kernel(
    "int",
    "votes_of_block",
    `${shared} int c = __syncthreads_count(in[i] > 500); s[tid] += 1; int some = __syncthreads_or(in[i] > 990), every = __syncthreads_and(in[i] > 2);
     if (c > 3) { __syncthreads(); s[tid] ^= c; __syncthreads(); } out[i] = s[blockDim.x - 1 - tid] + c + 2 * some + 4 * every;`,
    { blocks: all },
  ),
  kernel(
    "int",
    "until_nobody",
    `${shared} int rounds = 0; while (true) { int changed = 0; int v = s[(tid + 1) % blockDim.x]; __syncthreads(); if (v > s[tid]) { s[tid] = v; changed = 1; }
       int any = __syncthreads_or(changed); if (!any || rounds == 40) break; rounds++; } out[i] = s[tid] + rounds;`,
  ),
  kernel(
    "int",
    "ended_lanes",
    `${flat} if (in[i] % 3 == 1) return; int x = __shfl_down_sync(0xffffffff, in[i], 1); if (in[i] % 5 == 2) { out[i] = x; return; }
     unsigned m = __ballot_sync(0xffffffff, x > 3); int c = __syncthreads_count(x > 100); x += __shfl_xor_sync(0xffffffff, x, 4); out[i] = x + m + c;`,
    { blocks: [...all, ...solids] },
  ),
  kernel(
    "int",
    "whole_warps_wait",
    `${shared} for (int k = 16; k > 0; k >>= 1) { int v = s[(tid & ~31) + ((tid + k) & 31)]; __syncwarp(); s[tid] += v; __syncwarp(0xffffffff); } out[i] = s[tid];`,
    {
      blocks: [
        [32, 1, 1],
        [256, 1, 1],
      ],
    },
  ),
  {
    name: "named_masks",
    type: "int",
    source: `#define FULL_MASK 0xffffffff
      constexpr unsigned kAll = 0xffffffffu;
      __global__ void named_masks(const int* in, int* out, int n) {
        ${index} const unsigned mine = ~0u; int a = __shfl_xor_sync(FULL_MASK, in[i], 1); a += __shfl_xor_sync(kAll, a, 2); a += __shfl_xor_sync(mine, a, 4); out[i] = a;
      }`,
  },
  kernel(
    "float",
    "beside_products",
    `${index} float x = in[i], y = in[i + 1]; float o = __shfl_down_sync(0xffffffff, x, 1) * y + x; float p = x * y; float q = __shfl_up_sync(0xffffffff, p, 2); out[i] = o * q + p;`,
    { blocks: all },
  ),
  {
    name: "sum_in_a_function",
    type: "float",
    source: `__device__ __forceinline__ float sum_of_lanes(float v) {
        for (int k = 16; k > 0; k >>= 1) v += __shfl_down_sync(0xffffffff, v, k);
        return v;
      }
      __device__ int value_of_lane(unsigned mask, int v, int lane) { return __shfl_sync(mask, v, lane); }
      __global__ void sum_in_a_function(const float* in, float* out, int n) {
        ${index} float v = in[i]; v = sum_of_lanes(v); int first = value_of_lane(0xffffffffu, (int)(v * 64), 0); out[i] = v + first;
      }`,
  },
  // Kept as fibers, each for its reason.
  kernel(
    "int",
    "part_of_warp",
    `${index} int x = in[i]; unsigned m = __ballot_sync(0xffffffff, x > 3); if (x > 3) x = __shfl_sync(m, x, __ffs(m) - 1); out[i] = x;`,
    { blocks: [[64, 1, 1]], way: /^fibers: the mask of __shfl_sync is not that of a whole warp$/ },
  ),
  kernel(
    "int",
    "behind_a_condition",
    `${index} int x = in[i]; x = gridDim.x > 1 ? __shfl_xor_sync(0xffffffff, x, 1) : x; out[i] = x;`,
    { way: /^fibers: __shfl_xor_sync stands behind a condition in its statement$/ },
  ),
  kernel("int", "nested_calls", `${index} out[i] = __shfl_xor_sync(-1, __shfl_xor_sync(-1, in[i], 1), 2);`, {
    way: /^fibers: __shfl_xor_sync stands in the arguments of another such call$/,
  }),
  kernel("int", "changes_an_argument", `${index} int k = 0; int x = __shfl_xor_sync(-1, in[i], ++k); out[i] = x + k;`, {
    way: /^fibers: the arguments of __shfl_xor_sync change a variable$/,
  }),
  kernel("int", "behind_a_comma", `${index} int x = in[i]; x = x + 1, x += __shfl_xor_sync(-1, x, 1); out[i] = x;`, {
    way: /^fibers: a comma stands in front of __shfl_xor_sync$/,
  }),
  kernel(
    "float",
    "behind_a_product",
    `${index} float x = in[i]; x = x * in[i + 1] + __shfl_xor_sync(-1, x, 1); out[i] = x;`,
    {
      way: /^fibers: a product stands in front of __shfl_xor_sync$/,
    },
  ),
  kernel(
    "int",
    "behind_a_call",
    `${index} int x = in[i]; x = atomicAdd(&out[i], 0) + __shfl_xor_sync(-1, x, 1); out[i] = x;`,
    {
      way: /^fibers: atomicAdd is called in front of __shfl_xor_sync$/,
    },
  ),
  kernel(
    "int",
    "width_of_a_thread",
    `${index} int w = 8; if (in[i] < 0) w = 16; out[i] = __shfl_xor_sync(-1, in[i], 1, w);`,
    {
      way: /^fibers: the width of __shfl_xor_sync depends on the thread$/,
    },
  ),
  {
    name: "calls_in_an_argument",
    type: "int",
    way: /^fibers: the arguments of __shfl_sync call next_lane$/,
    source: `__device__ int next_lane(int lane) { return (lane + 1) % 32; }
      __global__ void calls_in_an_argument(const int* in, int* out, int n) {
        ${index} out[i] = __shfl_sync(-1, in[i], next_lane(threadIdx.x));
      }`,
  },
  kernel(
    "int",
    "behind_a_change",
    `${index} int x = in[i], y = 3; x = y++ + __shfl_xor_sync(-1, x, 1); out[i] = x + y;`,
    {
      way: /^fibers: the statement of __shfl_xor_sync changes a variable$/,
    },
  ),
  {
    name: "comma_in_a_type",
    type: "int",
    way: /^fibers: the arguments of __shfl_xor_sync are not understood$/,
    source: `template <int A, int B> struct SumOf { static constexpr int value = A + B; };
      __global__ void comma_in_a_type(const int* in, int* out, int n) {
        ${index} out[i] = __shfl_xor_sync(-1, in[i] + SumOf<1, 2>::value, 1, 32);
      }`,
  },
  kernel(
    "int",
    "too_many",
    `${index} int x = in[i]; ${Array.from({ length: 49 }, (_, k) => `x += __shfl_xor_sync(-1, x, ${(k % 31) + 1});`).join(" ")} out[i] = x;`,
    { way: /^fibers: it has more than 48 shuffles and votes$/ },
  ),
  kernel(
    "int",
    "in_a_loop_header",
    `${index} int x = in[i]; for (int k = 0; __any_sync(-1, x > k) && k < 5; k++) x--; out[i] = x;`,
    {
      way: /^fibers: it uses __any_sync$/,
    },
  ),
];
