// Stream compaction by warps: a vote for each warp, a scan of their counts, one atomic addition a block.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define BLOCK 256

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

template <class T>
long long checksum(const std::vector<T>& values) {
  long long sum = 0;
  for (size_t i = 0; i < values.size(); i++) sum += (long long)values[i] * (long long)(i % 97);
  return sum;
}

__global__ void keep(const int* x, int* kept, int* count, int n) {
  __shared__ int starts[BLOCK / 32];
  int i = blockIdx.x * BLOCK + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  bool is_kept = i < n && x[i] % 3 == 0;
  unsigned votes = __ballot_sync(0xffffffff, is_kept);
  if (lane == 0) starts[warp] = __popc(votes);
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int w = 0; w < BLOCK / 32; w++) sum += starts[w];
    int start = atomicAdd(count, sum);
    for (int w = 0; w < BLOCK / 32; w++) {
      int own = starts[w];
      starts[w] = start;
      start += own;
    }
  }
  __syncthreads();
  if (is_kept) kept[starts[warp] + __popc(votes & ((1u << lane) - 1))] = x[i];
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % 10000;
  int *x = upload(host), *kept = upload(host), *count = upload(std::vector<int>{0});
  keep<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, kept, count, n);
  int size = download(count, 1)[0];
  host = download(kept, size);
  std::sort(host.begin(), host.end());
  printf("kept %d checksum %lld\n", size, checksum(host));
  cudaFree(x);
  cudaFree(kept);
  cudaFree(count);
}
