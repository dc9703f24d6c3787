// Memory that is asked for and given back in the order of a stream, again and again.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void fill(int* x, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value + i;
}

__global__ void add(const int* x, long long* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd((unsigned long long*)sum, (unsigned long long)x[i]);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), rounds = atoi(argv[2]);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  long long *sum, *host;
  cudaMallocHost(&host, sizeof(long long));
  cudaMallocAsync(&sum, sizeof(long long), stream);
  cudaMemsetAsync(sum, 0, sizeof(long long), stream);
  for (int round = 0; round < rounds; round++) {
    int* x;
    cudaMallocAsync(&x, n * sizeof(int), stream);
    fill<<<(n + 127) / 128, 128, 0, stream>>>(x, n, round);
    add<<<(n + 127) / 128, 128, 0, stream>>>(x, sum, n);
    cudaFreeAsync(x, stream);
  }
  cudaMemcpyAsync(host, sum, sizeof(long long), cudaMemcpyDeviceToHost, stream);
  cudaFreeAsync(sum, stream);
  cudaStreamSynchronize(stream);
  printf("sum %lld\n", *host);
  cudaFreeHost(host);
  cudaStreamDestroy(stream);
}
