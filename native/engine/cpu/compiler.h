// The C++ compiler of this machine: turns WARPCELL_CXX and PATH into a program that compiles cells, found once.
#pragma once
#include <string>

namespace warpcell::cpu {

struct Compiler {
  std::string name;      // "clang++" or "g++"
  std::string version;   // "19.1.7"
  std::string path;
  bool is_clang = false;
};

// The compiler, found at the first call. Throws DeviceError("NO_COMPILER").
const Compiler& system_compiler();
// The same, or null where there is none.
const Compiler* system_compiler_if_any();

// A directory of its own for each user of it, readable by nobody else, and gone with the object.
class PrivateDirectory {
 public:
  PrivateDirectory();
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;
  ~PrivateDirectory();
  std::string file(const char* name) const { return path + "/" + name; }
  std::string path;
};

// Throw DeviceError("FILE").
std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);

}  // namespace warpcell::cpu
