// cuda::barrier, cuda::latch and cuda::counting_semaphore: threads that wait for arrivals, of a part of a block as well. (libcu++, "Synchronization Primitives".)
#pragma once
#include "atomic_objects.h"
#include "copies.h"

namespace warpcell_cpu {

// How many must arrive, how many of them are still to come, and how often all have: in one word that changes as one.
struct Arrivals {
  u64 word;
  static constexpr u64 kCount = (1u << 20) - 1;
  WARPCELL_CPU_FN u64 of(u64 expected, u64 pending, u64 phase) { return expected | pending << 20 | phase << 40; }
  WARPCELL_CPU_MEMBER u64 now() const { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }
  WARPCELL_CPU_MEMBER u64 phase() const { return now() >> 40; }

  // Returns the phase that the arrival belongs to. `complete` runs before those who wait go on.
  template <class Complete>
  WARPCELL_CPU_MEMBER u64 arrive(u64 count, u64 dropped, Complete complete) {
    u64 old = now();
    for (;;) {
      const u64 expected = (old & kCount) - dropped, pending = (old >> 20 & kCount) - count, phase = old >> 40;
      if (pending == 0) complete();
      const u64 next = pending == 0 ? of(expected, expected, phase + 1) : of(expected, pending, phase);
      if (__atomic_compare_exchange_n(&word, &old, next, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return phase;
    }
  }
  WARPCELL_CPU_MEMBER void wait(u64 left, u32 line) const {
    while (phase() == left) yield(line);
  }
};

}  // namespace warpcell_cpu

namespace cuda {

namespace std {

struct warpcell_cpu_nothing {
  WARPCELL_CPU_MEMBER void operator()() const {}
};

}  // namespace std

// Left as it is until init(&barrier, count), so that it may be __shared__.
template <thread_scope Scope = thread_scope_system, class Completion = std::warpcell_cpu_nothing>
class barrier {
 public:
  using arrival_token = warpcell_cpu::u64;
  barrier() = default;
  WARPCELL_CPU_MEMBER barrier(long expected, Completion completion = Completion()) : completion_(completion) { warpcell_cpu_start(expected); }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;
  static constexpr long max() { return long(warpcell_cpu::Arrivals::kCount); }

  WARPCELL_CPU_MEMBER void warpcell_cpu_start(long expected) {
    __atomic_store_n(&arrivals_.word, warpcell_cpu::Arrivals::of(expected, expected, 0), __ATOMIC_RELEASE);
  }
  WARPCELL_CPU_MEMBER void warpcell_cpu_complete_by(const Completion& completion) { __builtin_memcpy(&completion_, &completion, sizeof completion); }
  WARPCELL_CPU_MEMBER arrival_token arrive(long count = 1) { return arrivals_.arrive(count, 0, completion_); }
  WARPCELL_CPU_MEMBER void wait(arrival_token token, unsigned line = __builtin_LINE()) const { arrivals_.wait(token, line); }
  WARPCELL_CPU_MEMBER void arrive_and_wait(unsigned line = __builtin_LINE()) { wait(arrive(), line); }
  WARPCELL_CPU_MEMBER void arrive_and_drop() { arrivals_.arrive(1, 1, completion_); }
  WARPCELL_CPU_MEMBER bool try_wait(arrival_token token, unsigned line = __builtin_LINE()) const {
    if (arrivals_.phase() == token) warpcell_cpu::yield(line);
    return arrivals_.phase() != token;
  }
  // The phase of that parity is over: the one before the first is, too.
  WARPCELL_CPU_MEMBER void wait_parity(bool parity, unsigned line = __builtin_LINE()) const {
    while ((arrivals_.phase() & 1) == parity) warpcell_cpu::yield(line);
  }
  WARPCELL_CPU_MEMBER bool try_wait_parity(bool parity, unsigned line = __builtin_LINE()) const {
    if ((arrivals_.phase() & 1) == parity) warpcell_cpu::yield(line);
    return (arrivals_.phase() & 1) != parity;
  }

