// Votes, matches and shuffles of a warp, and what a barrier can count.
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

template <class T>
long long checksum(const std::vector<T>& values) {
  long long sum = 0;
  for (size_t i = 0; i < values.size(); i++) sum += (long long)values[i] * (long long)(i % 97);
  return sum;
}

__global__ void votes(const int* x, unsigned* out) {
  int t = threadIdx.x, mine = x[blockIdx.x * blockDim.x + t];
  unsigned* at = out + (blockIdx.x * blockDim.x + t) * 8;
  const unsigned all = 0xffffffff;
  at[0] = __ballot_sync(all, mine > 5);
  at[1] = __any_sync(all, mine == 0) + 2 * __all_sync(all, mine < 9);
  at[2] = __match_any_sync(all, mine);
  at[3] = __shfl_up_sync(all, mine, 3);
  at[4] = __shfl_down_sync(all, mine, 2, 8);
  at[5] = __shfl_sync(all, mine, t / 2, 16);
  at[6] = __syncthreads_count(mine & 1);
  at[7] = __syncthreads_and(mine != 3) + 2 * __syncthreads_or(mine == 9);
}

int main(int argc, char** argv) {
  unsigned seed = atoi(argv[1]);
  const int n = 3 * 96;
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % 10;
  int* x = upload(host);
  unsigned* out = upload(std::vector<unsigned>(8 * n));
  votes<<<3, 96>>>(x, out);
  printf("checksum %lld\n", checksum(download(out, 8 * n)));
  cudaFree(x);
  cudaFree(out);
}
