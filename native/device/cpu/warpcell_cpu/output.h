// printf, assert, __trap and the clocks of a kernel.
#pragma once
#include "indices.h"

// The asm name also holds where <stdio.h> or <time.h> declares the function again.
extern "C" int printf(const char* format, ...) __asm__("warpcell_cpu_printf") __attribute__((format(printf, 1, 2)));
using clock_t = long;
extern "C" clock_t clock() noexcept __asm__("warpcell_cpu_clock");
extern "C" long long warpcell_cpu_clock64() noexcept;

WARPCELL_CPU_FN long long clock64() { return warpcell_cpu_clock64(); }

namespace warpcell_cpu {

struct Where {
  u32 block[3];
  u32 thread[3];
};

WARPCELL_CPU_FN Where where() { return {{blockIdx.x, blockIdx.y, blockIdx.z}, {threadIdx.x, threadIdx.y, threadIdx.z}}; }

}  // namespace warpcell_cpu

[[noreturn]] WARPCELL_CPU_FN void __trap() {
  const warpcell_cpu::Where where = warpcell_cpu::where();
  warpcell_cpu_trap(where.block, where.thread);
}
[[noreturn]] WARPCELL_CPU_FN void __brkpt() { __trap(); }

namespace warpcell_cpu {

[[noreturn]] WARPCELL_CPU_FN void assertion_failed(const char* condition, const char* file, u32 line) {
  const Where at = where();
  warpcell_cpu_assert(condition, file, line, at.block, at.thread);
}

}  // namespace warpcell_cpu

#include "assertion.h"
