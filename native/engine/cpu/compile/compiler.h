// The C++ compiler of this machine: turns WARPCELL_CXX and PATH into a program that compiles cells, found once.
#pragma once
#include <string>

namespace warpcell::cpu {

// What the names of folders for compilations begin with.
constexpr const char* kCompileFolder = "warpcell-compile-";

struct Compiler {
  std::string name;     // "clang++" or "g++"
  std::string version;  // "19.1.7"
  std::string path;
  bool is_clang = false;
};

// The compiler, found at the first call. Throws DeviceError("NO_COMPILER").
const Compiler& system_compiler();
// The same, or null where there is none.
const Compiler* system_compiler_if_any();

}  // namespace warpcell::cpu
