// A reduction that is a template over type and block size, chosen by a switch; its shared memory is a class's.
#include <cstdio>
#include <cstdlib>
#include <vector>

// One name of dynamic shared memory for each type: a name has one type.
template <class T>
struct SharedMemory {
  __device__ inline operator T*() {
    extern __shared__ int memory_of_ints[];
    return (T*)memory_of_ints;
  }
};
template <>
struct SharedMemory<double> {
  __device__ inline operator double*() {
    extern __shared__ double memory_of_doubles[];
    return memory_of_doubles;
  }
};

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

template <class T, unsigned int blockSize>
__device__ __forceinline__ T warpReduce(T value) {
#pragma unroll
  for (int offset = (blockSize < 32 ? blockSize : 32) / 2; offset > 0; offset >>= 1)
    value += __shfl_down_sync(0xffffffff, value, offset);
  return value;
}

template <class T, unsigned int blockSize, bool isMultiple>
__global__ void reduce(const T* in, T* out, unsigned int n) {
  T* sdata = SharedMemory<T>();
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * (blockSize * 2) + tid;
  unsigned int gridSize = blockSize * 2 * gridDim.x;
  T mySum = 0;
  while (i < n) {
    mySum += in[i];
    if (isMultiple || i + blockSize < n) mySum += in[i + blockSize];
    i += gridSize;
  }
  sdata[tid] = mySum;
  __syncthreads();
  if (blockSize >= 512) {
    if (tid < 256) sdata[tid] = mySum = mySum + sdata[tid + 256];
    __syncthreads();
  }
  if (blockSize >= 256) {
    if (tid < 128) sdata[tid] = mySum = mySum + sdata[tid + 128];
    __syncthreads();
  }
  if (blockSize >= 128) {
    if (tid < 64) sdata[tid] = mySum = mySum + sdata[tid + 64];
    __syncthreads();
  }
  if (tid < 32) {
    if (blockSize >= 64) mySum += sdata[tid + 32];
    mySum = warpReduce<T, blockSize>(mySum);
  }
  if (tid == 0) out[blockIdx.x] = mySum;
}

template <class T>
void launch(const T* in, T* out, unsigned int n, int threads, int blocks) {
  size_t smem = threads * sizeof(T);
  if (n % (2 * threads) == 0) {
    switch (threads) {
      case 512:
        reduce<T, 512, true><<<blocks, threads, smem>>>(in, out, n);
        break;
      case 128:
        reduce<T, 128, true><<<blocks, threads, smem>>>(in, out, n);
        break;
      case 32:
        reduce<T, 32, true><<<blocks, threads, smem>>>(in, out, n);
        break;
    }
  } else {
    switch (threads) {
      case 512:
        reduce<T, 512, false><<<blocks, threads, smem>>>(in, out, n);
        break;
      case 128:
        reduce<T, 128, false><<<blocks, threads, smem>>>(in, out, n);
        break;
      case 32:
        reduce<T, 32, false><<<blocks, threads, smem>>>(in, out, n);
        break;
    }
  }
}

template <class T>
void report(const char* format, int n, unsigned seed) {
  std::vector<T> x(n), parts(6);
  for (int i = 0; i < n; i++) x[i] = T(hash(i, seed) % 100);
  T *in, *out;
  cudaMalloc(&in, n * sizeof(T));
  cudaMalloc(&out, parts.size() * sizeof(T));
  cudaMemcpy(in, x.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  for (int threads : {512, 128, 32}) {
    launch<T>(in, out, n, threads, parts.size());
    cudaMemcpy(parts.data(), out, parts.size() * sizeof(T), cudaMemcpyDeviceToHost);
    T sum = 0;
    for (T part : parts) sum += part;
    printf(format, sum);
  }
  printf("\n");
  cudaFree(in);
  cudaFree(out);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  report<int>("%d ", n, seed);
  report<float>("%.0f ", n, seed);
  report<double>("%.1f ", n, seed);
  report<int>("%d ", 4096, seed);
}
