// A tile of threads divides into those with odd and those with even numbers; each part counts and adds for itself.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;

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

// `n`: a multiple of the threads, so that tiles stay whole.
__global__ void add(const int* x, int n, unsigned long long* sums, unsigned* counts) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    bool is_odd = x[i] & 1;
    auto part = cg::binary_partition(tile, is_odd);
    int sum = cg::reduce(part, x[i], cg::plus<int>());
    if (part.thread_rank() == 0) {
      atomicAdd(&sums[is_odd], (unsigned long long)sum);
      atomicAdd(&counts[is_odd], part.size());
    }
  }
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int* x = managed<int>(n);
  unsigned long long* sums = managed<unsigned long long>(2);
  unsigned* counts = managed<unsigned>(2);
  for (int i = 0; i < n; i++) x[i] = hash(i, seed) % 1000;
  add<<<4, 64>>>(x, n, sums, counts);
  cudaDeviceSynchronize();
  printf("even %u sum %llu odd %u sum %llu\n", counts[0], sums[0], counts[1], sums[1]);
  cudaFree(x);
  cudaFree(sums);
  cudaFree(counts);
}
