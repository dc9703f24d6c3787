// Maps descriptors between guard pages, so that a kernel that runs off a segment's end faults at that very address.
#include "segments.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "../../../protocol/packet.h"
#include "../../host/refusals.h"

namespace warpcell::cpu {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kGuard = 1u << 20;

uint64_t rounded(uint64_t bytes) { return (bytes + kPage - 1) & ~(kPage - 1); }

[[noreturn]] void throw_memory(const char* call, uint64_t bytes) {
  throw DeviceError("OUT_OF_MEMORY", "There are not " + std::to_string(bytes) +
                                         " bytes of shared memory left: " + call + " failed: " + std::strerror(errno) +
                                         ". Free some arrays, or make them smaller.");
}

}  // namespace

Segments::~Segments() {
  for (Mapping& mapping : mappings_) unmap(mapping);
}

int Segments::create(uint32_t segment, uint64_t bytes) {
  int descriptor = memfd_create("warpcell-segment", MFD_CLOEXEC);
  if (descriptor < 0) throw_memory("memfd_create", bytes);
  Descriptor owned(descriptor);
  if (ftruncate(descriptor, off_t(bytes)) != 0) throw_memory("ftruncate", bytes);
  int mine = dup(descriptor);
  if (mine < 0) throw_memory("dup", bytes);
  import(segment, bytes, mine);
  return owned.release();
}

void Segments::import(uint32_t segment, uint64_t bytes, int number) {
  Descriptor descriptor(number);
  if (segment > kMaxSegments) throw unknown_segment(segment);
  if (mappings_[segment].data != nullptr) throw known_segment(segment);
  uint64_t size = rounded(bytes);
  void* reserved = mmap(nullptr, size + 2 * kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) throw_memory("mmap", bytes);
  auto* data = static_cast<uint8_t*>(reserved) + kGuard;
  if (mmap(data, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor.get(), 0) == MAP_FAILED) {
    int failure = errno;
    munmap(reserved, size + 2 * kGuard);
    errno = failure;
    throw_memory("mmap", bytes);
  }
  mappings_[segment] = {data, bytes};
}

void Segments::release(uint32_t segment) {
  if (segment > kMaxSegments || mappings_[segment].data == nullptr) throw unknown_segment(segment);
  unmap(mappings_[segment]);
}

void Segments::unmap(Mapping& mapping) {
  if (mapping.data != nullptr) munmap(mapping.data - kGuard, rounded(mapping.bytes) + 2 * kGuard);
  mapping = {};
}

const Segments::Mapping& Segments::mapping(Place place, uint64_t size) const {
  uint32_t segment = segment_of(place);
  uint64_t offset = offset_of(place);
  if (segment > kMaxSegments || mappings_[segment].data == nullptr) throw unknown_segment(segment);
  const Mapping& found = mappings_[segment];
  if (offset > found.bytes || size > found.bytes - offset) throw outside_segment(segment, offset, size, found.bytes);
  return found;
}

void* Segments::address(Place place) const { return mapping(place, 0).data + offset_of(place); }

uint8_t* Segments::range(Place place, uint64_t size) const { return mapping(place, size).data + offset_of(place); }

}  // namespace warpcell::cpu
