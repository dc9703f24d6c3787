// Goes from one thread of a block to another: the switch of the processor it is compiled for.
#pragma once
#include "block.h"

#if defined(__x86_64__)
#include "switch_x86_64.h"
#elif defined(__aarch64__)
#include "switch_aarch64.h"
#else
#error "The cpu device runs on x86-64 and aarch64 processors; another one needs its own switch_<processor>.h."
#endif

namespace warpcell_cpu {

// The thread after next: its stack is touched two switches from now.
static inline __attribute__((always_inline)) void prefetch(const Slot* slot) {
  const char* stack = static_cast<const char*>(slot->stack);
  __builtin_prefetch(stack);
  __builtin_prefetch(stack + 64);
}

}  // namespace warpcell_cpu
