// Instructions of sm_90a alone: products of a warp group (four warps) with operands in shared memory, barriers in
// shared memory, and registers that warp groups hand to each other (PTX ISA, sections "wgmma", "mbarrier" and
// "setmaxnreg").
#pragma once
#include "tensor_instructions.cuh"

namespace warpcell::instructions {

// Lets `count` arrivals complete a phase of a barrier, 8 bytes of shared memory.
__device__ inline void make_barrier(uint barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(barrier), "r"(count) : "memory");
}
__device__ inline void arrive(uint barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(barrier) : "memory");
}
// Arrives when all copies that this thread has begun have.
__device__ inline void arrive_with_copies(uint barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" : : "r"(barrier) : "memory");
}
// Whether the phase of this parity is complete; returns early at times.
__device__ inline bool is_complete(uint barrier, uint parity) {
  uint done;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done)
               : "r"(barrier), "r"(parity)
               : "memory");
  return done;
}
__device__ inline void await_phase(uint barrier, uint parity) {
  while (!is_complete(barrier, parity)) {}
}
// Named barriers of a block: waits until `threads` have come, or comes without waiting.
__device__ inline void meet(int name, int threads) {
  asm volatile("bar.sync %0, %1;" : : "r"(name), "r"(threads) : "memory");
}
__device__ inline void announce(int name, int threads) {
  asm volatile("bar.arrive %0, %1;" : : "r"(name), "r"(threads) : "memory");
}

template <int count>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(count));
}
template <int count>
__device__ inline void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(count));
}

// What this thread has written to shared memory, or seen written, is seen by products that read it.
__device__ inline void show_products() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
// Before the first of products that use registers which have been written since.
__device__ inline void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
// Closes a group of products; `await_products` waits until `left` groups at most are under way.
__device__ inline void close_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int left>
__device__ inline void await_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory");
}
// Keeps the compiler from reading a result before the wait for it.
__device__ inline void settle(float& value) { asm volatile("" : "+f"(value)::"memory"); }

// Where an operand lies in shared memory, in rows of 128 bytes that are swizzled by eight: `panel` is the distance of
// the next 64 elements of a row that is turned.
__device__ inline uint64 operand(uint address, uint panel) {
  return uint64((address & 0x3ffff) >> 4) | uint64(panel >> 4) << 16 | uint64(1024 >> 4) << 32 | uint64(1) << 62;
}

// Registers of a result, eight at a time.
#define WARPCELL_EIGHT(n)                                                                            \
  "+f"(c[2 * n][0]), "+f"(c[2 * n][1]), "+f"(c[2 * n][2]), "+f"(c[2 * n][3]), "+f"(c[2 * n + 1][0]), \
      "+f"(c[2 * n + 1][1]), "+f"(c[2 * n + 1][2]), "+f"(c[2 * n + 1][3])

// c (64 × columns, of a warp group) = or += a (64 × 16) · b (16 × columns); both in shared memory, rows of 16 side by
// side unless turned. Rows of warp w are 16w … 16w + 15, as in a product of a warp.
#define WARPCELL_SHARED_48(type)                                                                                  \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %26, 0; wgmma.mma_async.sync.aligned.m64n48k16.f32." type "." type \
               " "                                                                                                \
               "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                          \
               "%16, %17, %18, %19, %20, %21, %22, %23}, "                                                        \
               "%24, %25, p, 1, 1, %27, %28; }"                                                                   \
               : WARPCELL_EIGHT(0), WARPCELL_EIGHT(1), WARPCELL_EIGHT(2)                                          \
               : "l"(a), "l"(b), "r"(int(adds)), "n"(int(turns_a)), "n"(int(turns_b)))
#define WARPCELL_SHARED_64(type)                                                                                  \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %34, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32." type "." type \
               " "                                                                                                \
               "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                          \
               "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "                \
               "%32, %33, p, 1, 1, %35, %36; }"                                                                   \
               : WARPCELL_EIGHT(0), WARPCELL_EIGHT(1), WARPCELL_EIGHT(2), WARPCELL_EIGHT(3)                       \
               : "l"(a), "l"(b), "r"(int(adds)), "n"(int(turns_a)), "n"(int(turns_b)))
