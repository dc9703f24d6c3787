// A dot product three times: atomics alone, a tree in shared memory, and shuffles of a warp.
#include <cstdio>
#include <cstdlib>
#include <vector>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

template <class T>
T* upload(const std::vector<T>& from) {
  T* to;
  cudaMalloc(&to, from.size() * sizeof(T));
  cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  return to;
}
template <class T>
std::vector<T> download(const T* from, size_t n) {
  std::vector<T> to(n);
  cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost);
  return to;
}

__global__ void plain(const int* a, const int* b, int* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, a[i] * b[i]);
}

template <int Block>
__global__ void tree(const int* a, const int* b, int* sum, int n) {
  __shared__ int part[Block];
  int t = threadIdx.x, mine = 0;
  for (int i = blockIdx.x * Block + t; i < n; i += gridDim.x * Block) mine += a[i] * b[i];
  part[t] = mine;
#pragma unroll
  for (int step = Block / 2; step > 0; step /= 2) {
    __syncthreads();
    if (t < step) part[t] += part[t + step];
  }
  if (t == 0) atomicAdd(sum, part[0]);
}

__global__ void warps(const int* a, const int* b, int* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int mine = i < n ? a[i] * b[i] : 0;
  for (int step = 1; step < 32; step *= 2) mine += __shfl_xor_sync(~0u, mine, step);
  if ((threadIdx.x & 31) == 0) atomicAdd(sum, mine);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<int> x(n), y(n);
  for (int i = 0; i < n; i++) {
    x[i] = int(hash(i, seed) % 201) - 100;
    y[i] = int(hash(i, seed + 1) % 201) - 100;
  }
  int *a = upload(x), *b = upload(y), *sums = upload(std::vector<int>(3));
  plain<<<(n + 255) / 256, 256>>>(a, b, sums, n);
  tree<128><<<7, 128>>>(a, b, sums + 1, n);
  warps<<<(n + 63) / 64, 64>>>(a, b, sums + 2, n);
  for (int sum : download(sums, 3)) printf("%d\n", sum);
  cudaFree(a);
  cudaFree(b);
  cudaFree(sums);
}
