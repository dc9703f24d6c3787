// Tiles of 4, 8 and 16 threads of cooperative groups: shuffles, votes, reductions by each.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

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

template <class T>
long long checksum(const std::vector<T>& values) {
  long long sum = 0;
  for (size_t i = 0; i < values.size(); i++) sum += (long long)values[i] * (long long)(i % 97);
  return sum;
}

template <int Size>
__global__ void tiles(const int* x, int* out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<Size> tile = cg::tiled_partition<Size>(block);
  int i = blockIdx.x * blockDim.x + threadIdx.x, mine = x[i];
  int largest = cg::reduce(tile, mine, cg::greater<int>());
  int sum = mine;
  for (int step = tile.size() / 2; step > 0; step /= 2) sum += tile.shfl_xor(sum, step);
  int turned = tile.shfl(mine, tile.size() - 1 - tile.thread_rank());
  bool is_any = tile.any(mine % 10 == 0), are_all = tile.all(mine >= 0);
  out[i] = largest + 3 * sum + 7 * turned + is_any + 2 * are_all + tile.meta_group_rank();
}

int main(int argc, char** argv) {
  unsigned seed = atoi(argv[1]);
  const int n = 256;
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = int(hash(i, seed) % 100) - (i < 128 ? 0 : 5);
  int *x = upload(host), *out = upload(host);
  tiles<4><<<4, 64>>>(x, out);
  printf("checksum %lld\n", checksum(download(out, n)));
  tiles<8><<<4, 64>>>(x, out);
  printf("checksum %lld\n", checksum(download(out, n)));
  tiles<16><<<4, 64>>>(x, out);
  printf("checksum %lld\n", checksum(download(out, n)));
  cudaFree(x);
  cudaFree(out);
}
