// cuda::atomic and cuda::atomic_ref: numbers that threads change together. Every scope is the whole machine here. (libcu++, "Synchronization Primitives".)
#pragma once
#include "atomics.h"
#include "elementary.h"

#define WARPCELL_CPU_MEMBER inline __attribute__((always_inline))

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread = 10 };

namespace std {

enum memory_order : int {
  memory_order_relaxed = __ATOMIC_RELAXED, memory_order_consume = __ATOMIC_CONSUME, memory_order_acquire = __ATOMIC_ACQUIRE,
  memory_order_release = __ATOMIC_RELEASE, memory_order_acq_rel = __ATOMIC_ACQ_REL, memory_order_seq_cst = __ATOMIC_SEQ_CST,
};

}  // namespace std

using std::memory_order;
using std::memory_order_relaxed;
using std::memory_order_consume;
using std::memory_order_acquire;
using std::memory_order_release;
using std::memory_order_acq_rel;
using std::memory_order_seq_cst;

WARPCELL_CPU_FN void atomic_thread_fence(memory_order order, thread_scope = thread_scope_system, unsigned line = __builtin_LINE()) {
  __atomic_thread_fence(int(order));
  warpcell_cpu::fenced(line);
}
WARPCELL_CPU_FN void atomic_signal_fence(memory_order order) { __atomic_signal_fence(int(order)); }

}  // namespace cuda

namespace warpcell_cpu {

using cuda::memory_order;
using cuda::memory_order_acq_rel;
using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;
using cuda::memory_order_seq_cst;

constexpr int of_failure(memory_order order) {
  return order == memory_order_acq_rel ? __ATOMIC_ACQUIRE : order == memory_order_release ? __ATOMIC_RELAXED : int(order);
}
template <class T> struct StepOf { using type = T; };
template <class T> struct StepOf<T*> { using type = long; };

// What an atomic object can do; Place says where its number is. A thread that reads again and again lets others of its block run.
template <class T, class Place>
struct AtomicOperations {
  using value_type = T;
  using difference_type = typename StepOf<T>::type;
  static constexpr bool is_always_lock_free = sizeof(T) <= 8;
  bool is_lock_free() const { return sizeof(T) <= 8; }

  WARPCELL_CPU_MEMBER T load(memory_order order = memory_order_seq_cst, unsigned line = __builtin_LINE()) const {
    T value;
    fenced(line);
    __atomic_load(place(), &value, int(order));
    return value;
  }
  WARPCELL_CPU_MEMBER void store(T value, memory_order order = memory_order_seq_cst) const { __atomic_store(place(), &value, int(order)); }
  WARPCELL_CPU_MEMBER T exchange(T value, memory_order order = memory_order_seq_cst, unsigned line = __builtin_LINE()) const {
    T before;
    __atomic_exchange(place(), &value, &before, int(order));
    if (__builtin_memcmp(&before, &value, sizeof(T)) == 0) yield(line);
    return before;
  }
  WARPCELL_CPU_MEMBER bool compare_exchange_strong(T& expected, T desired, memory_order success, memory_order failure, unsigned line = __builtin_LINE()) const {
    const bool is_done = __atomic_compare_exchange(place(), &expected, &desired, false, int(success), of_failure(failure));
    if (!is_done) yield(line);
    return is_done;
  }
  WARPCELL_CPU_MEMBER bool compare_exchange_strong(T& expected, T desired, memory_order order = memory_order_seq_cst, unsigned line = __builtin_LINE()) const {
    return compare_exchange_strong(expected, desired, order, order, line);
  }
  WARPCELL_CPU_MEMBER bool compare_exchange_weak(T& expected, T desired, memory_order success, memory_order failure, unsigned line = __builtin_LINE()) const {
    return compare_exchange_strong(expected, desired, success, failure, line);
  }
  WARPCELL_CPU_MEMBER bool compare_exchange_weak(T& expected, T desired, memory_order order = memory_order_seq_cst, unsigned line = __builtin_LINE()) const {
    return compare_exchange_strong(expected, desired, order, order, line);
  }

