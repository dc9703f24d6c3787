// Kernels that share memory or go by strides, on the CPU, beside plain C++ of one thread in the same run: what a course
// teaches as faster has to be faster. Both take turns, of which the quickest counts. Prints one JSON object per figure.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { print } from "./common/devices.mjs";
import { textbook } from "./common/textbook-kernels.mjs";

const scratch = mkdtempSync(join(tmpdir(), "warpcell-bench-"));
process.env.XDG_CACHE_HOME = scratch; // a cold cache, thrown away
const { compile, full, tensor, zeros } = await import("warpcell");

const source = `
${textbook}__global__ void naive(const float* a, const float* b, float* c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}
__global__ void tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int t = 0; t < n / 16; t++) {
    as[ty][tx] = a[row * n + t * 16 + tx];
    bs[ty][tx] = b[(t * 16 + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; k++) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
__global__ void shuffled(const float* in, float* out, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
  for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffff, sum, k);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void strided(int n, float a, const float* x, float* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}
`;

const program = join(scratch, "fission-c");
const built = spawnSync(
  "g++",
  ["-O3", "-march=native", "-o", program, fileURLToPath(new URL("fission-c.cc", import.meta.url))],
  {
    encoding: "utf8",
  },
);
if (built.status !== 0) throw new Error(`fission-c.cc does not compile: ${built.stderr}`);

const device = "cpu";
const { kernels } = await compile(source, { device, name: "bench.cu" });
const n = 1 << 22;
const size = 512;
const x = full([n], 0.5, { device });
const y = zeros([n], { device });
const bytes = tensor(
  Uint8Array.from({ length: n }, (_, i) => Math.imul(i, 2654435761) >>> 24),
  { device },
);
const bins = zeros([256], { dtype: "int32", device });
const [a, b, c] = [0, 1, 2].map(() => full([size, size], 0.5, { device }));
const vectors = { grid: n / 256, block: 256, repeats: 5 };
const strides = { ...vectors, grid: 64 };
const tiles = { grid: [size / 16, size / 16], block: [16, 16], repeats: 2 };
const turns = 8;
const launches = {
  tree: [vectors, x, y, n],
  scan: [{ ...vectors, grid: 4096 }, x, y, 1 << 20],
  histogram: [strides, bytes, n, bins],
  shuffled: [strides, x, y, n],
  saxpy: [vectors, n, 2, x, y],
  strided: [strides, n, 2, x, y],
  naive: [tiles, a, b, c, size],
  tiled: [tiles, a, b, c, size],
};
const ours = {};
const plain = {};
for (let turn = 0; turn < turns; turn++) {
  for (const [name, least] of Object.entries(JSON.parse(spawnSync(program, { encoding: "utf8" }).stdout)))
    plain[name] = Math.min(plain[name] ?? Infinity, least);
  for (const [name, [config, ...args]] of Object.entries(launches))
    ours[name] = Math.min(ours[name] ?? Infinity, (await kernels[name].time(config, ...args)).min);
}

const way = (kernel) => `${kernels[kernel].info.execution}; rival: plain C++ of one thread, g++ -O3 -march=native`;
for (const [kernel, rival, limit, name] of [
  ["tree", "sum", 3, "sum, shared tree 2^22"],
  ["scan", "scan", 3, "Kogge-Stone, blocks of 256, 2^20"],
  ["histogram", "histogram", 3, "histogram, shared 2^22"],
  ["shuffled", "sum", 1.5, "sum by shuffles 2^22"],
  ["saxpy", "saxpy", 1.1, "saxpy 2^22"],
  ["strided", "saxpy", 1.5, "saxpy by a grid-stride loop 2^22"],
])
  print({
    name,
    unit: "ms",
    ours: ours[kernel],
    rival: plain[rival],
    ratio: ours[kernel] / plain[rival],
    limit,
    better: "lower",
    note: way(kernel),
  });
print({
  name: "matrix product 512, tiles",
  unit: "ms",
  ours: ours.tiled,
  rival: ours.naive,
  ratio: ours.tiled / ours.naive,
  limit: 12,
  absolute: true,
  better: "lower",
  note: `${kernels.tiled.info.execution}; rival: the naive kernel`,
});
rmSync(scratch, { recursive: true, force: true });