 private:
  warpcell_cpu::Arrivals arrivals_;
  [[no_unique_address]] Completion completion_;
};

template <thread_scope Scope, class Completion>
WARPCELL_CPU_FN void init(barrier<Scope, Completion>* target, long expected) { target->warpcell_cpu_start(expected); }
template <thread_scope Scope, class Completion>
WARPCELL_CPU_FN void init(barrier<Scope, Completion>* target, long expected, Completion completion) {
  target->warpcell_cpu_complete_by(completion);
  target->warpcell_cpu_start(expected);
}

// Copies are done when they are asked for.
template <class Size, thread_scope Scope, class Completion>
WARPCELL_CPU_FN void memcpy_async(void* to, const void* from, Size bytes, barrier<Scope, Completion>&) { __builtin_memcpy(to, from, size_t(bytes)); }
template <class Group, class Size, thread_scope Scope, class Completion>
WARPCELL_CPU_FN void memcpy_async(const Group& group, void* to, const void* from, Size bytes, barrier<Scope, Completion>&) {
  warpcell_cpu::copy_together(group.thread_rank(), group.size(), to, from, size_t(bytes));
}

namespace device {

template <class Barrier>
WARPCELL_CPU_FN typename Barrier::arrival_token barrier_arrive_tx(Barrier& target, long count, long) { return target.arrive(count); }
template <class Barrier>
WARPCELL_CPU_FN void barrier_expect_tx(Barrier&, long) {}
template <class Size, class Barrier>
WARPCELL_CPU_FN void memcpy_async_tx(void* to, const void* from, Size bytes, Barrier&) { __builtin_memcpy(to, from, size_t(bytes)); }

}  // namespace device

template <thread_scope Scope = thread_scope_system>
class latch {
 public:
  latch() = default;
  WARPCELL_CPU_MEMBER constexpr explicit latch(long count) : left_(count) {}
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;
  WARPCELL_CPU_MEMBER void count_down(long count = 1) { left_.fetch_sub(count); }
  WARPCELL_CPU_MEMBER bool try_wait() const { return left_.load() == 0; }
  WARPCELL_CPU_MEMBER void wait(unsigned line = __builtin_LINE()) const {
    while (left_.load() != 0) warpcell_cpu::yield(line);
  }
  WARPCELL_CPU_MEMBER void arrive_and_wait(long count = 1, unsigned line = __builtin_LINE()) {
    count_down(count);
    wait(line);
  }

 private:
  atomic<long, Scope> left_;
};

template <thread_scope Scope = thread_scope_system, long Most = 0x7fffffff>
class counting_semaphore {
 public:
  counting_semaphore() = default;
  WARPCELL_CPU_MEMBER constexpr explicit counting_semaphore(long count) : count_(count) {}
  counting_semaphore(const counting_semaphore&) = delete;
  counting_semaphore& operator=(const counting_semaphore&) = delete;
  static constexpr long max() { return Most; }
  WARPCELL_CPU_MEMBER void release(long count = 1) { count_.fetch_add(count); }
  WARPCELL_CPU_MEMBER bool try_acquire(unsigned line = __builtin_LINE()) {
    long now = count_.load(memory_order_seq_cst, line);
    return now > 0 && count_.compare_exchange_strong(now, now - 1, memory_order_seq_cst, memory_order_seq_cst, line);
  }
  WARPCELL_CPU_MEMBER void acquire(unsigned line = __builtin_LINE()) {
    while (!try_acquire(line)) warpcell_cpu::yield(line);
  }

 private:
  atomic<long, Scope> count_;
};
template <thread_scope Scope = thread_scope_system>
using binary_semaphore = counting_semaphore<Scope, 1>;

namespace std {

template <class Completion = warpcell_cpu_nothing> using barrier = cuda::barrier<thread_scope_system, Completion>;
using latch = cuda::latch<thread_scope_system>;
template <long Most = 0x7fffffff> using counting_semaphore = cuda::counting_semaphore<thread_scope_system, Most>;
using binary_semaphore = cuda::binary_semaphore<thread_scope_system>;

}  // namespace std

}  // namespace cuda
