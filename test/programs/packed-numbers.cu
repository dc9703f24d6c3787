// Numbers as one to five bytes each: sizes, a scan for their places, and the bytes side by side.
#include <cub/block/block_scan.cuh>
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

__global__ void measure(const unsigned* x, int* sizes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sizes[i] = (38 - __clz(x[i] | 1)) / 7;
}

// One block: each part's scan goes on from the parts before.
__global__ void place(const int* sizes, int* places, int n) {
  using Scan = cub::BlockScan<int, 128>;
  __shared__ Scan::TempStorage storage;
  int before = 0, total;
  for (int start = 0; start <= n; start += 128, before += total) {
    int i = start + threadIdx.x, own = i < n ? sizes[i] : 0, sum;
    Scan(storage).ExclusiveSum(own, sum, total);
    if (i <= n) places[i] = before + sum;
    __syncthreads();
  }
}

__global__ void write(const unsigned* x, const int* places, unsigned char* bytes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned rest = x[i];
  unsigned char* to = bytes + places[i];
  for (; rest > 127; rest >>= 7) *to++ = rest | 128;
  *to = rest;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  unsigned* x = managed<unsigned>(n);
  int *sizes = managed<int>(n), *places = managed<int>(n + 1);
  for (int i = 0; i < n; i++) x[i] = hash(i, seed) >> hash(i, seed + 1) % 32;
  int blocks = (n + 127) / 128;
  measure<<<blocks, 128>>>(x, sizes, n);
  place<<<1, 128>>>(sizes, places, n);
  cudaDeviceSynchronize();
  int size = places[n];
  unsigned char* bytes = managed<unsigned char>(size);
  write<<<blocks, 128>>>(x, places, bytes, n);
  cudaDeviceSynchronize();
  printf("bytes %d checksum %lld\n", size, checksum(bytes, size));
  cudaFree(x);
  cudaFree(sizes);
  cudaFree(places);
  cudaFree(bytes);
}
