// A checked launch: follows every access of its threads, and finds those that are outside of what the launch was given,
// of what nothing has written, and of what another thread uses at the same time.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "../run/scheduler.h"
#include "counters.h"
#include "findings.h"
#include "image.h"
#include "proof.h"
#include "shadow.h"
#include "steps.h"

namespace warpcell::cpu {

// How memory is accessed: bits.
constexpr unsigned kRead = 1, kWrite = 2, kAtomic = 4;

// A tensor that the launch was given.
struct CheckedArgument {
  uint8_t* base;  // where the kernel has it
  uint8_t* home;  // where it is for all others
  uint64_t bytes;
  uint32_t element;   // bytes
  bool is_constant;   // the kernel takes it as const
  bool is_new;        // nothing has written to it since it was allocated
  bool is_unwritten;  // the same but for checked launches, which this process may know of
};

struct MemoryRange {
  uint8_t* base;
  uint64_t bytes;
};

// Where an access of the code went last, by a hash of the code's address: what is usual there needs no search.
struct Places {
  static constexpr size_t kCount = 1024;
  ShadowRegion* of[kCount];
  Places();

  ShadowRegion*& at(uintptr_t code) { return of[code % kCount]; }
  ShadowRegion* at(uintptr_t code) const { return of[code % kCount]; }
};

struct CheckedTask {
  const CheckedImage* image;
  Geometry geometry;
  uint32_t shared;  // dynamic, bytes
  std::vector<CheckedArgument> arguments;
  std::vector<MemoryRange> segments;  // that are mapped
  std::vector<MemoryRange> blocks;    // of them, that are allocated
  bool has_addresses;                 // kernels may have addresses of other tensors than the arguments
  bool cooperative;
  bool counts;
  // One thread's steps are kept.
  bool follows;
  uint64_t followed_block;
  uint32_t followed_thread;
};

// How many elements of an argument the launch wrote, and how many of them without a gap from the first on.
struct Reached {
  uint64_t elements;
  uint64_t prefix;
};

class Checker final : public Observer {
 public:
  // What a core knows of the block that it runs.
  struct Core;
  struct Visit;

  Checker() = default;
  // Before and after the launch.
  void begin(CheckedTask task);
  std::vector<std::string> finish();
  std::vector<std::string> subjects() const;
  // What it did in each line, where that is counted.
  std::vector<std::string> counts() {
    return task_.counts ? counters_.finish(*task_.image) : std::vector<std::string>();
  }
  // What the followed thread did.
  std::vector<std::string> steps() { return task_.follows ? steps_.finish() : std::vector<std::string>(); }
  Reached reached(size_t argument) const;
  const CheckedTask& task() const { return task_; }
  // The tensor that has an address, with those that overlap it; null where none does.
  const ShadowRegion* tensor(const uint8_t* at) const;
  // The launch was run without a mistake; what it wrote.
  void proven(const std::vector<ProvenTensor>& written);

  void entered(Scheduler& scheduler) override;
  void left(Scheduler& scheduler) override;
  void released(const Waiters& waiters) override;
  void collected(const Gathering& gathering) override;
  void left_out(uint32_t line, uint32_t mask, uint32_t lane) override;
  void stuck(uint32_t line, const char* how) override;
  void grid_passed() override;

  // By code of the cell, before it happens. (The first is in visit.h.)
  template <uint32_t bytes, unsigned how>
  static void access(Core& core, uint8_t* at, uintptr_t code);
  void access(Core& core, uint8_t* at, uint64_t bytes, unsigned how, uintptr_t code);
  void fence(Core& core);
  // A thread has come to a statement.
  void ran(Core& core, uint32_t statement, const char* file, uint32_t line);
  // The same of a cell whose variables are told; answers whether it is the followed thread.
  bool steps(Core& core, const char* file, uint32_t line, const char* function);
  void tell(const char* name, int index, char kind, uint64_t bits);
  // What the compiler's own checks have found; `ends`: the thread goes no further.
  void report(Core& core, Finding finding, bool ends);

 private:
  struct Name {
    std::string name;
    uint64_t bytes;
    Space space;
  };
  // A write whose effect is looked at when the thread has gone on.
  struct Pending {
    uint8_t* at;
    uint32_t bytes;
    uint8_t before[16];
    bool restores;
    Finding finding;
  };

  void lay_out_arguments();
  void settle();
  void suspect(const Pending& pending);
  const Places* places_of(const Core& core) const;

