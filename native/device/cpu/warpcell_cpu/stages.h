// cuda::pipeline: copies in stages, which threads produce and consume; a copy is done when it is asked for, so only threads wait for each other.
// (libcu++, "Pipelines".)
#pragma once
#include "arrivals.h"

namespace cuda {

enum class pipeline_role { producer, consumer };

template <thread_scope Scope, unsigned char Stages>
struct pipeline_shared_state {
  barrier<Scope> warpcell_cpu_full[Stages], warpcell_cpu_empty[Stages];
  unsigned warpcell_cpu_producers;
};

// Each thread has its own; those of a block share the stages' state.
template <thread_scope Scope>
class pipeline {
 public:
  pipeline() = default;
  WARPCELL_CPU_MEMBER pipeline(barrier<Scope>* full, barrier<Scope>* empty, unsigned stages) : full_(full), empty_(empty), stages_(stages) {}

  WARPCELL_CPU_MEMBER void producer_acquire(unsigned line = __builtin_LINE()) {
    if (stages_ != 0) empty_[head_ % stages_].wait_parity(!(head_ / stages_ & 1), line);
  }
  WARPCELL_CPU_MEMBER void producer_commit() {
    if (stages_ != 0) full_[head_ % stages_].arrive();
    head_++;
  }
  WARPCELL_CPU_MEMBER void consumer_wait(unsigned line = __builtin_LINE()) {
    if (stages_ != 0) full_[tail_ % stages_].wait_parity(tail_ / stages_ & 1, line);
  }
  WARPCELL_CPU_MEMBER void consumer_release() {
    if (stages_ != 0) empty_[tail_ % stages_].arrive();
    tail_++;
  }
  WARPCELL_CPU_MEMBER bool quit() { return true; }
  // All stages that were committed, except the last `count`.
  WARPCELL_CPU_MEMBER void warpcell_cpu_wait_prior(unsigned count, unsigned line) {
    if (stages_ == 0) return;
    for (unsigned stage = tail_; stage + count < head_; stage++) full_[stage % stages_].wait_parity(stage / stages_ & 1, line);
  }

 private:
  barrier<Scope>*full_ = nullptr, *empty_ = nullptr;
  unsigned stages_ = 0, head_ = 0, tail_ = 0;
};

WARPCELL_CPU_FN pipeline<thread_scope_thread> make_pipeline() { return {}; }

template <class Group, thread_scope Scope, unsigned char Stages>
WARPCELL_CPU_FN pipeline<Scope> warpcell_cpu_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state, unsigned producers, unsigned consumers, unsigned line) {
  if (group.thread_rank() == 0) {
    for (unsigned i = 0; i < Stages; i++) {
      init(&state->warpcell_cpu_full[i], producers);
      init(&state->warpcell_cpu_empty[i], consumers);
    }
  }
  group.sync(line);
  return {state->warpcell_cpu_full, state->warpcell_cpu_empty, Stages};
}
template <class Group, thread_scope Scope, unsigned char Stages>
WARPCELL_CPU_FN pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state, unsigned line = __builtin_LINE()) {
  return warpcell_cpu_pipeline(group, state, group.size(), group.size(), line);
}
template <class Group, thread_scope Scope, unsigned char Stages>
WARPCELL_CPU_FN pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state, size_t producers, unsigned line = __builtin_LINE()) {
  return warpcell_cpu_pipeline(group, state, unsigned(producers), unsigned(group.size() - producers), line);
}
template <class Group, thread_scope Scope, unsigned char Stages>
WARPCELL_CPU_FN pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state, pipeline_role role, unsigned line = __builtin_LINE()) {
  if (group.thread_rank() == 0) state->warpcell_cpu_producers = 0;
  group.sync(line);
  if (role == pipeline_role::producer) __atomic_fetch_add(&state->warpcell_cpu_producers, 1, __ATOMIC_ACQ_REL);
  group.sync(line);
  const unsigned producers = state->warpcell_cpu_producers;
  return warpcell_cpu_pipeline(group, state, producers, unsigned(group.size()) - producers, line);
}

template <class Size, thread_scope Scope>
WARPCELL_CPU_FN void memcpy_async(void* to, const void* from, Size bytes, pipeline<Scope>&) { __builtin_memcpy(to, from, size_t(bytes)); }
template <class Group, class Size, thread_scope Scope>
WARPCELL_CPU_FN void memcpy_async(const Group& group, void* to, const void* from, Size bytes, pipeline<Scope>&) {
  warpcell_cpu::copy_together(group.thread_rank(), group.size(), to, from, size_t(bytes));
}
template <unsigned Count, thread_scope Scope>
WARPCELL_CPU_FN void pipeline_consumer_wait_prior(pipeline<Scope>& stages, unsigned line = __builtin_LINE()) { stages.warpcell_cpu_wait_prior(Count, line); }

}  // namespace cuda
