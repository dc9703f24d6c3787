// The cheapest order of a chain of matrix products: intervals of one length are a launch.
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

__constant__ int sizes[101];

__global__ void intervals(int* cost, int n, int length) {
  int from = blockIdx.x, to = from + length;
  __shared__ int best;
  if (threadIdx.x == 0) best = 0x7fffffff;
  __syncthreads();
  for (int split = from + threadIdx.x; split < to; split += blockDim.x)
    atomicMin(&best,
              cost[from * n + split] + cost[(split + 1) * n + to] + sizes[from] * sizes[split + 1] * sizes[to + 1]);
  __syncthreads();
  if (threadIdx.x == 0) cost[from * n + to] = best;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int host[101];
  for (int i = 0; i <= n; i++) host[i] = 1 + hash(i, seed) % 50;
  cudaMemcpyToSymbol(sizes, host, sizeof(host));
  int* cost = managed<int>(n * n);
  for (int length = 1; length < n; length++) intervals<<<n - length, 32>>>(cost, n, length);
  cudaDeviceSynchronize();
  printf("%d products of numbers\n", cost[n - 1]);
  cudaFree(cost);
}
