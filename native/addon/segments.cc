// memfd, ftruncate and mmap for segments. It must not know blocks.
#include "segments.h"

#include <atomic>
#include <cerrno>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "system_memory.h"

namespace warpcell {

uint32_t Segments::unused_number() const {
  uint32_t candidate = 1;
  for (const auto& entry : table_) {
    if (entry.first != candidate) break;
    candidate++;
  }
  return candidate <= kMaxSegments ? candidate : 0;
}

void Segments::add(uint32_t number, Segment&& segment) {
  static std::atomic<uint64_t> last_serial{0};
  segment.serial = ++last_serial;
  table_.emplace(number, std::move(segment));
}

const Segment* Segments::find(uint32_t number) const {
  auto found = table_.find(number);
  return found == table_.end() ? nullptr : &found->second;
}

uint64_t Segments::untouched() const {
  constexpr uint64_t kStatBlock = 512;
  uint64_t bytes = 0;
  for (const auto& [number, segment] : table_) {
    struct stat about;
    if (fstat(segment.descriptor.get(), &about) != 0 || !S_ISREG(about.st_mode)) continue;
    uint64_t touched = uint64_t(about.st_blocks) * kStatBlock;
    if (touched < segment.bytes) bytes += segment.bytes - touched;
  }
  return bytes;
}

Descriptor create_shared_memory(uint64_t bytes, uint64_t promised) {
  // A segment that the system cannot back would kill this process at the first touch, so it is refused now.
  uint64_t available = available_memory();
  if (promised > available || bytes > available - promised) return Descriptor();

  Descriptor memory(memfd_create("warpcell-segment", MFD_CLOEXEC));
  if (!memory) throw system_error("create shared memory", errno);
  if (ftruncate(memory.get(), off_t(bytes)) != 0) {
    if (errno == ENOMEM || errno == ENOSPC || errno == EFBIG || errno == EINVAL) return Descriptor();
    throw system_error("size shared memory", errno);
  }
  return memory;
}

void* map_segment(const Segment& segment) {
  void* memory = mmap(nullptr, segment.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, segment.descriptor.get(), 0);
  if (memory == MAP_FAILED) throw system_error("map a segment of " + std::to_string(segment.bytes) + " bytes", errno);
  return memory;
}

void unmap_segment(void* memory, uint64_t bytes) { munmap(memory, bytes); }

}  // namespace warpcell
