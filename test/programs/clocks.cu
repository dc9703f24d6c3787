// Each block notes the clock before and after its work, which is never earlier than before.
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

__global__ void timed(const int* x, int* least, long long* times) {
  __shared__ int part[128];
  if (threadIdx.x == 0) times[blockIdx.x] = clock64();
  part[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] = min(part[threadIdx.x], part[threadIdx.x + half]);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    least[blockIdx.x] = part[0];
    times[gridDim.x + blockIdx.x] = clock64();
  }
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int *x = managed<int>(n * 128), *least = managed<int>(n);
  long long* times = managed<long long>(2 * n);
  for (int i = 0; i < n * 128; i++) x[i] = hash(i, seed) % 100000;
  timed<<<n, 128>>>(x, least, times);
  cudaDeviceSynchronize();
  long long sum = 0;
  int in_order = 0;
  for (int b = 0; b < n; b++) {
    sum += least[b];
    in_order += times[n + b] >= times[b];
  }
  printf("least %d sum %lld in order %d\n", least[0], sum, in_order);
  cudaFree(x);
  cudaFree(least);
  cudaFree(times);
}
