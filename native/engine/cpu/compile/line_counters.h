// A cell that says of each statement that a thread has come to it, for the counters of a checked launch.
#pragma once
#include <string>

namespace warpcell::cpu {

// As many lines. What is not understood says nothing.
std::string with_line_counters(const std::string& source);

}  // namespace warpcell::cpu
