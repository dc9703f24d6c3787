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
};

extern "C" {
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device, WARPCELL_LINE)
    WARPCELL_NAMED(cudaDeviceGetDefaultMemPool);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device, WARPCELL_LINE) WARPCELL_NAMED(cudaDeviceGetMemPool);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value, WARPCELL_LINE)
    WARPCELL_NAMED(cudaMemPoolSetAttribute);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value, WARPCELL_LINE)
    WARPCELL_NAMED(cudaMemPoolGetAttribute);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes, WARPCELL_LINE) WARPCELL_NAMED(cudaMemPoolTrimTo);
cudaError_t warpcell_program_malloc_from_pool(void** memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream,
                                              unsigned line);
}

template <class T>
cudaError_t cudaMallocFromPoolAsync(T** memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream, WARPCELL_LINE) {
  return warpcell_program_malloc_from_pool((void**)(void*)memory, bytes, pool, stream, warpcell_line);
}
