// Which points lie in a polygon: edges in constant memory, crossings counted in whole numbers, answers as bits of
// ballots.
#include <stdio.h>
#include <stdlib.h>

#define CORNERS 9

__constant__ int2 corners[CORNERS];

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void inside(const int2* points, unsigned* bits, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool is_in = false;
  if (i < n) {
    int2 p = points[i];
    for (int k = 0; k < CORNERS; k++) {
      int2 a = corners[k], b = corners[(k + 1) % CORNERS];
      if ((a.y > p.y) == (b.y > p.y)) continue;
      long long side = (long long)(b.x - a.x) * (p.y - a.y) - (long long)(p.x - a.x) * (b.y - a.y);
      if ((side > 0) == (b.y > a.y)) is_in = !is_in;
    }
  }
  unsigned all = __ballot_sync(0xffffffff, is_in);
  if ((threadIdx.x & 31) == 0 && i < n) bits[i / 32] = all;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  const int2 star[CORNERS] = {{0, 900},  {200, 300},   {850, 250}, {350, -100}, {600, -800},
                              {0, -350}, {-650, -750}, {-300, 0},  {-900, 350}};
  cudaMemcpyToSymbol(corners, star, sizeof(star));
  int2* points;
  unsigned* bits;
  cudaMallocManaged(&points, n * sizeof(int2));
  cudaMallocManaged(&bits, (n + 31) / 32 * sizeof(unsigned));
  for (int i = 0; i < n; i++)
    points[i] = make_int2(hash(2 * i, seed) % 2001 - 1000, hash(2 * i + 1, seed) % 2001 - 1000);
  inside<<<(n + 127) / 128, 128>>>(points, bits, n);
  cudaDeviceSynchronize();
  int count = 0;
  for (int i = 0; i < (n + 31) / 32; i++) {
    printf("%08x ", bits[i]);
    count += __builtin_popcount(bits[i]);
  }
  printf("%d inside\n", count);
  cudaFree(points);
  cudaFree(bits);
}
