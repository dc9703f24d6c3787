// A pile of sand that topples until it is stable: the order does not matter, so every device ends alike.
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

__global__ void topple(const int* from, int* to, int size, int* is_unstable) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= size || y >= size) return;
  int sum = from[y * size + x] % 4;
  if (x > 0) sum += from[y * size + x - 1] / 4;
  if (x < size - 1) sum += from[y * size + x + 1] / 4;
  if (y > 0) sum += from[(y - 1) * size + x] / 4;
  if (y < size - 1) sum += from[(y + 1) * size + x] / 4;
  to[y * size + x] = sum;
  if (sum > 3) *is_unstable = 1;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int *a = managed<int>(n * n), *b = managed<int>(n * n), *is_unstable = managed<int>(1);
  for (int i = 0; i < n * n; i++) a[i] = hash(i, seed) % 8;
  a[n / 2 * n + n / 2] += 200;
  do {
    *is_unstable = 0;
    topple<<<dim3((n + 7) / 8, (n + 7) / 8), dim3(8, 8)>>>(a, b, n, is_unstable);
    cudaDeviceSynchronize();
    int* last = a;
    a = b;
    b = last;
  } while (*is_unstable);
  int counts[4] = {};
  for (int i = 0; i < n * n; i++) counts[a[i]]++;
  printf("%d %d %d %d checksum %lld\n", counts[0], counts[1], counts[2], counts[3], checksum(a, n * n));
  cudaFree(a);
  cudaFree(b);
  cudaFree(is_unstable);
}
