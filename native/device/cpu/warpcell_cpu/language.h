// CUDA's words for a host compiler: turns qualifiers into what C++ has for them.
#pragma once

#define WARPCELL_CPU 1
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDA_ARCH__ 800

#define __global__ inline
#define __device__
#define __host__
#define __managed__
// Never static: a compiler folds a static variable that nobody writes to its first value.
#define __constant__
// One block at a time runs on an operating system's thread, so what belongs to that thread belongs to the block.
#define __shared__ static __thread __attribute__((aligned(16)))
// Not `inline`: g++ refuses the word twice, as in `__forceinline__ inline`.
#define __forceinline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __grid_constant__

#if !defined(__clang__)
#define __builtin_assume(condition) do { if (!(condition)) __builtin_unreachable(); } while (0)
#endif
#define __assume(condition) __builtin_assume(condition)

#include <float.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

// A cell that includes headers of the C++ library gets that library's mathematics (elementary.h).
#if defined(WARPCELL_CPU_STANDARD_LIBRARY)
#include <math.h>
#include <stdlib.h>
#include <string.h>
#endif

#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::always_inline)
#define WARPCELL_CPU_INLINE_CALL [[clang::always_inline]]
#endif
#endif
#if !defined(WARPCELL_CPU_INLINE_CALL)
#define WARPCELL_CPU_INLINE_CALL
#endif

// Short, since every function of these headers begins with it. Inlined always: a return from a function that switched is mispredicted.
#define WARPCELL_CPU_FN static inline __attribute__((always_inline, unused))
