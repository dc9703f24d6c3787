// "helper_cuda.h" as programs after CUDA's samples include it: checks of errors that say where and end the program, and
// the choice of a device, of which there is one.
#pragma once
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <iostream>

#include "cuda_runtime.h"
#include "helper_string.h"

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

static inline const char* _cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }

static inline void warpcell_check(cudaError_t error, const char* call, const char* file, int line) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s, line %d: %s failed: %s (%s)\n", file, line, call, cudaGetErrorString(error),
          cudaGetErrorName(error));
  exit(EXIT_FAILURE);
}

// What a library returns, of which 0 is success.
template <class Status>
inline void warpcell_check(Status status, const char* call, const char* file, int line) {
  if (int(status) == 0) return;
  fprintf(stderr, "%s, line %d: %s failed: status %d\n", file, line, call, int(status));
  exit(EXIT_FAILURE);
}

#define checkCudaErrors(call) warpcell_check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(message) warpcell_check(cudaGetLastError(), message, __FILE__, __LINE__)

// As getLastCudaError, and the program goes on.
static inline void warpcell_print(cudaError_t error, const char* message, const char* file, int line) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s, line %d: %s: %s (%s)\n", file, line, message, cudaGetErrorString(error),
          cudaGetErrorName(error));
}
#define printLastCudaError(message) warpcell_print(cudaGetLastError(), message, __FILE__, __LINE__)

static inline int ftoi(float value) { return int(value >= 0 ? value + 0.5f : value - 0.5f); }

// Cores for float32 of a multiprocessor (CUDA C++ Programming Guide, "Compute Capabilities").
static inline int _ConvertSMVer2Cores(int major, int minor) {
  if (major == 6 || major == 7) return major == 6 && minor > 0 ? 128 : 64;
  if (major == 8 && minor == 0) return 64;
  return major == 3 ? 192 : 128;
}
static inline const char* _ConvertSMVer2ArchName(int major, int minor) {
  switch (major) {
    case 3:
      return "Kepler";
    case 5:
      return "Maxwell";
    case 6:
      return "Pascal";
    case 7:
      return minor == 5 ? "Turing" : minor == 2 ? "Xavier" : "Volta";
    case 8:
      return minor == 9 ? "Ada" : "Ampere";
    case 9:
      return "Hopper";
    default:
      return major >= 10 ? "Blackwell" : "Graphics Device";
  }
}

static inline int gpuDeviceInit(int device) {
  int count = 0;
  checkCudaErrors(cudaGetDeviceCount(&count));
  if (device >= count) {
    fprintf(stderr, "gpuDeviceInit: there is no device %d, only %d in all.\n", device, count);
    return -device;
  }
  checkCudaErrors(cudaSetDevice(device < 0 ? 0 : device));
  return device < 0 ? 0 : device;
}
static inline int gpuGetMaxGflopsDeviceId() { return 0; }
static inline int findCudaDevice(int count, const char** arguments) {
  int device = checkCmdLineFlag(count, arguments, "device") ? getCmdLineArgumentInt(count, arguments, "device") : 0;
  if (gpuDeviceInit(device) < 0) exit(EXIT_FAILURE);
  return device;
}
static inline int findIntegratedGPU() { return gpuDeviceInit(0); }

static inline bool checkCudaCapabilities(int major, int minor) {
  int device = 0, own_major = 0, own_minor = 0;
  checkCudaErrors(cudaGetDevice(&device));
  checkCudaErrors(cudaDeviceGetAttribute(&own_major, cudaDevAttrComputeCapabilityMajor, device));
  checkCudaErrors(cudaDeviceGetAttribute(&own_minor, cudaDevAttrComputeCapabilityMinor, device));
  bool is_enough = own_major > major || (own_major == major && own_minor >= minor);
  if (!is_enough)
    printf("Compute capability %d.%d or more is needed, but the device has %d.%d.\n", major, minor, own_major,
           own_minor);
  return is_enough;
}
