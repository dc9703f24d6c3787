// Pages straight from the system: they are zero, and given back when a profile ends.
#include "activity_buffers.h"

#include <sys/mman.h>

namespace warpcell::cuda {

uint8_t* ActivityBuffers::allocate(bool touched) {
  void* memory =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (touched ? MAP_POPULATE : 0), -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<uint8_t*>(memory);
}

void ActivityBuffers::prepare() {
  std::lock_guard<std::mutex> lock(mutex_);
  while (free_.size() < kPrepared) {
    uint8_t* bytes = allocate(true);
    if (bytes == nullptr) return;
    free_.push_back(bytes);
    count_++;
  }
}

uint8_t* ActivityBuffers::request() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!free_.empty()) {
    uint8_t* bytes = free_.back();
    free_.pop_back();
    return bytes;
  }
  if (count_ >= kMost) return nullptr;
  uint8_t* bytes = allocate(false);
  if (bytes != nullptr) count_++;
  return bytes;
}

void ActivityBuffers::complete(uint8_t* bytes, size_t valid) {
  std::lock_guard<std::mutex> lock(mutex_);
  full_.push_back({bytes, valid});
}

std::vector<FullBuffer> ActivityBuffers::take() {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<FullBuffer> taken;
  taken.swap(full_);
  return taken;
}

void ActivityBuffers::release(const std::vector<FullBuffer>& read) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const FullBuffer& buffer : read) munmap(buffer.bytes, kBytes);
  for (uint8_t* bytes : free_) munmap(bytes, kBytes);
  count_ -= read.size() + free_.size();
  free_.clear();
}

}  // namespace warpcell::cuda
