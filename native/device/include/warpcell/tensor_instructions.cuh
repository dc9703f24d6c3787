// Instructions of tensor cores and of copies into shared memory that CUDA C++ has no words for (PTX ISA, sections
// "mma", "ldmatrix" and "cp.async"); sm_80 and newer. The library's own kernels that use them are made for GPUs alone;
// those with a function of the user's in them run on the CPU, too (tensor_emulation.cuh).
#pragma once
#include "numbers.cuh"

#ifdef WARPCELL_CPU
#include "tensor_emulation.cuh"
#else
namespace warpcell::instructions {

// The shared memory that a launch asks for.
__device__ inline unsigned char* asked_memory() {
  extern __shared__ __align__(1024) unsigned char shared[];
  return shared;
}
__device__ inline uint shared_address(const void* place) { return uint(__cvta_generic_to_shared(place)); }

// 16 bytes on their way into shared memory, or 16 zeros; both ends at multiples of 16.
__device__ inline void copy_or_clear(uint to, const void* from, bool is_there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(to), "l"(from), "r"(is_there ? 16 : 0)
               : "memory");
}
// The same of 4 bytes.
__device__ inline void copy_or_clear_word(uint to, const void* from, bool is_there) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" : : "r"(to), "l"(from), "r"(is_there ? 4 : 0) : "memory");
}
// Closes a group of this thread's copies; `await_copies` waits until `left` groups at most are under way.
__device__ inline void close_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int left>
__device__ inline void await_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
}

// Four 8 × 8 matrices of 16-bit elements, of which lane 8m + r names row r of matrix m: lane 4r + c gets the elements
// 2c and 2c + 1 of row r of each, or with `load_turned` of column r.
__device__ inline void load_matrices(uint (&to)[4], uint address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}
__device__ inline void load_turned(uint (&to)[4], uint address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

// An 8 × 8 matrix of 16-bit elements, of which lane 4r + c has the elements 2c and 2c + 1 of row r, turned.
__device__ inline uint turn_matrix(uint word) {
  uint turned;
  asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(word));
  return turned;
}

#ifdef WARPCELL_SIXTEEN_BITS
// Two floats as two elements of 16 bits in one word, the first in its low half.
template <class T>
__device__ inline uint pack(float first, float second) {
  uint word;
  if constexpr (same<T, __half>)
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(second), "f"(first));
  else
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(second), "f"(first));
  return word;
}

// c (16 × 8) += a (16 × 16) · b (16 × 8), of a warp.
template <class T>
__device__ inline void multiply(float (&c)[4], const uint (&a)[4], uint b0, uint b1) {
  if constexpr (same<T, __half>)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
#endif

// The nearest number of 11 bits, as tensor cores take floats.
__device__ inline float nearest_tf32(float x) {
  uint bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return __uint_as_float(bits);
}
// c (16 × 8) += a (16 × 8) · b (8 × 8), of a warp; of each float the upper 11 bits count.
__device__ inline void multiply(float (&c)[4], const float (&a)[4], const float (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])),
        "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}
// One float of shared memory, or four side by side.
__device__ inline float load_shared(uint address) {
  float value;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(address));
  return value;
}
__device__ inline void load_shared(float (&to)[4], uint address) {
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
               : "r"(address));
}

}  // namespace warpcell::instructions
#endif
