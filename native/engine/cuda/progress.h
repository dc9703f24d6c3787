// Lets the session see which launches have finished without waiting: turns sequence numbers into writes of the device's own into
// `Control::progress`, in stream order. It must not know what was launched.
#pragma once
#include <cstdint>

#include "../../protocol/commands.h"
#include "driver_api.h"

namespace warpcell::cuda {

class Progress {
 public:
  // Registers the page of `control` that holds the number. With no control segment nothing is reported.
  Progress(const DriverApi& api, Control* control);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Every kWriteEvery-th launch is followed by a write: often enough to narrow a fault, too seldom to slow a full queue.
  void launched(uint64_t sequence, Stream stream) {
    last_ = sequence;
    if (++unwritten_ >= kWriteEvery) write(stream);
  }

  // The queue has run empty: a write costs nobody anything.
  void idle(Stream stream) { if (unwritten_ > 0) write(stream); }

  // Everything launched is known to be done.
  void finished();

 private:
  static constexpr uint32_t kWriteEvery = 64;
  void write(Stream stream);

  const DriverApi& api_;
  Control* control_;
  void* page_ = nullptr;
  DevicePointer address_ = 0;
  uint64_t last_ = 0;
  uint32_t unwritten_ = 0;
};

}  // namespace warpcell::cuda