#define WARPCELL_REGISTERS_64(type)                                                                               \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %37, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32." type "." type \
               " "                                                                                                \
               "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                          \
               "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "                \
               "{%32, %33, %34, %35}, %36, p, 1, 1, %38; }"                                                       \
               : WARPCELL_EIGHT(0), WARPCELL_EIGHT(1), WARPCELL_EIGHT(2), WARPCELL_EIGHT(3)                       \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(int(adds)), "n"(int(turns_b)))
#define WARPCELL_SHARED_128(type)                                                                                  \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32." type "." type \
               " "                                                                                                 \
               "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                           \
               "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "                  \
               "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                  \
               "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "                 \
               "%64, %65, p, 1, 1, %67, %68; }"                                                                    \
               : WARPCELL_EIGHT(0), WARPCELL_EIGHT(1), WARPCELL_EIGHT(2), WARPCELL_EIGHT(3), WARPCELL_EIGHT(4),    \
                 WARPCELL_EIGHT(5), WARPCELL_EIGHT(6), WARPCELL_EIGHT(7)                                           \
               : "l"(a), "l"(b), "r"(int(adds)), "n"(int(turns_a)), "n"(int(turns_b)))
#define WARPCELL_REGISTERS_128(type)                                                                               \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %69, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32." type "." type \
               " "                                                                                                 \
               "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                           \
               "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "                  \
               "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                  \
               "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "                 \
               "{%64, %65, %66, %67}, %68, p, 1, 1, %70; }"                                                        \
               : WARPCELL_EIGHT(0), WARPCELL_EIGHT(1), WARPCELL_EIGHT(2), WARPCELL_EIGHT(3), WARPCELL_EIGHT(4),    \
                 WARPCELL_EIGHT(5), WARPCELL_EIGHT(6), WARPCELL_EIGHT(7)                                           \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(int(adds)), "n"(int(turns_b)))
template <class T, int columns, bool turns_a, bool turns_b>
__device__ inline void multiply_group(float (*c)[4], uint64 a, uint64 b, bool adds) {
  static_assert(columns == 48 || columns == 64 || columns == 128);
  if constexpr (columns == 48 && same<T, __half>) WARPCELL_SHARED_48("f16");
  if constexpr (columns == 48 && !same<T, __half>) WARPCELL_SHARED_48("bf16");
  if constexpr (columns == 64 && same<T, __half>) WARPCELL_SHARED_64("f16");
  if constexpr (columns == 64 && !same<T, __half>) WARPCELL_SHARED_64("bf16");
  if constexpr (columns == 128 && same<T, __half>) WARPCELL_SHARED_128("f16");
  if constexpr (columns == 128 && !same<T, __half>) WARPCELL_SHARED_128("bf16");
}
template <class T, int columns, bool turns_b>
__device__ inline void multiply_group(float (*c)[4], const uint (&a)[4], uint64 b, bool adds) {
  static_assert(columns == 64 || columns == 128);
  if constexpr (columns == 64 && same<T, __half>) WARPCELL_REGISTERS_64("f16");
  if constexpr (columns == 64 && !same<T, __half>) WARPCELL_REGISTERS_64("bf16");
  if constexpr (columns == 128 && same<T, __half>) WARPCELL_REGISTERS_128("f16");
  if constexpr (columns == 128 && !same<T, __half>) WARPCELL_REGISTERS_128("bf16");
}
#undef WARPCELL_SHARED_48
#undef WARPCELL_SHARED_64
#undef WARPCELL_SHARED_128
#undef WARPCELL_REGISTERS_64
#undef WARPCELL_REGISTERS_128
#undef WARPCELL_EIGHT

}  // namespace warpcell::instructions
