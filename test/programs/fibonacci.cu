// Fibonacci numbers of any place modulo a prime, by powers of a matrix of a struct with an operator.
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

struct Matrix {
  unsigned long long a, b, c;
  __host__ __device__ Matrix operator*(const Matrix& m) const {
    const unsigned long long p = 1000000007;
    return {(a * m.a + b * m.b) % p, (a * m.b + b * m.c) % p, (b * m.b + c * m.c) % p};
  }
};

__global__ void fibonacci(const unsigned* places, unsigned* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Matrix result = {1, 0, 1}, square = {1, 1, 0};
  for (unsigned rest = places[i]; rest > 0; rest >>= 1, square = square * square)
    if (rest & 1) result = result * square;
  values[i] = result.b;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  unsigned *places = managed<unsigned>(n), *values = managed<unsigned>(n);
  for (int i = 0; i < n; i++) places[i] = i < 50 ? i : hash(i, seed);
  fibonacci<<<(n + 63) / 64, 64>>>(places, values, n);
  cudaDeviceSynchronize();
  printf("%u %u checksum %lld\n", values[10], values[n - 1], checksum(values, n));
  cudaFree(places);
  cudaFree(values);
}
