// Block sizes by occupancy, kernels by their address, and more shared memory than usual.
#include <cstdio>
#include <cstdlib>
#include <vector>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void scale(float* x, int n, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}

// Reverses parts of so many elements through dynamic shared memory.
__global__ void reverse(float* x, int part) {
  extern __shared__ float kept[];
  float* mine = x + blockIdx.x * part;
  for (int i = threadIdx.x; i < part; i += blockDim.x) kept[i] = mine[i];
  __syncthreads();
  for (int i = threadIdx.x; i < part; i += blockDim.x) mine[i] = kept[part - 1 - i];
}

int main(int argc, char** argv) {
  unsigned seed = atoi(argv[1]);
  const int part = 16 * 1024, n = 2 * part;
  std::vector<float> host(n);
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % 100;
  float* x;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);

  int least = 0, block = 0;
  cudaOccupancyMaxPotentialBlockSize(&least, &block, scale, 0, 0);
  float by = 2;
  int count = n;
  void* arguments[] = {&x, &count, &by};
  cudaLaunchKernel((const void*)scale, dim3((n + block - 1) / block), dim3(block), arguments, 0, nullptr);

  size_t shared = part * sizeof(float);
  reverse<<<2, 256, shared>>>(x, part);
  cudaError_t before = cudaGetLastError();
  cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
  reverse<<<2, 256, shared>>>(x, part);
  cudaError_t after = cudaGetLastError();
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, reverse);
  cudaMemcpy(host.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (double)host[i] * (i % 11);
  printf("%s then %s, %d bytes, sum %.0f, block %d\n", cudaGetErrorName(before), cudaGetErrorName(after),
         attributes.maxDynamicSharedSizeBytes, sum, block % 32 == 0 && block > 0 && least > 0);
  cudaFree(x);
}
