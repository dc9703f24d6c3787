// A barrier of the whole grid by a counter of one's own: all blocks of a cooperative launch wait until the last comes.
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

__device__ unsigned arrived = 0;

__device__ void wait_for_all(unsigned round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&arrived, 1);
    while (*(volatile unsigned*)&arrived < round * gridDim.x) {}
    __threadfence();
  }
  __syncthreads();
}

__global__ void smooth(volatile int* from, volatile int* to, int n, int rounds) {
  for (int round = 1; round <= rounds; round++) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
      to[i] = from[(i + n - 1) % n] + from[(i + 1) % n] - from[i];
    wait_for_all(round);
    volatile int* last = from;
    from = to;
    to = last;
  }
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int *a = managed<int>(n), *b = managed<int>(n), rounds = 4;
  for (int i = 0; i < n; i++) a[i] = hash(i, seed) % 100;
  void* args[] = {&a, &b, &n, &rounds};
  cudaLaunchCooperativeKernel((void*)smooth, dim3(4), dim3(64), args, 0, 0);
  printf("%s ", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("checksum %lld\n", checksum(a, n));
  cudaFree(a);
  cudaFree(b);
}
