// A histogram: each block counts in shared memory, and adds to the whole by atomics.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kBins = 32;

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
  __shared__ unsigned mine[kBins];
  if (threadIdx.x < kBins) mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[data[i] % kBins], 1u);
  __syncthreads();
  if (threadIdx.x < kBins) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

int main(int argc, char** argv) {
  const int n = std::atoi(argv[1]);
  const unsigned seed = std::atoi(argv[2]);
  std::vector<unsigned char> data(n);
  for (int i = 0; i < n; i++) data[i] = static_cast<unsigned char>(hash(i, seed));
  unsigned char* d_data;
  unsigned* d_bins;
  cudaMalloc(&d_data, n);
  cudaMalloc(&d_bins, kBins * sizeof(unsigned));
  cudaMemset(d_bins, 0, kBins * sizeof(unsigned));
  cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice);
  histogram<<<8, 64>>>(d_data, n, d_bins);
  unsigned bins[kBins];
  cudaMemcpy(bins, d_bins, sizeof bins, cudaMemcpyDeviceToHost);
  for (int i = 0; i < kBins; i++) printf("%u%c", bins[i], i + 1 < kBins ? ' ' : '\n');
  cudaFree(d_data);
  cudaFree(d_bins);
  return 0;
}
