// Memory that outlives this process: turns a place into an address, for segments of the device and of shared host
// memory.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "../../device.h"
#include "driver_api.h"

namespace warpcell::cuda {

// One segment, mapped here; the mapping ends with the object, the memory does not.
class Segment {
 public:
  Segment(DevicePointer address, uint64_t bytes) : address(address), bytes(bytes) {}
  virtual ~Segment() = default;
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  const DevicePointer address;  // as kernels and copies use it
  const uint64_t bytes;         // as asked for
};

class Segments {
 public:
  // `shareable`: whether the device can hand out descriptors of its memory.
  Segments(const DriverApi& api, DeviceHandle device, bool shareable)
      : api_(api), device_(device), shareable_(shareable) {}

  // New device memory. Returns a descriptor that keeps it alive without this process. Throws OUT_OF_MEMORY,
  // UNSUPPORTED.
  int create(uint32_t number, uint64_t bytes);

  // Maps memory that another process made; closes `descriptor`.
  void import(uint32_t number, Memory memory, uint64_t bytes, int descriptor);

  // Nothing may still use the segment. Throws ILLEGAL_PLACE for one that is not there.
  void release(uint32_t number);

  // Where `bytes` bytes at `place` lie. Throws ILLEGAL_PLACE unless they are inside one segment.
  DevicePointer address(Place place, uint64_t bytes) const {
    uint32_t number = segment_of(place);
    uint64_t offset = offset_of(place);
    bool inside = number < segments_.size() && segments_[number] != nullptr && offset <= segments_[number]->bytes &&
                  bytes <= segments_[number]->bytes - offset;
    if (!inside) throw_illegal(place, bytes);
    return segments_[number]->address + offset;
  }

 private:
  [[noreturn]] void throw_illegal(Place place, uint64_t bytes) const;
  std::unique_ptr<Segment>& slot(uint32_t number);
  AllocationProperties properties() const;
  uint64_t whole_bytes(uint64_t bytes) const;
  void require_shareable() const;
  std::unique_ptr<Segment> map(AllocationHandle handle, uint64_t bytes) const;

  const DriverApi& api_;
  DeviceHandle device_;
  bool shareable_;
  std::vector<std::unique_ptr<Segment>> segments_;  // by number
};

}  // namespace warpcell::cuda