  template <class Change>
  WARPCELL_CPU_MEMBER T change(Change change, memory_order order) const {
    T before, after;
    __atomic_load(place(), &before, __ATOMIC_RELAXED);
    do after = change(before);
    while (!__atomic_compare_exchange(place(), &before, &after, true, int(order), __ATOMIC_RELAXED));
    return before;
  }
  WARPCELL_CPU_MEMBER T fetch_add(difference_type value, memory_order order = memory_order_seq_cst) const {
    return change([=](T old) { return T(old + value); }, order);
  }
  WARPCELL_CPU_MEMBER T fetch_sub(difference_type value, memory_order order = memory_order_seq_cst) const {
    return change([=](T old) { return T(old - value); }, order);
  }
#define WARPCELL_CPU_FETCH_BY(name, expression)                                                           \
  WARPCELL_CPU_MEMBER T name(T value, memory_order order = memory_order_seq_cst) const {                  \
    return change([=](T old) { return T(expression); }, order);                                           \
  }
  WARPCELL_CPU_FETCH_BY(fetch_and, old & value) WARPCELL_CPU_FETCH_BY(fetch_or, old | value) WARPCELL_CPU_FETCH_BY(fetch_xor, old ^ value)
  WARPCELL_CPU_FETCH_BY(fetch_min, value < old ? value : old) WARPCELL_CPU_FETCH_BY(fetch_max, old < value ? value : old)
#undef WARPCELL_CPU_FETCH_BY

  WARPCELL_CPU_MEMBER operator T() const { return load(); }
  WARPCELL_CPU_MEMBER T operator++(int) const { return fetch_add(1); }
  WARPCELL_CPU_MEMBER T operator--(int) const { return fetch_sub(1); }
  WARPCELL_CPU_MEMBER T operator++() const { return T(fetch_add(1) + 1); }
  WARPCELL_CPU_MEMBER T operator--() const { return T(fetch_sub(1) - 1); }
  WARPCELL_CPU_MEMBER T operator+=(difference_type value) const { return T(fetch_add(value) + value); }
  WARPCELL_CPU_MEMBER T operator-=(difference_type value) const { return T(fetch_sub(value) - value); }
  WARPCELL_CPU_MEMBER T operator&=(T value) const { return T(fetch_and(value) & value); }
  WARPCELL_CPU_MEMBER T operator|=(T value) const { return T(fetch_or(value) | value); }
  WARPCELL_CPU_MEMBER T operator^=(T value) const { return T(fetch_xor(value) ^ value); }

  WARPCELL_CPU_MEMBER void wait(T old, memory_order order = memory_order_seq_cst, unsigned line = __builtin_LINE()) const {
    for (T now = load(order, line); __builtin_memcmp(&now, &old, sizeof(T)) == 0; now = load(order, line)) yield(line);
  }
  WARPCELL_CPU_MEMBER void notify_one() const {}
  WARPCELL_CPU_MEMBER void notify_all() const {}

 private:
  WARPCELL_CPU_MEMBER T* place() const { return static_cast<const Place*>(this)->warpcell_cpu_place(); }
};

}  // namespace warpcell_cpu

namespace cuda {

// Left as it is where it is not initialised, so that it may be __shared__.
template <class T, thread_scope Scope = thread_scope_system>
class atomic : public warpcell_cpu::AtomicOperations<T, atomic<T, Scope>> {
 public:
  atomic() = default;
  WARPCELL_CPU_MEMBER constexpr atomic(T value) : value_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  WARPCELL_CPU_MEMBER T operator=(T value) {
    this->store(value);
    return value;
  }
  WARPCELL_CPU_MEMBER T* warpcell_cpu_place() const { return const_cast<T*>(&value_); }

 private:
  alignas(sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0 ? sizeof(T) : alignof(T)) T value_;
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public warpcell_cpu::AtomicOperations<T, atomic_ref<T, Scope>> {
 public:
  static constexpr size_t required_alignment = sizeof(T);
  WARPCELL_CPU_MEMBER explicit atomic_ref(T& value) : place_(&value) {}
  atomic_ref(const atomic_ref&) = default;
  atomic_ref& operator=(const atomic_ref&) = delete;
  WARPCELL_CPU_MEMBER T operator=(T value) const {
    this->store(value);
    return value;
  }
  WARPCELL_CPU_MEMBER T* warpcell_cpu_place() const { return place_; }

 private:
  T* place_;
};

template <thread_scope Scope = thread_scope_system>
class atomic_flag {
 public:
  atomic_flag() = default;
  WARPCELL_CPU_MEMBER bool test_and_set(memory_order order = memory_order_seq_cst, unsigned line = __builtin_LINE()) { return is_set_.exchange(1, order, line) != 0; }
  WARPCELL_CPU_MEMBER bool test(memory_order order = memory_order_seq_cst) const { return is_set_.load(order) != 0; }
  WARPCELL_CPU_MEMBER void clear(memory_order order = memory_order_seq_cst) { is_set_.store(0, order); }

 private:
  atomic<int, Scope> is_set_;
};

namespace std {

template <class T> using atomic = cuda::atomic<T, thread_scope_system>;
template <class T> using atomic_ref = cuda::atomic_ref<T, thread_scope_system>;
using cuda::atomic_signal_fence;
using cuda::atomic_thread_fence;

}  // namespace std

}  // namespace cuda
