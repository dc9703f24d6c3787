// A block whose first warp fills a buffer that the others empty, with arrivals at cuda::barrier.
#include <cuda/barrier>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CONSUMERS 96

template <class T>
T* upload(const std::vector<T>& from) {
  T* to;
  cudaMalloc(&to, from.size() * sizeof(T));
  cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  return to;
}
template <class T>
std::vector<T> download(const T* from, size_t n) {
  std::vector<T> to(n);
  cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost);
  return to;
}

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void hand_over(int* out, int rounds) {
  __shared__ Barrier full, empty;
  __shared__ int buffer[CONSUMERS];
  if (threadIdx.x == 0) {
    init(&full, blockDim.x);
    init(&empty, blockDim.x);
  }
  __syncthreads();
  for (int round = 0; round < rounds; round++) {
    if (threadIdx.x < 32) {
      for (int i = threadIdx.x; i < CONSUMERS; i += 32) buffer[i] = round * 1000 + i;
      (void)full.arrive();
    } else {
      full.arrive_and_wait();
      out[round * CONSUMERS + threadIdx.x - 32] = buffer[CONSUMERS - 1 - (threadIdx.x - 32)];
    }
    empty.arrive_and_wait();
  }
}

int main(int argc, char** argv) {
  int rounds = atoi(argv[1]), n = rounds * CONSUMERS;
  int* out = upload(std::vector<int>(n));
  hand_over<<<1, 32 + CONSUMERS>>>(out, rounds);
  long long sum = 0;
  std::vector<int> host = download(out, n);
  for (int i = 0; i < n; i++) sum += (long long)host[i] * (i % CONSUMERS + 1);
  printf("%lld\n", sum);
  cudaFree(out);
}
