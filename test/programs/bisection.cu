// Eigenvalues of a tridiagonal matrix: each thread halves an interval by counting the signs of Sturm's sequence.
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

__device__ int below(const double* diagonal, const double* beside, int n, double x) {
  int count = 0;
  double pivot = 1;
  for (int i = 0; i < n; i++) {
    pivot = diagonal[i] - x - (i == 0 ? 0 : beside[i - 1] * beside[i - 1] / pivot);
    if (pivot == 0) pivot = 1e-30;
    count += pivot < 0;
  }
  return count;
}

__global__ void eigenvalues(const double* diagonal, const double* beside, double* values, int n, double bound) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n) return;
  double low = -bound, high = bound;
  for (int step = 0; step < 60; step++) {
    double middle = (low + high) / 2;
    if (below(diagonal, beside, n, middle) > k)
      high = middle;
    else
      low = middle;
  }
  values[k] = (low + high) / 2;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  double shift = hash(0, seed) % 10;
  double *diagonal = managed<double>(n), *beside = managed<double>(n), *values = managed<double>(n);
  for (int i = 0; i < n; i++) {
    diagonal[i] = shift;
    beside[i] = -1;
  }
  eigenvalues<<<(n + 31) / 32, 32>>>(diagonal, beside, values, n, 16);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; i++) printf("%.9f\n", values[i]);
  cudaFree(diagonal);
  cudaFree(beside);
  cudaFree(values);
}
