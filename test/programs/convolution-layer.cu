// A layer of a convolutional network twice: a thread for each output, and as a product with unrolled patches by tiles.
#include <stdio.h>
#include <stdlib.h>

#define TILE_WIDTH 8

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void ConvLayerForward_Kernel(int C, int W_grid, int K, int H, int W, const int* X, const int* F, int* Y) {
  int H_out = H - K + 1, W_out = W - K + 1, M = gridDim.x;
  int m = blockIdx.x, h = blockIdx.y / W_grid * TILE_WIDTH + threadIdx.y,
      w = blockIdx.y % W_grid * TILE_WIDTH + threadIdx.x, n = blockIdx.z;
  if (h >= H_out || w >= W_out) return;
  int acc = 0;
  for (int c = 0; c < C; c++)
    for (int p = 0; p < K; p++)
      for (int q = 0; q < K; q++) acc += X[((n * C + c) * H + h + p) * W + w + q] * F[((m * C + c) * K + p) * K + q];
  Y[((n * M + m) * H_out + h) * W_out + w] = acc;
}

__global__ void unroll_Kernel(int C, int H, int W, int K, const int* X, int* X_unroll) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int H_out = H - K + 1, W_out = W - K + 1, W_unroll = H_out * W_out;
  if (t >= C * W_unroll) return;
  int c = t / W_unroll, w_unroll = t % W_unroll, h_out = w_unroll / W_out, w_out = w_unroll % W_out;
  for (int p = 0; p < K; p++)
    for (int q = 0; q < K; q++)
      X_unroll[(c * K * K + p * K + q) * W_unroll + w_unroll] = X[(c * H + h_out + p) * W + w_out + q];
}

__global__ void matmul(const int* A, const int* B, int* C, int m, int n, int k) {
  __shared__ int a[TILE_WIDTH][TILE_WIDTH], b[TILE_WIDTH][TILE_WIDTH];
  int row = blockIdx.y * TILE_WIDTH + threadIdx.y, column = blockIdx.x * TILE_WIDTH + threadIdx.x, sum = 0;
  for (int base = 0; base < k; base += TILE_WIDTH) {
    a[threadIdx.y][threadIdx.x] = row < m && base + threadIdx.x < k ? A[row * k + base + threadIdx.x] : 0;
    b[threadIdx.y][threadIdx.x] = column < n && base + threadIdx.y < k ? B[(base + threadIdx.y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < TILE_WIDTH; i++) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}

int main(int argc, char** argv) {
  const int N = atoi(argv[1]), C = 3, H = 13, W = 11, K = 4, M = 5, H_out = H - K + 1, W_out = W - K + 1;
  const unsigned seed = atoi(argv[2]);
  int *X, *F, *Y, *Z, *unrolled;
  cudaMallocManaged((void**)&X, N * C * H * W * sizeof(int));
  cudaMallocManaged((void**)&F, M * C * K * K * sizeof(int));
  cudaMallocManaged((void**)&Y, N * M * H_out * W_out * sizeof(int));
  cudaMallocManaged((void**)&Z, N * M * H_out * W_out * sizeof(int));
  cudaMalloc((void**)&unrolled, C * K * K * H_out * W_out * sizeof(int));
  for (int i = 0; i < N * C * H * W; i++) X[i] = hash(i, seed) % 256;
  for (int i = 0; i < M * C * K * K; i++) F[i] = (int)(hash(i, seed + 1) % 19) - 9;

  int W_grid = (W_out + TILE_WIDTH - 1) / TILE_WIDTH, H_grid = (H_out + TILE_WIDTH - 1) / TILE_WIDTH;
  dim3 blockDim(TILE_WIDTH, TILE_WIDTH, 1), gridDim(M, H_grid * W_grid, N);
  ConvLayerForward_Kernel<<<gridDim, blockDim>>>(C, W_grid, K, H, W, X, F, Y);
  for (int n = 0; n < N; n++) {
    int columns = H_out * W_out;
    unroll_Kernel<<<(C * columns + 63) / 64, 64>>>(C, H, W, K, X + n * C * H * W, unrolled);
    dim3 grid((columns + TILE_WIDTH - 1) / TILE_WIDTH, (M + TILE_WIDTH - 1) / TILE_WIDTH);
    matmul<<<grid, blockDim>>>(F, unrolled, Z + n * M * columns, M, columns, C * K * K);
  }
  cudaDeviceSynchronize();
  long long checksum = 0;
  int different = 0;
  for (int i = 0; i < N * M * H_out * W_out; i++) {
    checksum += (long long)Y[i] * (i % 97);
    different += Y[i] != Z[i];
  }
  printf("checksum %lld different %d\n", checksum, different);
  cudaFree(X);
  cudaFree(F);
  cudaFree(Y);
  cudaFree(Z);
  cudaFree(unrolled);
  return 0;
}
