// A network of two layers learns by gradient descent: products as kernels over tiles, activations fused, in double.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TILE 8

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

enum class Activation { none, tanh };

// C = f(op(A) op(B) + bias); a transposed operand is read by columns.
template <bool TA, bool TB, Activation F>
__global__ void gemm(const double* A, const double* B, const double* bias, double* C, int m, int n, int k) {
  __shared__ double a[TILE][TILE], b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  double sum = 0;
  for (int base = 0; base < k; base += TILE) {
    int ka = base + threadIdx.x, kb = base + threadIdx.y;
    a[threadIdx.y][threadIdx.x] = row < m && ka < k ? (TA ? A[ka * m + row] : A[row * k + ka]) : 0;
    b[threadIdx.y][threadIdx.x] = col < n && kb < k ? (TB ? B[col * k + kb] : B[kb * n + col]) : 0;
    __syncthreads();
    for (int i = 0; i < TILE; i++) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  if (row >= m || col >= n) return;
  if (bias != nullptr) sum += bias[col];
  if constexpr (F == Activation::tanh) sum = tanh(sum);
  C[row * n + col] = sum;
}

__global__ void lossGradient(const double* y, const double* wanted, double* gradient, double* loss, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double off = y[i] - wanted[i];
  gradient[i] = 2 * off / n;
  atomicAdd(loss, off * off / n);
}

__global__ void tanhGradient(const double* h, double* gradient, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) gradient[i] *= 1 - h[i] * h[i];
}

__global__ void columnSums(const double* x, double* sums, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  double sum = 0;
  for (int row = 0; row < rows; row++) sum += x[row * columns + column];
  sums[column] = sum;
}

__global__ void descend(double* w, const double* gradient, double rate, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) w[i] -= rate * gradient[i];
}

double* zeros(size_t n) {
  double* x;
  cudaMallocManaged(&x, n * sizeof(double));
  cudaMemset(x, 0, n * sizeof(double));
  return x;
}
dim3 tiles(int m, int n) { return dim3((n + TILE - 1) / TILE, (m + TILE - 1) / TILE); }

int main(int argc, char** argv) {
  const int batch = 20, in = 3, hidden = 10, steps = atoi(argv[1]);
  const unsigned seed = atoi(argv[2]);
  const double rate = 0.1;
  const dim3 block(TILE, TILE);
  double *x = zeros(batch * in), *wanted = zeros(batch), *w1 = zeros(in * hidden), *b1 = zeros(hidden),
         *w2 = zeros(hidden), *b2 = zeros(1), *h = zeros(batch * hidden), *y = zeros(batch), *dy = zeros(batch),
         *dh = zeros(batch * hidden), *dw1 = zeros(in * hidden), *db1 = zeros(hidden), *dw2 = zeros(hidden),
         *db2 = zeros(1), *loss = zeros(1);
  cudaDeviceSynchronize();
  auto number = [seed](int i, int by) { return int(hash(i, seed + by) % 201) / 100.0 - 1; };
  for (int i = 0; i < batch * in; i++) x[i] = number(i, 0);
  for (int i = 0; i < batch; i++) wanted[i] = x[i * in] * x[i * in + 1];
  for (int i = 0; i < in * hidden; i++) w1[i] = number(i, 1);
  for (int i = 0; i < hidden; i++) w2[i] = number(i, 2);
  for (int step = 0; step <= steps; step++) {
    *loss = 0;
    gemm<false, false, Activation::tanh><<<tiles(batch, hidden), block>>>(x, w1, b1, h, batch, hidden, in);
    gemm<false, false, Activation::none><<<tiles(batch, 1), block>>>(h, w2, b2, y, batch, 1, hidden);
    lossGradient<<<1, 32>>>(y, wanted, dy, loss, batch);
    gemm<true, false, Activation::none><<<tiles(hidden, 1), block>>>(h, dy, nullptr, dw2, hidden, 1, batch);
    columnSums<<<1, 32>>>(dy, db2, batch, 1);
    gemm<false, true, Activation::none><<<tiles(batch, hidden), block>>>(dy, w2, nullptr, dh, batch, hidden, 1);
    tanhGradient<<<(batch * hidden + 63) / 64, 64>>>(h, dh, batch * hidden);
    gemm<true, false, Activation::none><<<tiles(in, hidden), block>>>(x, dh, nullptr, dw1, in, hidden, batch);
    columnSums<<<1, 32>>>(dh, db1, batch, hidden);
    descend<<<1, 64>>>(w1, dw1, rate, in * hidden);
    descend<<<1, 64>>>(b1, db1, rate, hidden);
    descend<<<1, 64>>>(w2, dw2, rate, hidden);
    descend<<<1, 64>>>(b2, db2, rate, 1);
    cudaDeviceSynchronize();
    if (step % 10 == 0) printf("%.8f\n", *loss);
  }
  for (double* each : {x, wanted, w1, b1, w2, b2, h, y, dy, dh, dw1, db1, dw2, db2, loss}) cudaFree(each);
}
