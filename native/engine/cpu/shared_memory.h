// How much static shared memory a kernel uses: turns a shared object's symbols into bytes per kernel. It must not know how it is loaded.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace warpcell::cpu {

// One figure per entry (an offset into the loaded object): the `__shared__` variables of that kernel, and those of functions that are no
// kernel's, which it may call. Throws DeviceError("ARTIFACT") when the bytes are no 64-bit ELF object.
std::vector<uint32_t> static_shared(const std::string& artifact, const std::vector<uint64_t>& entries);

}  // namespace warpcell::cpu
