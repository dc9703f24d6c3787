// A sum in one launch: blocks publish theirs behind a fence, and the one that comes last adds them all.
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

__device__ unsigned finished = 0;

__global__ void total(const int* x, int n, volatile long long* sums, long long* result) {
  __shared__ long long part[128];
  __shared__ bool is_last;
  long long sum = 0;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) sum += x[i];
  for (int round = 0; round < 2; round++) {
    part[threadIdx.x] = sum;
    for (int half = 64; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (round == 1) break;
    if (threadIdx.x == 0) {
      sums[blockIdx.x] = part[0];
      __threadfence();
      is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    sum = 0;
    for (int b = threadIdx.x; b < gridDim.x; b += 128) sum += sums[b];
  }
  if (threadIdx.x == 0) *result = part[0];
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int* x = managed<int>(n);
  long long *sums = managed<long long>(150), *result = managed<long long>(1);
  for (int i = 0; i < n; i++) x[i] = (int)(hash(i, seed) % 100001) - 50000;
  // Twice: the counter has wrapped to 0 by itself.
  for (int round = 1; round <= 2; round++) {
    total<<<150 / round, 128>>>(x, n / round, sums, result);
    cudaDeviceSynchronize();
    printf("sum %lld\n", *result);
  }
  cudaFree(x);
  cudaFree(sums);
  cudaFree(result);
}
