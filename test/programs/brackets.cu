// Whether brackets match: depths by a scan of a block in CUB, the least of them, and the pairs' lengths.
#include <cub/block/block_reduce.cuh>
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

#define BLOCK 256

__global__ void depths(const char* text, int n, int* depth, int* least) {
  using Scan = cub::BlockScan<int, BLOCK>;
  using Reduce = cub::BlockReduce<int, BLOCK>;
  __shared__ union {
    Scan::TempStorage scan;
    Reduce::TempStorage reduce;
  } storage;
  __shared__ int before;
  if (threadIdx.x == 0) before = *least = 0;
  for (int start = 0; start < n; start += BLOCK) {
    __syncthreads();
    int i = start + threadIdx.x, total, sum, carried = before;
    int value = i >= n ? 0 : text[i] == '(' ? 1 : -1;
    Scan(storage.scan).InclusiveSum(value, sum, total);
    if (i < n) depth[i] = carried + sum;
    __syncthreads();
    int low = Reduce(storage.reduce).Reduce(carried + sum, [](int a, int b) { return a < b ? a : b; });
    if (threadIdx.x == 0) {
      *least = min(*least, low);
      before = carried + total;
    }
  }
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  char* text = managed<char>(n);
  int *depth = managed<int>(n), *least = managed<int>(1);
  for (int i = 0; i < n; i++) text[i] = "()"[hash(i, seed) % 2];
  depths<<<1, BLOCK>>>(text, n, depth, least);
  cudaDeviceSynchronize();
  printf("end %d least %d checksum %lld\n", depth[n - 1], *least, checksum(depth, n));
  cudaFree(text);
  cudaFree(depth);
  cudaFree(least);
}
