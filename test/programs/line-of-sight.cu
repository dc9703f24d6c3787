// What can be seen along a line of hills: slopes as fractions, the steepest so far by a scan of warps, then a
// comparison.
#include <cstdio>
#include <cstdlib>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

struct Slope {
  int rise, run;
};
__host__ __device__ bool isSteeper(Slope a, Slope b) { return (long long)a.rise * b.run > (long long)b.rise * a.run; }

__device__ Slope shuffledUp(Slope slope, int by) {
  return {__shfl_up_sync(0xffffffff, slope.rise, by), __shfl_up_sync(0xffffffff, slope.run, by)};
}

// The steepest of all before each, for one block.
__global__ void visible(const int* heights, int eye, bool* seen, int n) {
  __shared__ Slope warps[32];
  __shared__ Slope before;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) before = {-1000000, 1};
  __syncthreads();
  for (int base = 0; base < n; base += blockDim.x) {
    int i = base + threadIdx.x;
    Slope own = {i < n ? heights[i] - eye : -1000000, i < n ? i + 1 : 1}, most = own;
    for (int by = 1; by < 32; by *= 2) {
      Slope other = shuffledUp(most, by);
      if (lane >= by && isSteeper(other, most)) most = other;
    }
    if (lane == 31) warps[warp] = most;
    Slope ahead = shuffledUp(most, 1);
    if (lane == 0) ahead = {-1000000, 1};
    __syncthreads();
    if (isSteeper(before, ahead)) ahead = before;
    for (int w = 0; w < warp; w++)
      if (isSteeper(warps[w], ahead)) ahead = warps[w];
    if (i < n) seen[i] = isSteeper(own, ahead);
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) before = isSteeper(most, ahead) ? most : ahead;
    __syncthreads();
  }
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), *heights, count = 0;
  unsigned seed = atoi(argv[2]);
  bool* seen;
  cudaMallocManaged(&heights, n * sizeof(int));
  cudaMallocManaged(&seen, n * sizeof(bool));
  for (int i = 0; i < n; i++) heights[i] = i * i / 300 + hash(i, seed) % 40;
  visible<<<1, 128>>>(heights, 20, seen, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; i++)
    if (seen[i]) {
      printf("%d ", i);
      count++;
    }
  printf("\n%d of %d\n", count, n);
  cudaFree(heights);
  cudaFree(seen);
}
