// Keeps the folder of NVRTC's precompiled headers and decides which sources may use them. It must not know how NVRTC is called.
#include "precompiled.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace warpcell::cuda {
namespace {

namespace fs = std::filesystem;
constexpr const char* kPrefix = "warpcell-pch-";

fs::path temporary_folder() {
  const char* chosen = std::getenv("TMPDIR");
  return chosen == nullptr || *chosen == '\0' ? "/tmp" : chosen;
}

// A killed process leaves its folder behind; the next one that needs such a folder removes it.
void remove_orphans(const fs::path& parent) {
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(parent, unreadable)) {
    std::string name = entry.path().filename().string();
    if (name.rfind(kPrefix, 0) != 0) continue;
    pid_t owner = pid_t(std::atol(name.c_str() + std::char_traits<char>::length(kPrefix)));
    if (owner > 0 && kill(owner, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), unreadable);
  }
}

}  // namespace

PrecompiledHeaders::~PrecompiledHeaders() {
  std::error_code unremovable;
  if (!folder_.empty()) fs::remove_all(folder_, unremovable);
}

std::vector<std::string> PrecompiledHeaders::options(const std::string& source, bool searches_user_folders) {
  if (searches_user_folders) return {};
  int includes = 0;
  std::istringstream lines(source);
  std::string line;
  while (std::getline(lines, line)) {
    size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') continue;
    size_t word = line.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || line.compare(word, 7, "include") != 0) continue;
    if (line.find('<', word) == std::string::npos) return {};
    includes++;
  }
  if (includes == 0 || folder().empty()) return {};
  // 629 and 630 say that one of the other files there does not fit, which is nobody's concern.
  return {"--pch", "--pch-dir=" + folder(), "--diag-suppress=629,630"};
}

const std::string& PrecompiledHeaders::folder() {
  std::lock_guard<std::mutex> lock(making_);
  if (made_) return folder_;
  made_ = true;
  remove_orphans(temporary_folder());
  std::string pattern = (temporary_folder() / (kPrefix + std::to_string(getpid()) + "-XXXXXX")).string();
  if (mkdtemp(&pattern[0]) != nullptr) folder_ = pattern;
  return folder_;
}

std::string without_precompiled_remarks(const std::string& log) {
  std::istringstream lines(log);
  std::string line, rest;
  while (std::getline(lines, line)) {
    bool remark = line.find("\": creating precompiled header file") != std::string::npos || line.find("\": using precompiled header file") != std::string::npos;
    if (!remark) rest += line + "\n";
  }
  return rest;
}

}  // namespace warpcell::cuda
