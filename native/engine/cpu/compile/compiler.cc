// Looks for a compiler: WARPCELL_CXX, then clang++ in its versions, then g++.
#include "compiler.h"

#include <cstdlib>
#include <memory>
#include <vector>

#include "../../host/errors.h"
#include "../../host/files.h"
#include "../../host/programs.h"

namespace warpcell::cpu {
namespace {

// The first number with a point in "Debian clang version 19.1.7 (3+b1)"; the last one in "g++
// (Debian 12.2.0-14) 12.2.0".
std::string version_in(const std::string& text, bool last) {
  std::string line = text.substr(0, text.find('\n')), found;
  for (size_t at = 0; at < line.size();) {
    size_t length = line.find_first_not_of("0123456789.", at);
    if (length == std::string::npos) length = line.size();
    length -= at;
    if (length > 0 && line.substr(at, length).find('.') != std::string::npos && (last || found.empty()))
      found = line.substr(at, length);
    at += length + 1;
  }
  return found;
}

std::unique_ptr<Compiler> try_compiler(const std::string& program) {
  std::string path = find_on_path(program);
  if (path.empty()) return nullptr;
  PrivateFolder folder(kCompileFolder);
  if (run_program({path, "--version"}, {"LC_ALL=C"}, folder.path, folder.file("version")) != 0) return nullptr;
  std::string text = read_file(folder.file("version"));
  auto compiler = std::make_unique<Compiler>();
  compiler->path = path;
  compiler->is_clang = text.find("clang") != std::string::npos;
  compiler->name = compiler->is_clang ? "clang++" : "g++";
  compiler->version = version_in(text, !compiler->is_clang);
  return compiler;
}

std::unique_ptr<Compiler> find_compiler() {
  const char* wanted = std::getenv("WARPCELL_CXX");
  if (wanted != nullptr && *wanted != 0) return try_compiler(wanted);
  std::vector<std::string> candidates = {"clang++"};
  for (int version = 22; version >= 14; version--) candidates.push_back("clang++-" + std::to_string(version));
  candidates.insert(candidates.end(), {"g++", "c++"});
  for (const std::string& candidate : candidates) {
    if (auto compiler = try_compiler(candidate)) return compiler;
  }
  return nullptr;
}

}  // namespace

const Compiler* system_compiler_if_any() {
  static const std::unique_ptr<Compiler> compiler = find_compiler();
  return compiler.get();
}

const Compiler& system_compiler() {
  if (const Compiler* compiler = system_compiler_if_any()) return *compiler;
  const char* wanted = std::getenv("WARPCELL_CXX");
  std::string looked_for = wanted != nullptr && *wanted != 0
                               ? "the compiler that WARPCELL_CXX names (" + std::string(wanted) + ")"
                               : "a C++ compiler (clang++, clang++-22 to clang++-14, g++ or c++ in PATH)";
  throw DeviceError("NO_COMPILER", "The cpu device compiles CUDA cells with " + looked_for +
                                       ", but that does not run here. Install one: apt-get install g++.");
}

}  // namespace warpcell::cpu
