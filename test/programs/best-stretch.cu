// The stretch of an array with the greatest sum: four numbers of each part join in a tree of a warp.
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

struct Part {
  int total, head, tail, best;
};

__device__ Part join(Part a, Part b) {
  return {a.total + b.total, max(a.head, a.total + b.head), max(b.tail, b.total + a.tail),
          max(max(a.best, b.best), a.tail + b.head)};
}

__device__ Part from_lane(Part p, int lane) {
  return {__shfl_sync(0xffffffff, p.total, lane), __shfl_sync(0xffffffff, p.head, lane),
          __shfl_sync(0xffffffff, p.tail, lane), __shfl_sync(0xffffffff, p.best, lane)};
}

__global__ void best(const int* x, int n, Part* parts) {
  int each = (n + 31) / 32, lane = threadIdx.x;
  Part own = {0, 0, 0, 0};
  for (int i = lane * each; i < min(n, (lane + 1) * each); i++)
    own = join(own, {x[i], max(x[i], 0), max(x[i], 0), max(x[i], 0)});
  // Neighbours join in order, since a part's place matters.
  for (int width = 1; width < 32; width *= 2) {
    Part other = from_lane(own, (lane + width) % 32);
    if (lane % (2 * width) == 0) own = join(own, other);
  }
  if (lane == 0) parts[blockIdx.x] = own;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int* x = managed<int>(n);
  Part* parts = managed<Part>(1);
  for (int i = 0; i < n; i++) x[i] = (int)(hash(i, seed) % 201) - 100;
  best<<<1, 32>>>(x, n, parts);
  cudaDeviceSynchronize();
  printf("best %d total %d\n", parts->best, parts->total);
  cudaFree(x);
  cudaFree(parts);
}
