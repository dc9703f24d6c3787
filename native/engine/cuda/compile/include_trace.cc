// Has the front end write its list of included files into a file in memory.
#include "include_trace.h"

#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

namespace warpcell::cuda {

IncludeTrace::IncludeTrace() : descriptor_(memfd_create("warpcell-includes", MFD_CLOEXEC)) {}

IncludeTrace::~IncludeTrace() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::vector<std::string> IncludeTrace::options() {
  if (descriptor_ < 0 || ftruncate(descriptor_, 0) != 0) return {};
  return {"-Xcudafe", "--error_output=/proc/self/fd/" + std::to_string(descriptor_), "-Xcudafe", "--trace_includes"};
}

std::optional<std::vector<std::string>> IncludeTrace::files() const {
  std::string text;
  char buffer[1 << 14];
  for (ssize_t count; (count = pread(descriptor_, buffer, sizeof buffer, off_t(text.size()))) > 0;)
    text.append(buffer, size_t(count));
  if (text.empty()) return std::nullopt;

  std::vector<std::string> files;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    size_t start = line.find_first_not_of(' ');  // nested files are indented
    if (start == std::string::npos) continue;
    std::string file = line.substr(start);
    if (file.rfind("__nv_", 0) != 0) files.push_back(std::filesystem::absolute(file).lexically_normal().string());
  }
  return files;
}

}  // namespace warpcell::cuda
