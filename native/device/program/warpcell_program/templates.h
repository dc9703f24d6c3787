// What CUDA's runtime adds in C++: typed pointers, kernels and variables by their names, and what the launches of a
// program become.
#pragma once
#include "functions.h"
#include "graphs.h"
#include "launches.h"
#include "pools.h"
#include "textures.h"

#define cudaHostAllocDefault 0u
#define cudaHostAllocPortable 1u
#define cudaHostAllocMapped 2u
#define cudaHostAllocWriteCombined 4u
#define cudaHostRegisterDefault 0u
#define cudaHostRegisterPortable 1u
#define cudaHostRegisterMapped 2u
#define cudaMemAttachGlobal 1u
#define cudaMemAttachHost 2u
#define cudaMemAttachSingle 4u
#define cudaStreamDefault 0u
#define cudaStreamNonBlocking 1u
#define cudaEventDefault 0u
#define cudaEventBlockingSync 1u
#define cudaEventDisableTiming 2u
#define cudaDeviceScheduleAuto 0u
#define cudaDeviceScheduleSpin 1u
#define cudaDeviceScheduleYield 2u
#define cudaDeviceScheduleBlockingSync 4u
#define cudaDeviceMapHost 8u
#define cudaCpuDeviceId ((int)-1)
#define cudaInvalidDeviceId ((int)-2)
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931

namespace warpcell_program {

// How the next kernel is launched that this thread calls.
inline void configure(unsigned line, dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr) {
  const unsigned g[] = {grid.x, grid.y, grid.z}, b[] = {block.x, block.y, block.z};
  warpcell_program_configure(line, g, b, shared, stream);
}

// What a kernel's stand-in calls, which the call must come back to: its address says which kernel it is.
inline __attribute__((always_inline)) void launch(void** arguments) {
  warpcell_program_launch(arguments);
  __asm__ volatile("" : : : "memory");
}

inline void* managed(const char* symbol) { return warpcell_program_managed(symbol); }

// The type of what a lambda for a device captures.
template <class T>
struct Captured {
  using type = T;
};
template <class T>
struct Captured<T&> : Captured<T> {};
template <class T>
struct Captured<T&&> : Captured<T> {};
template <class T>
struct Captured<const T> : Captured<T> {};
template <class T, size_t n>
struct Captured<T[n]> {
  static_assert(sizeof(T) == 0, "a lambda for a device captures no arrays: put the array into a struct");
};
template <class T, size_t n>
struct Captured<const T[n]> : Captured<T[n]> {};
template <class T>
using captured = typename Captured<T>::type;

// Takes a result that the program drops.
struct ignored {
  explicit ignored(unsigned line) : line(line) {}
  void operator=(cudaError_t error) const {
    if (error != cudaSuccess) warpcell_program_ignored(line, error);
  }
  unsigned line;
};

}  // namespace warpcell_program

template <class T>
cudaError_t cudaMalloc(T** memory, size_t bytes, WARPCELL_LINE) {
  return cudaMalloc((void**)(void*)memory, bytes, warpcell_line);
}
template <class T>
cudaError_t cudaMallocAsync(T** memory, size_t bytes, cudaStream_t stream, WARPCELL_LINE) {
  return cudaMallocAsync((void**)(void*)memory, bytes, stream, warpcell_line);
}
template <class T>
cudaError_t cudaMallocPitch(T** memory, size_t* pitch, size_t width, size_t height, WARPCELL_LINE) {
  return cudaMallocPitch((void**)(void*)memory, pitch, width, height, warpcell_line);
}
template <class T>
cudaError_t cudaMallocHost(T** memory, size_t bytes, unsigned flags = 0, WARPCELL_LINE) {
  return cudaMallocHost((void**)(void*)memory, bytes, flags, warpcell_line);
}
template <class T>
cudaError_t cudaHostAlloc(T** memory, size_t bytes, unsigned flags = 0, WARPCELL_LINE) {
  return cudaHostAlloc((void**)(void*)memory, bytes, flags, warpcell_line);
}
template <class T>
cudaError_t cudaMallocManaged(T** memory, size_t bytes, unsigned flags = cudaMemAttachGlobal, WARPCELL_LINE) {
  return cudaMallocManaged((void**)(void*)memory, bytes, flags, warpcell_line);
}
template <class T>
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* memory, size_t = 0, unsigned = cudaMemAttachSingle,
                                     WARPCELL_LINE) {
  return warpcell_program_attach(stream, memory, warpcell_line);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned flags, WARPCELL_LINE) {
  return cudaHostGetDevicePointer((void**)(void*)device, host, flags, warpcell_line);
}

