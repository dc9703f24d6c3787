// A scan after Brent and Kung beside one after Kogge and Stone: few additions, or few steps; the same sums.
#include <stdio.h>
#include <stdlib.h>

#define SECTION_SIZE 256

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void Brent_Kung_scan_kernel(int* X, int* Y, int* S, unsigned int N) {
  __shared__ int XY[SECTION_SIZE];
  unsigned int i = 2 * blockIdx.x * blockDim.x + threadIdx.x;
  XY[threadIdx.x] = i < N ? X[i] : 0;
  XY[threadIdx.x + blockDim.x] = i + blockDim.x < N ? X[i + blockDim.x] : 0;
  for (unsigned int stride = 1; stride <= blockDim.x; stride *= 2) {
    __syncthreads();
    unsigned int index = (threadIdx.x + 1) * 2 * stride - 1;
    if (index < SECTION_SIZE) XY[index] += XY[index - stride];
  }
  for (int stride = SECTION_SIZE / 4; stride > 0; stride /= 2) {
    __syncthreads();
    unsigned int index = (threadIdx.x + 1) * stride * 2 - 1;
    if (index + stride < SECTION_SIZE) XY[index + stride] += XY[index];
  }
  __syncthreads();
  if (i < N) Y[i] = XY[threadIdx.x];
  if (i + blockDim.x < N) Y[i + blockDim.x] = XY[threadIdx.x + blockDim.x];
  if (threadIdx.x == 0) S[blockIdx.x] = XY[SECTION_SIZE - 1];
}

__global__ void Kogge_Stone_scan_kernel(int* X, int* Y, int* S, unsigned int N) {
  __shared__ int XY[SECTION_SIZE];
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  XY[threadIdx.x] = i < N ? X[i] : 0;
  for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
    __syncthreads();
    int temp = 0;
    if (threadIdx.x >= stride) temp = XY[threadIdx.x] + XY[threadIdx.x - stride];
    __syncthreads();
    if (threadIdx.x >= stride) XY[threadIdx.x] = temp;
  }
  if (i < N) Y[i] = XY[threadIdx.x];
  if (threadIdx.x == blockDim.x - 1) S[blockIdx.x] = XY[threadIdx.x];
}

__global__ void Add_kernel(int* Y, const int* S, unsigned int N) {
  unsigned int i = blockIdx.x * SECTION_SIZE + threadIdx.x;
  if (blockIdx.x > 0 && i < N) Y[i] += S[blockIdx.x - 1];
}

int main(int argc, char** argv) {
  unsigned int N = atoi(argv[1]), seed = atoi(argv[2]), sections = (N + SECTION_SIZE - 1) / SECTION_SIZE;
  int *X, *Y, *Z, *S, *T, *last;
  cudaMallocManaged(&X, N * sizeof(int));
  cudaMallocManaged(&Y, N * sizeof(int));
  cudaMallocManaged(&Z, N * sizeof(int));
  cudaMallocManaged(&S, sections * sizeof(int));
  cudaMallocManaged(&T, sections * sizeof(int));
  cudaMallocManaged(&last, sizeof(int));
  for (unsigned int i = 0; i < N; i++) X[i] = (int)(hash(i, seed) % 41) - 20;

  Brent_Kung_scan_kernel<<<sections, SECTION_SIZE / 2>>>(X, Y, S, N);
  Brent_Kung_scan_kernel<<<1, SECTION_SIZE / 2>>>(S, T, last, sections);
  Add_kernel<<<sections, SECTION_SIZE>>>(Y, T, N);
  Kogge_Stone_scan_kernel<<<sections, SECTION_SIZE>>>(X, Z, S, N);
  Kogge_Stone_scan_kernel<<<1, SECTION_SIZE>>>(S, T, last, sections);
  Add_kernel<<<sections, SECTION_SIZE>>>(Z, T, N);
  cudaDeviceSynchronize();

  int different = 0;
  long long checksum = 0;
  for (unsigned int i = 0; i < N; i++) {
    if (Y[i] != Z[i]) different++;
    checksum += (long long)Y[i] * (i % 97);
  }
  printf("last %d (%d) checksum %lld different %d\n", Y[N - 1], *last, checksum, different);
  cudaFree(X);
  cudaFree(Y);
  cudaFree(Z);
  cudaFree(S);
  cudaFree(T);
  cudaFree(last);
  return 0;
}
