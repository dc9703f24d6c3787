// How many subsets have a sum: a thread for each subset of fifteen numbers, counted by votes.
#include <cstdio>
#include <cstdlib>
#include <vector>

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

__global__ void subsets(const int* x, int n, int wanted, int* count) {
  unsigned subset = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (unsigned left = subset; left; left &= left - 1) sum += x[__ffs(left) - 1];
  int found = __popc(__ballot_sync(0xffffffff, subset < (1u << n) && sum == wanted));
  if ((threadIdx.x & 31) == 0 && found) atomicAdd(count, found);
}

int main(int argc, char** argv) {
  const int n = 15;
  int wanted = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = 1 + hash(i, seed) % 20;
  int *x = upload(host), *count = upload(std::vector<int>{0});
  subsets<<<(1 << n) / 256, 256>>>(x, n, wanted, count);
  printf("%d\n", download(count, 1)[0]);
  cudaFree(x);
  cudaFree(count);
}
