// Instructions of PTX inside of kernels: lanes, bit fields, three-way logic, products with carries.
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

__device__ unsigned lane() {
  unsigned id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}

__global__ void ptx(unsigned* out, unsigned seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = hash(i, seed), b = hash(i, seed + 1), c = hash(i, seed + 2), field, logic, low, high;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(field) : "r"(a), "r"(i % 20), "r"(9));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(logic) : "r"(a), "r"(b), "r"(c));
  asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, 0, 0;" : "=r"(low), "=r"(high) : "r"(a), "r"(b));
  unsigned* at = out + 4 * i;
  at[0] = lane() + 100 * field;
  at[1] = logic;
  at[2] = low;
  at[3] = high;
}

int main(int argc, char** argv) {
  unsigned seed = atoi(argv[1]);
  const int n = 192;
  unsigned* out = upload(std::vector<unsigned>(4 * n));
  ptx<<<n / 96, 96>>>(out, seed);
  printf("checksum %lld\n", checksum(download(out, 4 * n)));
  cudaFree(out);
}
