// Inline PTX as C++: turns the text of an asm statement, whose operands have names, into statements for a host
// compiler.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace warpcell::cpu {

struct PtxText {
  std::string statements;
  std::string refused;  // the instruction that there is no C++ for; empty where there is one for all
};

// `operands`: C++ names of %0, %1 and so on; `named`: of %[name].
PtxText cpp_of_ptx(const std::string& ptx, const std::vector<std::string>& operands,
                   const std::map<std::string, std::string>& named);

}  // namespace warpcell::cpu
