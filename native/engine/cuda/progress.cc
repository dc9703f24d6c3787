// Writes finished sequence numbers into shared memory from the stream. It must not know what was launched.
#include "progress.h"

#include <unistd.h>

namespace warpcell::cuda {

Progress::Progress(const DriverApi& api, Control* control) : api_(api), control_(control) {
  if (control == nullptr) return;
  uintptr_t page = uintptr_t(sysconf(_SC_PAGESIZE));
  uintptr_t number = reinterpret_cast<uintptr_t>(&control->progress);
  page_ = reinterpret_cast<void*>(number & ~(page - 1));
  api_.check(api_.cuMemHostRegister(page_, page, 0), "pinning the control segment");
  DevicePointer base = 0;
  api_.check(api_.cuMemHostGetDevicePointer(&base, page_, 0), "mapping the control segment");
  address_ = base + (number & (page - 1));
}

Progress::~Progress() {
  if (page_ != nullptr) api_.cuMemHostUnregister(page_);
}

void Progress::finished() {
  unwritten_ = 0;
  if (control_ != nullptr && control_->progress.load(std::memory_order_relaxed) < last_) control_->progress.store(last_, std::memory_order_release);
}

void Progress::write(Stream stream) {
  unwritten_ = 0;
  if (address_ == 0) return;
  api_.check(api_.cuStreamWriteValue64(stream, address_, last_, 0), "reporting progress");
}

}  // namespace warpcell::cuda
