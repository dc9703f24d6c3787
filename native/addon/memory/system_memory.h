// What the system can still give: turns /proc and cgroup files into bytes.
#pragma once
#include <cstdint>

namespace warpcell {

// Bytes that processes here can still touch without being killed for it, less a part of all memory that is left to
// others (page tables, the rest of the program, other programs); the largest number when the system does not say.
uint64_t available_memory();

}  // namespace warpcell
