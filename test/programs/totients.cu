// How many numbers below n have no factor in common with it, for many n: a remainder loop that differs by thread.
#include <cstdio>
#include <cstdlib>

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

__device__ int common(int a, int b) {
  while (b != 0) {
    int rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

__global__ void totients(int* counts, int first) {
  int n = first + blockIdx.x, own = 0;
  for (int k = 1 + threadIdx.x; k <= n; k += blockDim.x) own += common(n, k) == 1;
  atomicAdd(&counts[blockIdx.x], own);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int* counts = managed<int>(n);
  totients<<<n, 32>>>(counts, 1 + seed % 100);
  cudaDeviceSynchronize();
  printf("last %d checksum %lld\n", counts[n - 1], checksum(counts, n));
  cudaFree(counts);
}
