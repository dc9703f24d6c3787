// The tensors of a checked launch at addresses of their own, far from each other: one that is left by an index leads
// into no other one.
#pragma once
#include <cstdint>
#include <vector>

#include "checker.h"

namespace warpcell::cpu {

class Aliases {
 public:
  // Maps the arguments a second time and has their `base` say where; those that overlap stay beside each other.
  // Pointers to them among the bytes of the kernel's arguments follow. Throws DeviceError("OUT_OF_MEMORY").
  Aliases(std::vector<CheckedArgument>& arguments, uint8_t* bytes, size_t count);
  Aliases(const Aliases&) = delete;
  Aliases& operator=(const Aliases&) = delete;
  ~Aliases();

  // What is mapped.
  const std::vector<MemoryRange>& ranges() const { return ranges_; }

 private:
  MemoryRange map(uint8_t* base, uint8_t* end);

  std::vector<MemoryRange> ranges_;
  std::vector<MemoryRange> reserved_;
};

}  // namespace warpcell::cpu
