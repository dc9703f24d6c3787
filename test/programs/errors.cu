// Mistakes that a program finds by itself: each call's error is looked at.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                         \
  {                                                                                                         \
    cudaError_t err = call;                                                                                 \
    if (err != cudaSuccess) {                                                                               \
      printf("line %d: %s (%s, %d)\n", __LINE__, cudaGetErrorString(err), cudaGetErrorName(err), (int)err); \
      exit(7);                                                                                              \
    }                                                                                                       \
  }

__global__ void fill(int* p, int value) { p[threadIdx.x] = value; }
__global__ void __launch_bounds__(64) narrow(int* p) { p[threadIdx.x] = 0; }

void say(const char* what, cudaError_t error) { printf("%s: %s\n", what, cudaGetErrorName(error)); }

int main() {
  int *p = nullptr, host[4];
  say("fine", cudaMalloc(&p, 4 * sizeof(int)));
  say("huge", cudaMalloc(&p + 0, (size_t)1 << 60));
  say("last", cudaGetLastError());
  say("gone", cudaPeekAtLastError());
  CHECK(cudaMalloc(&p, 4 * sizeof(int)));
  fill<<<1, 2048>>>(p, 1);
  say("large block", cudaGetLastError());
  fill<<<0, 4>>>(p, 1);
  say("no blocks", cudaPeekAtLastError());
  say("again", cudaGetLastError());
  narrow<<<1, 128>>>(p);
  say("bounds", cudaGetLastError());
  fill<<<1, 4, 1 << 20>>>(p, 1);
  say("shared", cudaGetLastError());
  fill<<<1, 4>>>(p, 9);
  say("right", cudaGetLastError());
  say("direction", cudaMemcpy(host, p, sizeof host, (cudaMemcpyKind)9));
  say("null", cudaMemcpy(nullptr, p, sizeof host, cudaMemcpyDeviceToHost));
  say("device", cudaSetDevice(99));
  say("free", cudaFree(host));
  cudaGetLastError();
  CHECK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  printf("%d %d\n", host[0], host[3]);
  CHECK(cudaMemset(nullptr, 0, 4));
  printf("never\n");
}
