// Copies and a kernel are queued while the host goes on counting until an event says that all is done.
#include <cstdio>
#include <cstdlib>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void add(int* x, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += value;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int *host, *device;
  cudaMallocHost(&host, n * sizeof(int));
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % 1000;
  cudaMalloc(&device, n * sizeof(int));
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventRecord(start, 0);
  cudaMemcpyAsync(device, host, n * sizeof(int), cudaMemcpyHostToDevice, 0);
  add<<<(n + 255) / 256, 256, 0, 0>>>(device, n, 26);
  cudaMemcpyAsync(host, device, n * sizeof(int), cudaMemcpyDeviceToHost, 0);
  cudaEventRecord(stop, 0);
  unsigned long counted = 0;
  while (cudaEventQuery(stop) == cudaErrorNotReady) counted++;
  float passed = -1;
  cudaEventElapsedTime(&passed, start, stop);
  long long sum = 0;
  for (int i = 0; i < n; i++) sum += host[i];
  printf("sum %lld timed %d\n", sum, passed >= 0);
  fprintf(stderr, "counted to %lu\n", counted);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  cudaFreeHost(host);
  cudaFree(device);
}
