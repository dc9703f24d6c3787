// A wavelet transform after Haar: sums and differences of neighbours, in halves that are exact, and back.
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

__global__ void decompose(const double* x, double* details, double* rest, int n) {
  extern __shared__ double part[];
  int t = threadIdx.x;
  part[t] = x[t];
  for (int size = n / 2; size >= 1; size /= 2) {
    __syncthreads();
    double a = 0, b = 0;
    if (t < size) {
      a = part[2 * t];
      b = part[2 * t + 1];
    }
    __syncthreads();
    if (t < size) {
      details[size + t] = (a - b) / 2;
      part[t] = (a + b) / 2;
    }
  }
  if (t == 0) *rest = part[0];
}

__global__ void compose(const double* details, double rest, double* x, int n) {
  int t = threadIdx.x;
  double value = rest;
  for (int size = 1; size < n; size *= 2) {
    int path = (int)((long long)t * 2 * size / n);
    value += path % 2 == 0 ? details[size + path / 2] : -details[size + path / 2];
  }
  x[t] = value;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  double *x = managed<double>(n), *details = managed<double>(n), *rest = managed<double>(1), *y = managed<double>(n);
  for (int i = 0; i < n; i++) x[i] = hash(i, seed) % 1024;
  decompose<<<1, n, n * sizeof(double)>>>(x, details, rest, n);
  cudaDeviceSynchronize();
  compose<<<1, n>>>(details, *rest, y, n);
  cudaDeviceSynchronize();
  double sum = 0;
  int same = 0;
  for (int i = 0; i < n; i++) {
    sum += details[i] * (i % 97);
    same += x[i] == y[i];
  }
  printf("mean %.10f details %.10f same %d\n", *rest, sum, same);
  cudaFree(x);
  cudaFree(details);
  cudaFree(rest);
  cudaFree(y);
}
