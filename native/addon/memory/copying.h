// Copies between arrays of JavaScript by several cores: one alone does not reach the memory's speed.
#pragma once
#include <cstdint>

namespace warpcell {

// The two do not overlap.
void copy_by_cores(unsigned char* to, const unsigned char* from, uint64_t bytes);

}  // namespace warpcell
