// Kernels read and write memory of the host, by the address that it has on the device.
#include <cstdio>
#include <cstdlib>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void add(const int* a, const int* b, int* c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] - b[i];
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int *a, *b, *c, *a_there, *b_there, *c_there;
  cudaHostAlloc(&a, n * sizeof(int), cudaHostAllocMapped);
  cudaHostAlloc(&b, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocWriteCombined);
  c = (int*)malloc(n * sizeof(int));
  cudaHostRegister(c, n * sizeof(int), cudaHostRegisterMapped);
  for (int i = 0; i < n; i++) {
    a[i] = hash(i, seed) % 5000;
    b[i] = hash(i, seed + 1) % 5000;
  }
  cudaHostGetDevicePointer(&a_there, a, 0);
  cudaHostGetDevicePointer(&b_there, b, 0);
  cudaHostGetDevicePointer(&c_there, c, 0);
  add<<<4, 64>>>(a_there, b_there, c_there, n);
  cudaDeviceSynchronize();
  long long sum = 0;
  for (int i = 0; i < n; i++) sum += (long long)c[i] * (i % 97);
  printf("checksum %lld\n", sum);
  cudaHostUnregister(c);
  free(c);
  cudaFreeHost(a);
  cudaFreeHost(b);
}
