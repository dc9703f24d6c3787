// CUB's sums, scans and sorts of a block.
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include <cstdio>
#include <cstdlib>
#include <vector>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

template <class T>
T* upload(const std::vector<T>& from) {
  T* to;
  cudaMalloc(&to, from.size() * sizeof(T));
  cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  return to;
}
template <class T>
std::vector<T> download(const T* from, size_t n) {
  std::vector<T> to(n);
  cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost);
  return to;
}

template <class T>
long long checksum(const std::vector<T>& values) {
  long long sum = 0;
  for (size_t i = 0; i < values.size(); i++) sum += (long long)values[i] * (long long)(i % 97);
  return sum;
}

__global__ void algorithms(const int* x, int* sorted, int* scanned, int* sums) {
  using Sort = cub::BlockRadixSort<int, 64, 4>;
  using Scan = cub::BlockScan<int, 64>;
  using Reduce = cub::BlockReduce<int, 64>;
  __shared__ union {
    typename Sort::TempStorage sort;
    typename Scan::TempStorage scan;
    typename Reduce::TempStorage reduce;
  } storage;
  int items[4], first = (blockIdx.x * 64 + threadIdx.x) * 4;
  for (int k = 0; k < 4; k++) items[k] = x[first + k];
  Sort(storage.sort).Sort(items);
  for (int k = 0; k < 4; k++) sorted[first + k] = items[k];
  __syncthreads();
  Scan(storage.scan).InclusiveSum(items, items);
  for (int k = 0; k < 4; k++) scanned[first + k] = items[k];
  __syncthreads();
  int sum = Reduce(storage.reduce).Sum(x[first] + x[first + 1] + x[first + 2] + x[first + 3]);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

int main(int argc, char** argv) {
  int blocks = atoi(argv[1]), n = blocks * 256;
  unsigned seed = atoi(argv[2]);
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = int(hash(i, seed) % 2001) - 1000;
  int *x = upload(host), *sorted = upload(host), *scanned = upload(host), *sums = upload(host);
  algorithms<<<blocks, 64>>>(x, sorted, scanned, sums);
  printf("%lld %lld %lld\n", checksum(download(sorted, n)), checksum(download(scanned, n)),
         checksum(download(sums, blocks)));
  for (int* each : {x, sorted, scanned, sums}) cudaFree(each);
}
