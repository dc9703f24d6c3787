// One block makes numbers and raises a flag behind a fence; another waits for the flag, in one launch.
#include <cstdio>
#include <cstdlib>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}
template <class T>
T* managed(size_t n) {
  T* values;
  cudaMallocManaged(&values, n * sizeof(T));
  for (size_t i = 0; i < n; i++) values[i] = T();
  return values;
}

__global__ void pass_on(int* buffer, volatile int* flag, unsigned* ticket, long long* result, int n, unsigned seed) {
  // Roles by order of arrival: who waits has someone to wait for, in whatever order blocks run.
  __shared__ unsigned role;
  if (threadIdx.x == 0) role = atomicAdd(ticket, 1);
  __syncthreads();
  if (role == 0) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) buffer[i] = hash(i, seed) % 1000;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
  } else if (threadIdx.x == 0) {
    while (*flag == 0) {}
    __threadfence();
    long long sum = 0;
    for (int i = role - 1; i < n; i += gridDim.x - 1) sum += ((volatile int*)buffer)[i] * role;
    atomicAdd((unsigned long long*)result, (unsigned long long)sum);
  }
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int *buffer = managed<int>(n), *flag = managed<int>(1);
  unsigned* ticket = managed<unsigned>(1);
  long long* result = managed<long long>(1);
  pass_on<<<4, 96>>>(buffer, flag, ticket, result, n, seed);
  cudaDeviceSynchronize();
  printf("sum %lld\n", *result);
  cudaFree(buffer);
  cudaFree(flag);
  cudaFree(ticket);
  cudaFree(result);
}
