// Copies and kernels of parts of an array in streams, from pinned memory.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void square_plus(int* x, int n, int plus) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * x[i] + plus;
}

int main(int argc, char** argv) {
  const int parts = 4;
  int each = atoi(argv[1]), n = parts * each;
  unsigned seed = atoi(argv[2]);
  int *host, *device;
  cudaMallocHost(&host, n * sizeof(int));
  cudaMalloc(&device, n * sizeof(int));
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % 100;

  cudaStream_t streams[parts];
  for (int i = 0; i < parts; i++) cudaStreamCreate(&streams[i]);
  cudaEvent_t done;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  for (int i = 0; i < parts; i++) {
    int* part = device + i * each;
    cudaMemcpyAsync(part, host + i * each, each * sizeof(int), cudaMemcpyHostToDevice, streams[i]);
    square_plus<<<(each + 127) / 128, 128, 0, streams[i]>>>(part, each, i);
    cudaMemcpyAsync(host + i * each, part, each * sizeof(int), cudaMemcpyDeviceToHost, streams[i]);
    if (i == 0) cudaEventRecord(done, streams[0]);
  }
  // The last stream goes over the first part once more, behind the first stream.
  cudaStreamWaitEvent(streams[parts - 1], done, 0);
  square_plus<<<(each + 127) / 128, 128, 0, streams[parts - 1]>>>(device, each, 1);
  cudaMemcpyAsync(host, device, each * sizeof(int), cudaMemcpyDeviceToHost, streams[parts - 1]);
  for (int i = 0; i < parts; i++) {
    cudaStreamSynchronize(streams[i]);
    cudaStreamDestroy(streams[i]);
  }
  cudaEventDestroy(done);
  long long sums[parts] = {};
  for (int i = 0; i < n; i++) sums[i / each] += host[i];
  printf("%lld %lld %lld %lld\n", sums[0], sums[1], sums[2], sums[3]);
  cudaFreeHost(host);
  cudaFree(device);
  return 0;
}
