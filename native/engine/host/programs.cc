// A guardian process stands between us and the program: it dies with us, and takes its process group, the program's
// children too, along. A compiler driver's children would not notice our end.
#include "programs.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "errors.h"

extern char** environ;

namespace warpcell {
namespace {

void kill_group(int) { kill(0, SIGKILL); }

int status_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 127;
  }
  return status_of(status);
}

// In a copy of a process with several threads: system calls only.
[[noreturn]] void guard(char* const* arguments, char* const* environment, const char* folder, int output,
                        pid_t parent) {
  setpgid(0, 0);
  signal(SIGTERM, kill_group);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  // What this process holds open is the device's: a driver cleans up when the last descriptor of a dead process is
  // gone.
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0);
  pid_t child = fork();
  if (child < 0) _exit(127);
  if (child == 0) {
    signal(SIGTERM, SIG_DFL);
    close(STDIN_FILENO);
    if (open("/dev/null", O_RDONLY) != STDIN_FILENO || chdir(folder) != 0) _exit(127);
    execve(arguments[0], arguments, environment);
    _exit(127);
  }
  _exit(wait_for(child));
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (const std::string& string : strings) result.push_back(const_cast<char*>(string.c_str()));
  result.push_back(nullptr);
  return result;
}

}  // namespace

std::vector<std::string> search_path() {
  const char* path = std::getenv("PATH");
  std::string list = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  std::vector<std::string> folders;
  for (size_t at = 0; at <= list.size();) {
    size_t end = std::min(list.find(':', at), list.size());
    if (end > at) folders.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return folders;
}

std::string find_on_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return access(program.c_str(), X_OK) == 0 ? program : "";
  for (const std::string& folder : search_path()) {
    std::string candidate = folder + "/" + program;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return "";
}

int run_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                const std::string& folder, const std::string& output) {
  std::vector<std::string> variables = environment;
  for (char** variable = environ; *variable != nullptr; variable++) {
    std::string name(*variable, std::strcspn(*variable, "=") + 1);
    bool replaced = false;
    for (const std::string& mine : environment) replaced |= mine.compare(0, name.size(), name) == 0;
    if (!replaced) variables.push_back(*variable);
  }
  std::vector<char*> argument_pointers = pointers(arguments), environment_pointers = pointers(variables);
  int descriptor = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) throw DeviceError("FILE", output + " cannot be written: " + std::strerror(errno) + ".");
  int above =
      fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);  // out of the way, should a standard descriptor be closed
  close(descriptor);
  if (above < 0) throw DeviceError("FILE", output + " cannot be opened: " + std::strerror(errno) + ".");
  descriptor = above;
  pid_t self = getpid();
  pid_t guardian = fork();
  if (guardian == 0) guard(argument_pointers.data(), environment_pointers.data(), folder.c_str(), descriptor, self);
  int failure = errno;
  close(descriptor);
  if (guardian < 0)
    throw DeviceError("NO_PROCESS", arguments[0] + " could not be started: " + std::strerror(failure) + ".");
  return wait_for(guardian);
}

}  // namespace warpcell
