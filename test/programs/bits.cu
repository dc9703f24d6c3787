// Words turned over: counts, leading zeros, reversed bits, permuted bytes, products of 64 bits.
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

__global__ void bits(unsigned* out, unsigned seed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = hash(i, seed) >> (i % 32), b = hash(i, seed + 1);
  unsigned long long wide = (unsigned long long)b << 32 | a;
  unsigned* at = out + i * 9;
  at[0] = __popc(a) + 100 * __popcll(wide);
  at[1] = __clz(a) + 100 * __clzll(wide);
  at[2] = __ffs(a) + 100 * __ffsll(wide);
  at[3] = __brev(a);
  at[4] = __byte_perm(a, b, 0x6152);
  at[5] = __umulhi(a, b);
  at[6] = (unsigned)(__umul64hi(wide, wide) >> 32);
  at[7] = __funnelshift_l(a, b, i % 32);
  at[8] = __sad(int(a), int(b), 1u);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  unsigned* out = upload(std::vector<unsigned>(9 * n));
  bits<<<(n + 63) / 64, 64>>>(out, seed, n);
  printf("checksum %lld\n", checksum(download(out, 9 * n)));
  cudaFree(out);
}
