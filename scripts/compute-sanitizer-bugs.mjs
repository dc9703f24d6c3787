// `node compute-sanitizer-bugs.mjs DEVICE TOOL wrong|right`: a cell with one kernel for each tool of compute-sanitizer,
// with the bug that this tool is for, or without it; launches that of TOOL.
import { compile, empty, synchronize, zeros } from "../native/dist/index.js";

const [device, tool, form] = process.argv.slice(2);
const size = 64;

const source = `
extern "C" __global__ void planted_memcheck(const float* x, float* y, int n) {
  y[threadIdx.x] = x[threadIdx.x + (WRONG ? n : 0)];
}
extern "C" __global__ void planted_racecheck(const float* x, float* y, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  if (!WRONG) __syncthreads();
  y[threadIdx.x] = s[n - 1 - threadIdx.x];
}
extern "C" __global__ void planted_initcheck(const float* x, float* y, int n) {
  y[threadIdx.x] = x[threadIdx.x] + n;
}
extern "C" __global__ void planted_synccheck(const float* x, float* y, int n) {
  if (!WRONG || threadIdx.x < n / 2 - 1) __syncthreads();
  y[threadIdx.x] = x[threadIdx.x] + n;
}
`;

const { kernels } = await compile(`#define WRONG ${form === "wrong"}\n${source}`, { device, name: "planted.cu" });
const isUnwritten = tool === "initcheck" && form === "wrong";
const x = isUnwritten ? empty([size], { device }) : zeros([size], { device });
const y = zeros([size], { device });
kernels[`planted_${tool}`].launch({ grid: 1, block: size }, x, y, size);
try {
  await synchronize();
} catch (error) {
  // The tool ends the context of what it has found wrong.
  if (form !== "wrong") throw error;
  console.log(error.message);
}
