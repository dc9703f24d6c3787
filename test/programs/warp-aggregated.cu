// One atomic addition for all active threads of a warp, as a coalesced group finds them.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

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

__device__ int next_place(int* counter) {
  cg::coalesced_group active = cg::coalesced_threads();
  int first = 0;
  if (active.thread_rank() == 0) first = atomicAdd(counter, (int)active.size());
  return active.shfl(first, 0) + active.thread_rank();
}

__global__ void collect(const unsigned* x, unsigned* out, int* counter, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] & 1) out[next_place(counter)] = x[i];
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<unsigned> host(n);
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % 100000;
  unsigned *x = upload(host), *out = upload(host);
  int* counter = upload(std::vector<int>{0});
  collect<<<(n + 127) / 128, 128>>>(x, out, counter, n);
  int count = download(counter, 1)[0];
  unsigned long long sum = 0, odd = 0;
  for (unsigned value : download(out, count)) {
    sum += (unsigned long long)value * value;
    odd += value & 1;
  }
  printf("%d odd, %llu of them are, squares %llu\n", count, odd, sum);
  cudaFree(x);
  cudaFree(out);
  cudaFree(counter);
}
