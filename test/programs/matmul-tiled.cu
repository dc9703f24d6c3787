// A matrix product by tiles in shared memory.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TILE 16

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void matmul(const float* A, const float* B, float* C, int n) {
  __shared__ float a[TILE][TILE];
  __shared__ float b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < (n + TILE - 1) / TILE; t++) {
    int k = t * TILE;
    a[threadIdx.y][threadIdx.x] = row < n && k + threadIdx.x < n ? A[row * n + k + threadIdx.x] : 0;
    b[threadIdx.y][threadIdx.x] = column < n && k + threadIdx.y < n ? B[(k + threadIdx.y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < TILE; i++) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n) C[row * n + column] = sum;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; i++) {
    a[i] = (int)(hash(i, seed) % 16) - 8;
    b[i] = (int)(hash(i, seed + 1) % 16) - 8;
  }
  float *da, *db, *dc;
  size_t bytes = sizeof(float) * n * n;
  cudaMalloc(&da, bytes);
  cudaMalloc(&db, bytes);
  cudaMalloc(&dc, bytes);
  cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);
  dim3 threads(TILE, TILE);
  dim3 blocks((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
  matmul<<<blocks, threads>>>(da, db, dc, n);
  cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost);
  long long weighted = 0;
  for (int i = 0; i < n * n; i++) weighted += (long long)c[i] * (i % 97);
  printf("corner %g %g checksum %lld\n", c[0], c[n * n - 1], weighted);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return 0;
}
