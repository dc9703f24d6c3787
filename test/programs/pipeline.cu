// Parts of an array through two streams with pinned memory, events that hold up a third one, and a clock.
#include <cstdio>
#include <cstdlib>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void square(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * x[i] % 1000;
}

__global__ void total(const int* x, int n, long long* sum) {
  __shared__ long long part[128];
  long long mine = 0;
  for (int i = threadIdx.x; i < n; i += 128) mine += x[i];
  part[threadIdx.x] = mine;
  for (int step = 64; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
  }
  if (threadIdx.x == 0) *sum = part[0];
}

int main(int argc, char** argv) {
  const int parts = 6;
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int *host, *x;
  long long *sum, found = 0;
  cudaHostAlloc(&host, parts * n * sizeof(int), cudaHostAllocDefault);
  cudaMalloc(&x, parts * n * sizeof(int));
  cudaMalloc(&sum, sizeof(long long));
  for (int i = 0; i < parts * n; i++) host[i] = hash(i, seed) % 1000;
  cudaStream_t streams[2], last;
  cudaEvent_t done[parts], start, end;
  for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);
  cudaStreamCreate(&last);
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  cudaEventRecord(start);
  for (int part = 0; part < parts; part++) {
    cudaStream_t stream = streams[part % 2];
    cudaEventCreateWithFlags(&done[part], cudaEventDisableTiming);
    cudaMemcpyAsync(x + part * n, host + part * n, n * sizeof(int), cudaMemcpyHostToDevice, stream);
    square<<<(n + 63) / 64, 64, 0, stream>>>(x + part * n, n);
    cudaEventRecord(done[part], stream);
    cudaStreamWaitEvent(last, done[part], 0);
  }
  total<<<1, 128, 0, last>>>(x, parts * n, sum);
  cudaMemcpyAsync(&found, sum, sizeof(found), cudaMemcpyDeviceToHost, last);
  cudaStreamSynchronize(last);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float milliseconds = -1;
  cudaEventElapsedTime(&milliseconds, start, end);
  printf("sum %lld timed %d idle %d\n", found, milliseconds >= 0, cudaStreamQuery(streams[0]) == cudaSuccess);
  for (cudaEvent_t event : done) cudaEventDestroy(event);
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaStreamDestroy(last);
  cudaEventDestroy(start);
  cudaEventDestroy(end);
  cudaFreeHost(host);
  cudaFree(x);
  cudaFree(sum);
}
