// Groups of a warp by label, their ranks, sums and scans; one thread invoked for each; and masks that are their words.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void byLabel(const int* labels, const int* values, int* sums, int* before, int* leaders, int* totals) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int i = cg::this_grid().thread_rank();
  int label = labels[i], value = values[i];
  cg::coalesced_group group = cg::labeled_partition(warp, label);
  sums[i] = cg::reduce(group, value, cg::plus<int>());
  before[i] = cg::exclusive_scan(group, value, cg::plus<int>()) * 100 + group.thread_rank();
  leaders[i] = group.shfl(i, 0) * 100 + group.size();
  if (group.thread_rank() == 0) atomicAdd(&totals[label], sums[i]);
  warp.sync();
  auto pairs = cg::tiled_partition<2>(warp);
  int other = pairs.shfl_xor(value, 1);
  if (pairs.thread_rank() == pairs.num_threads() - 1 && pairs.meta_group_rank() == 3)
    atomicMax(&totals[8], other * 1000 + int(pairs.meta_group_size()));
}

int main(int argc, char** argv) {
  const int blocks = 3, threads = 64, n = blocks * threads;
  unsigned seed = atoi(argv[1]);
  int* data;
  cudaMallocManaged(&data, (5 * n + 9) * sizeof(int));
  int *labels = data, *values = data + n, *sums = data + 2 * n, *before = data + 3 * n, *leaders = data + 4 * n,
      *totals = data + 5 * n;
  for (int i = 0; i < n; i++) {
    labels[i] = hash(i, seed) % 8;
    values[i] = hash(i, seed + 1) % 50;
  }
  for (int i = 0; i < 9; i++) totals[i] = 0;
  byLabel<<<blocks, threads>>>(labels, values, sums, before, leaders, totals);
  cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) printf("%s\n", cudaGetErrorString(error));
  for (int* each : {sums, before, leaders}) {
    long long checksum = 0;
    for (int i = 0; i < n; i++) checksum += (long long)each[i] * (i % 97);
    printf("%lld ", checksum);
  }
  for (int i = 0; i < 9; i++) printf("%d ", totals[i]);
  printf("\n");
  cudaFree(data);
}
