// Looks for a compiler: WARPCELL_CXX, then clang++ in its versions, then g++.
#include "compiler.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../device.h"
#include "subprocess.h"

namespace warpcell::cpu {
namespace {

constexpr const char* kPrefix = "warpcell-compile-";

// The full path of a program, or nothing.
std::string in_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return access(program.c_str(), X_OK) == 0 ? program : "";
  const char* path = std::getenv("PATH");
  std::string folders = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  for (size_t at = 0; at <= folders.size();) {
    size_t end = folders.find(':', at);
    if (end == std::string::npos) end = folders.size();
    std::string candidate = folders.substr(at, end - at) + "/" + program;
    if (end > at && access(candidate.c_str(), X_OK) == 0) return candidate;
    at = end + 1;
  }
  return "";
}

// The first number with a point in "Debian clang version 19.1.7 (3+b1)"; the last one in "g++ (Debian 12.2.0-14) 12.2.0".
std::string version_in(const std::string& text, bool last) {
  std::string line = text.substr(0, text.find('\n')), found;
  for (size_t at = 0; at < line.size();) {
    size_t length = line.find_first_not_of("0123456789.", at);
    if (length == std::string::npos) length = line.size();
    length -= at;
    if (length > 0 && line.substr(at, length).find('.') != std::string::npos && (last || found.empty())) found = line.substr(at, length);
    at += length + 1;
  }
  return found;
}

std::unique_ptr<Compiler> try_compiler(const std::string& program) {
  std::string path = in_path(program);
  if (path.empty()) return nullptr;
  PrivateDirectory directory;
  if (run_program({path, "--version"}, {"LC_ALL=C"}, directory.path, directory.file("version")) != 0) return nullptr;
  std::string text = read_file(directory.file("version"));
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

// Directories of processes that were killed while they compiled.
void sweep(const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    std::string name = entry.path().filename().string();
    if (name.compare(0, std::strlen(kPrefix), kPrefix) != 0) continue;
    struct stat information;
    if (lstat(entry.path().c_str(), &information) != 0 || !S_ISDIR(information.st_mode) || information.st_uid != geteuid()) continue;
    long process = std::strtol(name.c_str() + std::strlen(kPrefix), nullptr, 10);
    if (process > 0 && kill(pid_t(process), 0) != 0 && errno == ESRCH) std::filesystem::remove_all(entry.path(), error);
  }
}

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != 0 ? folder : "/tmp";
}

}  // namespace

const Compiler* system_compiler_if_any() {
  static const std::unique_ptr<Compiler> compiler = (sweep(temporary_folder()), find_compiler());
  return compiler.get();
}

const Compiler& system_compiler() {
  if (const Compiler* compiler = system_compiler_if_any()) return *compiler;
  const char* wanted = std::getenv("WARPCELL_CXX");
  std::string looked_for = wanted != nullptr && *wanted != 0 ? "the compiler that WARPCELL_CXX names (" + std::string(wanted) + ")"
                                                            : "a C++ compiler (clang++, clang++-22 to clang++-14, g++ or c++ in PATH)";
  throw DeviceError("NO_COMPILER", "Expected " + looked_for + " to compile a CUDA cell for the cpu device, but found none that runs. Install one: apt-get install g++.");
}

PrivateDirectory::PrivateDirectory() {
  std::string pattern = temporary_folder() + "/" + kPrefix + std::to_string(getpid()) + "-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) {
    throw DeviceError("FILE", "Expected a directory for temporary files in " + temporary_folder() + ", but it cannot be made: " + std::strerror(errno) +
                                  ". Set TMPDIR to a directory that can be written.");
  }
  path = pattern;
}

PrivateDirectory::~PrivateDirectory() {
  std::error_code error;   // what stays behind is swept by the next process
  std::filesystem::remove_all(path, error);
}

std::string read_file(const std::string& path) {
  FILE* file = std::fopen(path.c_str(), "rbe");
  if (file == nullptr) throw DeviceError("FILE", "Expected to read " + path + ", but it cannot be opened: " + std::strerror(errno) + ".");
  std::string bytes;
  char buffer[1 << 16];
  for (size_t count; (count = std::fread(buffer, 1, sizeof buffer, file)) > 0;) bytes.append(buffer, count);
  std::fclose(file);
  return bytes;
}

void write_file(const std::string& path, const std::string& bytes) {
  FILE* file = std::fopen(path.c_str(), "wbe");
  bool done = file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (file != nullptr) done = std::fclose(file) == 0 && done;
  if (!done) throw DeviceError("FILE", "Expected to write " + path + ", but it failed: " + std::strerror(errno) + ".");
}

}  // namespace warpcell::cpu
