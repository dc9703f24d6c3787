// A guardian process stands between us and the program: it dies with us, and takes its process group, the program's children too, along.
// A compiler driver's children would not notice our end.
#include "subprocess.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../device.h"

extern char** environ;

namespace warpcell::cpu {
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
[[noreturn]] void guard(char* const* arguments, char* const* environment, const char* folder, int output, pid_t parent) {
  setpgid(0, 0);
  signal(SIGTERM, kill_group);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  pid_t child = fork();
  if (child < 0) _exit(127);
  if (child == 0) {
    signal(SIGTERM, SIG_DFL);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
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

int run_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment, const std::string& folder,
                const std::string& output) {
  std::vector<std::string> variables = environment;
  for (char** variable = environ; *variable != nullptr; variable++) {
    std::string name(*variable, std::strcspn(*variable, "=") + 1);
    bool replaced = false;
    for (const std::string& mine : environment) replaced |= mine.compare(0, name.size(), name) == 0;
    if (!replaced) variables.push_back(*variable);
  }
  std::vector<char*> argument_pointers = pointers(arguments), environment_pointers = pointers(variables);
  int descriptor = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) throw DeviceError("FILE", "Expected to write " + output + ", but it cannot be opened: " + std::strerror(errno) + ".");
  int above = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);   // out of the way, should a standard descriptor be closed
  close(descriptor);
  if (above < 0) throw DeviceError("FILE", "Expected another descriptor for " + output + ", but there is none: " + std::strerror(errno) + ".");
  descriptor = above;
  pid_t self = getpid();
  pid_t guardian = fork();
  if (guardian == 0) guard(argument_pointers.data(), environment_pointers.data(), folder.c_str(), descriptor, self);
  int failure = errno;
  close(descriptor);
  if (guardian < 0) throw DeviceError("NO_PROCESS", std::string("Expected to start ") + arguments[0] + ", but fork failed: " + std::strerror(failure) + ".");
  return wait_for(guardian);
}

}  // namespace warpcell::cpu
