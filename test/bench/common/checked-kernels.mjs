// Kernels of a first course, as a textbook writes them, each with launches of 10^4 to 10^6 threads.
import { textbook } from "./textbook-kernels.mjs";

export const source = `
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void stencil(int width, int height, float* in, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  int i = y * width + x;
  out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}
__global__ void naive(const float* a, const float* b, float* c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
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
${textbook}__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}
__constant__ float weights[25];
__global__ void convolution(int width, int height, const float* in, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int v = -2; v <= 2; v++) {
    for (int u = -2; u <= 2; u++) {
      int xx = x + u, yy = y + v;
      if (xx >= 0 && yy >= 0 && xx < width && yy < height) sum += weights[(v + 2) * 5 + u + 2] * in[yy * width + xx];
    }
  }
  out[y * width + x] = sum;
}
__global__ void spmv(int rows, const int* starts, const int* columns, const float* values, const float* x, float* y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = starts[row]; k < starts[row + 1]; k++) sum += values[k] * x[columns[k]];
  y[row] = sum;
}
`;

/** What is launched: { name, kernel, config, args }. `sizes`: threads; `sides`: of products. */
export function kernelsOf({ full, tensor, zeros }, device, sizes = [1 << 14, 1 << 20], sides = [128, 512]) {
  const some = (n) => full([n], 0.5, { device });
  const none = (n, dtype = "float32") => zeros([n], { dtype, device });
  const linear = (n, block = 256) => ({ grid: Math.ceil(n / block), block });
  const square = (side, block) => ({ grid: [side / block, side / block], block: [block, block] });
  const rows = sizes.flatMap((n) => {
    const side = Math.sqrt(n);
    const [x, y] = [some(n), none(n)];
    const perRow = 8;
    const starts = Int32Array.from({ length: n + 1 }, (_, row) => row * perRow);
    const columns = Int32Array.from({ length: n * perRow }, (_, k) => (Math.imul(k, 2654435761) >>> 12) & (n - 1));
    const bytes = Uint8Array.from({ length: n * 16 }, (_, i) => Math.imul(i, 2654435761) >>> 24);
    const on = { device };
    return [
      ["saxpy", linear(n), [n, 2, x, y]],
      ["stencil", square(side, 16), [side, side, x, y]],
      ["tree", linear(n), [x, y, n]],
      ["scan", linear(n), [x, y, n]],
      ["histogram", linear(n), [tensor(bytes, on), n * 16, none(256, "int32")]],
      ["transpose", { grid: [side / 32, side / 32], block: [32, 8] }, [x, y, side]],
      ["convolution", square(side, 16), [side, side, x, y]],
      ["spmv", linear(n), [n, tensor(starts, on), tensor(columns, on), some(n * perRow), x, y]],
    ].map(([kernel, config, args]) => ({ name: `${kernel}, ${n} threads`, kernel, config, args }));
  });
  const products = sides.flatMap((side) =>
    ["naive", "tiled"].map((kernel) => ({
      name: `${kernel} product, ${side * side} threads`,
      kernel,
      config: square(side, 16),
      args: [some(side * side), some(side * side), none(side * side), side],
    })),
  );
  return [...rows, ...products];
}
