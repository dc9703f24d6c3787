// Where a thread is: threadIdx and its kin, kept per operating system's thread. Internal and never address-taken, so that a compiler
// knows that no pointer of the user reaches them, and can vectorise the loop over the threads of a block.
#pragma once
#include "block.h"
#include "vectors.h"

static __thread uint3 threadIdx;
static __thread uint3 blockIdx;
static __thread uint3 blockDim;
static __thread uint3 gridDim;
constexpr int warpSize = 32;

namespace warpcell_cpu {

static __thread int detached;                  // the running thread has been parked before: it has a stack of its own
static __thread Block* block;
static __thread unsigned char* dynamic_shared;

WARPCELL_CPU_FN u32 linear_thread() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }

// `extern __shared__ T name[]` outside a function: converts to the array's address, wherever it is used.
template <class T>
struct DynamicShared;
template <class T>
struct DynamicShared<T[]> {
  WARPCELL_CPU_FN T* get() { return reinterpret_cast<T*>(dynamic_shared); }
  operator T*() const { return get(); }
  template <class Other>
  explicit operator Other*() const { return (Other*)get(); }   // (float*)name, as an array has it
};

}  // namespace warpcell_cpu
