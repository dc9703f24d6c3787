// A product of matrices whose tiles come into shared memory by cooperative groups' memcpy_async, with a wait.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}
template <class T>
T* managed(size_t n) {
  T* values;
  cudaMallocManaged(&values, n * sizeof(T));
  for (size_t i = 0; i < n; i++) values[i] = T();
  return values;
}
template <class T>
long long checksum(const T* values, size_t n) {
  long long sum = 0;
  for (size_t i = 0; i < n; i++) sum += (long long)values[i] * (long long)(i % 97);
  return sum;
}

#define TILE 16

__global__ void product(const int* a, const int* b, int* c, int n) {
  __shared__ int as[TILE][TILE], bs[TILE][TILE];
  cg::thread_block block = cg::this_thread_block();
  int row = blockIdx.y * TILE, column = blockIdx.x * TILE, sum = 0;
  for (int k = 0; k < n; k += TILE) {
    for (int line = 0; line < TILE; line++) {
      cg::memcpy_async(block, as[line], a + (row + line) * n + k, sizeof(as[line]));
      cg::memcpy_async(block, bs[line], b + (k + line) * n + column, sizeof(bs[line]));
    }
    cg::wait(block);
    for (int i = 0; i < TILE; i++) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    block.sync();
  }
  c[(row + threadIdx.y) * n + column + threadIdx.x] = sum;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int *a = managed<int>(n * n), *b = managed<int>(n * n), *c = managed<int>(n * n);
  for (int i = 0; i < n * n; i++) {
    a[i] = (int)(hash(i, seed) % 20) - 10;
    b[i] = (int)(hash(i, seed + 1) % 20) - 10;
  }
  product<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(a, b, c, n);
  cudaDeviceSynchronize();
  printf("corner %d checksum %lld\n", c[n * n - 1], checksum(c, n * n));
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}
