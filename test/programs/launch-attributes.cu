// Launches with a configuration and attributes: arguments become what the parameters are, a cooperative grid waits for
// itself, templates and lambdas are launched as well.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;

__global__ void fill(int* x, int n, float step) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = int(i * step);
}

// Each round waits for the whole grid, since it reads what other blocks wrote.
__global__ void rotate(const int* from, int* to, int n, int rounds) {
  auto grid = cg::this_grid();
  for (int round = 0; round < rounds; round++) {
    for (int i = grid.thread_rank(); i < n; i += grid.size()) to[i] = from[(i + 1) % n];
    grid.sync();
    const int* read = to;
    to = (int*)from;
    from = read;
  }
}

template <typename T, typename F>
__global__ void map(T* x, int n, F f) {
  extern __shared__ T kept[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  kept[threadIdx.x] = i < n ? x[i] : T(0);
  __syncthreads();
  if (i < n) x[i] = f(kept[threadIdx.x]);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), rounds = atoi(argv[2]);
  int *x, *y;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&y, n * sizeof(int));
  cudaStream_t stream;
  cudaStreamCreate(&stream);

  cudaLaunchConfig_t config = {0};
  config.gridDim = 4;
  config.blockDim = 64;
  config.stream = stream;
  // A double, and a pointer that is const in the kernel.
  if (cudaLaunchKernelEx(&config, fill, x, n, 1.5) != cudaSuccess) return 2;

  cudaLaunchAttribute attributes[2];
  attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val.cooperative = 1;
  attributes[1].id = cudaLaunchAttributePriority;
  attributes[1].val.priority = 0;
  config.attrs = attributes;
  config.numAttrs = 2;
  if (cudaLaunchKernelEx(&config, rotate, x, y, n, rounds) != cudaSuccess) return 3;

  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  config = {};
  config.gridDim = dim3((n + 127) / 128);
  config.blockDim = dim3(128);
  config.dynamicSmemBytes = 128 * sizeof(int);
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
  int by = 3;
  auto scaled = [by] __device__(int value) { return by * value; };
  int* result = rounds % 2 == 0 ? x : y;
  if (cudaLaunchKernelEx(&config, map<int, decltype(scaled)>, result, n, scaled) != cudaSuccess) return 4;
  cudaStreamSynchronize(stream);
  long long sum = 0;
  for (int i = 0; i < n; i++) sum += (long long)result[i] * (i % 97);
  printf("checksum %lld\n", sum);

  float step = 2;
  void* arguments[] = {&x, &n, &step};
  config.numAttrs = 0;
  if (cudaLaunchKernelExC(&config, (const void*)fill, arguments) != cudaSuccess) return 5;
  cudaStreamSynchronize(stream);
  printf("last %d\n", x[n - 1]);

  config.blockDim = 4096;
  printf("%s\n", cudaGetErrorName(cudaLaunchKernelEx(&config, fill, x, n, 1.0f)));
  cudaGetLastError();
  early.id = (cudaLaunchAttributeID)77;
  config.blockDim = 128;
  config.numAttrs = 1;
  printf("%s\n", cudaGetErrorName(cudaLaunchKernelEx(&config, fill, x, n, 1.0f)));
  cudaGetLastError();
  cudaStreamDestroy(stream);
  cudaFree(x);
  cudaFree(y);
}
