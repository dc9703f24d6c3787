// "helper_cuda.h" as programs after CUDA's samples include it: checks of errors that say where and end the program.
#pragma once
#include "cuda_runtime.h"

static inline void warpcell_check(cudaError_t error, const char* call, const char* file, int line) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s, line %d: %s failed: %s (%s)\n", file, line, call, cudaGetErrorString(error),
          cudaGetErrorName(error));
  exit(EXIT_FAILURE);
}

#define checkCudaErrors(call) warpcell_check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(message) warpcell_check(cudaGetLastError(), message, __FILE__, __LINE__)

static inline int findCudaDevice(int, const char**) {
  checkCudaErrors(cudaSetDevice(0));
  return 0;
}
