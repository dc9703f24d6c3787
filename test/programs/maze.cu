// The shortest way through a maze: every cell takes one more than its nearest neighbour until nothing changes.
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

__global__ void spread(const bool* is_wall, int* way, int size, int* has_changed) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= size || y >= size || is_wall[y * size + x]) return;
  volatile int* ways = way;
  int least = ways[y * size + x];
  if (x > 0) least = min(least, ways[y * size + x - 1] + 1);
  if (x < size - 1) least = min(least, ways[y * size + x + 1] + 1);
  if (y > 0) least = min(least, ways[(y - 1) * size + x] + 1);
  if (y < size - 1) least = min(least, ways[(y + 1) * size + x] + 1);
  if (least < ways[y * size + x]) {
    ways[y * size + x] = least;
    *has_changed = 1;
  }
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  bool* is_wall = managed<bool>(n * n);
  int *way = managed<int>(n * n), *has_changed = managed<int>(1);
  const int far = 1000000;
  for (int i = 0; i < n * n; i++) {
    is_wall[i] = i > 0 && hash(i, seed) % 4 == 0;
    way[i] = i == 0 ? 0 : far;
  }
  do {
    *has_changed = 0;
    spread<<<dim3((n + 7) / 8, (n + 7) / 8), dim3(8, 8)>>>(is_wall, way, n, has_changed);
    cudaDeviceSynchronize();
  } while (*has_changed);
  int reached = 0, longest = 0;
  for (int i = 0; i < n * n; i++) {
    if (way[i] == far) way[i] = -1;
    reached += way[i] >= 0;
    longest = max(longest, way[i]);
  }
  printf("reached %d longest %d checksum %lld\n", reached, longest, checksum(way, n * n));
  cudaFree(is_wall);
  cudaFree(way);
  cudaFree(has_changed);
}
