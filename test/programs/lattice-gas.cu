// A gas of particles on a grid that move, meet and part: four bits a cell, and not one is lost.
#include <cstdio>
#include <cstdlib>

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

enum { EAST = 1, NORTH = 2, WEST = 4, SOUTH = 8 };

__global__ void step(const unsigned char* from, unsigned char* to, int size) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= size) return;
  int left = (x + size - 1) % size, right = (x + 1) % size, up = (y + size - 1) % size, down = (y + 1) % size;
  int cell = (from[y * size + left] & EAST) | (from[down * size + x] & NORTH) | (from[y * size + right] & WEST) |
             (from[up * size + x] & SOUTH);
  if (cell == (EAST | WEST))
    cell = NORTH | SOUTH;
  else if (cell == (NORTH | SOUTH))
    cell = EAST | WEST;
  to[y * size + x] = cell;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  unsigned char *a = managed<unsigned char>(n * n), *b = managed<unsigned char>(n * n);
  for (int i = 0; i < n * n; i++) a[i] = hash(i, seed) % 16;
  for (int round = 0; round < 20; round++) {
    step<<<dim3((n + 31) / 32, n), 32>>>(a, b, n);
    unsigned char* last = a;
    a = b;
    b = last;
  }
  cudaDeviceSynchronize();
  int particles = 0;
  for (int i = 0; i < n * n; i++) particles += __builtin_popcount(a[i]);
  printf("particles %d checksum %lld\n", particles, checksum(a, n * n));
  cudaFree(a);
  cudaFree(b);
}
