// Keeps the folder of NVRTC's precompiled headers and decides which sources may use them.
#include "precompiled.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <sstream>

#include "../../host/errors.h"
#include "../../host/files.h"

extern char** environ;

namespace warpcell::cuda {
namespace {

constexpr const char* kPrefix = "warpcell-pch-";

// A device process is mostly killed, and NVRTC leaves its files then: a shell waits for the end of this process, on a
// pipe that nobody writes to, and removes the folder. False when it could not be started.
bool remove_at_the_end(const std::string& folder) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return false;

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[0], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // It must not keep the GPU's files open: the driver cleans up after a process when the last
  // descriptor is gone.
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  std::string words[] = {"sh", "-c", "read -r end; exec rm -rf -- \"$0\"", folder};
  char* arguments[] = {&words[0][0], &words[1][0], &words[2][0], &words[3][0], nullptr};
  pid_t shell = 0;
  int refused = posix_spawn(&shell, "/bin/sh", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[0]);
  if (refused != 0) close(pipe_ends[1]);  // else it stays open as long as this process
  return refused == 0;
}

}  // namespace

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
  try {
    std::string folder = make_folder(kPrefix);
    if (remove_at_the_end(folder))
      folder_ = folder;
    else
      rmdir(folder.c_str());
  } catch (const DeviceError&) {
    // Slower, not wrong.
  }
  return folder_;
}

std::string without_precompiled_remarks(const std::string& log) {
  std::istringstream lines(log);
  std::string line, rest;
  while (std::getline(lines, line)) {
    bool remark = line.find("\": creating precompiled header file") != std::string::npos ||
                  line.find("\": using precompiled header file") != std::string::npos;
    if (!remark) rest += line + "\n";
  }
  return rest;
}

}  // namespace warpcell::cuda
