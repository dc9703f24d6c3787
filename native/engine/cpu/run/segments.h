// The memory of the CPU device: turns a segment's descriptor into a mapping with guard pages, and a place into an
// address.
#pragma once
#include <array>
#include <cstdint>

#include "../../../protocol/commands.h"

namespace warpcell::cpu {

class Segments {
 public:
  Segments() = default;
  Segments(const Segments&) = delete;
  Segments& operator=(const Segments&) = delete;
  ~Segments();

  // Makes anonymous shared memory of `bytes`, maps it as `segment`, and returns a descriptor for the session.
  int create(uint32_t segment, uint64_t bytes);
  // Maps memory that another process made, under a number that is free. Owns `descriptor`, and closes it.
  void import(uint32_t segment, uint64_t bytes, int descriptor);
  // Throws DeviceError("ILLEGAL_PLACE") for one that is not there.
  void release(uint32_t segment);

  // Throws DeviceError("ILLEGAL_PLACE") for an unknown segment or an offset beyond its end.
  void* address(Place place) const;
  // The same for a range of `size` bytes.
  uint8_t* range(Place place, uint64_t size) const;
  // Calls `use` with the start and the bytes of each.
  template <class Use>
  void each(Use use) const {
    for (const Mapping& mapping : mappings_)
      if (mapping.data != nullptr) use(mapping.data, mapping.bytes);
  }

 private:
  struct Mapping {
    uint8_t* data = nullptr;
    uint64_t bytes = 0;
  };
  static void unmap(Mapping& mapping);
  const Mapping& mapping(Place place, uint64_t size) const;

  std::array<Mapping, kMaxSegments + 1> mappings_;
};

}  // namespace warpcell::cpu
