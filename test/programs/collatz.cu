// The longest way to 1, by a product, a sum and a 64-bit atomicMax.
#include <cstdio>
#include <cstdlib>

__device__ unsigned long long longest;

__global__ void walk(unsigned n) {
  unsigned stride = gridDim.x * blockDim.x;
  for (unsigned start = 1 + blockIdx.x * blockDim.x + threadIdx.x; start <= n; start += stride) {
    unsigned long long x = start;
    unsigned steps = 0;
    while (x != 1) {
      x = x & 1 ? 3 * x + 1 : x >> 1;
      steps++;
    }
    atomicMax(&longest, (unsigned long long)steps << 32 | (~start & 0xffffffffu));
  }
}

int main(int argc, char** argv) {
  walk<<<20, 100>>>(atoi(argv[1]));
  unsigned long long found;
  cudaMemcpyFromSymbol(&found, longest, sizeof(found));
  printf("%u steps from %u\n", (unsigned)(found >> 32), ~(unsigned)found);
}
