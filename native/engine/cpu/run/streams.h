// The streams of the cpu by number: alone, stream 0 runs on the thread of the command loop; from the first other one on
// each has a thread.
#pragma once
#include <array>
#include <atomic>

#include "../../host/refusals.h"
#include "stream.h"

namespace warpcell::cpu {

// Opened and given work by the thread of the command loop. They live as long as the process.
class Streams {
 public:
  Streams(uint32_t cores, Control* control, Listener& listener)
      : cores_(cores), control_(*control), listener_(listener) {
    make(0);
  }

  void open(uint32_t number) {
    if (number == 0 || streams_[number] != nullptr) return;
    if (!at(0).has_thread()) at(0).start_thread();
    make(number);
    at(number).start_thread();
  }

  WorkStream& at(uint32_t number) const {
    WorkStream* stream = number < kMaxStreams ? streams_[number].load() : nullptr;
    if (stream != nullptr) return *stream;
    throw unknown_stream(number);
  }

  // Any thread may ask for each of them.
  template <class Use>
  void each(Use use) const {
    for (const std::atomic<WorkStream*>& stream : streams_) {
      if (WorkStream* open = stream) use(*open);
    }
  }

  void finish() const {
    each([](WorkStream& stream) { stream.finish(); });
  }

  uint32_t cores() const { return cores_; }

 private:
  void make(uint32_t number) { streams_[number] = new WorkStream(number, cores_, control_.streams[number], listener_); }

  uint32_t cores_;
  Control& control_;
  Listener& listener_;
  std::array<std::atomic<WorkStream*>, kMaxStreams> streams_{};
};

}  // namespace warpcell::cpu
