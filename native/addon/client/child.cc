// posix_spawn, waitpid and kill around one device process.
#include "child.h"

#include <csignal>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../protocol/packet.h"
#include "error.h"

extern char** environ;

namespace warpcell {

namespace {

constexpr int kReapAttempts = 4000;
constexpr long kReapNanoseconds = 250000;

std::string ending(int status) {
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

void Child::start(const std::string& executable, const std::string& kind, int index, int control, int socket) {
  // Above the numbers that the device process inherits, so that neither is overwritten on the way.
  Descriptor control_copy(fcntl(control, F_DUPFD_CLOEXEC, kSocketDescriptor + 1));
  Descriptor socket_copy(fcntl(socket, F_DUPFD_CLOEXEC, kSocketDescriptor + 1));
  if (!control_copy || !socket_copy) throw system_error("start the device process " + executable, errno);

  std::string number = std::to_string(index);
  char* arguments[] = {const_cast<char*>(executable.c_str()), const_cast<char*>(kind.c_str()),
                       const_cast<char*>(number.c_str()), nullptr};

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  // Node marks its own as not to be inherited; what kernels print goes where the session prints. (A copy onto itself
  // unmarks.)
  for (int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) posix_spawn_file_actions_adddup2(&actions, stream, stream);
  }
  posix_spawn_file_actions_adddup2(&actions, control_copy.get(), kControlDescriptor);
  posix_spawn_file_actions_adddup2(&actions, socket_copy.get(), kSocketDescriptor);

  // Node blocks and ignores signals of its own; a device process starts with none of that.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  pid_t pid = -1;
  int failure = posix_spawn(&pid, executable.c_str(), &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw system_error("start the device process " + executable, failure);

  std::lock_guard<std::mutex> lock(mutex_);
  pid_ = pid;
  running_ = true;
  ended_.clear();
}

bool Child::is_running() {
  std::lock_guard<std::mutex> lock(mutex_);
  return poll();
}

std::string Child::state() {
  std::lock_guard<std::mutex> lock(mutex_);
  return poll() ? "running" : ended_;
}

void Child::kill(const std::string& reason) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!poll()) return;

  ::kill(pid_, SIGKILL);
  for (int attempt = 0; attempt < kReapAttempts && poll(); attempt++) {
    timespec pause{0, kReapNanoseconds};
    nanosleep(&pause, nullptr);
  }
  if (running_) ended_ = "signal 9, not gone after a second";
  running_ = false;
  if (!reason.empty()) ended_ = reason;
}

bool Child::poll() {
  if (!running_) return false;

  int status = 0;
  pid_t result = waitpid(pid_, &status, WNOHANG);
  if (result == 0) return true;
  running_ = false;
  ended_ = result == pid_ ? ending(status) : "gone";
  return false;
}

}  // namespace warpcell
