// Lets the session see which launches have finished without waiting: turns sequence numbers into writes of the device's
// own into `StreamState::progress`, in stream order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>

#include "../../../protocol/commands.h"
#include "driver_api.h"

namespace warpcell::cuda {

// The page of the control segment that holds how far streams are, as the device writes to it.
class ProgressPage {
 public:
  // With no control segment nothing is reported.
  ProgressPage(const DriverApi& api, Control* control);
  ~ProgressPage();
  ProgressPage(const ProgressPage&) = delete;
  ProgressPage& operator=(const ProgressPage&) = delete;

  // Where the device writes the number of a stream; 0: nowhere.
  DevicePointer progress(uint32_t stream) const {
    return base_ == 0 ? 0 : base_ + stream * sizeof(StreamState) + offsetof(StreamState, progress);
  }

 private:
  const DriverApi& api_;
  void* page_ = nullptr;
  DevicePointer base_ = 0;  // of the first stream's state
};

// Of one stream.
class Progress {
 public:
  enum class Work { kernel, library };

  // `state`: null where nothing is reported. `address`: of its number, for the device.
  Progress(const DriverApi& api, StreamState* state, DevicePointer address)
      : api_(api), state_(state), address_(address) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // To be called before each launch. The first launches after a rest are told apart one by one, so that a fault names
  // its kernel; a long run is told in groups, because a write takes the device 0.8 µs (measured: after every launch 26
  // % of the rate, after 16 it is 2 to 4 %). A launch followed by a wait has no write at all, and work of a vendor's
  // library joins the launch before it: it is not what faults.
  void launching(Stream stream, Work work) {
    uint32_t group = work == Work::kernel && written_ < kToldApart ? 1 : kGroup;
    if (unwritten_ >= group) write(stream);
  }

  void launched(uint64_t sequence, Work work) {
    last_ = sequence;
    unwritten_++;
    if (work == Work::kernel) suspect_ = sequence;
  }

  // The queue has run empty: a write costs nobody anything.
  void idle(Stream stream);

  // Everything launched is known to be done.
  void finished();

  // The last launch that can have faulted, given how far the writes got, rather a kernel's than a library's; 0: nothing
  // was launched since the last wait.
  uint64_t last_suspect() const;

 private:
  static constexpr uint32_t kToldApart = 32;
  static constexpr uint32_t kGroup = 32;
  struct Group {
    uint64_t last, suspect;
  };
  void write(Stream stream);
  uint64_t seen() const;
  Group unseen() const { return {last_, suspect_ == 0 ? last_ : suspect_}; }

  const DriverApi& api_;
  StreamState* state_;
  DevicePointer address_;
  uint64_t last_ = 0;
  uint32_t unwritten_ = 0;     // launches since the last write
  uint32_t written_ = 0;       // writes since the last rest
  uint64_t suspect_ = 0;       // the last kernel since the last write; 0: libraries alone
  std::deque<Group> pending_;  // written by the stream, not yet seen
};

}  // namespace warpcell::cuda
