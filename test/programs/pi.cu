// Pi by darts: a hash of the thread and the throw says where each lands.
#include <chrono>
#include <cstdio>
#include <cstdlib>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void throw_darts(unsigned seed, int throws, unsigned long long* hits) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mine = 0;
  for (int k = 0; k < throws; k++) {
    unsigned x = hash(2 * (thread * throws + k), seed) >> 16, y = hash(2 * (thread * throws + k) + 1, seed) >> 16;
    if (x * (unsigned long long)x + y * (unsigned long long)y < 1ull << 32) mine++;
  }
  for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(0xffffffff, mine, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(hits, (unsigned long long)mine);
}

int main(int argc, char** argv) {
  const int grid = 4, block = 64, throws = atoi(argv[1]);
  auto start = std::chrono::steady_clock::now();
  unsigned long long *hits, host = 0;
  cudaMalloc(&hits, sizeof *hits);
  cudaMemcpy(hits, &host, sizeof host, cudaMemcpyHostToDevice);
  throw_darts<<<grid, block>>>(atoi(argv[2]), throws, hits);
  cudaMemcpy(&host, hits, sizeof host, cudaMemcpyDeviceToHost);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  printf("hits %llu of %d\n", host, grid * block * throws);
  fprintf(stderr, "pi is about %.2f (%s)\n", 4.0 * host / (grid * block * throws), took.count() > 0 ? "timed" : "");
  cudaFree(hits);
}
