// The switch on aarch64, as switch_x86_64.h has it; compiled and run on no such machine yet.
#pragma once
#include "block.h"

// An asm constraint: any register that holds a float.
#define WARPCELL_CPU_FLOAT_REGISTER "w"

namespace warpcell_cpu {

// What <fenv.h> calls FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO.
enum class Rounding { nearest = 0, down = 0x800000, up = 0x400000, to_zero = 0xc00000 };

static inline __attribute__((always_inline)) void switch_to(Slot* from, Slot* to) {
  register Slot* x0 asm("x0") = from;
  register Slot* x1 asm("x1") = to;
  asm volatile(
      "mov x2, sp\n\t"
      "str x2, [x0]\n\t"
      "str x29, [x0, 8]\n\t"
      "adr x2, 1f\n\t"
      "str x2, [x0, 16]\n\t"
      "ldr x2, [x1]\n\t"
      "mov sp, x2\n\t"
      "ldr x29, [x1, 8]\n\t"
      "ldr x2, [x1, 16]\n\t"
      "br x2\n"
      "1:"
      : "+r"(x0), "+r"(x1)
      :
      : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x19", "x20", "x21",
        "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8",
        "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
        "v27", "v28", "v29", "v30", "v31");
}

// Ready to run `start` on a fresh stack whose highest address is `top` (16-byte aligned).
static inline void prepare(Slot* slot, char* top, void (*start)()) {
  slot->stack = top;
  slot->frame = nullptr;
  slot->resume = reinterpret_cast<void*>(start);
}

}  // namespace warpcell_cpu
