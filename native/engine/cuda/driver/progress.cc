// Writes finished sequence numbers into shared memory from the stream.
#include "progress.h"

#include <unistd.h>

#include <algorithm>

namespace warpcell::cuda {

Progress::Progress(const DriverApi& api, Control* control) : api_(api), control_(control) {
  if (control == nullptr) return;
  uintptr_t page = uintptr_t(sysconf(_SC_PAGESIZE));
  uintptr_t number = reinterpret_cast<uintptr_t>(&control->streams[0].progress);
  page_ = reinterpret_cast<void*>(number & ~(page - 1));
  api_.check(api_.cuMemHostRegister(page_, page, 0), "pinning the control segment");
  DevicePointer base = 0;
  api_.check(api_.cuMemHostGetDevicePointer(&base, page_, 0), "mapping the control segment");
  address_ = base + (number & (page - 1));
}

Progress::~Progress() {
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
  if (control_ != nullptr && control_->streams[0].progress.load(std::memory_order_relaxed) < last_)
    control_->streams[0].progress.store(last_, std::memory_order_release);
}

uint64_t Progress::last_suspect() const {
  if (control_ == nullptr) return unseen().suspect;
  uint64_t seen = control_->streams[0].progress.load(std::memory_order_acquire);
  auto next = std::find_if(pending_.begin(), pending_.end(), [&](const Group& group) { return group.last > seen; });
  if (next != pending_.end()) return next->suspect;
  return last_ > seen ? unseen().suspect : 0;
}

void Progress::write(Stream stream) {
  unwritten_ = 0;
  written_++;
  if (address_ == 0) return;
  api_.check(api_.cuStreamWriteValue64(stream, address_, last_, 0), "");
  uint64_t seen = control_->streams[0].progress.load(std::memory_order_relaxed);
  while (!pending_.empty() && pending_.front().last <= seen) pending_.pop_front();
  pending_.push_back(unseen());
  suspect_ = 0;
}

}  // namespace warpcell::cuda
