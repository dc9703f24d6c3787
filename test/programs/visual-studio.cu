// A sum as project templates have it: C, one way out by goto Error, messages to stderr.
#include "cuda_runtime.h"
#include "device_launch_parameters.h"

#include <stdio.h>
#include <stdlib.h>

cudaError_t addOnDevice(int* c, const int* a, const int* b, unsigned int size);

__global__ void addKernel(int* c, const int* a, const int* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  const unsigned int blocks = (unsigned int)atoi(argv[1]);
  const unsigned int size = 128 * blocks;
  int* a = (int*)malloc(size * sizeof(int));
  int* b = (int*)malloc(size * sizeof(int));
  int* c = (int*)calloc(size, sizeof(int));
  for (unsigned int i = 0; i < size; i++) {
    a[i] = i * i;
    b[i] = -3 * (int)i;
  }

  cudaError_t cudaStatus = addOnDevice(c, a, b, size);
  if (cudaStatus != cudaSuccess) {
    fprintf(stderr, "addOnDevice failed!\n");
    return 1;
  }
  printf("%d %d %d\n", c[1], c[2], c[size - 1]);

  // Too many threads for a block: the error comes back, and all is freed on the way.
  cudaStatus = addOnDevice(c, a, b, 5000);
  if (cudaStatus == cudaSuccess) return 2;

  cudaStatus = cudaDeviceReset();
  if (cudaStatus != cudaSuccess) {
    fprintf(stderr, "cudaDeviceReset failed!\n");
    return 3;
  }
  free(a);
  free(b);
  free(c);
  return 0;
}

cudaError_t addOnDevice(int* c, const int* a, const int* b, unsigned int size) {
  int* dev_a = 0;
  int* dev_b = 0;
  int* dev_c = 0;
  const unsigned int threads = size % 128 == 0 ? 128 : size;
  cudaError_t cudaStatus;

  cudaStatus = cudaSetDevice(0);
  if (cudaStatus != cudaSuccess) {
    fprintf(stderr, "cudaSetDevice failed!  Do you have a CUDA-capable GPU installed?\n");
    goto Error;
  }
  cudaStatus = cudaMalloc((void**)&dev_c, size * sizeof(int));
  if (cudaStatus != cudaSuccess) goto Error;
  cudaStatus = cudaMalloc((void**)&dev_a, size * sizeof(int));
  if (cudaStatus != cudaSuccess) goto Error;
  cudaStatus = cudaMalloc((void**)&dev_b, size * sizeof(int));
  if (cudaStatus != cudaSuccess) goto Error;

  cudaStatus = cudaMemcpy(dev_a, a, (threads == 128 ? size : 1) * sizeof(int), cudaMemcpyHostToDevice);
  if (cudaStatus != cudaSuccess) goto Error;
  cudaStatus = cudaMemcpy(dev_b, b, (threads == 128 ? size : 1) * sizeof(int), cudaMemcpyHostToDevice);
  if (cudaStatus != cudaSuccess) goto Error;

  addKernel<<<size / threads, threads>>>(dev_c, dev_a, dev_b);

  cudaStatus = cudaGetLastError();
  if (cudaStatus != cudaSuccess) {
    fprintf(stderr, "addKernel launch failed: %s\n", cudaGetErrorString(cudaStatus));
    goto Error;
  }
  cudaStatus = cudaDeviceSynchronize();
  if (cudaStatus != cudaSuccess) {
    fprintf(stderr, "cudaDeviceSynchronize returned error code %d after launching addKernel!\n", cudaStatus);
    goto Error;
  }
  cudaStatus = cudaMemcpy(c, dev_c, size * sizeof(int), cudaMemcpyDeviceToHost);

Error:
  cudaFree(dev_c);
  cudaFree(dev_a);
  cudaFree(dev_b);
  return cudaStatus;
}
