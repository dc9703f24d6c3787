// What a compiler read: turns a rule of make, as -MD writes it, into the names of files.
#pragma once
#include <string>
#include <vector>

namespace warpcell {

// Without those in `directory`, which is our own: "cell.so: /a\ b.h \<newline> /c.h".
std::vector<std::string> files_in_rule(const std::string& rule, const std::string& directory);

}  // namespace warpcell
