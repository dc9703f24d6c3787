// Scalar products of many pairs of vectors, a block each: sums in strides, then a tree.
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

template <int threads>
__global__ void products(const int* a, const int* b, long long* c, int length) {
  __shared__ long long part[threads];
  long long sum = 0;
  for (int i = threadIdx.x; i < length; i += threads)
    sum += (long long)a[blockIdx.x * length + i] * b[blockIdx.x * length + i];
  part[threadIdx.x] = sum;
#pragma unroll
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) c[blockIdx.x] = part[0];
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  const int length = 333;
  int *a = managed<int>(n * length), *b = managed<int>(n * length);
  long long* c = managed<long long>(n);
  for (int i = 0; i < n * length; i++) {
    a[i] = (int)(hash(i, seed) % 2001) - 1000;
    b[i] = (int)(hash(i, seed + 1) % 2001) - 1000;
  }
  products<128><<<n, 128>>>(a, b, c, length);
  cudaDeviceSynchronize();
  printf("first %lld checksum %lld\n", c[0], checksum(c, n));
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}
