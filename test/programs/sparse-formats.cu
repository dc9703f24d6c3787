// One sparse matrix times one vector in two more formats: padded rows by columns (ELL), and triples with atomics (COO).
#include <cstdio>
#include <cstdlib>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}
template <class T>
T* managed(size_t n) {
  T* values;
  cudaMallocManaged(&values, n * sizeof(T));
  for (size_t i = 0; i < n; i++) values[i] = T();
  return values;
}
template <class T>
long long checksum(const T* values, size_t n) {
  long long sum = 0;
  for (size_t i = 0; i < n; i++) sum += (long long)values[i] * (long long)(i % 97);
  return sum;
}

#define WIDTH 8

__global__ void padded(const int* columns, const int* values, const int* x, int* y, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  int sum = 0;
  for (int k = 0; k < WIDTH; k++)
    if (columns[k * n + row] >= 0) sum += values[k * n + row] * x[columns[k * n + row]];
  y[row] = sum;
}

__global__ void triples(const int* rows, const int* columns, const int* values, const int* x, int* y, int count) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) atomicAdd(&y[rows[k]], values[k] * x[columns[k]]);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int *columns = managed<int>(n * WIDTH), *values = managed<int>(n * WIDTH), *x = managed<int>(n);
  int *rows = managed<int>(n * WIDTH), *flat_columns = managed<int>(n * WIDTH), *flat_values = managed<int>(n * WIDTH);
  int *y = managed<int>(n), *z = managed<int>(n);
  int count = 0;
  for (int row = 0; row < n; row++) {
    x[row] = hash(row, seed + 2) % 100;
    int length = hash(row, seed) % (WIDTH + 1);
    for (int k = 0; k < WIDTH; k++) {
      int column = hash(row * WIDTH + k, seed + 1) % n, value = row % 7 + k - 4;
      columns[k * n + row] = k < length ? column : -1;
      values[k * n + row] = k < length ? value : 0;
      if (k >= length) continue;
      rows[count] = row;
      flat_columns[count] = column;
      flat_values[count++] = value;
    }
  }
  padded<<<(n + 127) / 128, 128>>>(columns, values, x, y, n);
  triples<<<(count + 127) / 128, 128>>>(rows, flat_columns, flat_values, x, z, count);
  cudaDeviceSynchronize();
  printf("entries %d ELL %lld COO %lld\n", count, checksum(y, n), checksum(z, n));
  for (int* array : {columns, values, x, rows, flat_columns, flat_values, y, z}) cudaFree(array);
}
