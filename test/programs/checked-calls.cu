// A macro around every call, which says where it failed and ends the program with its number.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t error = (call);                                                                    \
    if (error != cudaSuccess) {                                                                    \
      printf("%s in line %d: %s\n", cudaGetErrorName(error), __LINE__, cudaGetErrorString(error)); \
      exit(3);                                                                                     \
    }                                                                                              \
  } while (0)

__global__ void fill(int* x, int value) { x[threadIdx.x] = value; }

int main() {
  int *x, host[32];
  CHECK(cudaMalloc(&x, sizeof(host)));
  fill<<<1, 32>>>(x, 7);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost));
  printf("%d %d\n", host[0], host[31]);
  fill<<<1, 2048>>>(x, 8);  // too many threads
  CHECK(cudaGetLastError());
  printf("not reached\n");
}
