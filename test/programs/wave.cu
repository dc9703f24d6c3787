// Waves on a string in fixed point: three times at once, in a launch each, with events around all of them.
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

__global__ void step(const int* before, const int* now, int* next, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int left = i > 0 ? now[i - 1] : 0, right = i < n - 1 ? now[i + 1] : 0;
  next[i] = 2 * now[i] - before[i] + ((left - 2 * now[i] + right) >> 2);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int *before = managed<int>(n), *now = managed<int>(n), *next = managed<int>(n);
  for (int i = 0; i < n; i++) before[i] = now[i] = hash(i / 20, seed) % 4096;
  for (int round = 0; round < 100; round++) {
    step<<<(n + 127) / 128, 128>>>(before, now, next, n);
    int* last = before;
    before = now;
    now = next;
    next = last;
  }
  cudaDeviceSynchronize();
  printf("middle %d checksum %lld\n", now[n / 2], checksum(now, n));
  cudaFree(before);
  cudaFree(now);
  cudaFree(next);
}
