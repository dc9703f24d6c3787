// Every 16-bit float: what host code makes of it is what the device makes of it.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

template <class T>
__global__ void widen(const T* narrow, float* wide) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  wide[i] = float(narrow[i]);
}
template <class T>
__global__ void round_between(const float* wide, T* narrow) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  narrow[i] = T(wide[i] * 1.0003f);
}

template <class T>
int differences() {
  const int n = 65536;
  std::vector<T> narrow(n), rounded(n);
  std::vector<float> wide(n);
  for (int i = 0; i < n; i++) {
    unsigned short bits = (unsigned short)i;
    memcpy((void*)&narrow[i], &bits, 2);
  }
  T* d_narrow;
  float* d_wide;
  cudaMalloc(&d_narrow, n * sizeof(T));
  cudaMalloc(&d_wide, n * sizeof(float));
  cudaMemcpy(d_narrow, narrow.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  widen<<<n / 256, 256>>>(d_narrow, d_wide);
  cudaMemcpy(wide.data(), d_wide, n * sizeof(float), cudaMemcpyDeviceToHost);
  round_between<<<n / 256, 256>>>(d_wide, d_narrow);
  cudaMemcpy(rounded.data(), d_narrow, n * sizeof(T), cudaMemcpyDeviceToHost);
  int count = 0;
  for (int i = 0; i < n; i++) {
    float here = float(narrow[i]);
    bool same = std::isnan(here) ? std::isnan(wide[i]) : here == wide[i];
    T mine = T(wide[i] * 1.0003f);
    if (!std::isnan(here)) same = same && memcmp(&mine, &rounded[i], 2) == 0;
    if (!same && count++ < 5) printf("%04x: %g %g\n", i, here, wide[i]);
  }
  cudaFree(d_narrow);
  cudaFree(d_wide);
  return count;
}

int main() { printf("%d %d\n", differences<__half>(), differences<__nv_bfloat16>()); }
