// The functions of CUDA's runtime about pools of memory that programs may call (Runtime API, "Stream Ordered Memory
// Allocator").
#pragma once
#include "functions.h"

typedef struct CUmemPoolHandle_st* cudaMemPool_t;
enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 1,
  cudaMemPoolReuseAllowOpportunistic = 2,
  cudaMemPoolReuseAllowInternalDependencies = 3,
  cudaMemPoolAttrReleaseThreshold = 4,
  cudaMemPoolAttrReservedMemCurrent = 5,
  cudaMemPoolAttrReservedMemHigh = 6,
  cudaMemPoolAttrUsedMemCurrent = 7,
  cudaMemPoolAttrUsedMemHigh = 8,
};
enum cudaMemAllocationType { cudaMemAllocationTypeInvalid = 0, cudaMemAllocationTypePinned = 1 };
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone = 0, cudaMemHandleTypePosixFileDescriptor = 1 };
enum cudaMemLocationType { cudaMemLocationTypeInvalid = 0, cudaMemLocationTypeDevice = 1 };
enum cudaMemAccessFlags {
  cudaMemAccessFlagsProtNone = 0,
  cudaMemAccessFlagsProtRead = 1,
  cudaMemAccessFlagsProtReadWrite = 3,
};
struct cudaMemLocation {
  cudaMemLocationType type;
  int id;
};
struct cudaMemAccessDesc {
  cudaMemLocation location;
  cudaMemAccessFlags flags;
};
struct cudaMemPoolProps {
  cudaMemAllocationType allocType;
  cudaMemAllocationHandleType handleTypes;
  cudaMemLocation location;
  void* win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};

extern "C" {
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device, WARPCELL_LINE)
    WARPCELL_NAMED(cudaDeviceGetDefaultMemPool);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device, WARPCELL_LINE) WARPCELL_NAMED(cudaDeviceGetMemPool);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool, WARPCELL_LINE) WARPCELL_NAMED(cudaDeviceSetMemPool);
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties, WARPCELL_LINE)
    WARPCELL_NAMED(cudaMemPoolCreate);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool, WARPCELL_LINE) WARPCELL_NAMED(cudaMemPoolDestroy);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* list, size_t count, WARPCELL_LINE)
    WARPCELL_NAMED(cudaMemPoolSetAccess);
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location,
                                 WARPCELL_LINE) WARPCELL_NAMED(cudaMemPoolGetAccess);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value, WARPCELL_LINE)
    WARPCELL_NAMED(cudaMemPoolSetAttribute);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value, WARPCELL_LINE)
    WARPCELL_NAMED(cudaMemPoolGetAttribute);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes, WARPCELL_LINE) WARPCELL_NAMED(cudaMemPoolTrimTo);
cudaError_t warpcell_program_malloc_from_pool(void** memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream,
                                              unsigned line);
}

// As C++ has it: the pool may stand where the program names a stream alone.
template <class T>
cudaError_t cudaMallocAsync(T** memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream, WARPCELL_LINE) {
  return warpcell_program_malloc_from_pool((void**)(void*)memory, bytes, pool, stream, warpcell_line);
}

template <class T>
cudaError_t cudaMallocFromPoolAsync(T** memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream, WARPCELL_LINE) {
  return warpcell_program_malloc_from_pool((void**)(void*)memory, bytes, pool, stream, warpcell_line);
}
