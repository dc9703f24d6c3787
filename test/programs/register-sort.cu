// 32 keys with their places sorted in the registers of a warp by shuffles, then warps merged by ranks in shared memory.
#include <cstdio>
#include <cstdlib>
#include <vector>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

struct Entry {
  unsigned key, place;
};
__device__ bool operator<(const Entry& a, const Entry& b) {
  return a.key < b.key || (a.key == b.key && a.place < b.place);
}
__device__ Entry exchanged(Entry entry, int with) {
  return {__shfl_xor_sync(0xffffffff, entry.key, with), __shfl_xor_sync(0xffffffff, entry.place, with)};
}

__device__ Entry warpSort(Entry entry) {
  const int lane = threadIdx.x & 31;
#pragma unroll
  for (int size = 2; size <= 32; size *= 2)
#pragma unroll
    for (int with = size / 2; with > 0; with /= 2) {
      const Entry other = exchanged(entry, with);
      const bool isAscending = (lane & size) == 0, isLow = (lane & with) == 0;
      if ((other < entry) == (isAscending == isLow)) entry = other;
    }
  return entry;
}

__global__ void blockSort(Entry* entries) {
  extern __shared__ Entry sorted[];
  Entry own = warpSort(entries[blockIdx.x * blockDim.x + threadIdx.x]);
  sorted[threadIdx.x] = own;
  __syncthreads();
  int rank = threadIdx.x % 32;
  for (int warp = 0; warp < blockDim.x / 32; warp++) {
    if (warp == threadIdx.x / 32) continue;
    int low = 0, high = 32;
    while (low < high) {
      int middle = (low + high) / 2;
      if (sorted[warp * 32 + middle] < own)
        low = middle + 1;
      else
        high = middle;
    }
    rank += low;
  }
  entries[blockIdx.x * blockDim.x + rank] = own;
}

int main(int argc, char** argv) {
  const int blocks = 3, threads = 256, n = blocks * threads;
  unsigned seed = atoi(argv[1]);
  std::vector<Entry> host(n);
  for (int i = 0; i < n; i++) host[i] = {hash(i, seed) % 300, unsigned(i)};
  Entry* entries;
  cudaMalloc(&entries, n * sizeof(Entry));
  cudaMemcpy(entries, host.data(), n * sizeof(Entry), cudaMemcpyHostToDevice);
  blockSort<<<blocks, threads, threads * sizeof(Entry)>>>(entries);
  cudaMemcpy(host.data(), entries, n * sizeof(Entry), cudaMemcpyDeviceToHost);
  long long keys = 0, places = 0;
  for (int i = 0; i < n; i++) {
    keys += (long long)host[i].key * (i % 97);
    places += (long long)host[i].place * (i % 97);
  }
  printf("%u … %u keys %lld places %lld\n", host[0].key, host[n - 1].key, keys, places);
  cudaFree(entries);
}
