// A sum in two launches: blocks in dynamic shared memory, then one block.
#include <stdio.h>
#include <stdlib.h>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

extern __shared__ int scratch[];

__global__ void sum(const int* in, int* out, int n) {
  int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  scratch[t] = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step >>= 1) {
    if (t < step) scratch[t] += scratch[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = scratch[0];
}

int reduce(const int* in, int n) {
  const int threads = 128;
  int *from = NULL, *to = NULL;
  int blocks = (n + 2 * threads - 1) / (2 * threads);
  cudaMalloc(&from, n * sizeof(int));
  cudaMalloc(&to, blocks * sizeof(int));
  cudaMemcpy(from, in, n * sizeof(int), cudaMemcpyHostToDevice);
  while (true) {
    sum<<<blocks, threads, threads * sizeof(int)>>>(from, to, n);
    if (blocks == 1) break;
    n = blocks;
    blocks = (n + 2 * threads - 1) / (2 * threads);
    int* swapped = from;
    from = to;
    to = swapped;
  }
  int result;
  cudaMemcpy(&result, to, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(from);
  cudaFree(to);
  return result;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int* values = (int*)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) values[i] = hash(i, seed) % 2001 - 1000;
  printf("sum %d\n", reduce(values, n));
  free(values);
}
