// All cores of the machine: turns one launch into ranges of blocks for them. A small grid stays on the calling thread;
// a large one is shared out.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "../../host/record_list.h"
#include "output.h"
#include "scheduler.h"

namespace warpcell::cpu {

// Work that is no kernel, of a library: one part of it.
using Part = std::function<void(uint64_t part)>;

struct Job {
  const warpcell_cpu::Kernel* kernel;
  Geometry geometry;
  const uint8_t* arguments;
  uint32_t shared;                              // dynamic shared memory, bytes
  bool cooperative = false;                     // all blocks run at once, and may wait for each other
  uint32_t cluster[3] = {1, 1, 1};              // blocks, which run at once and share their memory
  size_t stack = Stacks::kBytes;                // of a thread, at least
  void (*split)(warpcell_cpu::Run*) = nullptr;  // in place of the kernel's entry: whole blocks, without fibers
  uint64_t sequence = 0;
  uint32_t name = 0;             // how a profile names it
  Observer* observer = nullptr;  // of a checked launch, whose blocks run one after the other
  const Part* part = nullptr;    // what is done in place of the kernel, of which each block is a part

  uint32_t blocks_of_cluster() const { return cluster[0] * cluster[1] * cluster[2]; }
  // Blocks wait for each other.
  bool runs_together() const { return cooperative || blocks_of_cluster() > 1; }
};

// When a launch began and ended, of the clock of profiles.
struct Span {
  int64_t start;
  int64_t end;
};

// One core's part: a scheduler with its dynamic shared memory, what its kernels print, and whether it is busy.
struct Worker {
  Worker();
  Scheduler scheduler;
  Output output;
  uint8_t* shared_end;
  std::atomic<bool> busy{false};
  RecordList parts;  // of launches, while a profile is on
};

// How far a launch is, as another thread sees it.
struct Headway {
  uint64_t reached = 0;    // changes whenever a block ends
  uint64_t block = 0;      // one that runs
  uint64_t unstarted = 0;  // blocks that no core has begun
};

class Pool {
 public:
  static constexpr uint32_t kDynamicShared = 227 << 10;
  // Of a cooperative launch: each thread has a stack, each block a thread of the system.
  static constexpr uint64_t kTogetherThreads = 16384;
  static constexpr uint64_t kTogetherBlocks = 512;

  // `cores` includes the thread that calls run(). Lives as long as the process.
  explicit Pool(uint32_t cores);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // The calling thread is the one that calls run() from now on.
  void adopt_thread() { scheduler = &workers_[0]->scheduler; }
  // Runs all blocks. `cost` is what one block takes, in nanoseconds, as far as known (0: not known); it is brought up
  // to date.
  Span run(const Job& job, double& cost);
  // Whether it would be run as loops over the threads of blocks.
  bool splits(const Job& job) const;
  // Runs `part` for 0 … parts − 1, each on the core that is free first. It does not throw.
  void run_parts(uint64_t parts, const Part& part, uint64_t sequence, uint32_t name);
  uint32_t cores() const { return uint32_t(workers_.size()); }
  // Callable from any thread while run() is under way.
  Headway headway() const;
  void write_output_now();

  // From then on each worker records its part of every launch. To be called between launches, as the others are.
  void start_recording();
  // What has been recorded since, and how many records did not fit.
  uint64_t stop_recording(std::vector<ProfileRecord>& records);
  // What all blocks did since it was asked last, together.
  Counts take_counts();

 private:
  void run_together(uint64_t blocks);
  uint64_t block_of(uint64_t cluster, uint32_t rank) const;
  // Calls `body` for 0 … count − 1, each on a thread of its own, all at once.
  void on_threads(uint64_t count, const std::function<void(uint64_t)>& body);
  // Return how many blocks this thread ran.
  uint64_t run_alone(uint64_t blocks, double& cost);
  uint64_t run_observed(uint64_t blocks);
  void ensure_stacks();
  uint64_t share(uint64_t first, uint64_t blocks);
  uint64_t work(Worker& worker);
  void record(Worker& worker, uint32_t lane, Span span, uint64_t blocks);
  uint8_t* shared_of(const Worker& worker) const;
  void run_range(Worker& worker, uint64_t first, uint64_t end);
  void serve(uint32_t number);
  void start_threads();

  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<Worker>> together_;  // one for each block that runs while others wait for it
  std::vector<Output*> outputs_;
  uint32_t started_ = 1;  // workers that have a thread; the first has the caller's
  uint32_t stacks_ = 0;   // that every worker has
  size_t stack_bytes_ = 0;
  bool records_ = false;

  // The job, written only while the gate is shut and nobody is inside.
  Job job_{};
  uint32_t threads_ = 0;
  void (*split_)(warpcell_cpu::Run*) = nullptr;  // of the job, where it is run that way
  std::atomic<uint64_t> blocks_{0};
  uint64_t chunk_ = 0;
  alignas(64) std::atomic<uint64_t> next_{0};        // the first block that no core has been given
  alignas(64) std::atomic<uint32_t> generation_{0};  // futex
  std::atomic<uint32_t> sleeping_{0};
  alignas(64) std::atomic<uint32_t> gate_{0};  // futex; kOpen | threads inside
};

// For the handler of faults: writes what all kernels have printed.
void write_output_now();

}  // namespace warpcell::cpu
