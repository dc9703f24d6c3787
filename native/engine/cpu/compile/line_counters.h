// A cell that says of each statement that a thread has come to it, for the counters of a checked launch.
#pragma once
#include <string>

namespace warpcell::cpu {

// As many lines. What is not understood says nothing.
std::string with_line_counters(const std::string& source);

// And, where the thread is the one that is followed, what its parameters and variables hold.
std::string with_told_variables(const std::string& source);

}  // namespace warpcell::cpu
