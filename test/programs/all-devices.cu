// Work divided among all devices that there are: a stream and memory on each, and the parts together on the host.
#include <vector>
#include <cstdio>
#include <cstdlib>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void total(const int* x, int n, unsigned long long* sum) {
  unsigned long long own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += x[i];
  atomicAdd(sum, own);
}

struct Part {
  int from, size, *x;
  unsigned long long *sum, result;
  cudaStream_t stream;
};

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int count;
  cudaGetDeviceCount(&count);
  int* host;
  cudaMallocHost(&host, n * sizeof(int));
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % 5000;
  std::vector<Part> parts(count);
  for (int d = 0; d < count; d++) {
    Part& part = parts[d];
    part.from = (long long)n * d / count;
    part.size = (long long)n * (d + 1) / count - part.from;
    cudaSetDevice(d);
    cudaStreamCreate(&part.stream);
    cudaMalloc(&part.x, part.size * sizeof(int));
    cudaMalloc(&part.sum, sizeof(*part.sum));
    cudaMemsetAsync(part.sum, 0, sizeof(*part.sum), part.stream);
    cudaMemcpyAsync(part.x, host + part.from, part.size * sizeof(int), cudaMemcpyHostToDevice, part.stream);
    total<<<8, 64, 0, part.stream>>>(part.x, part.size, part.sum);
    cudaMemcpyAsync(&part.result, part.sum, sizeof(part.result), cudaMemcpyDeviceToHost, part.stream);
  }
  unsigned long long sum = 0;
  for (int d = 0; d < count; d++) {
    cudaSetDevice(d);
    cudaStreamSynchronize(parts[d].stream);
    sum += parts[d].result;
    cudaStreamDestroy(parts[d].stream);
    cudaFree(parts[d].x);
    cudaFree(parts[d].sum);
  }
  printf("sum %llu\n", sum);
  cudaFreeHost(host);
}
