// A cooperative launch: the whole grid waits for each other between steps.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__device__ int block_sum(cg::thread_block block, int* scratch, int value) {
  scratch[block.thread_rank()] = value;
  for (int step = block.size() / 2; step > 0; step /= 2) {
    block.sync();
    if (block.thread_rank() < step) scratch[block.thread_rank()] += scratch[block.thread_rank() + step];
  }
  block.sync();
  return scratch[0];
}

__global__ void normalise(int* data, int n, int* partial) {
  cg::grid_group grid = cg::this_grid();
  extern __shared__ int scratch[];
  int mine = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) mine += data[i];
  int sum = block_sum(cg::this_thread_block(), scratch, mine);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
  grid.sync();
  int whole = 0;
  for (int i = 0; i < gridDim.x; i++) whole += partial[i];
  grid.sync();
  for (int i = grid.thread_rank(); i < n; i += grid.size()) data[i] = data[i] * n - whole;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int supported = 0;
  cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0);
  if (!supported) return 2;
  const int threads = 64;
  size_t shared = threads * sizeof(int);
  int per_multiprocessor = 0;
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, normalise, threads, shared);
  int blocks = min(per_multiprocessor * prop.multiProcessorCount, 16);
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % 100;
  int *data, *partial;
  cudaMalloc(&data, n * sizeof(int));
  cudaMalloc(&partial, blocks * sizeof(int));
  cudaMemcpy(data, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  void* arguments[] = {&data, &n, &partial};
  cudaError_t error = cudaLaunchCooperativeKernel((void*)normalise, dim3(blocks), dim3(threads), arguments, shared, 0);
  if (error != cudaSuccess) printf("%s\n", cudaGetErrorString(error));
  cudaMemcpy(host.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost);
  long long sum = 0, weighted = 0;
  for (int i = 0; i < n; i++) {
    sum += host[i];
    weighted += (long long)host[i] * (i % 7);
  }
  printf("sum %lld weighted %lld\n", sum, weighted);
  void* many[] = {&data, &n, &partial};
  error = cudaLaunchCooperativeKernel((void*)normalise, 1 << 20, threads, many, shared, nullptr);
  printf("%s\n", cudaGetErrorName(error));
  cudaFree(data);
  cudaFree(partial);
}
