// What a kernel may do that no process survives: turns a signal, a failed assertion or a deadlock into an error record
// in shared memory, and ends the process. The session starts a new one in milliseconds, and arrays outlive it.
#pragma once
#include <cstddef>
#include <cstdint>

#include "../../../device/cpu/warpcell_cpu/block.h"
#include "../../../protocol/commands.h"

namespace warpcell::cpu {

// Once per process, by a thread that runs kernels: where records go, and the handler for SIGSEGV, SIGBUS, SIGFPE and
// SIGILL.
void install_faults(Control* control);
// A stack for the handler, which every thread that runs kernels needs as long as it does.
class FaultStack {
 public:
  FaultStack();
  FaultStack(const FaultStack&) = delete;
  FaultStack& operator=(const FaultStack&) = delete;
  ~FaultStack();

 private:
  void* memory_;
};
// Write a record and end the process, with exit status 70. `block` and `thread` are linear indices. The formats are
// printf's.
[[noreturn]] void fail_block(const char* code, uint64_t block, const warpcell_cpu::Geometry& geometry,
                             const char* format, ...) __attribute__((format(printf, 4, 5)));
[[noreturn]] void fail_thread(const char* code, uint64_t block, const warpcell_cpu::Geometry& geometry, uint32_t thread,
                              const char* format, ...) __attribute__((format(printf, 5, 6)));

// snprintf at `used`; returns the new length, cut off at the buffer's end. Async-signal-safe for integers and strings.
size_t append(char* text, size_t size, size_t used, const char* format, ...) __attribute__((format(printf, 4, 5)));

}  // namespace warpcell::cpu
