// Maps descriptors between guard pages, so that a kernel that runs off a segment's end faults at that very address.
#include "segments.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "../device.h"

namespace warpcell::cpu {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kGuard = 1u << 20;

uint64_t rounded(uint64_t bytes) { return (bytes + kPage - 1) & ~(kPage - 1); }

[[noreturn]] void throw_memory(const char* call, uint64_t bytes) {
  throw DeviceError("OUT_OF_MEMORY", "Expected " + std::to_string(bytes) + " bytes of shared memory, but " + call +
                                         " failed: " + std::strerror(errno) + ". Free some arrays, or make them smaller.");
}

}  // namespace

Segments::~Segments() {
  for (uint32_t segment = 0; segment <= kMaxSegments; segment++) release(segment);
}

int Segments::create(uint32_t segment, uint64_t bytes) {
  int descriptor = memfd_create("warpcell-segment", MFD_CLOEXEC);
  if (descriptor < 0) throw_memory("memfd_create", bytes);
  if (ftruncate(descriptor, off_t(bytes)) != 0) {
    close(descriptor);
    throw_memory("ftruncate", bytes);
  }
  int mine = dup(descriptor);
  if (mine < 0) {
    close(descriptor);
    throw_memory("dup", bytes);
  }
  import(segment, bytes, mine);
  return descriptor;
}

void Segments::import(uint32_t segment, uint64_t bytes, int descriptor) {
  if (segment > kMaxSegments) {
    close(descriptor);
    throw DeviceError("ILLEGAL_PLACE", "Expected a segment number up to " + std::to_string(kMaxSegments) + ", but got " +
                                           std::to_string(segment) + ".");
  }
  uint64_t size = rounded(bytes);
  void* reserved = mmap(nullptr, size + 2 * kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) {
    close(descriptor);
    throw_memory("mmap", bytes);
  }
  auto* data = static_cast<uint8_t*>(reserved) + kGuard;
  void* mapped = mmap(data, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, 0);
  int failure = errno;
  close(descriptor);
  if (mapped == MAP_FAILED) {
    munmap(reserved, size + 2 * kGuard);
    errno = failure;
    throw_memory("mmap", bytes);
  }
  release(segment);
  mappings_[segment] = {data, bytes};
}

void Segments::release(uint32_t segment) {
  if (segment > kMaxSegments) return;
  Mapping& mapping = mappings_[segment];
  if (mapping.data == nullptr) return;
  munmap(mapping.data - kGuard, rounded(mapping.bytes) + 2 * kGuard);
  mapping = {};
}

const Segments::Mapping& Segments::mapping(Place place) const {
  uint32_t segment = segment_of(place);
  if (segment > kMaxSegments || mappings_[segment].data == nullptr || offset_of(place) > mappings_[segment].bytes) {
    throw DeviceError("ILLEGAL_PLACE", "Expected a place inside a segment of this device, but got segment " + std::to_string(segment) +
                                           ", offset " + std::to_string(offset_of(place)) + ".");
  }
  return mappings_[segment];
}

void* Segments::address(Place place) const { return mapping(place).data + offset_of(place); }

uint8_t* Segments::range(Place place, uint64_t size) const {
  const Mapping& found = mapping(place);
  if (size > found.bytes - offset_of(place)) {
    throw DeviceError("ILLEGAL_PLACE", "Expected " + std::to_string(size) + " bytes at offset " + std::to_string(offset_of(place)) +
                                           " inside segment " + std::to_string(segment_of(place)) + ", but it has " +
                                           std::to_string(found.bytes) + " bytes.");
  }
  return found.data + offset_of(place);
}

}  // namespace warpcell::cpu
