// Lower and upper triangle of a matrix without pivots: columns are scaled, then what remains is updated, all exact.
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

__global__ void scale(double* a, int n, int k) {
  int row = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) a[row * n + k] /= a[k * n + k];
}

__global__ void update(double* a, int n, int k) {
  int row = k + 1 + blockIdx.y * blockDim.y + threadIdx.y, column = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && column < n) a[row * n + column] -= a[row * n + k] * a[k * n + column];
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  double* a = managed<double>(n * n);
  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++)
      for (int k = 0; k <= row && k <= column; k++) {
        double lower = k == row ? 1 : (int)(hash(row * n + k, seed) % 7) - 3;
        double upper = k == column ? 1 << hash(k, seed + 1) % 3 : (int)(hash(k * n + column, seed + 2) % 7) - 3;
        a[row * n + column] += lower * upper;
      }
  for (int k = 0; k + 1 < n; k++) {
    int rest = n - k - 1;
    scale<<<(rest + 31) / 32, 32>>>(a, n, k);
    update<<<dim3((rest + 7) / 8, (rest + 7) / 8), dim3(8, 8)>>>(a, n, k);
  }
  cudaDeviceSynchronize();
  int doublings = 0;
  for (int k = 0; k < n; k++)
    for (int pivot = a[k * n + k]; pivot > 1; pivot /= 2) doublings++;
  printf("determinant 2^%d checksum %lld\n", doublings, checksum(a, n * n));
  cudaFree(a);
}