  ShadowRegion* variable(uint8_t* at);
  // (These two are in visit.h.)
  template <uint32_t bytes, unsigned how>
  static bool is_passed(Core& core, ShadowRegion& region, uint64_t offset, uint32_t shift, uintptr_t code);
  template <uint32_t bytes, unsigned how>
  static void access_pieces(Core& core, ShadowRegion& region, uint8_t* at, uintptr_t code);
  // These answer whether the thread can go on.
  bool look_at(Core& core, uint8_t* at, uint64_t bytes, unsigned how, uintptr_t code);
  bool touch(Core& core, ShadowRegion& region, uint8_t* at, uint64_t bytes, unsigned how, uintptr_t code);
  void count(Core& core, bool is_shared, const uint8_t* at, uint64_t bytes, unsigned how, uintptr_t code);
  // An access of the followed thread.
  void follow(const Core& core, const ShadowRegion& region, const uint8_t* at, uint64_t bytes, unsigned how);
  void refine(ShadowRegion& region, uint64_t bytes);
  bool outside(Core& core, uint8_t* at, uint64_t bytes, unsigned how, uintptr_t code);
  bool outside_global(Core& core, uint8_t* at, uint64_t bytes, unsigned how, uintptr_t code);
  bool note(Core& core, Finding finding, uint8_t* at, uint64_t bytes, unsigned how);
  [[noreturn]] void end_thread(Core& core);
  bool is_ordered(const Core& core, uint32_t thread, uint32_t time) const;
  void conflict(Core& core, ShadowRegion& region, uint8_t* at, uint64_t bytes, unsigned how, uintptr_t code,
                uint32_t thread, uint32_t other_code, bool other_is_write);
  void look_at_block(Core& core);
  Finding finding(Core& core, const char* kind, uintptr_t code) const;
  Culprit culprit(uint32_t thread) const;

  CheckedTask task_{};
  uint32_t threads_ = 1;  // of a block
  std::vector<Name> names_;
  std::vector<ShadowRegion> globals_;    // by address, without overlaps
  std::vector<ProvenTensor> proven_;     // of a launch that was run without being followed
  std::vector<ShadowRegion> variables_;  // of the image, by address
  std::vector<std::unique_ptr<Core>> cores_;
  Shadows shadows_;
  Findings findings_;
  Counters counters_;
  Steps steps_;
  std::vector<Pending> pending_;
  // Plain reads of what others change atomically: harmless where the reader then does so itself.
  std::map<std::pair<uint8_t*, uint32_t>, Finding> tentative_;
  // Bytes of tensors that nothing has written, by their address; kept from launch to launch.
  std::map<uint8_t*, std::vector<uint8_t>> unwritten_;

  uint32_t now_ = 1;
  uint32_t launch_began_ = 0;
  uint32_t grid_passed_ = 0;
  std::unordered_map<uint64_t, std::vector<uint32_t>> fences_;  // by block, when
  std::mutex mutex_;                                            // of a cooperative launch
};

struct Checker::Core {
  enum Unwatched { kStacks, kScheduler };

  Checker* checker;
  Scheduler* scheduler;
  uintptr_t image_base;
  const uint32_t* thread_index;
  int* detached;
  uint8_t* of_thread;
  uint64_t of_thread_bytes;
  // By 4 bytes of a thread's variables: a region of shared memory, none, or what is unwatched.
  static constexpr int32_t kUnwatched = -2;  // and below, by their number
  std::vector<int32_t> pieces;
  std::vector<ShadowRegion> shared;  // static
  ShadowRegion dynamic;
  uint8_t* dynamic_end;

  Places usual;
  const Places* places;                 // those, or none while every access must be looked at
  std::vector<ShadowRegion> unwatched;  // what is the executor's: stacks, the scheduler, variables of the headers

  uint64_t block = ~uint64_t(0);
  uint32_t before_block = 0;  // threads of the blocks before it
  uint32_t block_began = 0;
  uint32_t barrier = 0;  // when the last one was passed
  uint32_t warps[kMaxThreads / kLanes];
  uint32_t acquired = 0;
  bool is_damaged = false;  // a thread of the block was ended: what others miss of it is no finding

  uint32_t size_x, size_y;  // of a block

  bool is(uint64_t a_block, uint32_t a_thread) const {
    return thread() == a_thread && scheduler->current_block() == a_block;
  }
  uint32_t thread() const { return thread_index[0] + size_x * (thread_index[1] + size_y * thread_index[2]); }
};

// Of the thread of the system that runs a checked launch; else null.
extern __thread Checker::Core* checked_core;

}  // namespace warpcell::cpu
