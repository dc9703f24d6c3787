// A circuit of gates for 32 cases in each word: an adder of eight bits, tried with all numbers that there are.
#include <cstdio>
#include <cstdlib>

template <class T>
T* managed(size_t n) {
  T* values;
  cudaMallocManaged(&values, n * sizeof(T));
  for (size_t i = 0; i < n; i++) values[i] = T();
  return values;
}

struct Bits {
  unsigned bit[9];
};

__device__ Bits add(const Bits& a, const Bits& b) {
  Bits sum;
  unsigned carry = 0;
  for (int k = 0; k < 8; k++) {
    unsigned either = a.bit[k] ^ b.bit[k];
    sum.bit[k] = either ^ carry;
    carry = (a.bit[k] & b.bit[k]) | (either & carry);
  }
  sum.bit[8] = carry;
  return sum;
}

__global__ void check(unsigned* wrong, unsigned* carries) {
  int case32 = blockIdx.x * blockDim.x + threadIdx.x;
  Bits a = {}, b = {};
  for (int lane = 0; lane < 32; lane++) {
    int both = case32 * 32 + lane;
    for (int k = 0; k < 8; k++) {
      a.bit[k] |= (unsigned)(both >> k & 1) << lane;
      b.bit[k] |= (unsigned)(both >> (8 + k) & 1) << lane;
    }
  }
  Bits sum = add(a, b);
  for (int lane = 0; lane < 32; lane++) {
    int both = case32 * 32 + lane, value = 0;
    for (int k = 0; k < 9; k++) value |= (int)(sum.bit[k] >> lane & 1) << k;
    if (value != (both & 255) + (both >> 8)) atomicAdd(wrong, 1);
  }
  atomicAdd(carries, __popc(sum.bit[8]));
}

int main() {
  unsigned* counts = managed<unsigned>(2);
  check<<<16, 128>>>(&counts[0], &counts[1]);
  cudaDeviceSynchronize();
  printf("wrong %u carries %u\n", counts[0], counts[1]);
  cudaFree(counts);
}
