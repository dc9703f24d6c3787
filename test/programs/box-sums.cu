// A box filter by running sums: a thread goes down each column and another along each row, whatever the radius.
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

__global__ void run(const int* from, int* to, int n, int radius, int along, int across) {
  int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= n) return;
  from += line * across;
  to += line * across;
  int sum = 0;
  for (int i = 0; i < radius; i++) sum += from[i * along];
  for (int i = 0; i < n; i++) {
    if (i + radius < n) sum += from[(i + radius) * along];
    if (i - radius > 0) sum -= from[(i - radius - 1) * along];
    to[i * along] = sum;
  }
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int *a = managed<int>(n * n), *b = managed<int>(n * n), radius = 3;
  for (int i = 0; i < n * n; i++) a[i] = hash(i, seed) % 256;
  run<<<(n + 31) / 32, 32>>>(a, b, n, radius, n, 1);
  run<<<(n + 31) / 32, 32>>>(b, a, n, radius, 1, n);
  cudaDeviceSynchronize();
  printf("corner %d checksum %lld\n", a[0], checksum(a, n * n));
  cudaFree(a);
  cudaFree(b);
}
