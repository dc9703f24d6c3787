// Lazy fibers: which thread of a block runs next. Lanes of the same warp come first, then threads that have not
// started, then whoever is ready; so 32 stacks stay in the cache, and the order is the same in every run.
#include "scheduler.h"

#include <cstring>

#include "faults.h"
#include "stack_bounds.h"

namespace warpcell::cpu {
namespace {

void set_bits(uint64_t* bits, uint32_t low, uint32_t high) {
  while (low < high) {
    uint32_t end = (low | 63) + 1 < high ? (low | 63) + 1 : high;
    uint32_t count = end - low;
    bits[low / 64] |= (count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1) << (low % 64);
    low = end;
  }
}

uint32_t lanes_below(uint32_t lane) { return lane >= 32 ? ~0u : (1u << lane) - 1; }

}  // namespace

thread_local Scheduler* scheduler = nullptr;

// Where every fiber starts, and never returns from.
void fiber_main() {
  Scheduler* mine = scheduler;
  uint32_t stack = mine->stack_;
  mine->entry_(&mine->run_);
  Slot discarded;
  warpcell_cpu::switch_to(&discarded, mine->finished(stack));
  __builtin_unreachable();
}

Scheduler::Scheduler() {
  std::memset(&block_, 0, sizeof block_);
  for (uint32_t i = Stacks::kCount; i-- > 0;) {
    free_[free_count_++] = i;
    thread_of_[i] = kNone;
  }
}

__attribute__((noinline)) static void enter(Slot* from, Slot* to) { warpcell_cpu::switch_to(from, to); }

void Scheduler::run(const warpcell_cpu::Kernel& kernel, void (*split)(Run*), const Geometry& geometry, uint32_t threads,
                    const uint8_t* arguments, uint8_t* shared, uint64_t first, uint64_t end) {
  is_split_ = split != nullptr;
  entry_ = is_split_ ? split : kernel.entry;
  threads_ = block_.threads = threads;
  end_ = end;
  run_.current = first;
  run_.geometry = &geometry;
  run_.arguments = arguments;
  run_.shared = shared;
  run_.block = &block_;
  run_.first = first;
  kernel.prepare();
  if (observer != nullptr) observer->entered(*this);
  running_ = true;
  {
    StackBounds bounds(is_split_ ? block_stack : stacks);
    enter(&home_, fresh(true));
  }
  running_ = false;
  if (observer != nullptr) observer->left(*this);
}

// A new fiber, for the rest of this block's threads or for the blocks from run_.first on.
Slot* Scheduler::fresh(bool next_block) {
  stack_ = free_[--free_count_];
  bound_ = false;
  first_fiber_ = next_block;
  if (next_block) {
    next_ = 0;
    run_.end = end_;
    run_.thread = 0;
  } else {
    run_.first = run_.current;
    run_.end = run_.current + 1;
    run_.thread = next_;
  }
  warpcell_cpu::prepare(&start_, is_split_ ? block_stack.top(0) : stacks.top(stack_), fiber_main);
  return &start_;
}

Slot* Scheduler::resume(uint32_t thread) {
  ready_[thread / 64] &= ~(uint64_t(1) << (thread % 64));
  bound_ = true;
  block_.current = thread;
  return &block_.slot[thread];
}

// Whom to run when `from` (or kNone) cannot go on.
Slot* Scheduler::pick(uint32_t from) {
  if (from != kNone) {
    uint32_t lanes = uint32_t(ready_[from / 64] >> (from & 32));
    if (lanes != 0) {
      uint32_t above = lanes & ~lanes_below(from % kLanes + 1);
      return resume(from / kLanes * kLanes + uint32_t(__builtin_ctz(above != 0 ? above : lanes)));
    }
  }
  if (next_ < threads_) return fresh(false);
  do {
    for (uint32_t i = 0; i < (threads_ + 63) / 64; i++) {
      if (ready_[i] != 0) return resume(i * 64 + uint32_t(__builtin_ctzll(ready_[i])));
    }
  } while (release_parked());
  return deadlock();
}

Slot* Scheduler::finished(uint32_t stack) {
  uint32_t thread = thread_of_[stack];
  thread_of_[stack] = kNone;
  free_[free_count_++] = stack;
  if (thread == kNone) {
    if (first_fiber_) return &home_;  // no thread of any of these blocks has waited
    exit_threads(next_, threads_);
    next_ = threads_;
    if (alive_ != 0) return pick(kNone);
  } else {
    leave_order();
    exit_threads(thread, thread + 1);
    if (alive_ != 0) return pick(thread);
  }
  if (run_.current + 1 >= end_) return &home_;
  run_.first = run_.current + 1;
  return fresh(true);
}

// The running fiber becomes `thread`; those that its loop ran before have exited.
void Scheduler::bind(uint32_t thread) {
  if (bound_) return;
  if (first_fiber_) begin_block();
  uint32_t first = next_;
  next_ = thread + 1;
  stack_of_[thread] = stack_;
  thread_of_[stack_] = thread;
  counts.waiting++;
  bound_ = true;
  block_.current = thread;
  if (thread > first) exit_threads(first, thread);
}

void Scheduler::begin_block() {
  first_fiber_ = false;
  alive_ = threads_;
  waiting_count_ = 0;
  grid_calls_ = cluster_calls_ = 0;
  block_.in_order = 0;
  if (observed_order != nullptr) *observed_order = 0;
  block_.warp_in_order = nullptr;  // the votes are left alone: the first thread to come has already voted
  std::memset(ready_, 0, sizeof ready_);
  std::memset(waiting_, 0, sizeof waiting_);
  for (uint32_t warp = 0; warp * kLanes < threads_; warp++) {
    warp_[warp].alive = lanes_below(threads_ - warp * kLanes);
    warp_[warp].arrived = warp_[warp].parked = 0;
  }
}

void Scheduler::exit_threads(uint32_t low, uint32_t high) {
  alive_ -= high - low;
  while (low < high) {
    uint32_t warp = low / kLanes;
    uint32_t end = (warp + 1) * kLanes < high ? (warp + 1) * kLanes : high;
    warp_[warp].alive &= ~(lanes_below(end - warp * kLanes) & ~lanes_below(low % kLanes));
    for (uint32_t left = warp_[warp].arrived; left != 0; left &= left - 1)
      complete(warp, uint32_t(__builtin_ctz(left)));
    low = end;
  }
  if (alive_ != 0 && waiting_count_ == alive_) release_barrier();
}

// Writes down who waits and who is ready where running in order had made it needless.
void Scheduler::leave_order() {
  if (block_.in_order || is_in_observed_order()) {
    block_.in_order = 0;
    if (observed_order != nullptr) *observed_order = 0;
    waiting_count_ = block_.current;
    set_bits(waiting_, 0, block_.current);
    set_bits(ready_, block_.current + 1, threads_);
    bound_ = true;
  }
  if (block_.warp_in_order != nullptr) {
    uint32_t warp = block_.current / kLanes, lane = block_.current % kLanes;
    uint32_t code = block_.warp_in_order->code;
    block_.warp_in_order = nullptr;
    warp_[warp].arrived |= lanes_below(lane);
    for (uint32_t i = 0; i < lane; i++) {
      warp_[warp].mask[i] = warpcell_cpu::kFullMask;
      warp_[warp].code[i] = code;
    }
    ready_[warp / 2] |= uint64_t(~lanes_below(lane + 1)) << (warp % 2 * kLanes);
    bound_ = true;
  }
}

void Scheduler::release_barrier() {
  counts.barriers++;
  if (observer != nullptr) observer->released({block_.slot, waiting_, waiting_count_, alive_, threads_});
  block_.voted = block_.votes;
  block_.votes = 0;
  for (uint32_t i = 0; i < (threads_ + 63) / 64; i++) {
    ready_[i] |= waiting_[i];
    waiting_[i] = 0;
  }
  waiting_count_ = 0;
}

Slot* Scheduler::barrier(uint32_t thread, uint32_t line) {
  leave_order();
  bind(thread);
  block_.slot[thread].line = line;
  waiting_[thread / 64] |= uint64_t(1) << (thread % 64);
  if (++waiting_count_ < alive_) return pick(thread);
  release_barrier();
  if (alive_ < threads_ || is_counting || (observer != nullptr && observed_order == nullptr)) return resume(thread);
  std::memset(ready_, 0, sizeof ready_);
  if (observer != nullptr)
    *observed_order = 1;
  else
    block_.in_order = 1;
  block_.current = 0;
  return &block_.slot[0];
}

void Scheduler::all_wait_in_order(uint32_t line) {
  uint64_t all[kMaxThreads / 64] = {};
  set_bits(all, 0, threads_);
  counts.barriers++;
  block_.slot[block_.current].line = line;
  observer->released({block_.slot, all, threads_, threads_, threads_});
}

Slot* Scheduler::collective(uint32_t thread, uint32_t code, uint32_t mask, uint64_t value, uint32_t argument,
                            uint32_t line) {
  leave_order();
  bind(thread);
  uint32_t warp = thread / kLanes, lane = thread % kLanes;
  WarpState& state = warp_[warp];
  warpcell_cpu::Warp& laid = block_.warp[warp];
  block_.slot[thread].line = line;
  if (!(mask >> lane & 1)) {
    if (observer != nullptr) {
      observer->left_out(line, mask, lane);
      end_thread(thread);
    }
    fail_thread("WARP_MASK", run_.current, *run_.geometry, thread,
                "The mask 0x%08x of the warp intrinsic in line %u leaves out the calling lane %u.", mask, line, lane);
  }
  state.mask[lane] = mask;
  state.code[lane] = code;
  state.arrived |= 1u << lane;
  laid.value[lane] = value;
  laid.argument[lane] = argument;
  if (!complete(warp, lane)) return pick(thread);
  if (mask != warpcell_cpu::kFullMask || state.alive != warpcell_cpu::kFullMask || !runs_in_order())
    return resume(thread);
  ready_[warp / 2] &= ~(uint64_t(warpcell_cpu::kFullMask) << (warp % 2 * kLanes));
  block_.warp_in_order = &laid;
  block_.current = warp * kLanes;
  return &block_.slot[block_.current];
}

// Ends the collective that `lane` is in when every lane of its mask that has not exited has arrived there.
bool Scheduler::complete(uint32_t warp, uint32_t lane) {
  WarpState& state = warp_[warp];
  if ((state.mask[lane] & state.alive & ~state.arrived) != 0) return false;
  uint32_t group = 0;
  for (uint32_t left = state.arrived; left != 0; left &= left - 1) {
    uint32_t other = uint32_t(__builtin_ctz(left));
    if (state.mask[other] == state.mask[lane] && state.code[other] == state.code[lane]) group |= 1u << other;
  }
  if (!(group >> lane & 1) || (state.mask[lane] & state.alive & ~group) != 0) return false;
  counts.collectives++;
  counts.divergent += group != state.alive;
  if (observer != nullptr) {
    uint32_t exited = lanes_below(threads_ - warp * kLanes) & ~state.alive;
    observer->collected({&block_.warp[warp], warp, group, state.mask[lane] & exited, state.code[lane],
                         block_.slot[warp * kLanes + lane].line});
  }
  warpcell_cpu_collect(&block_, warp, group, state.code[lane]);
  state.arrived &= ~group;
  ready_[warp / 2] |= uint64_t(group) << (warp % 2 * kLanes);
  return true;
}

Slot* Scheduler::active(uint32_t thread, uint32_t site, uint32_t line) {
  leave_order();
  bind(thread);
  WarpState& state = warp_[thread / kLanes];
  block_.slot[thread].line = line;
  state.parked |= 1u << (thread % kLanes);
  state.site[thread % kLanes] = site;
  return pick(thread);
}

// Nobody can run: lanes of a warp that stand at the same __activemask are active together.
bool Scheduler::release_parked() {
  for (uint32_t warp = 0; warp * kLanes < threads_; warp++) {
    WarpState& state = warp_[warp];
    if (state.parked == 0) continue;
    uint32_t site = state.site[__builtin_ctz(state.parked)], group = 0;
    for (uint32_t left = state.parked; left != 0; left &= left - 1) {
      uint32_t lane = uint32_t(__builtin_ctz(left));
      if (state.site[lane] == site) group |= 1u << lane;
    }
    for (uint32_t left = group; left != 0; left &= left - 1)
      block_.result[warp * kLanes + uint32_t(__builtin_ctz(left))] = group;
    state.parked &= ~group;
    ready_[warp / 2] |= uint64_t(group) << (warp % 2 * kLanes);
    return true;
  }
  return false;
}

// Everybody else comes first, in turn: whoever holds the lock that this thread spins on will run.
Slot* Scheduler::yield(uint32_t thread, uint32_t line) {
  if (is_split_) return &block_.slot[thread];  // there is nobody else, and nobody is waited for
  leave_order();
  bind(thread);
  block_.slot[thread].line = line;
  ready_[thread / 64] |= uint64_t(1) << (thread % 64);
  for (uint32_t i = thread + 1; i < threads_; i++) {
    uint64_t word = ready_[i / 64] >> (i % 64);
    if (word != 0) return resume(i + uint32_t(__builtin_ctzll(word)));
    i |= 63;
  }
  if (next_ < threads_) return fresh(false);
  for (uint32_t i = 0;; i++) {
    if (ready_[i] != 0) return resume(i * 64 + uint32_t(__builtin_ctzll(ready_[i])));
  }
}

void Scheduler::wait_for_grid(uint32_t line) {
  if (grid == nullptr) {
    fail_thread("NOT_COOPERATIVE", run_.current, *run_.geometry, block_.current,
                "this_grid().sync() in line %u needs a cooperative launch. Launch the kernel with { grid, block, "
                "cooperative: true }.",
                line);
  }
  bool is_first = grid_calls_++ == 0;
  if (grid_calls_ == alive_) grid_calls_ = 0;
  bool has_come = !is_first || grid->wait();
  if (is_first && observer != nullptr) observer->grid_passed();
  if (has_come) return;
  fail_block("DEADLOCK", run_.current, *run_.geometry,
             "this_grid().sync() in line %u waits for every block of the grid, but %llu of them have ended.", line,
             static_cast<unsigned long long>(grid->ended()));
}

void Scheduler::wait_for_cluster() {
  bool is_first = cluster_calls_++ == 0;
  if (cluster_calls_ == alive_) cluster_calls_ = 0;
  if (is_first && cluster != nullptr) cluster->wait();
}

Slot* Scheduler::deadlock() {
  char text[320];
  uint32_t waits = waiting_count_;
  uint32_t line = 0;
  for (uint32_t i = 0; i < threads_ && line == 0; i++) {
    if (waiting_[i / 64] >> (i % 64) & 1) line = block_.slot[i].line;
  }
  size_t used = waits == 0 ? append(text, sizeof text, 0, "no thread waits at __syncthreads")
                           : append(text, sizeof text, 0,
                                    "%u of %u threads that have not exited wait at __syncthreads in line %u", waits,
                                    alive_, line);
  for (uint32_t warp = 0; warp * kLanes < threads_; warp++) {
    for (uint32_t left = warp_[warp].arrived; left != 0;) {
      uint32_t lane = uint32_t(__builtin_ctz(left)), group = 0;
      uint32_t mask = warp_[warp].mask[lane], at = block_.slot[warp * kLanes + lane].line;
      for (uint32_t i = 0; i < kLanes; i++) {
        if ((left >> i & 1) && warp_[warp].mask[i] == mask && block_.slot[warp * kLanes + i].line == at)
          group |= 1u << i;
      }
      left &= ~group;
      used = append(text, sizeof text, used, "; lanes 0x%08x of warp %u wait in line %u for lanes 0x%08x", group, warp,
                    at, mask & warp_[warp].alive & ~group);
    }
  }
  if (observer != nullptr) {
    observer->stuck(line, text);
    return abandon_block();
  }
  fail_block("DEADLOCK", run_.current, *run_.geometry, "Not every thread of the block came to the same barrier: %s.",
             text);
}

// None of its threads runs again. Their stacks are free, also the one that this runs on: what starts there begins above
// the frames that are still needed.
Slot* Scheduler::abandon_block() {
  free_count_ = 0;
  for (uint32_t i = Stacks::kCount; i-- > 0;) {
    free_[free_count_++] = i;
    thread_of_[i] = kNone;
  }
  if (run_.current + 1 >= end_) return &home_;
  run_.first = run_.current + 1;
  return fresh(true);
}

void Scheduler::end_thread(uint32_t thread) {
  leave_order();
  bind(thread);
  Slot discarded;
  warpcell_cpu::switch_to(&discarded, finished(stack_of_[thread]));
  __builtin_unreachable();
}

}  // namespace warpcell::cpu

using warpcell::cpu::scheduler;

warpcell_cpu::Slot* warpcell_cpu_barrier(unsigned thread, unsigned line) noexcept {
  return scheduler->barrier(thread, line);
}
warpcell_cpu::Slot* warpcell_cpu_warp(unsigned thread, unsigned code, unsigned mask, unsigned long long value,
                                      unsigned argument, unsigned line) noexcept {
  return scheduler->collective(thread, code, mask, value, argument, line);
}
warpcell_cpu::Slot* warpcell_cpu_active(unsigned thread, unsigned site, unsigned line) noexcept {
  return scheduler->active(thread, site, line);
}
extern "C" void warpcell_cpu_all_wait(unsigned line) noexcept { scheduler->all_wait_in_order(line); }
void warpcell_cpu_grid(unsigned line) noexcept { scheduler->wait_for_grid(line); }
int warpcell_cpu_is_cooperative() noexcept { return scheduler->grid != nullptr; }
warpcell_cpu::Slot* warpcell_cpu_yield(unsigned thread, unsigned line) noexcept {
  return scheduler->yield(thread, line);
}
