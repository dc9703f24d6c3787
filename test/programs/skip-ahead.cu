// One sequence of a linear congruential generator by many threads: each jumps to its part by powers of the step.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

// x becomes a x + c modulo 2^64.
struct Step {
  uint64_t a, c;
  __host__ __device__ constexpr uint64_t operator()(uint64_t x) const { return a * x + c; }
  // First the other one.
  __host__ __device__ constexpr Step after(Step first) const { return {a * first.a, a * first.c + c}; }
  __host__ __device__ constexpr Step power(uint64_t n) const {
    Step result{1, 0}, square = *this;
    for (; n > 0; n >>= 1, square = square.after(square))
      if (n & 1) result = square.after(result);
    return result;
  }
};

__host__ __device__ constexpr Step knuth() { return {6364136223846793005ull, 1442695040888963407ull}; }
static_assert(knuth().power(2)(5) == knuth()(knuth()(5)), "two steps");

__device__ unsigned long long mixed, ones;

__global__ void draw(uint64_t seed, uint64_t* firsts, int each) {
  constexpr Step step = knuth();
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint64_t x = step.power(uint64_t(thread) * each)(seed), own = 0;
  firsts[thread] = x;
  unsigned bits = 0;
  for (int i = 0; i < each; i++) {
    x = step(x);
    own ^= x;
    bits += __popcll(x >> 32);
  }
  atomicXor(&mixed, (unsigned long long)own);
  for (int offset = 16; offset > 0; offset /= 2) bits += __shfl_xor_sync(~0u, bits, offset);
  if (threadIdx.x % warpSize == 0) atomicAdd(&ones, (unsigned long long)bits);
}

int main(int argc, char** argv) {
  const int threads = 256, each = std::atoi(argv[1]);
  uint64_t *firsts, host[threads];
  unsigned long long results[2];
  cudaMalloc(&firsts, sizeof host);
  draw<<<threads / 64, 64>>>(std::strtoull(argv[2], nullptr, 10), firsts, each);
  cudaMemcpy(host, firsts, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&results[0], mixed, sizeof(mixed));
  cudaMemcpyFromSymbol(&results[1], ones, sizeof(ones));
  printf("%" PRIu64 " %" PRIu64 " %016" PRIx64 "\n", host[0], host[1], host[threads - 1]);
  printf("all %016llx ones %llu\n", results[0], results[1]);
  cudaFree(firsts);
}
