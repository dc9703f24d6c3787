// <cuda_pipeline_primitives.h> for a cell: copies of a thread from global to shared memory, which are done when they are asked for.
#pragma once
#include "warpcell_cpu/language.h"

// The last `zeros` bytes are 0.
WARPCELL_CPU_FN void __pipeline_memcpy_async(void* __restrict shared, const void* __restrict global, size_t bytes, size_t zeros = 0) {
  __builtin_memcpy(shared, global, bytes - zeros);
  __builtin_memset(static_cast<char*>(shared) + bytes - zeros, 0, zeros);
}
WARPCELL_CPU_FN void __pipeline_commit() {}
WARPCELL_CPU_FN void __pipeline_wait_prior(size_t) {}
