// Functions of a cell that wait for other threads, written out where kernels call them, so that the kernel can be split
// where they wait.
#pragma once
#include <string>
#include <vector>

namespace warpcell::cpu {

// The text with the functions' statements in place of calls that are statements, `f(…);`, or the whole of what a
// variable is given, `x = f(…);`. All else keeps its line. `defines`: NAME or NAME=VALUE.
std::string with_functions_written_out(const std::string& source, const std::vector<std::string>& defines);

}  // namespace warpcell::cpu
