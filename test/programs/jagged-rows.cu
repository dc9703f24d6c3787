// Rows of different lengths by pointers to pointers: the table of rows lies on the device, too, as C has it.
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                         \
  do {                                                                                      \
    const cudaError_t error = call;                                                         \
    if (error != cudaSuccess) {                                                             \
      fprintf(stderr, "Error: %s:%d, %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      exit(1);                                                                              \
    }                                                                                       \
  } while (0)

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void fill(int** rows, const int* lengths, unsigned seed) {
  for (int i = threadIdx.x; i < lengths[blockIdx.x]; i += blockDim.x)
    rows[blockIdx.x][i] = hash(blockIdx.x * 100 + i, seed) % 1000;
}

__global__ void reverse(int** rows, const int* lengths) {
  int *row = rows[blockIdx.x], length = lengths[blockIdx.x];
  for (int i = threadIdx.x; i < length / 2; i += blockDim.x) {
    int other = row[length - 1 - i];
    row[length - 1 - i] = row[i];
    row[i] = other;
  }
}

__global__ void swapRows(int** rows, int* lengths, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  int* row = rows[i];
  rows[i] = rows[n - 1 - i];
  rows[n - 1 - i] = row;
  int length = lengths[i];
  lengths[i] = lengths[n - 1 - i];
  lengths[n - 1 - i] = length;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int **h_rows = (int**)malloc(n * sizeof(int*)), *h_lengths = (int*)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) {
    h_lengths[i] = 1 + hash(i, seed + 1) % 70;
    CHECK(cudaMalloc((void**)&h_rows[i], h_lengths[i] * sizeof(int)));
  }
  int **d_rows, *d_lengths;
  CHECK(cudaMalloc((void***)&d_rows, n * sizeof(int*)));
  CHECK(cudaMalloc((void**)&d_lengths, n * sizeof(int)));
  CHECK(cudaMemcpy(d_rows, h_rows, n * sizeof(int*), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_lengths, h_lengths, n * sizeof(int), cudaMemcpyHostToDevice));
  fill<<<n, 32>>>(d_rows, d_lengths, seed);
  CHECK(cudaGetLastError());
  reverse<<<n, 16>>>(d_rows, d_lengths);
  swapRows<<<(n + 31) / 32, 32>>>(d_rows, d_lengths, n);
  CHECK(cudaMemcpy(h_rows, d_rows, n * sizeof(int*), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(h_lengths, d_lengths, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    int *row = (int*)malloc(h_lengths[i] * sizeof(int)), sum = 0;
    CHECK(cudaMemcpy(row, h_rows[i], h_lengths[i] * sizeof(int), cudaMemcpyDeviceToHost));
    for (int k = 0; k < h_lengths[i]; k++) sum += row[k] * (k + 1);
    printf("%d of %d\n", sum, h_lengths[i]);
    free(row);
    CHECK(cudaFree(h_rows[i]));
  }
  CHECK(cudaFree(d_rows));
  CHECK(cudaFree(d_lengths));
  free(h_rows);
  free(h_lengths);
  return 0;
}
