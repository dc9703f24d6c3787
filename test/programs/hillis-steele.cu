// A scan after Hillis and Steele: each step adds what lies twice as far away, from one buffer to the other.
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

__global__ void step(const unsigned* from, unsigned* to, int n, int distance) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + (i >= distance ? from[i - distance] : 0);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  unsigned *from = managed<unsigned>(n), *to = managed<unsigned>(n);
  for (int i = 0; i < n; i++) from[i] = hash(i, seed) % 1000;
  int steps = 0;
  for (int distance = 1; distance < n; distance *= 2, steps++) {
    step<<<(n + 255) / 256, 256>>>(from, to, n, distance);
    unsigned* last = from;
    from = to;
    to = last;
  }
  cudaDeviceSynchronize();
  printf("steps %d last %u checksum %lld\n", steps, from[n - 1], checksum(from, n));
  cudaFree(from);
  cudaFree(to);
}
