// Finds programs on PATH and runs them to their end, with what they print in a file. A program and its children die
// when this process does.
#pragma once
#include <string>
#include <vector>

namespace warpcell {

// The folders of PATH, in order.
std::vector<std::string> search_path();

// The path of a program that can be run: itself when it has a slash, else the first one on PATH; empty when there is
// none.
std::string find_on_path(const std::string& program);

// Returns the exit status, or 128 + the signal that ended it; 127 when `arguments[0]` (a path) cannot be run. Standard
// input is empty; both outputs go to the file `output`; `environment` is added to this process's own; `folder` is where
// the program runs. Throws DeviceError: FILE, NO_PROCESS.
int run_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                const std::string& folder, const std::string& output);

}  // namespace warpcell
