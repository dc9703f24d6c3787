// A bitonic sort, launch by launch.
#include <assert.h>
#include <cstdio>
#include <cstdlib>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void exchange(unsigned* keys, int j, int k) {
  unsigned i = threadIdx.x + blockDim.x * blockIdx.x, other = i ^ j;
  if (other <= i) return;
  bool up = (i & k) == 0;
  if ((keys[i] > keys[other]) == up) {
    unsigned kept = keys[i];
    keys[i] = keys[other];
    keys[other] = kept;
  }
}

int main(int argc, char** argv) {
  int n = 1 << atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  unsigned* keys;
  assert(cudaMallocManaged(&keys, n * sizeof(unsigned)) == cudaSuccess);
  for (int i = 0; i < n; i++) keys[i] = hash(i, seed) % 100000;
  for (int k = 2; k <= n; k <<= 1)
    for (int j = k >> 1; j > 0; j >>= 1) exchange<<<n / 64, 64>>>(keys, j, k);
  cudaDeviceSynchronize();
  for (int i = 1; i < n; i++) assert(keys[i - 1] <= keys[i]);
  printf("%u %u %u\n", keys[0], keys[n / 2], keys[n - 1]);
  cudaFree(keys);
}
