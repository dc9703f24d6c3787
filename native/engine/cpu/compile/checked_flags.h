// What the compiler is told besides for a checked cell: to call the executor before each access, and where an index, an
// address or a sum is wrong.
#pragma once
#include <string>
#include <vector>

#include "compiler.h"

namespace warpcell::cpu {

std::vector<std::string> checked_flags(const Compiler& compiler, const std::string& source, bool counts, bool follows);

}  // namespace warpcell::cpu
