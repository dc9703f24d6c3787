// Instructions of a GPU that CUDA C++ has no words for, and what they compute where there are none: the threads of a
// block run on the CPU too.
#pragma once
#include "numbers.cuh"

namespace warpcell::instructions {

#ifdef WARPCELL_CPU
__device__ inline float flushed(float x) { return ::fabsf(x) < 1.17549435e-38f ? ::copysignf(0.0f, x) : x; }
__device__ inline float log2(float x) { return ::log2f(x); }
__device__ inline float exp2(float x) { return ::exp2f(x); }
__device__ inline float flushed_exp2(float x) { return flushed(::exp2f(flushed(x))); }
__device__ inline float flushed_reciprocal(float x) { return flushed(1.0f / flushed(x)); }
__device__ inline float larger_or_nan(float x, float y) { return x != x ? x : (y >= x || y != y ? y : x); }
__device__ inline float smaller_or_nan(float x, float y) { return x != x ? x : (y <= x || y != y ? y : x); }
__device__ inline void copy_to_shared(void* to, const void* from) { *(uint4*)to = *(const uint4*)from; }
__device__ inline void copies_arrived() {}
#else
// At most 2⁻²² off near 1, else 2 units (PTX ISA, lg2.approx).
__device__ inline float log2(float x) {
  float result;
  asm("lg2.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
__device__ inline float exp2(float x) {
  float result;
  asm("ex2.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
// These take numbers short of normal ones, and give them, as 0.
__device__ inline float flushed_exp2(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
__device__ inline float flushed_reciprocal(float x) {
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
// sm_80 and newer
__device__ inline float larger_or_nan(float x, float y) {
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(y));
  return result;
}
__device__ inline float smaller_or_nan(float x, float y) {
  float result;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(y));
  return result;
}
// 16 bytes on their way into shared memory, both ends at multiples of 16; `copies_arrived` waits for this thread's.
__device__ inline void copy_to_shared(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
               :
               : "r"(unsigned(__cvta_generic_to_shared(to))), "l"(from)
               : "memory");
}
__device__ inline void copies_arrived() { asm volatile("cp.async.wait_all;" ::: "memory"); }
#endif

}  // namespace warpcell::instructions
