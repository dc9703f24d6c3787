// Streams of the least and the greatest priority, which an event puts in an order.
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

__global__ void step(long long* x, int n, int factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * factor + i;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int least, greatest;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  cudaStream_t slow, fast;
  cudaStreamCreateWithPriority(&slow, cudaStreamNonBlocking, least);
  cudaStreamCreateWithPriority(&fast, cudaStreamNonBlocking, greatest);
  long long* x = managed<long long>(n);
  for (int i = 0; i < n; i++) x[i] = hash(i, seed) % 100;
  cudaEvent_t done;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  step<<<(n + 63) / 64, 64, 0, slow>>>(x, n, 3);
  cudaEventRecord(done, slow);
  cudaStreamWaitEvent(fast, done, 0);
  step<<<(n + 63) / 64, 64, 0, fast>>>(x, n, 5);
  cudaStreamSynchronize(fast);
  long long sum = 0;
  for (int i = 0; i < n; i++) sum += x[i];
  printf("sum %lld ordered %d\n", sum, greatest <= least);
  cudaEventDestroy(done);
  cudaStreamDestroy(slow);
  cudaStreamDestroy(fast);
  cudaFree(x);
}
