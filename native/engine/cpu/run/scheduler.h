// Runs blocks of threads on one core: turns a kernel's entry into lazy fibers. A block starts as a plain loop over its
// threads; a thread that has to wait keeps the stack it is on, and the rest of the loop starts anew on a fresh one.
#pragma once
#include <cstdint>

#include "../../../device/cpu/warpcell_cpu/switch.h"
#include "cluster.h"
#include "grid_barrier.h"
#include "observer.h"
#include "stacks.h"

namespace warpcell::cpu {

using warpcell_cpu::Block;
using warpcell_cpu::Geometry;
using warpcell_cpu::kLanes;
using warpcell_cpu::kMaxThreads;
using warpcell_cpu::Run;
using warpcell_cpu::Slot;

constexpr uint32_t kNone = ~0u;

// What the scheduler knows of a warp besides what its lanes have laid down.
struct WarpState {
  uint32_t alive;         // lanes that have not exited
  uint32_t arrived;       // lanes that wait in a collective
  uint32_t parked;        // lanes that wait in __activemask
  uint32_t mask[kLanes];  // of the collective each lane is in
  uint32_t code[kLanes];
  uint32_t site[kLanes];  // of __activemask
};

// What the threads of blocks did that is no computing.
struct Counts {
  uint64_t waiting = 0;      // threads that waited: each had a stack of its own
  uint64_t barriers = 0;     // of a block, that let its threads go on
  uint64_t collectives = 0;  // of a warp
  uint64_t divergent = 0;    // of those: without some lane of the warp that had not exited
};

class Scheduler {
 public:
  Scheduler();

  // Runs the blocks [first, end), and returns when all their threads have exited. `threads` is the size of a block;
  // stacks for threads + 1 exist; `split` in place of the kernel's entry runs whole blocks on the one that is for that.
  // `shared` is the block's dynamic shared memory.
  void run(const warpcell_cpu::Kernel& kernel, void (*split)(Run*), const Geometry& geometry, uint32_t threads,
           const uint8_t* arguments, uint8_t* shared, uint64_t first, uint64_t end);

  // A running thread waits, in one of four ways; the answer is the slot to go to.
  Slot* barrier(uint32_t thread, uint32_t line);
  Slot* collective(uint32_t thread, uint32_t code, uint32_t mask, uint64_t value, uint32_t argument, uint32_t line);
  Slot* active(uint32_t thread, uint32_t site, uint32_t line);
  Slot* yield(uint32_t thread, uint32_t line);
  // Called by every thread of the block after a barrier: the first one waits for the grid.
  void wait_for_grid(uint32_t line);
  void wait_for_cluster();  // the same
  // The running thread goes no further: as if it had exited.
  [[noreturn]] void end_thread(uint32_t thread);

  Stacks stacks;
  Stacks block_stack{1};
  uint64_t sequence = 0;           // of the launch that runs here
  class Output* output = nullptr;  // of the kernels that run here
  GridBarrier* grid = nullptr;     // of the cooperative launch that runs here; else null
  Cluster* cluster = nullptr;      // of the block that runs here; null: it is alone
  Observer* observer = nullptr;    // of the checked launch that runs here; else null
  Counts counts;                   // whole only while is_counting
  // Of all schedulers; changed between launches. What threads do in order they tell nobody, so they do nothing in order
  // while they are counted.
  static inline bool is_counting = false;
  // Of a checked cell: where it looks whether its threads wait in order, and tells when all have come; else null.
  int* observed_order = nullptr;
  void all_wait_in_order(uint32_t line);
  const uint8_t* shared_end = nullptr;  // of dynamic shared memory; a page that faults follows

  const Geometry& geometry() const { return *run_.geometry; }
  uint64_t current_block() const { return run_.current; }
  // For other threads, which may see them a little late: the blocks that are behind the running one in its range.
  uint64_t seen_block() const { return __atomic_load_n(&run_.current, __ATOMIC_RELAXED); }
  uint64_t seen_end() const { return __atomic_load_n(&end_, __ATOMIC_RELAXED); }
  // The linear index of the running thread, or kNone when it has never waited: then a compiler may run several at once.
  uint32_t current_thread() const { return bound_ ? block_.current : kNone; }
  bool running() const { return running_; }
  uint8_t* dynamic_shared() const { return run_.shared; }
  bool is_past_shared(const void* address) const {
    auto* at = static_cast<const uint8_t*>(address);
    return at >= shared_end && at < shared_end + 4096;
  }

 private:
  friend void fiber_main();

  Slot* fresh(bool next_block);
  Slot* resume(uint32_t thread);
  Slot* pick(uint32_t from);
  Slot* finished(uint32_t stack);
  void bind(uint32_t thread);
  void begin_block();
  void exit_threads(uint32_t low, uint32_t high);
  void leave_order();
  void release_barrier();
  bool complete(uint32_t warp, uint32_t lane);
  bool release_parked();
  Slot* deadlock();
  Slot* abandon_block();
  // Threads go on in an order that they need not ask for.
  bool runs_in_order() const { return !is_counting && observer == nullptr; }

  bool is_in_observed_order() const { return observed_order != nullptr && *observed_order != 0; }

  Block block_;
  WarpState warp_[kMaxThreads / kLanes];
  uint64_t ready_[kMaxThreads / 64];    // may run
  uint64_t waiting_[kMaxThreads / 64];  // at the barrier
  uint32_t waiting_count_ = 0;
  uint32_t alive_ = 0;
  uint32_t grid_calls_ = 0;  // of wait_for_grid, since the last barrier of the grid
  uint32_t cluster_calls_ = 0;
  uint32_t threads_ = 0;
  uint32_t next_ = 0;   // the first thread that has not been started
  bool bound_ = false;  // the running fiber is a thread of its own
  bool running_ = false;
  bool first_fiber_ = true;  // the fiber started last began its block
  uint32_t stack_ = 0;       // of the fiber started last
  uint64_t end_ = 0;
  uint32_t stack_of_[kMaxThreads];
  uint32_t thread_of_[Stacks::kCount];
  uint32_t free_[Stacks::kCount];
  uint32_t free_count_ = 0;
  Run run_{};
  void (*entry_)(Run*) = nullptr;
  bool is_split_ = false;
  Slot start_{};
  Slot home_{};
};

// The scheduler of the calling core.
extern thread_local Scheduler* scheduler;

}  // namespace warpcell::cpu
