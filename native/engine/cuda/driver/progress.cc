// Writes finished sequence numbers into shared memory from the stream.
#include "progress.h"

#include <unistd.h>

#include <algorithm>

namespace warpcell::cuda {

ProgressPage::ProgressPage(const DriverApi& api, Control* control) : api_(api) {
  if (control == nullptr) return;
  uintptr_t page = uintptr_t(sysconf(_SC_PAGESIZE));
  uintptr_t first = reinterpret_cast<uintptr_t>(control->streams);
  page_ = reinterpret_cast<void*>(first & ~(page - 1));
  api_.check(api_.cuMemHostRegister(page_, page, 0), "pinning the control segment");
  DevicePointer start = 0;
  api_.check(api_.cuMemHostGetDevicePointer(&start, page_, 0), "mapping the control segment");
  base_ = start + (first & (page - 1));
}

ProgressPage::~ProgressPage() {
  if (page_ != nullptr) api_.cuMemHostUnregister(page_);
}

void Progress::idle(Stream stream) {
  if (unwritten_ > 0) write(stream);
  written_ = 0;
}

void Progress::finished() {
  unwritten_ = written_ = 0;
  suspect_ = 0;
  pending_.clear();
  if (state_ != nullptr && state_->progress.load(std::memory_order_relaxed) < last_)
    state_->progress.store(last_, std::memory_order_release);
}

// The end of a fence is told apart: it says as much, and the device writes nothing for it.
uint64_t Progress::seen() const {
  return std::max(state_->progress.load(std::memory_order_acquire), state_->completed.load(std::memory_order_acquire));
}

uint64_t Progress::last_suspect() const {
  if (state_ == nullptr) return unseen().suspect;
  uint64_t done = seen();
  auto next = std::find_if(pending_.begin(), pending_.end(), [&](const Group& group) { return group.last > done; });
  if (next != pending_.end()) return next->suspect;
  return last_ > done ? unseen().suspect : 0;
}

void Progress::write(Stream stream) {
  unwritten_ = 0;
  written_++;
  if (address_ == 0) return;
  api_.check(api_.cuStreamWriteValue64(stream, address_, last_, 0), "");
  for (uint64_t done = seen(); !pending_.empty() && pending_.front().last <= done;) pending_.pop_front();
  pending_.push_back(unseen());
  suspect_ = 0;
}

}  // namespace warpcell::cuda
