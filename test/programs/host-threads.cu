// Threads of the host that each have a stream and work of their own.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

__global__ void sum_up(int* out, int from, int count) {
  __shared__ int part[64];
  int mine = 0;
  for (int k = threadIdx.x; k < count; k += 64) mine += from + k;
  part[threadIdx.x] = mine;
  for (int step = 32; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
  }
  if (threadIdx.x == 0) *out = part[0];
}

int main(int argc, char** argv) {
  int workers = atoi(argv[1]), count = atoi(argv[2]);
  std::vector<int> sums(workers);
  std::vector<std::thread> threads;
  for (int w = 0; w < workers; w++)
    threads.emplace_back([w, count, &sums] {
      cudaSetDevice(0);
      cudaStream_t stream;
      int* out;
      cudaStreamCreate(&stream);
      cudaMalloc(&out, sizeof(int));
      sum_up<<<1, 64, 0, stream>>>(out, w * count, count);
      cudaMemcpyAsync(&sums[w], out, sizeof(int), cudaMemcpyDeviceToHost, stream);
      cudaStreamSynchronize(stream);
      cudaFree(out);
      cudaStreamDestroy(stream);
    });
  for (std::thread& thread : threads) thread.join();
  for (int sum : sums) printf("%d ", sum);
  printf("\n");
}
