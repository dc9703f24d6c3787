// Reductions of a warp in one instruction each, of whole warps and of parts, beside matches of all, votes and a rank.
#include <cstdio>
#include <cstdlib>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

constexpr int kEach = 10;

__global__ void reductions(const unsigned* x, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % warpSize;
  unsigned value = x[i], *own = out + i * kEach;
  own[0] = __reduce_add_sync(0xffffffff, value % 1000);
  own[1] = __reduce_min_sync(0xffffffff, value);
  own[2] = __reduce_max_sync(0xffffffff, int(value) % 1000);
  own[3] = __reduce_and_sync(0xffffffff, value | 0xf0f0f0f0);
  own[4] = __reduce_or_sync(0xffffffff, value & 0x0f000f00);
  own[5] = __reduce_xor_sync(0xffffffff, value);
  int isSame = 0;
  own[6] = __match_all_sync(0xffffffff, value >> 31 << 31, &isSame);
  own[7] = isSame;
  // Those with an odd number alone.
  unsigned odd = __ballot_sync(0xffffffff, value & 1);
  own[8] = own[9] = 0;
  if (value & 1) {
    own[8] = __reduce_add_sync(odd, value % 100);
    own[9] = __popc(odd & ((1u << lane) - 1));
  }
  __syncwarp();
}

int main(int argc, char** argv) {
  const int n = 128;
  unsigned seed = atoi(argv[1]), *x, *out;
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  if (properties.major < 8) {
    printf("needs compute capability 8.0\n");
    return 2;
  }
  cudaMallocManaged(&x, n * sizeof(unsigned));
  cudaMallocManaged(&out, n * kEach * sizeof(unsigned));
  // The second warp has no number of 2^31 or more.
  for (int i = 0; i < n; i++) x[i] = i / 32 == 1 ? hash(i, seed) >> 1 : hash(i, seed);
  reductions<<<2, 64>>>(x, out, n);
  cudaDeviceSynchronize();
  for (int k = 0; k < kEach; k++) {
    long long checksum = 0;
    for (int i = 0; i < n; i++) checksum += (long long)out[i * kEach + k] * (i + 1);
    printf("%lld ", checksum);
  }
  printf("\n");
  cudaFree(x);
  cudaFree(out);
}
