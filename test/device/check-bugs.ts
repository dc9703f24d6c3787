// Planted bugs for checked launches, one each, beside the same kernel without it. The line that is to be named ends in
// `// !`.
import { tensor, zeros } from "../../native/lib/index.ts";
import { patternBugs } from "./check-pattern-bugs.ts";
import {
  block,
  cleared,
  floats,
  fresh,
  i,
  integers,
  mapped,
  on,
  xy,
  xyn,
  type Planted,
  type Row,
} from "./check-rows.ts";

const rows: readonly Row[] = [
  // Out of bounds.
  ["noGuard", "bounds", `${xyn} {\n${i}\ny[i] = 2; // !\n}`, `${xyn} {\n${i}\nif (i < n) y[i] = 2;\n}`, mapped],
  [
    "onePast",
    "bounds",
    `${xyn} {\n${i}\nif (i < n) y[i] = x[i + 1]; // !\n}`,
    `${xyn} {\n${i}\nif (i < n) y[i] = i + 1 < n ? x[i + 1] : 0;\n}`,
    mapped,
  ],
  [
    "lessOrEqual",
    "bounds",
    `${xyn} {\n${i}\nif (i <= n) y[i] = i; // !\n}`,
    `${xyn} {\n${i}\nif (i < n) y[i] = i;\n}`,
    mapped,
  ],
  [
    "before",
    "bounds",
    `${xyn} {\n${i}\nif (i < n) {\n  float left = x[i - 1]; // !\n  y[i] = left;\n}\n}`,
    `${xyn} {\n${i}\nif (i < n) y[i] = i > 0 ? x[i - 1] : 0;\n}`,
    mapped,
  ],
  [
    "columns",
    "bounds",
    `(float* y, int rows, int columns) {\nint c = threadIdx.x, r = threadIdx.y;\ny[r * (columns + 1) + c] = 1; // !\n}`,
    `(float* y, int rows, int columns) {\nint c = threadIdx.x, r = threadIdx.y;\ny[r * columns + c] = 1;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: [8, 4] }, zeros([4, 8], on), 4, 8),
  ],
  [
    "longLoop",
    "bounds",
    `(const float* x, float* y, int n) {\nfloat sum = 0;\nfor (int k = 0; k <= n; k++)\n  sum += x[k]; // !\ny[0] = sum;\n}`,
    `(const float* x, float* y, int n) {\nfloat sum = 0;\nfor (int k = 0; k < n; k++)\n  sum += x[k];\ny[0] = sum;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 1 }, floats(64), fresh(1), 64),
  ],
  [
    "bytes",
    "bounds",
    `(unsigned char* y, int n) {\n${i}\ny[i] = 1; // !\n}`,
    `(unsigned char* y, int n) {\n${i}\nif (i < n) y[i] = 1;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 128 }, fresh(100, "uint8"), 100),
  ],
  [
    "atomicPast",
    "bounds",
    `(int* bins, const int* x) {\nint t = threadIdx.x;\natomicAdd(&bins[x[t] + 1], 1); // !\n}`,
    `(int* bins, const int* x) {\nint t = threadIdx.x;\natomicAdd(&bins[x[t]], 1);\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 64 }, cleared(5, "int32"), integers(64)),
  ],
  [
    "wideRead",
    "bounds",
    `(const float* x, float* y, int n) {\nint t = threadIdx.x;\nfloat4 v = reinterpret_cast<const float4*>(x)[t]; // !\ny[t] = v.x + v.w;\n}`,
    `(const float* x, float* y, int n) {\nint t = threadIdx.x;\nif (4 * t + 3 < n) {\n  float4 v = reinterpret_cast<const float4*>(x)[t];\n  y[t] = v.x + v.w;\n}\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 32 }, floats(100), cleared(32), 100),
  ],
  [
    "inView",
    "bounds",
    `(float* row, int n) {\nfor (int k = 0; k <= n; k++)\n  row[k] = 1; // !\n}`,
    `(float* row, int n) {\nfor (int k = 0; k < n; k++)\n  row[k] = 1;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 1 }, zeros([4, 8], on).slice([1, 2]), 8),
  ],
  [
    "farAway",
    "address",
    `(float* y) {\nfloat* p = (float*)0x123400000000ull;\nif (threadIdx.x == 3) y[0] = *p; // !\ny[threadIdx.x] = 1;\n}`,
    `(float* y) {\ny[threadIdx.x] = 1;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 32 }, fresh(32)),
  ],
  [
    "nullPointer",
    "address",
    `(float* y, const float* extra) {\ny[threadIdx.x] = extra[threadIdx.x]; // !\n}`,
    `(float* y, const float* extra) {\ny[threadIdx.x] = extra ? extra[threadIdx.x] : 0;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 32 }, fresh(32), null),
  ],
  // Arrays with a length that the compiler knows.
  [
    "tileColumn",
    "index",
    `${xy} {\n__shared__ float tile[16][16];\nint c = threadIdx.x % 16, r = threadIdx.x / 16;\ntile[r][c] = x[threadIdx.x];\n__syncthreads();\ny[threadIdx.x] = tile[r][c + 1]; // !\n}`,
    `${xy} {\n__shared__ float tile[16][17];\nint c = threadIdx.x % 16, r = threadIdx.x / 16;\ntile[r][c] = x[threadIdx.x];\n__syncthreads();\ny[threadIdx.x] = c < 15 ? tile[r][c + 1] : 0;\n}`,
    block,
  ],
  [
    "sharedPast",
    "index",
    `${xy} {\n__shared__ float s[256];\nint t = threadIdx.x;\ns[t] = x[t];\n__syncthreads();\ny[t] = s[t + 1]; // !\n}`,
    `${xy} {\n__shared__ float s[256];\nint t = threadIdx.x;\ns[t] = x[t];\n__syncthreads();\ny[t] = t < 255 ? s[t + 1] : 0;\n}`,
    block,
  ],
  [
    "localPast",
    "index",
    `(const int* x, int* y) {\nint a[8];\nfor (int k = 0; k < 8; k++) a[k] = k;\nint t = threadIdx.x;\na[x[t] * 2] = 5; // !\ny[t] = a[x[t]];\n}`,
    `(const int* x, int* y) {\nint a[9];\nfor (int k = 0; k < 9; k++) a[k] = k;\nint t = threadIdx.x;\na[x[t] * 2] = 5;\ny[t] = a[x[t]];\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 32 }, integers(32), fresh(32, "int32")),
  ],
  [
    "sharedByPointer",
    "bounds",
    `${xy} {\n__shared__ float only[24];\nint t = threadIdx.x;\nfloat* p = only;\nif (t < 24) p[t] = x[t];\n__syncthreads();\nif (t == 0) y[0] = p[24]; // !\n}`,
    `${xy} {\n__shared__ float only[24];\nint t = threadIdx.x;\nfloat* p = only;\nif (t < 24) p[t] = x[t];\n__syncthreads();\nif (t == 0) y[0] = p[23];\n}`,
    block,
  ],
  [
    "dynamicPast",
    "bounds",
    `${xy} {\nextern __shared__ float d[];\nint t = threadIdx.x;\nd[t] = x[t]; // !\n__syncthreads();\ny[t] = d[t];\n}`,
    `${xy} {\nextern __shared__ float d[];\nint t = threadIdx.x;\nd[t] = x[t];\n__syncthreads();\ny[t] = d[t];\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 128, shared: 400 }, floats(128), fresh(128)),
    (kernel) => kernel.launch({ grid: 1, block: 128, shared: 512 }, floats(128), fresh(128)),
  ],
  // Memory that nothing has written.
  [
    "freshTensor",
    "unwritten",
    `(float* y, int n) {\n${i}\nif (i < n) y[i] += 1; // !\n}`,
    `(float* y, int n) {\n${i}\nif (i < n) y[i] = 1;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 128 }, fresh(100), 100),
  ],
  [
    "sharedSum",
    "unwritten",
    `${xy} {\n__shared__ float sum;\natomicAdd(&sum, x[threadIdx.x]); // !\n__syncthreads();\nif (threadIdx.x == 0) y[0] = sum;\n}`,
    `${xy} {\n__shared__ float sum;\nif (threadIdx.x == 0) sum = 0;\n__syncthreads();\natomicAdd(&sum, x[threadIdx.x]);\n__syncthreads();\nif (threadIdx.x == 0) y[0] = sum;\n}`,
    block,
  ],
  [
    "sharedBins",
    "unwritten",
    `(const int* x, int* bins) {\n__shared__ int own[5];\nint t = threadIdx.x;\natomicAdd(&own[x[t]], 1); // !\n__syncthreads();\nif (t < 5) atomicAdd(&bins[t], own[t]);\n}`,
    `(const int* x, int* bins) {\n__shared__ int own[5];\nint t = threadIdx.x;\nif (t < 5) own[t] = 0;\n__syncthreads();\natomicAdd(&own[x[t]], 1);\n__syncthreads();\nif (t < 5) atomicAdd(&bins[t], own[t]);\n}`,
    (kernel) => kernel.launch({ grid: 2, block: 64 }, integers(64), cleared(5, "int32")),
  ],
  [
    "halo",
    "unwritten",
    `${xy} {\n__shared__ float s[258];\nint t = threadIdx.x;\ns[t + 1] = x[t];\n__syncthreads();\ny[t] = s[t] + s[t + 2]; // !\n}`,
    `${xy} {\n__shared__ float s[258];\nint t = threadIdx.x;\ns[t + 1] = x[t];\nif (t == 0) s[0] = s[257] = 0;\n__syncthreads();\ny[t] = s[t] + s[t + 2];\n}`,
    block,
  ],
  [
    "dynamicUnwritten",
    "unwritten",
    `${xy} {\nextern __shared__ float d[];\nint t = threadIdx.x;\nif (t < 100) d[t] = x[t];\n__syncthreads();\ny[t] = d[t]; // !\n}`,
    `${xy} {\nextern __shared__ float d[];\nint t = threadIdx.x;\nd[t] = x[t];\n__syncthreads();\ny[t] = d[t];\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 128, shared: 512 }, floats(128), fresh(128)),
  ],
  // Races of threads of a block.
  [
    "treeWithout",
    "race",
    `${xy} {\n__shared__ float s[256];\nint t = threadIdx.x;\ns[t] = x[t];\n__syncthreads();\nfor (int o = 128; o > 0; o >>= 1) {\n  if (t < o) s[t] += s[t + o]; // !\n}\nif (t == 0) y[0] = s[0];\n}`,
    `${xy} {\n__shared__ float s[256];\nint t = threadIdx.x;\ns[t] = x[t];\n__syncthreads();\nfor (int o = 128; o > 0; o >>= 1) {\n  if (t < o) s[t] += s[t + o];\n  __syncthreads();\n}\nif (t == 0) y[0] = s[0];\n}`,
    block,
  ],
  [
    "reversedWithout",
    "race",
    `${xy} {\n__shared__ float s[256];\nint t = threadIdx.x;\ns[t] = x[t];\nif (t < 128) s[255 - t] = s[t]; // !\n__syncthreads();\ny[t] = s[t];\n}`,
    `${xy} {\n__shared__ float s[256];\nint t = threadIdx.x;\ns[t] = x[t];\n__syncthreads();\nif (t < 128) s[255 - t] = s[t];\n__syncthreads();\ny[t] = s[t];\n}`,
    block,
  ],
  [
    "stencilWithout",
    "race",
    `${xy} {\n__shared__ float s[256];\nint t = threadIdx.x;\ns[t] = x[t];\ny[t] = t > 0 ? s[t - 1] : 0; // !\n}`,
    `${xy} {\n__shared__ float s[256];\nint t = threadIdx.x;\ns[t] = x[t];\n__syncthreads();\ny[t] = t > 0 ? s[t - 1] : 0;\n}`,
    block,
  ],
  [
    "tileReuse",
    "race",
    `(const float* x, float* y, int tiles) {\n__shared__ float s[64];\nint t = threadIdx.x;\nfloat sum = 0;\nfor (int k = 0; k < tiles; k++) {\n  s[t] = x[k * 64 + t]; // !\n  __syncthreads();\n  for (int j = 0; j < 64; j++) sum += s[j];\n}\ny[t] = sum;\n}`,
    `(const float* x, float* y, int tiles) {\n__shared__ float s[64];\nint t = threadIdx.x;\nfloat sum = 0;\nfor (int k = 0; k < tiles; k++) {\n  s[t] = x[k * 64 + t];\n  __syncthreads();\n  for (int j = 0; j < 64; j++) sum += s[j];\n  __syncthreads();\n}\ny[t] = sum;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 64 }, floats(256), fresh(64), 4),
  ],
  [
    "scanWithout",
    "race",
    `${xy} {\n__shared__ float s[256];\nint t = threadIdx.x;\ns[t] = x[t];\n__syncthreads();\nfor (int o = 1; o < 256; o *= 2) {\n  if (t >= o) s[t] += s[t - o]; // !\n  __syncthreads();\n}\ny[t] = s[t];\n}`,
    `${xy} {\n__shared__ float s[256];\nint t = threadIdx.x;\ns[t] = x[t];\n__syncthreads();\nfor (int o = 1; o < 256; o *= 2) {\n  float left = t >= o ? s[t - o] : 0;\n  __syncthreads();\n  s[t] += left;\n  __syncthreads();\n}\ny[t] = s[t];\n}`,
    block,
  ],
  [
    "lastWarp",
    "race",
    `${xy} {\n__shared__ float s[64];\nint t = threadIdx.x;\nif (t < 64) s[t] = x[t];\n__syncthreads();\nif (t < 32) {\n  s[t] += s[t + 32];\n  s[t] += s[t + 16]; // !\n}\nif (t == 0) y[0] = s[0];\n}`,
    `${xy} {\n__shared__ float s[64];\nint t = threadIdx.x;\nif (t < 64) s[t] = x[t];\n__syncthreads();\nif (t < 32) {\n  s[t] += s[t + 32];\n  __syncwarp();\n  if (t < 16) s[t] += s[t + 16];\n}\nif (t == 0) y[0] = s[0];\n}`,
    block,
  ],
  [
    "everybodyWrites",
    "race",
    `${xy} {\n__shared__ float last;\nlast = x[threadIdx.x]; // !\n__syncthreads();\ny[threadIdx.x] = last;\n}`,
    `${xy} {\n__shared__ float last;\nif (threadIdx.x == 255) last = x[threadIdx.x];\n__syncthreads();\ny[threadIdx.x] = last;\n}`,
    block,
  ],
  [
    "globalNeighbour",
    "race",
    `(float* x) {\nint t = threadIdx.x;\nif (t > 0) x[t] = x[t - 1]; // !\n}`,
    `(float* x) {\nint t = threadIdx.x;\nfloat left = t > 0 ? x[t - 1] : 0;\n__syncthreads();\nif (t > 0) x[t] = left;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 128 }, floats(128)),
  ],
  [
    "racyBins",
    "race",
    `(const int* x, int* bins) {\nint t = threadIdx.x;\nbins[x[t]]++; // !\n}`,
    `(const int* x, int* bins) {\nint t = threadIdx.x;\natomicAdd(&bins[x[t]], 1);\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 64 }, integers(64), cleared(5, "int32")),
  ],
  // Races of blocks.
  [
    "blockSum",
    "race",
    `(const float* x, float* y) {\nif (threadIdx.x == 0) y[0] += x[blockIdx.x]; // !\n}`,
    `(const float* x, float* y) {\nif (threadIdx.x == 0) atomicAdd(&y[0], x[blockIdx.x]);\n}`,
    (kernel) => kernel.launch({ grid: 8, block: 32 }, tensor([1, 2, 3, 4, 5, 6, 7, 8], on), cleared(1)),
  ],
  [
    "blockNeighbour",
    "race",
    `(float* x, int n) {\n${i}\nif (i + 64 < n) x[i] = x[i + 64] + 1; // !\n}`,
    `(float* x, int n) {\n${i}\nif (i < n) x[i] = x[i] + 1;\n}`,
    (kernel) => kernel.launch({ grid: 4, block: 64 }, floats(256), 256),
  ],
  [
    "lastBlockWithout",
    "race",
    `(const float* x, float* partial, unsigned* count, float* y) {\nif (threadIdx.x == 0) {\n  partial[blockIdx.x] = x[blockIdx.x];\n  if (atomicAdd(count, 1u) == gridDim.x - 1) {\n    float sum = 0;\n    for (int k = 0; k < gridDim.x; k++)\n      sum += partial[k]; // !\n    y[0] = sum;\n  }\n}\n}`,
    `(const float* x, float* partial, unsigned* count, float* y) {\nif (threadIdx.x == 0) {\n  partial[blockIdx.x] = x[blockIdx.x];\n  __threadfence();\n  if (atomicAdd(count, 1u) == gridDim.x - 1) {\n    float sum = 0;\n    for (int k = 0; k < gridDim.x; k++)\n      sum += partial[k];\n    y[0] = sum;\n  }\n}\n}`,
    (kernel) => kernel.launch({ grid: 8, block: 32 }, floats(8), fresh(8), cleared(1, "uint32"), fresh(1)),
  ],
  // Barriers and warps.
  [
    "twoBarriers",
    "barrier",
    `${xy} {\nint t = threadIdx.x;\nif (t < 128) {\n  y[t] = x[t];\n  __syncthreads(); // !\n} else {\n  y[t] = 0;\n  __syncthreads();\n}\n}`,
    `${xy} {\nint t = threadIdx.x;\ny[t] = t < 128 ? x[t] : 0;\n__syncthreads();\n}`,
    block,
  ],
  [
    "skippedBarrier",
    "barrier",
    `${xy} {\nint t = threadIdx.x;\nif (t % 2 == 0) __syncthreads(); // !\ny[t] = x[t];\n__syncthreads();\n}`,
    `${xy} {\nint t = threadIdx.x;\n__syncthreads();\ny[t] = x[t];\n__syncthreads();\n}`,
    block,
  ],
  [
    "neverReached",
    "ended",
    `${xy} {\nint t = threadIdx.x;\ny[t] = x[t];\nif (t < 32) {\n  __syncthreads(); // !\n}\n}`,
    `${xy} {\nint t = threadIdx.x;\ny[t] = x[t];\n__syncthreads();\n}`,
    block,
  ],
  [
    "stuckWarp",
    "stuck",
    `${xy} {\nint t = threadIdx.x;\nif (t < 16) {\n  __syncthreads(); // !\n  y[t] = x[t];\n} else {\n  y[t] = __shfl_down_sync(0xffffffffu, x[t], 1);\n}\n}`,
    `${xy} {\nint t = threadIdx.x;\n__syncthreads();\ny[t] = __shfl_down_sync(0xffffffffu, x[t], 1);\n}`,
    block,
  ],
  [
    "shuffleGone",
    "shuffle",
    `${xy} {\nint t = threadIdx.x;\nif (t % 32 >= 16) return;\nfloat v = x[t];\nv += __shfl_down_sync(0xffffffffu, v, 8); // !\ny[t] = v;\n}`,
    `${xy} {\nint t = threadIdx.x;\nfloat v = x[t];\nv += __shfl_down_sync(0xffffffffu, v, 8);\ny[t] = v;\n}`,
    block,
  ],
  [
    "leavesItselfOut",
    "mask",
    `${xy} {\nint t = threadIdx.x;\ny[t] = __shfl_sync(0x0000ffffu, x[t], 0); // !\n}`,
    `${xy} {\nint t = threadIdx.x;\ny[t] = __shfl_sync(0xffffffffu, x[t], 0);\n}`,
    block,
  ],
  // Numbers and addresses.
  [
    "indexOverflow",
    "overflow",
    `(int* y, int n) {\nint t = threadIdx.x;\nint big = n * (t + 1); // !\ny[t] = big < 0;\n}`,
    `(int* y, int n) {\nint t = threadIdx.x;\nlong long big = (long long)n * (t + 1);\ny[t] = big < 0;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 32 }, fresh(32, "int32"), 1 << 30),
  ],
  [
    "byZero",
    "division",
    `(const int* x, int* y) {\nint t = threadIdx.x;\ny[t] = 100 / x[t]; // !\n}`,
    `(const int* x, int* y) {\nint t = threadIdx.x;\ny[t] = x[t] ? 100 / x[t] : 0;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 32 }, integers(32), fresh(32, "int32")),
  ],
  [
    "misaligned4",
    "alignment",
    `(const float* x, float* y) {\nint t = threadIdx.x;\ny[t] = reinterpret_cast<const float4*>(x + 4 * t + 1)->x; // !\n}`,
    `(const float* x, float* y) {\nint t = threadIdx.x;\ny[t] = reinterpret_cast<const float4*>(x + 4 * t)->x;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 16 }, floats(128), fresh(16)),
  ],
  [
    "misaligned2",
    "alignment",
    `(const int* x, int* y) {\nint t = threadIdx.x;\ny[t] = reinterpret_cast<const int2*>(x + 1)[t].y; // !\n}`,
    `(const int* x, int* y) {\nint t = threadIdx.x;\ny[t] = reinterpret_cast<const int2*>(x)[t].y;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 16 }, integers(64), fresh(16, "int32")),
  ],
  [
    "helper",
    "bounds",
    `(const float* x, float* y) {\ny[threadIdx.x] = takeNext(x, threadIdx.x);\n}\n__device__ float takeNext(const float* p, int k) {\n  return p[k + 1]; // !\n}`,
    `(const float* x, float* y) {\ny[threadIdx.x] = takeNext(x, threadIdx.x);\n}\n__device__ float takeNext(const float* p, int k) {\n  return p[k];\n}`,
    block,
  ],
];

export const planted: readonly Planted[] = [...rows, ...patternBugs].map(
  ([name, kind, bug, right, run, runRight = run]) => ({
    name,
    kind,
    bug,
    right,
    run,
    runRight,
  }),
);

const declared = "__device__ float takeNext(const float* p, int k);\n";

/** One cell of all of them; each kernel begins on a line of its own. */
export function sourceOf(which: "bug" | "right"): string {
  return declared + planted.map((each) => `extern "C" __global__ void ${each.name}${each[which]}`).join("\n");
}

/** The line of the cell with the bugs that is wrong in this one. */
export function wrongLine(name: string): number {
  const lines = sourceOf("bug").split("\n");
  const start = lines.findIndex((line) => line.includes(`void ${name}(`));
  return lines.findIndex((line, index) => index >= start && line.endsWith("// !")) + 1;
}
