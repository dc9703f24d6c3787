// The table of segments.
#include "segments.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>

#include "../client/error.h"

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
  std::lock_guard<std::mutex> lock(mutex_);
  table_.emplace(number, std::move(segment));
}

void Segments::remove(uint32_t number) {
  std::lock_guard<std::mutex> lock(mutex_);
  table_.erase(number);
}

std::optional<Segment> Segments::share(uint32_t number) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const Segment* segment = find(number);
  if (segment == nullptr) return std::nullopt;
  Descriptor descriptor(fcntl(segment->descriptor.get(), F_DUPFD_CLOEXEC, 0));
  if (!descriptor) throw system_error("share a segment", errno);
  return Segment{segment->memory, segment->bytes, std::move(descriptor), segment->serial};
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

}  // namespace warpcell
