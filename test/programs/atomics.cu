// Every atomic function of whole numbers on one place each, and what a thread gets back.
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

__global__ void everyone(int* r, unsigned* u, unsigned long long* w, unsigned seed) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = hash(i, seed) % 4096;
  atomicAdd(&r[0], value);
  atomicSub(&r[1], value);
  atomicMax(&r[2], value - 2048);
  atomicMin(&r[3], value - 2048);
  atomicXor(&r[4], value);
  atomicOr(&r[5], value & 0x555);
  atomicAnd(&r[6], value | 0xff0);
  int seen = r[7], expected;
  do {
    expected = seen;
    seen = atomicCAS(&r[7], expected, (expected + value) % 100003);
  } while (seen != expected);
  atomicInc(&u[0], 16);
  atomicDec(&u[1], 36);
  atomicAdd(&w[0], (unsigned long long)value << 24);
  atomicMax(&w[1], (unsigned long long)value << 32 | i);
  // Each number is swapped in once and swapped out once, except for the last.
  atomicAdd(&w[2], (unsigned long long)atomicExch(&u[2], i + 1));
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int* r = managed<int>(8);
  unsigned* u = managed<unsigned>(3);
  unsigned long long* w = managed<unsigned long long>(3);
  r[6] = -1;
  everyone<<<n / 64, 64>>>(r, u, w, seed);
  cudaDeviceSynchronize();
  for (int k = 0; k < 8; k++) printf("%d ", r[k]);
  printf("%u %u %llu %llu %llu\n", u[0], u[1], w[0], w[1], w[2] + u[2]);
  cudaFree(r);
  cudaFree(u);
  cudaFree(w);
}
