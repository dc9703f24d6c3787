// Planted bugs of the patterns of textbooks: pictures, sparse matrices, sorts, scans, queues.
import { tensor, zeros, type Kernel, type Tensor } from "../../native/lib/index.ts";
import { block, cleared, floats, fresh, i, integers, on, xy, type Row } from "./check-rows.ts";

/** Whole numbers that are given. */
const given = (values: readonly number[]): Tensor => tensor([...values], { dtype: "int32", ...on });

/** The body of a kernel of 64 threads with a shared array. */
const shared = (body: string): string =>
  `(const int* x, int* y) {\n__shared__ int s[64];\nint t = threadIdx.x;\n${body}\n}`;
const sharing = (kernel: Kernel): void => kernel.launch({ grid: 1, block: 64 }, integers(64), fresh(64, "int32"));

export const patternBugs: readonly Row[] = [
  [
    "turnedPicture",
    "bounds",
    `(const float* x, float* y, int width, int height) {\nint px = threadIdx.x, py = threadIdx.y;\nif (px < width && py < height)\n  y[px * width + py] = x[py * width + px]; // !\n}`,
    `(const float* x, float* y, int width, int height) {\nint px = threadIdx.x, py = threadIdx.y;\nif (px < width && py < height)\n  y[px * height + py] = x[py * width + px];\n}`,
    (kernel) => kernel.launch({ grid: 1, block: [16, 8] }, floats(96), fresh(96), 12, 8),
  ],
  [
    "fourChannels",
    "bounds",
    `(const unsigned char* rgb, unsigned char* grey, int n) {\n${i}\nif (i < n)\n  grey[i] = rgb[4 * i + 1]; // !\n}`,
    `(const unsigned char* rgb, unsigned char* grey, int n) {\n${i}\nif (i < n)\n  grey[i] = rgb[3 * i + 1];\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 128 }, cleared(300, "uint8"), fresh(100, "uint8"), 100),
  ],
  [
    "percentBins",
    "bounds",
    `(const int* x, int* bins) {\natomicAdd(&bins[x[threadIdx.x] / 10], 1); // !\n}`,
    `(const int* x, int* bins) {\natomicAdd(&bins[min(x[threadIdx.x] / 10, 9)], 1);\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 4 }, given([0, 55, 99, 100]), cleared(10, "int32")),
  ],
  [
    "negativeBin",
    "bounds",
    `(const int* x, int* bins) {\natomicAdd(&bins[x[threadIdx.x] % 4], 1); // !\n}`,
    `(const int* x, int* bins) {\natomicAdd(&bins[(x[threadIdx.x] % 4 + 4) % 4], 1);\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 4 }, given([5, -1, 2, -8]), cleared(4, "int32")),
  ],
  [
    "rowEnds",
    "bounds",
    `(const int* starts, const float* values, float* y, int rows) {\nint row = threadIdx.x;\nif (row >= rows) return;\nfloat sum = 0;\nfor (int k = starts[row]; k <= starts[row + 1]; k++)\n  sum += values[k]; // !\ny[row] = sum;\n}`,
    `(const int* starts, const float* values, float* y, int rows) {\nint row = threadIdx.x;\nif (row >= rows) return;\nfloat sum = 0;\nfor (int k = starts[row]; k < starts[row + 1]; k++)\n  sum += values[k];\ny[row] = sum;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 32 }, given([0, 2, 2, 5]), floats(5), fresh(3), 3),
  ],
  [
    "lastStart",
    "bounds",
    `(const int* starts, int* lengths, int rows) {\nint row = threadIdx.x;\nif (row <= rows)\n  lengths[row % rows] = starts[row + 1] - starts[row]; // !\n}`,
    `(const int* starts, int* lengths, int rows) {\nint row = threadIdx.x;\nif (row < rows)\n  lengths[row % rows] = starts[row + 1] - starts[row];\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 32 }, given([0, 2, 2, 5]), fresh(3, "int32"), 3),
  ],
  [
    "inclusivePlaces",
    "bounds",
    `(const int* flags, const int* sums, int* out) {\nint t = threadIdx.x;\nif (flags[t])\n  out[sums[t]] = t; // !\n}`,
    `(const int* flags, const int* sums, int* out) {\nint t = threadIdx.x;\nif (flags[t])\n  out[sums[t] - 1] = t;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 4 }, given([1, 0, 1, 1]), given([1, 1, 2, 3]), fresh(3, "int32")),
  ],
  [
    "ringBuffer",
    "index",
    `(const int* x, int* y) {\n__shared__ int ring[8];\nint t = threadIdx.x;\nif (t < 9)\n  ring[t] = x[t]; // !\n__syncthreads();\ny[t] = ring[t % 8];\n}`,
    `(const int* x, int* y) {\n__shared__ int ring[8];\nint t = threadIdx.x;\nif (t < 8)\n  ring[t] = x[t];\n__syncthreads();\ny[t] = ring[t % 8];\n}`,
    sharing,
  ],
  [
    "localStack",
    "index",
    `(const int* x, int* y) {\nint stack[4], size = 0, t = threadIdx.x;\nfor (int k = 0; k <= x[t]; k++)\n  stack[size++] = k; // !\ny[t] = stack[0] + size;\n}`,
    `(const int* x, int* y) {\nint stack[5], size = 0, t = threadIdx.x;\nfor (int k = 0; k <= x[t]; k++)\n  stack[size++] = k;\ny[t] = stack[0] + size;\n}`,
    sharing,
  ],
  [
    "turnedTile",
    "index",
    `(const int* x, int* y) {\n__shared__ int tile[4][16];\nint tx = threadIdx.x % 16, ty = threadIdx.x / 16;\ntile[ty][tx] = x[threadIdx.x];\n__syncthreads();\ny[threadIdx.x] = tile[tx][ty]; // !\n}`,
    `(const int* x, int* y) {\n__shared__ int tile[4][16];\nint tx = threadIdx.x % 16, ty = threadIdx.x / 16;\ntile[ty][tx] = x[threadIdx.x];\n__syncthreads();\ny[threadIdx.x] = tile[threadIdx.x % 4][threadIdx.x / 4];\n}`,
    sharing,
  ],
  [
    "bitonicWithout",
    "race",
    shared(
      `s[t] = x[t];\n__syncthreads();\nfor (int step = 32; step > 0; step /= 2) {\n  int low = 2 * t - (t & (step - 1));\n  if (t < 32) { int a = s[low], b = s[low + step]; s[low] = min(a, b); s[low + step] = max(a, b); } // !\n}\n__syncthreads();\ny[t] = s[t];`,
    ),
    shared(
      `s[t] = x[t];\n__syncthreads();\nfor (int step = 32; step > 0; step /= 2) {\n  int low = 2 * t - (t & (step - 1));\n  if (t < 32) { int a = s[low], b = s[low + step]; s[low] = min(a, b); s[low + step] = max(a, b); }\n  __syncthreads();\n}\ny[t] = s[t];`,
    ),
    sharing,
  ],
  [
    "startWithout",
    "race",
    `(const int* x, int* y) {\n__shared__ int total;\nint t = threadIdx.x;\nif (t == 0) total = 0;\natomicAdd(&total, x[t]); // !\n__syncthreads();\ny[t] = total;\n}`,
    `(const int* x, int* y) {\n__shared__ int total;\nint t = threadIdx.x;\nif (t == 0) total = 0;\n__syncthreads();\natomicAdd(&total, x[t]);\n__syncthreads();\ny[t] = total;\n}`,
    sharing,
  ],
  [
    "endWithout",
    "race",
    `(const int* x, int* y) {\n__shared__ int total;\nint t = threadIdx.x;\nif (t == 0) total = 0;\n__syncthreads();\natomicAdd(&total, x[t]);\ny[t] = total; // !\n}`,
    `(const int* x, int* y) {\n__shared__ int total;\nint t = threadIdx.x;\nif (t == 0) total = 0;\n__syncthreads();\natomicAdd(&total, x[t]);\n__syncthreads();\ny[t] = total;\n}`,
    sharing,
  ],
  [
    "queueWithout",
    "race",
    `(const int* x, int* queue, int* size) {\nint t = threadIdx.x;\nif (x[t] > 2) {\n  int place = (*size)++; // !\n  queue[place] = t;\n}\n}`,
    `(const int* x, int* queue, int* size) {\nint t = threadIdx.x;\nif (x[t] > 2) {\n  int place = atomicAdd(size, 1);\n  queue[place] = t;\n}\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 64 }, integers(64), fresh(64, "int32"), cleared(1, "int32")),
  ],
  [
    "lifeInPlace",
    "race",
    `(int* cells) {\nint t = threadIdx.x, left = cells[(t + 63) % 64], right = cells[(t + 1) % 64]; // !\ncells[t] = left ^ right;\n}`,
    `(int* cells) {\nint t = threadIdx.x, left = cells[(t + 63) % 64], right = cells[(t + 1) % 64];\n__syncthreads();\ncells[t] = left ^ right;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 64 }, integers(64)),
  ],
  [
    "squareOverflow",
    "overflow",
    `(int* y, int side) {\nint t = threadIdx.x, pixels = side * side; // !\ny[t] = pixels / 64;\n}`,
    `(int* y, int side) {\nint t = threadIdx.x; long long pixels = (long long)side * side;\ny[t] = int(pixels / 64);\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 32 }, fresh(32, "int32"), 50_000),
  ],
  [
    "remainderByZero",
    "division",
    `(int* y, int columns) {\nint t = threadIdx.x;\ny[t] = t % columns; // !\n}`,
    `(int* y, int columns) {\nint t = threadIdx.x;\ny[t] = columns > 0 ? t % columns : 0;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 32 }, fresh(32, "int32"), 0),
  ],
  [
    "misalignedPair",
    "alignment",
    `(const float* x, float* y) {\nint t = threadIdx.x;\ny[t] = reinterpret_cast<const float2*>(x + 3)[t].x; // !\n}`,
    `(const float* x, float* y) {\nint t = threadIdx.x;\ny[t] = reinterpret_cast<const float2*>(x + 2)[t].x;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 16 }, floats(64), fresh(16)),
  ],
  [
    "maxOfNothing",
    "unwritten",
    `${xy} {\n__shared__ float s[256];\nint t = threadIdx.x;\nif (x[t] > 2) s[t] = x[t];\n__syncthreads();\ny[t] = s[t]; // !\n}`,
    `${xy} {\n__shared__ float s[256];\nint t = threadIdx.x;\ns[t] = x[t] > 2 ? x[t] : 0;\n__syncthreads();\ny[t] = s[t];\n}`,
    block,
  ],
  [
    "strideEnd",
    "bounds",
    `(float* y, int n) {\nfor (int k = threadIdx.x; k <= n; k += blockDim.x)\n  y[k] = k; // !\n}`,
    `(float* y, int n) {\nfor (int k = threadIdx.x; k < n; k += blockDim.x)\n  y[k] = k;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 32 }, fresh(100), 100),
  ],
  [
    "doublesPast",
    "bounds",
    `(double* y, int n) {\n${i}\nif (i <= n)\n  y[i] += 0.5; // !\n}`,
    `(double* y, int n) {\n${i}\nif (i < n)\n  y[i] += 0.5;\n}`,
    (kernel) => kernel.launch({ grid: 4, block: 32 }, zeros([100], { dtype: "float64", ...on }), 100),
  ],
  [
    "pointsPast",
    "bounds",
    `(const float* x, float* y, int points) {\nint t = threadIdx.x;\nconst float3* p = reinterpret_cast<const float3*>(x);\nif (t <= points)\n  y[t] = p[t].z; // !\n}`,
    `(const float* x, float* y, int points) {\nint t = threadIdx.x;\nconst float3* p = reinterpret_cast<const float3*>(x);\nif (t < points)\n  y[t] = p[t].z;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: 32 }, floats(30), cleared(32), 10),
  ],
  [
    "warpWithout",
    "race",
    shared(`s[t] = x[t];\nif (t < 16)\n  y[t] = s[t + 16]; // !`),
    shared(`s[t] = x[t];\n__syncwarp();\nif (t < 16)\n  y[t] = s[t + 16];`),
    sharing,
  ],
  [
    "sameElement",
    "race",
    `(const int* x, int* y, int side) {\nint c = threadIdx.x, r = threadIdx.y;\ny[c * side + c] = x[r * side + c] + r; // !\n}`,
    `(const int* x, int* y, int side) {\nint c = threadIdx.x, r = threadIdx.y;\ny[c * side + r] = x[r * side + c] + r;\n}`,
    (kernel) => kernel.launch({ grid: 1, block: [8, 8] }, integers(64), fresh(64, "int32"), 8),
  ],
  [
    "doublesUnwritten",
    "unwritten",
    `${xy} {\n__shared__ double s[256];\nint t = threadIdx.x;\nif (t % 2) s[t] = x[t];\n__syncthreads();\ny[t] = s[t]; // !\n}`,
    `${xy} {\n__shared__ double s[256];\nint t = threadIdx.x;\ns[t] = t % 2 ? x[t] : 0;\n__syncthreads();\ny[t] = s[t];\n}`,
    block,
  ],
  [
    "oneBuffer",
    "race",
    shared(
      `s[t] = x[t];\n__syncthreads();\nfor (int d = 1; d < 64; d *= 2) {\n  int left = t >= d ? s[t - d] : 0;\n  s[t] += left; // !\n  __syncthreads();\n}\ny[t] = s[t];`,
    ),
    shared(
      `s[t] = x[t];\n__syncthreads();\nfor (int d = 1; d < 64; d *= 2) {\n  int left = t >= d ? s[t - d] : 0;\n  __syncthreads();\n  s[t] += left;\n  __syncthreads();\n}\ny[t] = s[t];`,
    ),
    sharing,
  ],
  [
    "lastWrites",
    "race",
    shared(`if (t == 0) s[0] = x[0];\n__syncthreads();\ny[t] = s[0];\nif (t == 63)\n  s[0] = -1; // !`),
    shared(`if (t == 0) s[0] = x[0];\n__syncthreads();\ny[t] = s[0];\n__syncthreads();\nif (t == 63)\n  s[0] = -1;`),
    sharing,
  ],
  [
    "firstWrites",
    "race",
    shared(
      `s[t] = x[t];\n__syncthreads();\nint sum = 0;\nfor (int k = 0; k < 64; k++)\n  sum += s[63 - k];\ny[t] = sum;\n__syncwarp();\nif (t == 32)\n  s[40] = -1; // !`,
    ),
    shared(
      `s[t] = x[t];\n__syncthreads();\nint sum = 0;\nfor (int k = 0; k < 64; k++)\n  sum += s[63 - k];\ny[t] = sum;\n__syncthreads();\nif (t == 32)\n  s[40] = -1;`,
    ),
    sharing,
  ],
  [
    "atomicAfterPlain",
    "race",
    shared(
      `s[t] = 0;\n__syncthreads();\natomicAdd(&s[x[t]], 1);\nif (t == 9)\n  s[2] = 0; // !\n__syncthreads();\ny[t] = s[t];`,
    ),
    shared(
      `s[t] = 0;\n__syncthreads();\natomicAdd(&s[x[t]], 1);\n__syncthreads();\nif (t == 9)\n  s[2] = 0;\n__syncthreads();\ny[t] = s[t];`,
    ),
    sharing,
  ],
  // Of memory in pieces of another size than what is accessed: of 1, 2, 4 by 1, and 8 bytes.
  [
    "bytesWithout",
    "race",
    shared(`__shared__ unsigned char b[64];\nb[t] = x[t];\n__syncwarp();\ny[t] = b[63 - t]; // !`),
    shared(`__shared__ unsigned char b[64];\nb[t] = x[t];\n__syncthreads();\ny[t] = b[63 - t];`),
    sharing,
  ],
  [
    "halvesWithout",
    "race",
    shared(`__shared__ short h[64];\nh[t] = x[t];\n__syncwarp();\ny[t] = h[63 - t]; // !`),
    shared(`__shared__ short h[64];\nh[t] = x[t];\n__syncthreads();\ny[t] = h[63 - t];`),
    sharing,
  ],
  [
    "byteOfWord",
    "race",
    shared(
      `s[t] = x[t];\n__syncthreads();\nreinterpret_cast<unsigned char*>(s)[4 * ((t + 1) % 64) + 2] = 1;\ny[t] = s[t]; // !`,
    ),
    shared(
      `s[t] = x[t];\n__syncthreads();\nreinterpret_cast<unsigned char*>(s)[4 * ((t + 1) % 64) + 2] = 1;\n__syncthreads();\ny[t] = s[t];`,
    ),
    sharing,
  ],
  [
    "pairOfWords",
    "race",
    shared(
      `s[t] = x[t];\n__syncthreads();\nif (t < 32)\n  reinterpret_cast<int2*>(s)[t] = make_int2(-1, -2);\ny[t] = s[63 - t]; // !`,
    ),
    shared(
      `s[t] = x[t];\n__syncthreads();\nif (t < 32)\n  reinterpret_cast<int2*>(s)[t] = make_int2(-1, -2);\n__syncthreads();\ny[t] = s[63 - t];`,
    ),
    sharing,
  ],
];
