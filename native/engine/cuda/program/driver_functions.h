// The functions of libcuda.so.1 that only programs need, beside those of driver/driver_api.h.
#pragma once
#include "../driver/driver_api.h"

namespace warpcell::cuda {

// CUDA_MEMCPY2D_v2
struct Copy2d {
  size_t source_x, source_y;
  int source_type;
  const void* source_host;
  DevicePointer source_device;
  void* source_array;
  size_t source_pitch;
  size_t to_x, to_y;
  int to_type;
  void* to_host;
  DevicePointer to_device;
  void* to_array;
  size_t to_pitch;
  size_t width, height;
};

// CUhostFn
using HostFunction = void (*)(void*);

constexpr int kTypeHost = 1;
constexpr int kTypeDevice = 2;
constexpr int kTypeUnified = 4;
constexpr int kPointerMemoryType = 2;
constexpr int kPointerIsManaged = 8;
constexpr unsigned kHostPortableMapped = 1 | 2;
constexpr unsigned kManagedGlobal = 1;

// clang-format off
#define WARPCELL_PROGRAM_FUNCTIONS(X) \
  X(cuCtxSynchronize, cuCtxSynchronize, ()) \
  X(cuModuleGetGlobal, cuModuleGetGlobal_v2, (DevicePointer*, size_t*, Module, const char*)) \
  X(cuMemHostAlloc, cuMemHostAlloc, (void**, size_t, unsigned)) \
  X(cuMemFreeHost, cuMemFreeHost, (void*)) \
  X(cuMemAllocManaged, cuMemAllocManaged, (DevicePointer*, size_t, unsigned)) \
  X(cuPointerGetAttribute, cuPointerGetAttribute, (void*, int, DevicePointer)) \
  X(cuMemcpy, cuMemcpy, (DevicePointer, DevicePointer, size_t)) \
  X(cuMemcpyHtoD, cuMemcpyHtoD_v2, (DevicePointer, const void*, size_t)) \
  X(cuMemcpyDtoH, cuMemcpyDtoH_v2, (void*, DevicePointer, size_t)) \
  X(cuMemcpyDtoD, cuMemcpyDtoD_v2, (DevicePointer, DevicePointer, size_t)) \
  X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, (DevicePointer, const void*, size_t, Stream)) \
  X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void*, DevicePointer, size_t, Stream)) \
  X(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, (DevicePointer, DevicePointer, size_t, Stream)) \
  X(cuMemcpy2D, cuMemcpy2DUnaligned_v2, (const Copy2d*)) \
  X(cuMemcpy2DAsync, cuMemcpy2DAsync_v2, (const Copy2d*, Stream)) \
  X(cuMemsetD8, cuMemsetD8_v2, (DevicePointer, unsigned char, size_t)) \
  X(cuMemsetD2D8, cuMemsetD2D8_v2, (DevicePointer, size_t, unsigned char, size_t, size_t)) \
  X(cuMemsetD2D8Async, cuMemsetD2D8Async, (DevicePointer, size_t, unsigned char, size_t, size_t, Stream)) \
  X(cuStreamDestroy, cuStreamDestroy_v2, (Stream)) \
  X(cuStreamIsCapturing, cuStreamIsCapturing, (Stream, int*)) \
  X(cuLaunchHostFunc, cuLaunchHostFunc, (Stream, HostFunction, void*)) \
  X(cuGraphCreate, cuGraphCreate, (GraphHandle*, unsigned)) \
  X(cuGraphClone, cuGraphClone, (GraphHandle*, GraphHandle)) \
  X(cuGraphAddChildGraphNode, cuGraphAddChildGraphNode, (GraphNode*, GraphHandle, const GraphNode*, size_t, GraphHandle)) \
  X(cuGraphAddDependencies, cuGraphAddDependencies, (GraphHandle, const GraphNode*, const GraphNode*, size_t)) \
  X(cuGraphGetNodes, cuGraphGetNodes, (GraphHandle, GraphNode*, size_t*))
// clang-format on

struct ProgramFunctions {
#define X(name, symbol, parameters) Result(*name) parameters = nullptr;
  // clang-format off
  WARPCELL_PROGRAM_FUNCTIONS(X)
// clang-format on
#undef X
};

// Opened by the first call, behind driver(). Throws DeviceError("DRIVER_TOO_OLD") for a driver that lacks one.
const ProgramFunctions& program_functions();

}  // namespace warpcell::cuda
