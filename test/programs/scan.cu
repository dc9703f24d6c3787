// An exclusive scan after Blelloch: blocks, then the sums of blocks, then both together.
#include <cstdio>
#include <cstdlib>
#include <vector>
using std::vector;

#define BLOCK 128

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void scan_block(int* data, int* sums, int n) {
  __shared__ int t[2 * BLOCK];
  int i = threadIdx.x, base = blockIdx.x * 2 * BLOCK;
  t[2 * i] = base + 2 * i < n ? data[base + 2 * i] : 0;
  t[2 * i + 1] = base + 2 * i + 1 < n ? data[base + 2 * i + 1] : 0;
  int offset = 1;
  for (int d = BLOCK; d > 0; d >>= 1) {
    __syncthreads();
    if (i < d) t[offset * (2 * i + 2) - 1] += t[offset * (2 * i + 1) - 1];
    offset *= 2;
  }
  if (i == 0) {
    if (sums) sums[blockIdx.x] = t[2 * BLOCK - 1];
    t[2 * BLOCK - 1] = 0;
  }
  for (int d = 1; d < 2 * BLOCK; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (i < d) {
      int a = offset * (2 * i + 1) - 1, b = offset * (2 * i + 2) - 1, kept = t[a];
      t[a] = t[b];
      t[b] += kept;
    }
  }
  __syncthreads();
  if (base + 2 * i < n) data[base + 2 * i] = t[2 * i];
  if (base + 2 * i + 1 < n) data[base + 2 * i + 1] = t[2 * i + 1];
}

__global__ void add_sums(int* data, const int* sums, int n) {
  int i = blockIdx.x * 2 * BLOCK + threadIdx.x;
  if (i < n) data[i] += sums[blockIdx.x];
  if (i + BLOCK < n) data[i + BLOCK] += sums[blockIdx.x];
}

void scan(int* data, int n) {
  int blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
  if (blocks == 1) {
    scan_block<<<1, BLOCK>>>(data, nullptr, n);
    return;
  }
  int* sums;
  cudaMalloc(&sums, blocks * sizeof(int));
  scan_block<<<blocks, BLOCK>>>(data, sums, n);
  scan(sums, blocks);
  add_sums<<<blocks, BLOCK>>>(data, sums, n);
  cudaFree(sums);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % 100;
  int* data;
  cudaMalloc(&data, n * sizeof(int));
  cudaMemcpy(data, &host[0], n * sizeof(int), cudaMemcpyHostToDevice);
  scan(data, n);
  cudaMemcpy(&host[0], data, n * sizeof(int), cudaMemcpyDeviceToHost);
  long long sum = 0;
  for (int i = 0; i < n; i++) sum += (long long)host[i] * (i % 13);
  printf("last %d checksum %lld\n", host[n - 1], sum);
  cudaFree(data);
}