template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice, WARPCELL_LINE) {
  return warpcell_program_copy_symbol(__builtin_addressof(symbol), (void*)from, bytes, offset, kind, nullptr, true,
                                      true, warpcell_line);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t stream = nullptr, WARPCELL_LINE) {
  return warpcell_program_copy_symbol(__builtin_addressof(symbol), (void*)from, bytes, offset, kind, stream, true,
                                      false, warpcell_line);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost, WARPCELL_LINE) {
  return warpcell_program_copy_symbol(__builtin_addressof(symbol), to, bytes, offset, kind, nullptr, false, true,
                                      warpcell_line);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream = nullptr, WARPCELL_LINE) {
  return warpcell_program_copy_symbol(__builtin_addressof(symbol), to, bytes, offset, kind, stream, false, false,
                                      warpcell_line);
}
template <class T>
cudaError_t cudaGetSymbolAddress(void** memory, const T& symbol, WARPCELL_LINE) {
  return warpcell_program_symbol(__builtin_addressof(symbol), memory, nullptr, "cudaGetSymbolAddress", warpcell_line);
}
template <class T>
cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol, WARPCELL_LINE) {
  return warpcell_program_symbol(__builtin_addressof(symbol), nullptr, bytes, "cudaGetSymbolSize", warpcell_line);
}

template <class T>
cudaError_t cudaLaunchKernel(T* kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                             cudaStream_t stream = nullptr, WARPCELL_LINE) {
  return warpcell_program_launch_kernel((const void*)kernel, grid, block, arguments, shared, stream, false,
                                        warpcell_line);
}
template <class T>
cudaError_t cudaLaunchCooperativeKernel(T* kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                                        cudaStream_t stream = nullptr, WARPCELL_LINE) {
  return warpcell_program_launch_kernel((const void*)kernel, grid, block, arguments, shared, stream, true,
                                        warpcell_line);
}
template <class T>
cudaError_t cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attribute, int value, WARPCELL_LINE) {
  return warpcell_program_set_kernel_attribute((const void*)kernel, attribute, value, warpcell_line);
}
template <class T>
cudaError_t cudaFuncSetCacheConfig(T*, cudaFuncCache) {
  return cudaSuccess;  // advice, which needs no following
}
template <class T>
cudaError_t cudaFuncSetSharedMemConfig(T*, cudaSharedMemConfig) {
  return cudaSuccess;  // banks of four bytes are all that devices have had for long
}
template <class T>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* kernel, WARPCELL_LINE) {
  return warpcell_program_kernel_attributes(attributes, (const void*)kernel, warpcell_line);
}
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T kernel, int threads, size_t shared,
                                                          WARPCELL_LINE) {
  return warpcell_program_active_blocks(blocks, (const void*)kernel, threads, shared, warpcell_line);
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, T kernel, size_t shared = 0, int limit = 0,
                                               WARPCELL_LINE) {
  return warpcell_program_best_block(grid, block, (const void*)kernel, shared, limit, warpcell_line);
}
// The block with which most threads run at once, where the shared memory follows from its size: the largest of those.
template <class T, class Shared>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, T kernel, Shared shared_of,
                                                           int limit = 0, WARPCELL_LINE) {
  cudaFuncAttributes attributes;
  int processors = 0, most = 0;
  cudaError_t error = cudaFuncGetAttributes(&attributes, kernel, warpcell_line);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0, warpcell_line);
  if (error != cudaSuccess) return error;
  int threads = attributes.maxThreadsPerBlock;
  if (limit > 0 && limit < threads) threads = limit;
  for (; threads > 0; threads = (threads - 1) / 32 * 32) {
    int blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_of(threads), warpcell_line);
    if (error != cudaSuccess) return error;
    if (blocks * threads <= most) continue;
    most = blocks * threads;
    *block = threads;
    *grid = blocks * processors;
  }
  return cudaSuccess;
}

inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags = 0,
                                        WARPCELL_LINE) {
  return cudaGraphInstantiateWithFlags(executable, graph, flags, warpcell_line);
}
// As CUDA 11 had it.
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphNode_t*, char*, size_t,
                                        WARPCELL_LINE) {
  return cudaGraphInstantiateWithFlags(executable, graph, 0, warpcell_line);
}
inline cudaError_t cudaThreadSynchronize(WARPCELL_LINE) { return cudaDeviceSynchronize(warpcell_line); }
