// The two points that are closest: distance and pair in one 64-bit number, its least by warps and an atomic.
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

__global__ void closest(const int2* points, int n, unsigned long long* least) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long best = ~0ull;
  for (int k = i + 1; k < n; k++) {
    long long dx = points[i].x - points[k].x, dy = points[i].y - points[k].y;
    unsigned long long key = (unsigned long long)(dx * dx + dy * dy) << 24 | i << 12 | k;
    best = min(best, key);
  }
  for (int offset = 16; offset > 0; offset /= 2) best = min(best, __shfl_xor_sync(0xffffffff, best, offset));
  if (threadIdx.x % 32 == 0) atomicMin(least, best);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int2* points = managed<int2>(n);
  unsigned long long* least = managed<unsigned long long>(1);
  *least = ~0ull;
  for (int i = 0; i < n; i++) points[i] = make_int2(hash(2 * i, seed) % 100000, hash(2 * i + 1, seed) % 100000);
  closest<<<(n + 63) / 64, 64>>>(points, n, least);
  cudaDeviceSynchronize();
  printf("%llu between %llu and %llu\n", *least >> 24, *least >> 12 & 4095, *least & 4095);
  cudaFree(points);
  cudaFree(least);
}
