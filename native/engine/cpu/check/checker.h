// A checked launch: follows every access of its threads, and finds those that are outside of what the launch was given,
// of what nothing has written, and of what another thread uses at the same time.
#pragma once
#include <cstring>
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
#include "shadow.h"

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
  Reached reached(size_t argument) const;

  void entered(Scheduler& scheduler) override;
  void left(Scheduler& scheduler) override;
  void released(const Waiters& waiters) override;
  void collected(const Gathering& gathering) override;
  void left_out(uint32_t line, uint32_t mask, uint32_t lane) override;
  void stuck(uint32_t line, const char* how) override;
  void grid_passed() override;

  // By code of the cell, before it happens.
  template <uint32_t bytes, unsigned how>
  static void access(Core& core, uint8_t* at, uintptr_t code);
  void access(Core& core, uint8_t* at, uint64_t bytes, unsigned how, uintptr_t code);
  void fence(Core& core);
  // A thread has come to a statement.
  void ran(Core& core, uint32_t statement, const char* file, uint32_t line);
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
  // These answer whether the thread can go on.
  bool look_at(Core& core, uint8_t* at, uint64_t bytes, unsigned how, uintptr_t code);
  bool touch(Core& core, ShadowRegion& region, uint8_t* at, uint64_t bytes, unsigned how, uintptr_t code);
  void count(Core& core, bool is_shared, const uint8_t* at, uint64_t bytes, unsigned how, uintptr_t code);
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
  std::vector<ShadowRegion> variables_;  // of the image, by address
  std::vector<std::unique_ptr<Core>> cores_;
  Shadows shadows_;
  Findings findings_;
  Counters counters_;
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

  uint32_t thread() const { return thread_index[0] + size_x * (thread_index[1] + size_y * thread_index[2]); }
};

// An access that is usual: what it needs to know of its pieces, and what they are told.
struct Checker::Visit {
  const Core& core;
  uint32_t horizon;  // no access before it is in conflict with this one
  uint32_t written;  // not before, or it is as good as not written
  uint32_t now;
  uint32_t me = core.before_block + core.thread() + 1;

  template <unsigned how>
  bool is_usual(const Shadow* shadow, uint32_t pieces) const {
    constexpr bool is_write = (how & kWrite) != 0, is_atomic = (how & kAtomic) != 0;
    bool all = true;
    for (const Shadow* each = shadow; each < shadow + pieces; each++) {
      const bool has_atomic_write = is_atomic && (each->write_code & kAtomicCode) != 0;
      const bool has_atomic_reads = is_atomic && (each->read_code & kAtomicCode) != 0;
      all &= each->written >= written;
      // Its own plain write is not forgotten for an atomic one.
      all &= (each->writer == me && !is_atomic) || each->written < horizon || has_atomic_write;
      if (!is_write) continue;
      all &= each->reader == me || each->read < horizon || has_atomic_reads;
      all &= each->other == me || each->other_read < horizon || has_atomic_reads;
    }
    return all;
  }

  template <unsigned how>
  void note(Shadow* shadow, uint32_t pieces, uint32_t code) const {
    constexpr bool is_write = (how & kWrite) != 0, is_atomic = (how & kAtomic) != 0;
    constexpr bool exchanges = is_atomic && is_write && (how & kRead) != 0;
    const uint32_t here = code | (is_atomic ? kAtomicCode : 0);
    for (Shadow* each = shadow; each < shadow + pieces; each++) {
      if (is_write) {
        if (exchanges && each->reader == me) each->reader = 0;
        if (exchanges && each->other == me) each->other = 0;
        each->writer = me, each->written = now, each->write_code = here;
      } else if (each->reader == me || each->reader == 0 || each->read < horizon) {
        each->reader = me, each->read = now, each->read_code = here;
      } else if (each->read != now || each->other_read != now) {
        // Two readers since are enough for any writer to come.
        each->other = me, each->other_read = now;
      }
    }
  }
};

// Of the thread of the system that runs a checked launch; else null.
extern __thread Checker::Core* checked_core;

// Where this place of the code was before, and where no other thread has been since all of them met, there is nothing
// to find: a note of who was there is enough. Else the access is looked at.
template <uint32_t bytes, unsigned how>
inline void Checker::access(Core& core, uint8_t* at, uintptr_t code) {
  constexpr bool is_write = (how & kWrite) != 0, is_read = (how & kRead) != 0;
  ShadowRegion& region = *core.places->at(code);
  Checker& checker = *core.checker;
  if (__builtin_expect(region.contains(at, bytes), 1)) {
    if (region.space == Space::unwatched || (how == kRead && region.is_constant)) return;
    const uint64_t offset = uint64_t(at - region.base);
    const uint32_t pieces = bytes >> region.shift;
    if (__builtin_expect(pieces != 0 && !region.is_constant && offset % bytes == 0 &&
                             core.block == core.scheduler->current_block() && (region.unwritten == nullptr || !is_read),
                         1)) {
      Visit visit{core, region.is_of_block() ? core.barrier : checker.launch_began_,
                  is_read && region.is_of_block() ? core.block_began : 0, checker.now_};
      Shadow* shadow = region.pieces + (offset >> region.shift);
      if (visit.template is_usual<how>(shadow, pieces) && (!(how & kAtomic) || checker.tentative_.empty())) {
        if (region.unwritten != nullptr) std::memset(region.unwritten + offset, 0, bytes);
        if ((how & kAtomic) != 0 && is_read) visit.now = core.acquired = ++checker.now_;
        visit.template note<how>(shadow, pieces, uint32_t(code - core.image_base));
        return;
      }
    }
  }
  checker.access(core, at, bytes, how, code);
}

}  // namespace warpcell::cpu
