// Sums, differences and comparisons of four bytes and two halves of a word at once.
#include <cstdio>
#include <cstdlib>
#include <vector>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

template <class T>
T* upload(const std::vector<T>& from) {
  T* to;
  cudaMalloc(&to, from.size() * sizeof(T));
  cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  return to;
}
template <class T>
std::vector<T> download(const T* from, size_t n) {
  std::vector<T> to(n);
  cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost);
  return to;
}

template <class T>
long long checksum(const std::vector<T>& values) {
  long long sum = 0;
  for (size_t i = 0; i < values.size(); i++) sum += (long long)values[i] * (long long)(i % 97);
  return sum;
}

__global__ void vectors(unsigned* out, unsigned seed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = hash(i, seed), b = hash(i, seed + 1), *at = out + 8 * i;
  at[0] = __vadd4(a, b);
  at[1] = __vaddus4(a, b);
  at[2] = __vabsdiffu4(a, b);
  at[3] = __vmaxu4(a, b);
  at[4] = __vcmpgtu4(a, b);
  at[5] = __vavgu4(a, b);
  at[6] = __vsub2(a, b);
  at[7] = __dp4a(a, b, 5u);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  unsigned* out = upload(std::vector<unsigned>(8 * n));
  vectors<<<(n + 63) / 64, 64>>>(out, seed, n);
  printf("checksum %lld\n", checksum(download(out, 8 * n)));
  cudaFree(out);
}
