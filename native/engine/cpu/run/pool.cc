// Shares a launch among cores. Threads are started with the first large launch, spin briefly for the next one and then
// sleep.
#include "pool.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <deque>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../../device/cpu/warpcell_cpu/split_limits.h"
#include "../../host/errors.h"
#include "faults.h"

namespace warpcell::cpu {
namespace {

constexpr size_t kBlockStack = 16 << 20;  // split.h: what all threads of a block keep, and the arrays of one of them
constexpr uint32_t kOpen = 1u << 31;
constexpr double kWorthSharing = 30e3;  // nanoseconds; waking a core takes about 50 µs
constexpr double kStep = 10e3;          // how often a launch on the calling thread looks at the clock
constexpr int64_t kSpin = 20'000;
constexpr uint32_t kChunksPerCore = 16;
constexpr uint32_t kSharedAlignment = 128;

// For the handler of faults: a list that grows while it may be read.
std::atomic<Pool*> pools[kMaxStreams];
std::atomic<uint32_t> pool_count{0};

int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

void futex_wait(std::atomic<uint32_t>& word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void futex_wake(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

Worker::Worker() {
  // The page after it faults.
  constexpr size_t page = 4096, bytes = (Pool::kDynamicShared + page - 1) / page * page;
  void* memory =
      mmap(nullptr, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || mprotect(static_cast<char*>(memory) + bytes, page, PROT_NONE) != 0) {
    throw DeviceError("OUT_OF_MEMORY",
                      std::string("There are not 227 KiB left for the shared memory of a core's block: ") +
                          std::strerror(errno) + ".");
  }
  scheduler.shared_end = shared_end = static_cast<uint8_t*>(memory) + bytes;
  scheduler.output = &output;
}

Pool::Pool(uint32_t cores) {
  for (uint32_t i = 0; i < cores; i++) {
    workers_.push_back(std::make_unique<Worker>());
    outputs_.push_back(&workers_[i]->output);
  }
  pools[pool_count.fetch_add(1)] = this;
}

void Pool::run_range(Worker& worker, uint64_t first, uint64_t end) {
  if (job_.part != nullptr) {
    for (uint64_t part = first; part < end; part++) (*job_.part)(part);
    return;
  }
  worker.scheduler.sequence = job_.sequence;
  worker.scheduler.observer = job_.observer;
  worker.scheduler.run(*job_.kernel, split_, job_.geometry, threads_, job_.arguments, shared_of(worker), first, end);
}

// Aligned, and up against the page that faults.
uint8_t* Pool::shared_of(const Worker& worker) const {
  return worker.shared_end - (job_.shared + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
}

bool Pool::splits(const Job& job) const {
  const bool is_far = uint64_t(job.geometry.grid[0]) * job.geometry.block[0] > warpcell_cpu::kSplitThreads;
  // Counters are of threads that wait.
  return job.split != nullptr && !job.runs_together() && !Scheduler::is_counting && !is_far;
}

Span Pool::run(const Job& job, double& cost) {
  job_ = job;
  const Geometry& geometry = job_.geometry;
  threads_ = geometry.block[0] * geometry.block[1] * geometry.block[2];
  split_ = splits(job) ? job.split : nullptr;
  uint64_t blocks = uint64_t(geometry.grid[0]) * geometry.grid[1] * geometry.grid[2];
  Worker& mine = *workers_[0];
  int64_t start = now();
  mine.busy.store(true, std::memory_order_relaxed);
  uint64_t run_here = 0;
  if (job.runs_together())
    run_together(blocks);
  else if (__builtin_expect(job.observer != nullptr, 0))
    run_here = run_observed(blocks);
  else
    run_here = run_alone(blocks, cost);
  Span span = {start, now()};
  mine.busy.store(false, std::memory_order_relaxed);
  if (__builtin_expect(records_, 0)) record(mine, 0, span, run_here);
  Output::flush(outputs_);
  return span;
}

void Pool::run_parts(uint64_t parts, const Part& part, uint64_t sequence, uint32_t name) {
  job_ = Job{};
  job_.part = &part;
  job_.sequence = sequence;
  job_.name = name;
  Worker& mine = *workers_[0];
  int64_t start = now();
  mine.busy.store(true, std::memory_order_relaxed);
  blocks_ = parts;
  uint64_t run_here = parts;
  if (workers_.size() > 1 && parts > 1) {
    run_here = share(0, parts);
  } else {
    next_.store(parts, std::memory_order_relaxed);
    run_range(mine, 0, parts);
  }
  mine.busy.store(false, std::memory_order_relaxed);
  if (__builtin_expect(records_, 0)) record(mine, 0, {start, now()}, run_here);
}

void Pool::start_recording() {
  for (auto& worker : workers_) {
    worker->parts.clear();
    worker->parts.prepare();
  }
  for (auto& worker : together_) worker->parts.clear();
  records_ = true;
}

uint64_t Pool::stop_recording(std::vector<ProfileRecord>& records) {
  records_ = false;
  uint64_t dropped = 0;
  for (auto* workers : {&workers_, &together_}) {
    for (auto& worker : *workers) {
      worker->parts.append_to(records);
      dropped += worker->parts.dropped();
      worker->parts.clear();
    }
  }
  return dropped;
}

Counts Pool::take_counts() {
  Counts sum;
  for (auto* workers : {&workers_, &together_}) {
    for (auto& worker : *workers) {
      Counts counts = std::exchange(worker->scheduler.counts, {});
      sum.waiting += counts.waiting;
      sum.barriers += counts.barriers;
      sum.collectives += counts.collectives;
      sum.divergent += counts.divergent;
    }
  }
  return sum;
}

// Called by the worker's own thread, before it leaves the launch.
void Pool::record(Worker& worker, uint32_t lane, Span span, uint64_t blocks) {
  ProfileRecord* part = blocks == 0 ? nullptr : worker.parts.add();
  if (part == nullptr) return;
  part->kind = ProfileKind::worker;
  part->sequence = job_.sequence;
  part->name = job_.name;
  part->start = span.start;
  part->end = span.end;
  part->lane = lane;
  part->blocks = uint32_t(blocks);
}

void Pool::ensure_stacks() {
  if (threads_ + 1 <= stacks_ && job_.stack <= stack_bytes_) return;
  for (auto& worker : workers_) worker->scheduler.stacks.ensure(threads_ + 1, job_.stack);
  stacks_ = std::max(stacks_, threads_ + 1);
  stack_bytes_ = std::max(stack_bytes_, job_.stack);
}

uint64_t Pool::run_observed(uint64_t blocks) {
  ensure_stacks();
  blocks_ = blocks;
  next_.store(blocks, std::memory_order_relaxed);
  run_range(*workers_[0], 0, blocks);
  return blocks;
}

// Blocks that do not know of each other.
uint64_t Pool::run_alone(uint64_t blocks, double& cost) {
  if (split_ == nullptr) {
    ensure_stacks();
  } else {
    for (auto& worker : workers_) worker->scheduler.block_stack.ensure(1, kBlockStack);
  }
  int64_t start = now();
  uint64_t done = 0, shared = 0;
  blocks_ = blocks;
  while (done < blocks) {
    double left = cost * double(blocks - done);
    if (workers_.size() > 1 && blocks - done > 1 && left > kWorthSharing) {
      shared = share(done, blocks);
      break;
    }
    // Not known yet, or small: a step, then look again.
    uint64_t step = workers_.size() == 1 ? blocks : cost == 0 ? 1 : uint64_t(kStep / cost) + 1;
    uint64_t end = blocks - done < step ? blocks : done + step;
    next_.store(end, std::memory_order_relaxed);
    run_range(*workers_[0], done, end);
    done = end;
    cost = (double(now() - start) + 1) / double(done);
  }
  // One core's time for a block. While others are busy elsewhere this errs on the large side, which only shares sooner.
  if (done < blocks) cost = double(now() - start) * double(workers_.size()) / double(blocks);
  return done + shared;
}

// Each block of those that wait for each other on a thread of its own, which the system gives a turn also while another
// one spins: all of a cooperative launch, else as many clusters as there are cores for.
void Pool::run_together(uint64_t blocks) {
  uint32_t each = job_.blocks_of_cluster();
  uint64_t clusters = blocks / each;
  uint64_t teams = job_.cooperative ? clusters : std::clamp<uint64_t>(workers_.size() / each, 1, clusters);
  while (together_.size() < teams * each) {
    together_.push_back(std::make_unique<Worker>());
    outputs_.push_back(&together_.back()->output);
  }
  for (uint64_t i = 0; i < teams * each; i++) together_[i]->scheduler.stacks.ensure(threads_ + 1, job_.stack);

  GridBarrier barrier(blocks);
  std::deque<Cluster> team_clusters;
  for (uint64_t team = 0; team < teams; team++) team_clusters.emplace_back(job_.cluster);
  on_threads(teams * each, [&](uint64_t number) {
    Worker& worker = *together_[number];
    Scheduler& mine = worker.scheduler;
    scheduler = &mine;
    if (job_.cooperative) mine.grid = &barrier;
    Cluster& cluster = team_clusters[number / each];
    uint32_t rank = uint32_t(number % each);
    if (each > 1) mine.cluster = &cluster;
    job_.kernel->prepare();
    ThreadVariables variables = thread_variables(reinterpret_cast<const void*>(job_.kernel->entry));
    int64_t start = records_ ? now() : 0;
    uint64_t run_here = 0;
    for (uint64_t at = number / each; at < clusters; at += teams, run_here++) {
      if (each > 1) cluster.enter(rank, variables.address, variables.bytes, shared_of(worker), job_.shared);
      uint64_t block = block_of(at, rank);
      run_range(worker, block, block + 1);
      if (each > 1) cluster.leave();
    }
    if (records_) record(worker, uint32_t(number), {start, now()}, run_here);
    mine.grid = nullptr;
    mine.cluster = nullptr;
    barrier.leave();
  });
}

// The clusters of a grid lie one after another as blocks do, and so do the blocks of a cluster.
uint64_t Pool::block_of(uint64_t cluster, uint32_t rank) const {
  const uint32_t *size = job_.cluster, *grid = job_.geometry.grid;
  uint64_t across = grid[0] / size[0], down = grid[1] / size[1];
  uint64_t x = cluster % across * size[0] + rank % size[0];
  uint64_t y = cluster / across % down * size[1] + rank / size[0] % size[1];
  uint64_t z = cluster / across / down * size[2] + rank / size[0] / size[1];
  return x + grid[0] * (y + grid[1] * z);
}

void Pool::on_threads(uint64_t count, const std::function<void(uint64_t)>& body) {
  std::atomic<bool> started{false}, abandoned{false};
  std::vector<std::thread> threads;
  auto run = [&](uint64_t number) {
    FaultStack stack;
    while (!started.load(std::memory_order_acquire)) std::this_thread::yield();
    if (!abandoned.load(std::memory_order_relaxed)) body(number);
  };
  std::string failure;
  try {
    for (uint64_t number = 0; number < count; number++) threads.emplace_back(run, number);
  } catch (const std::system_error& error) {
    failure = error.what();
    abandoned.store(true, std::memory_order_relaxed);
  }
  started.store(true, std::memory_order_release);
  for (std::thread& thread : threads) thread.join();
  if (failure.empty()) return;
  throw DeviceError("DRIVER", std::string(job_.cooperative ? "A cooperative launch" : "A launch with clusters") +
                                  " needs a thread for each of its " + std::to_string(count) + " blocks, but only " +
                                  std::to_string(threads.size()) + " could be started: " + failure +
                                  ". Launch fewer blocks.");
}

// Opens the gate for the blocks from `first` on, works with the others, and returns when all have left.
uint64_t Pool::share(uint64_t first, uint64_t blocks) {
  start_threads();
  chunk_ = (blocks - first) / (workers_.size() * kChunksPerCore);
  if (chunk_ == 0) chunk_ = 1;
  next_.store(first, std::memory_order_relaxed);
  gate_.store(kOpen, std::memory_order_release);
  generation_.fetch_add(1, std::memory_order_seq_cst);
  if (sleeping_.load(std::memory_order_seq_cst) != 0) futex_wake(generation_);
  uint64_t run_here = work(*workers_[0]);
  uint32_t inside = gate_.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen;
  for (int64_t spin_until = now() + kSpin; inside != 0; inside = gate_.load(std::memory_order_acquire)) {
    if (now() < spin_until)
      relax();
    else
      futex_wait(gate_, inside);
  }
  return run_here;
}

uint64_t Pool::work(Worker& worker) {
  for (uint64_t done = 0;;) {
    uint64_t first = next_.fetch_add(chunk_, std::memory_order_relaxed);
    uint64_t blocks = blocks_.load(std::memory_order_relaxed);
    if (first >= blocks) return done;
    uint64_t end = blocks - first < chunk_ ? blocks : first + chunk_;
    run_range(worker, first, end);
    done += end - first;
  }
}

void Pool::start_threads() {
  try {
    // After a failure the next launch goes on from here: no worker may have two threads.
    for (; started_ < workers_.size(); started_++) std::thread(&Pool::serve, this, started_).detach();
  } catch (const std::system_error& error) {
    throw DeviceError("DRIVER", "The threads of " + std::to_string(workers_.size()) +
                                    " cores could not all be started: " + error.what() +
                                    ". Set WARPCELL_CPU_CORES to a smaller number.");
  }
}

// A core's thread: it lives as long as the process.
void Pool::serve(uint32_t number) {
  Worker& worker = *workers_[number];
  scheduler = &worker.scheduler;
  FaultStack stack;
  uint32_t seen = 0;
  for (;;) {
    int64_t spin_until = now() + kSpin;
    while (generation_.load(std::memory_order_acquire) == seen) {
      if (now() < spin_until) {
        relax();
        continue;
      }
      sleeping_.fetch_add(1, std::memory_order_seq_cst);
      futex_wait(generation_, seen);
      sleeping_.fetch_sub(1, std::memory_order_seq_cst);
    }
    seen = generation_.load(std::memory_order_acquire);
    uint32_t gate = gate_.load(std::memory_order_relaxed);
    bool inside = false;
    while ((gate & kOpen) && !inside)
      inside = gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acquire, std::memory_order_relaxed);
    if (!inside) continue;
    int64_t start = now();
    worker.busy.store(true, std::memory_order_relaxed);
    uint64_t blocks = work(worker);
    int64_t end = now();
    worker.busy.store(false, std::memory_order_relaxed);
    if (__builtin_expect(records_, 0)) record(worker, number, {start, end}, blocks);
    if (gate_.fetch_sub(1, std::memory_order_acq_rel) == 1) futex_wake(gate_);
  }
}

Headway Pool::headway() const {
  Headway headway;
  uint64_t blocks = blocks_.load(std::memory_order_relaxed), next = next_.load(std::memory_order_relaxed);
  headway.reached = next;
  if (next < blocks) headway.unstarted = blocks - next;
  for (auto& worker : workers_) {
    if (!worker->busy.load(std::memory_order_relaxed)) continue;
    uint64_t block = worker->scheduler.seen_block(), end = worker->scheduler.seen_end();
    headway.reached += block;
    headway.block = block;
    if (block + 1 < end) headway.unstarted += end - block - 1;
  }
  return headway;
}

void Pool::write_output_now() {
  for (Output* output : outputs_) output->write_now();
}

void write_output_now() {
  for (std::atomic<Pool*>& pool : pools) {
    if (Pool* living = pool.load()) living->write_output_now();
  }
}

}  // namespace warpcell::cpu

int warpcell_cpu_printf(const char* format, ...) {
  auto& mine = *warpcell::cpu::scheduler;
  va_list arguments;
  va_start(arguments, format);
  int length = mine.output->print(mine.current_block(), format, arguments);
  va_end(arguments);
  return length;
}

extern "C" long warpcell_cpu_clock() noexcept { return long(warpcell::cpu::now()); }
extern "C" long long warpcell_cpu_clock64() noexcept { return warpcell::cpu::now(); }
