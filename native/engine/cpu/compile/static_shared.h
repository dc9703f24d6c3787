// How much static shared memory a kernel uses: turns a shared object's symbols into bytes per kernel.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace warpcell::cpu {

// Bytes of `__shared__` variables: the kernel's own, and those of all functions that are no kernel's, which it may call
// or not.
struct StaticShared {
  uint32_t own = 0;
  uint32_t of_functions = 0;
  std::string kernel;  // whose it is, as C++ names it: "axpy<float>"
};

// One per entry (an offset into the loaded object). Throws DeviceError("INVALID_IMAGE") when the bytes are no 64-bit
// ELF object.
std::vector<StaticShared> static_shared(const std::string& artifact, const std::vector<uint64_t>& entries);

}  // namespace warpcell::cpu
