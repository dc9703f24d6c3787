// A straight line, a parabola or more through many points: QR by reflections after Householder, in one block.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 64

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__device__ double block_sum(double value, double* scratch) {
  scratch[threadIdx.x] = value;
  __syncthreads();
  for (int offset = THREADS / 2; offset > 0; offset >>= 1) {
    if (threadIdx.x < offset) scratch[threadIdx.x] += scratch[threadIdx.x + offset];
    __syncthreads();
  }
  double sum = scratch[0];
  __syncthreads();
  return sum;
}

// a: m rows of n columns, column after column, and behind them one of the right side.
__global__ void least_squares(double* a, double* x, double* residual, int m, int n) {
  __shared__ double scratch[THREADS];
  for (int k = 0; k < n; k++) {
    double *column = a + k * m, own = 0;
    for (int i = k + threadIdx.x; i < m; i += THREADS) own += column[i] * column[i];
    double norm = sqrt(block_sum(own, scratch)), head = column[k], alpha = head > 0 ? -norm : norm;
    double length2 = 2 * (norm * norm - alpha * head);
    __syncthreads();
    if (threadIdx.x == 0) column[k] -= alpha;
    __syncthreads();
    for (int j = k + 1; j <= n; j++) {
      double* other = a + j * m;
      own = 0;
      for (int i = k + threadIdx.x; i < m; i += THREADS) own += column[i] * other[i];
      double factor = 2 * block_sum(own, scratch) / length2;
      for (int i = k + threadIdx.x; i < m; i += THREADS) other[i] -= factor * column[i];
      __syncthreads();
    }
    if (threadIdx.x == 0) column[k] = alpha;
    __syncthreads();
  }
  if (threadIdx.x == 0)
    for (int k = n - 1; k >= 0; k--) {
      double value = a[n * m + k];
      for (int j = k + 1; j < n; j++) value -= a[j * m + k] * x[j];
      x[k] = value / a[k * m + k];
    }
  double own = 0;
  for (int i = n + threadIdx.x; i < m; i += THREADS) own += a[n * m + i] * a[n * m + i];
  double sum = block_sum(own, scratch);
  if (threadIdx.x == 0) *residual = sum;
}

int main(int argc, char** argv) {
  int m = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  for (int n = 2; n <= 4; n++) {
    double *a, *x, *residual;
    cudaMallocManaged((void**)&a, m * (n + 1) * sizeof(double));
    cudaMallocManaged((void**)&x, n * sizeof(double));
    cudaMallocManaged((void**)&residual, sizeof(double));
    for (int i = 0; i < m; i++) {
      double t = 2.0 * i / (m - 1) - 1;
      for (int k = 0; k < n; k++) a[k * m + i] = pow(t, k);
      a[n * m + i] = 1 + 2 * t - 3 * t * t + (hash(i, seed) % 1001) / 1000.0;
    }
    least_squares<<<1, THREADS>>>(a, x, residual, m, n);
    cudaDeviceSynchronize();
    for (int k = 0; k < n; k++) printf("%.9f ", x[k]);
    printf("%.9f\n", *residual);
    cudaFree(a);
    cudaFree(x);
    cudaFree(residual);
  }
  return 0;
}
