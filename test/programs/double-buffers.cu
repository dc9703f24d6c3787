// Tiles that are copied to shared memory while the ones before are summed, by cuda_pipeline.h.
#include <cuda_pipeline.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define TILE 64

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

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

__global__ void sums(const int* x, long long* out, int tiles) {
  __shared__ int buffers[2][TILE];
  int t = threadIdx.x;
  const int* mine = x + blockIdx.x * tiles * TILE;
  long long sum = 0;
  __pipeline_memcpy_async(&buffers[0][t], mine + t, sizeof(int));
  __pipeline_commit();
  for (int tile = 0; tile < tiles; tile++) {
    if (tile + 1 < tiles)
      __pipeline_memcpy_async(&buffers[(tile + 1) % 2][t], mine + (tile + 1) * TILE + t, sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += (long long)buffers[tile % 2][TILE - 1 - t] * (t + 1);
    __syncthreads();
  }
  atomicAdd((unsigned long long*)out, (unsigned long long)sum);
}

int main(int argc, char** argv) {
  int blocks = atoi(argv[1]), tiles = atoi(argv[2]);
  unsigned seed = atoi(argv[3]);
  std::vector<int> host(blocks * tiles * TILE);
  for (size_t i = 0; i < host.size(); i++) host[i] = hash(i, seed) % 1000;
  int* x = upload(host);
  long long* out = upload(std::vector<long long>{0});
  sums<<<blocks, TILE>>>(x, out, tiles);
  printf("%lld\n", download(out, 1)[0]);
  cudaFree(x);
  cudaFree(out);
}
