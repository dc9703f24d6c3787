// CUDA's words for the host code of a program: turns qualifiers into what C++ has for them. A kernel is a function that
// hands its arguments on, so it must stay one.
#pragma once

#define __CUDACC__ 1
#if defined(__clang__)
#define __global__ __attribute__((noinline, used, visibility("default")))
#else
#define __global__ __attribute__((noipa, used, visibility("default")))
#endif
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define CUDART_VERSION 12000
#define CUDART_CB
