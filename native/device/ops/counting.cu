// How often each whole number from 0 on occurs.
#include <warpcell/map.cuh>

using namespace warpcell;

constexpr long long kSharedBins = 4096;

// counts[v] += 1 for each v of `in` from 0 to bins − 1. On the CPU each block has a row of `counts` to itself; on a GPU
// all have one, and few bins are first counted within a block.
template <class T>
__global__ void count_values(const T* in, long long* counts, long long count, long long bins) {
#ifdef WARPCELL_CPU
  Span span = block_span(count);
  long long* mine = counts + blockIdx.x * bins;
  for (long long i = span.begin; i < span.end; i++) {
    if ((unsigned long long)in[i] < (unsigned long long)bins) mine[in[i]]++;
  }
#else
  __shared__ unsigned found[kSharedBins];
  unsigned long long* all = (unsigned long long*)counts;
  const bool is_shared = bins <= kSharedBins;
  if (is_shared) {
    for (long long bin = threadIdx.x; bin < bins; bin += blockDim.x) found[bin] = 0;
    __syncthreads();
  }
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += (long long)gridDim.x * blockDim.x) {
    const long long value = in[i];
    if ((unsigned long long)value >= (unsigned long long)bins) continue;
    if (is_shared)
      atomicAdd(&found[value], 1u);
    else
      atomicAdd(&all[value], 1ull);
  }
  if (!is_shared) return;
  __syncthreads();
  for (long long bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    if (found[bin] > 0) atomicAdd(&all[bin], (unsigned long long)found[bin]);
  }
#endif
}
