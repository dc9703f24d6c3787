// cuda::atomic for the host code of a program, which shares it with kernels; cuda::barrier and their kin, which host
// code knows by name alone.
#pragma once
#include <atomic>

namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;
template <class T, thread_scope Scope = thread_scope_system>
class atomic : public ::std::atomic<T> {
 public:
  atomic() noexcept = default;
  constexpr atomic(T value) noexcept : ::std::atomic<T>(value) {}
  using ::std::atomic<T>::operator=;
};
template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref;
template <thread_scope Scope, class Completion = void>
class barrier;
template <thread_scope Scope>
class latch;
template <thread_scope Scope, long Most = 1>
class counting_semaphore;
template <thread_scope Scope>
using binary_semaphore = counting_semaphore<Scope>;
template <thread_scope Scope>
class pipeline;
template <thread_scope Scope, unsigned char Stages>
class pipeline_shared_state;
}  // namespace cuda
