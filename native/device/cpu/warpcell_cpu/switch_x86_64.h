// The switch on x86-64: saves stack, frame and resume address in one slot and takes them from another. Everything else is declared
// clobbered, so the compiler spills only what is live there, and neither stack is written. MXCSR and the x87 word are left alone: a
// kernel changes them for one operation, which does not switch (rounding.h).
#pragma once
#include "block.h"

#if defined(__AVX512F__)
#define WARPCELL_CPU_VECTORS_512 \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", \
  "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define WARPCELL_CPU_VECTORS_512
#endif

// An asm constraint: any register that holds a float.
#define WARPCELL_CPU_FLOAT_REGISTER "x"

namespace warpcell_cpu {

// What <fenv.h> calls FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO.
enum class Rounding { nearest = 0, down = 0x400, up = 0x800, to_zero = 0xc00 };

static inline __attribute__((always_inline)) void switch_to(Slot* from, Slot* to) {
  asm volatile(
      "movq %%rsp, (%0)\n\t"
      "movq %%rbp, 8(%0)\n\t"
      "leaq 1f(%%rip), %%rax\n\t"
      "movq %%rax, 16(%0)\n\t"
      "movq (%1), %%rsp\n\t"
      "movq 8(%1), %%rbp\n\t"
      "jmpq *16(%1)\n"
      "1:"
      : "+D"(from), "+S"(to)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc", "xmm0", "xmm1", "xmm2",
        "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15" WARPCELL_CPU_VECTORS_512);
}

// Ready to run `start` on a fresh stack whose highest address is `top` (16-byte aligned).
static inline void prepare(Slot* slot, char* top, void (*start)()) {
  void** stack = reinterpret_cast<void**>(top) - 1;
  *stack = nullptr;
  slot->stack = stack;
  slot->frame = nullptr;
  slot->resume = reinterpret_cast<void*>(start);
}

}  // namespace warpcell_cpu
