// Sleeping on a word of shared memory: turns a value into a wait and a wake between processes.
#pragma once
#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace warpcell {

static_assert(sizeof(std::atomic<uint32_t>) == 4 && std::atomic<uint32_t>::is_always_lock_free);

constexpr uint64_t kForever = UINT64_MAX;

// Sleeps while the word still holds `seen`, at most so long (ns). May return early: the caller looks again.
inline void futex_wait(std::atomic<uint32_t>& word, uint32_t seen, uint64_t time) {
  timespec limit{time_t(time / 1000000000u), long(time % 1000000000u)};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, time == kForever ? nullptr : &limit, nullptr, 0);
}

// Safe in a signal handler.
inline void futex_wake(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

// Tells the processor that this is a spinning loop.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

inline uint64_t nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return uint64_t(now.tv_sec) * 1000000000u + uint64_t(now.tv_nsec);
}

// Spins until `is_over` or for so long (ns); whether it is over. The processor is offered to others after a few
// microseconds: the process that this one waits for may have been put on the same core.
template <class IsOver>
bool spin_until(IsOver is_over, uint64_t time) {
  constexpr uint64_t kSpinNanoseconds = 4000;
  constexpr int kSpinsPerLook = 16;

  uint64_t began = nanoseconds();
  for (uint64_t spent = 0; spent < time; spent = nanoseconds() - began) {
    for (int i = 0; i < kSpinsPerLook; i++) {
      if (is_over()) return true;
      relax();
    }
    if (spent > kSpinNanoseconds) sched_yield();
  }
  return false;
}

}  // namespace warpcell
