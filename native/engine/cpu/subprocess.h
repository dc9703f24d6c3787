// Runs a program to its end, with what it prints in a file. The program and its children die when this process does.
#pragma once
#include <string>
#include <vector>

namespace warpcell::cpu {

// Returns the exit status, or 128 + the signal that ended it; 127 when `arguments[0]` (a path) cannot be run. Standard input is empty;
// both outputs go to the file `output`; `environment` is added to this process's own; `folder` is where the program runs.
int run_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment, const std::string& folder,
                const std::string& output);

}  // namespace warpcell::cpu
