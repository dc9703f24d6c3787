// The last words of a device process. All here runs in a signal handler, or as if in one: glibc's vsnprintf does not
// allocate for integers and strings, and nothing else is called but write, futex and _exit.
#include "faults.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../device.h"
#include "../../host/error_slot.h"
#include "pool.h"
#include "scheduler.h"

namespace warpcell::cpu {
namespace {

constexpr int kExitStatus = 70;
constexpr size_t kSignalStack = 64 << 10;

Control* record_in = nullptr;
std::atomic<bool> failing{false};

struct Where {
  bool thread_known;
  uint32_t block[3];
  uint32_t thread[3];
};

Where unravel(uint64_t block, const warpcell_cpu::Geometry& geometry, uint32_t thread) {
  Where where{};
  where.block[0] = uint32_t(block % geometry.grid[0]);
  where.block[1] = uint32_t(block / geometry.grid[0] % geometry.grid[1]);
  where.block[2] = uint32_t(block / geometry.grid[0] / geometry.grid[1]);
  where.thread_known = thread != kNone;
  if (where.thread_known) {
    where.thread[0] = thread % geometry.block[0];
    where.thread[1] = thread / geometry.block[0] % geometry.block[1];
    where.thread[2] = thread / geometry.block[0] / geometry.block[1];
  }
  return where;
}

// The first core to fail speaks; the others wait for the end.
[[noreturn]] void fail(const char* code, const Where& where, const char* text) {
  if (failing.exchange(true)) {
    for (;;) pause();
  }
  write_output_now();
  {
    ErrorSlot slot(*record_in);
    ErrorRecord& record = slot.record();
    record.sequence = record.last = scheduler->sequence;
    record.fatal = 1;
    record.has_thread = where.thread_known;
    std::memcpy(record.block, where.block, sizeof record.block);
    std::memcpy(record.thread, where.thread, sizeof record.thread);
    append(record.code, sizeof record.code, 0, "%s", code);
    append(record.text, sizeof record.text, 0, "%s", text);
  }
  record_in->wake.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &record_in->wake, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  _exit(kExitStatus);
}

void on_signal(int signal, siginfo_t* information, void*) {
  Scheduler* mine = scheduler;
  if (mine == nullptr ||
      !mine->running()) {  // not a kernel's fault but the engine's: die of it, so that it is seen as what it is
    struct sigaction ordinary{};
    ordinary.sa_handler = SIG_DFL;
    sigaction(signal, &ordinary, nullptr);
    raise(signal);
    return;
  }
  Where where = unravel(mine->current_block(), mine->geometry(), mine->current_thread());
  char text[kErrorTextBytes];
  const uint32_t* b = where.block;
  void* address = information->si_addr;
  const char* code = "ILLEGAL_ADDRESS";
  switch (signal) {
    case SIGFPE:
      code = "DIVISION_BY_ZERO";
      append(text, sizeof text, 0, "Block (%u,%u,%u) divided an integer by zero (or the smallest integer by -1).", b[0],
             b[1], b[2]);
      break;
    case SIGILL:
      code = "TRAP";
      append(text, sizeof text, 0, "Block (%u,%u,%u) ran an illegal instruction at 0x%zx.", b[0], b[1], b[2],
             reinterpret_cast<size_t>(address));
      break;
    default:
      if (mine->stacks.is_guard(address) || mine->block_stack.is_guard(address)) {
        code = "STACK_OVERFLOW";
        append(
            text, sizeof text, 0,
            "Block (%u,%u,%u) used more than the %zu KiB of stack that a thread has: its local arrays are too large, "
            "or its recursion is too deep.",
            b[0], b[1], b[2], mine->stacks.bytes() >> 10);
      } else if (mine->is_past_shared(address)) {
        append(
            text, sizeof text, 0,
            "Block (%u,%u,%u) went beyond the dynamic shared memory that the launch gave it: launch({ shared: bytes }) "
            "gives more.",
            b[0], b[1], b[2]);
      } else if (information->si_code == SI_KERNEL) {  // the processor does not say which
        append(text, sizeof text, 0,
               "Block (%u,%u,%u) accessed an address that no memory can have, or that is not aligned for its type (a "
               "float4: 16 bytes).",
               b[0], b[1], b[2]);
      } else {
        append(text, sizeof text, 0, "Block (%u,%u,%u) accessed 0x%zx, which is in no array.", b[0], b[1], b[2],
               reinterpret_cast<size_t>(address));
      }
  }
  fail(code, where, text);
}

}  // namespace

size_t append(char* text, size_t size, size_t used, const char* format, ...) {
  if (used + 1 >= size) return used;
  va_list arguments;
  va_start(arguments, format);
  int length = std::vsnprintf(text + used, size - used, format, arguments);
  va_end(arguments);
  if (length < 0) return used;
  return used + size_t(length) < size ? used + size_t(length) : size - 1;
}

void install_faults(Control* control) {
  record_in = control;
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    if (sigaction(signal, &action, nullptr) != 0) {
      throw DeviceError("DRIVER",
                        std::string("The device process cannot catch the faults of kernels: sigaction failed: ") +
                            std::strerror(errno) + ".");
    }
  }
  static FaultStack stack;
}

FaultStack::FaultStack()
    : memory_(mmap(nullptr, kSignalStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
  stack_t stack{};
  stack.ss_size = kSignalStack;
  stack.ss_sp = memory_;
  if (memory_ == MAP_FAILED || sigaltstack(&stack, nullptr) != 0) {
    throw DeviceError("OUT_OF_MEMORY", std::string("There is no memory for the stack of the fault handler: ") +
                                           std::strerror(errno) + ".");
  }
}

FaultStack::~FaultStack() {
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  munmap(memory_, kSignalStack);
}

void fail_block(const char* code, uint64_t block, const warpcell_cpu::Geometry& geometry, const char* format, ...) {
  char text[kErrorTextBytes];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fail(code, unravel(block, geometry, kNone), text);
}

void fail_thread(const char* code, uint64_t block, const warpcell_cpu::Geometry& geometry, uint32_t thread,
                 const char* format, ...) {
  char text[kErrorTextBytes];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fail(code, unravel(block, geometry, thread), text);
}

}  // namespace warpcell::cpu

void warpcell_cpu_trap(const unsigned* block, const unsigned* thread) noexcept {
  warpcell::cpu::Where where{true, {block[0], block[1], block[2]}, {thread[0], thread[1], thread[2]}};
  warpcell::cpu::fail("TRAP", where, "The kernel called __trap().");
}

void warpcell_cpu_assert(const char* condition, const char* file, unsigned line, const unsigned* block,
                         const unsigned* thread) noexcept {
  warpcell::cpu::Where where{true, {block[0], block[1], block[2]}, {thread[0], thread[1], thread[2]}};
  char text[warpcell::kErrorTextBytes];
  warpcell::cpu::append(text, sizeof text, 0, "The assertion %s failed (%s, line %u).", condition, file, line);
  warpcell::cpu::fail("ASSERT", where, text);
}
