// Runs nvdisasm, or cuobjdump, on the machine code of an artifact.
#include "disassembly.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "../device.h"
#include "toolkit.h"

extern char** environ;

namespace warpcell::cuda {
namespace {

constexpr struct { const char* program; const char* option; } kDisassemblers[] = {{"nvdisasm", "-c"}, {"cuobjdump", "-sass"}};

[[noreturn]] void fail(const std::string& what) {
  throw DeviceError("DISASSEMBLE", "Expected the disassembler to run but " + what + ".");
}

// A file without a name, so that nothing is left behind. The program opens it through /proc.
class NamelessFile {
 public:
  NamelessFile() : number(memfd_create("warpcell-disassembly", 0)) { if (number < 0) fail(std::string("no memory file could be made: ") + std::strerror(errno)); }
  ~NamelessFile() { close(number); }
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;

  void write_all(const std::string& bytes) {
    for (size_t at = 0; at < bytes.size();) {
      ssize_t count = write(number, bytes.data() + at, bytes.size() - at);
      if (count < 0) fail(std::string("its input could not be written: ") + std::strerror(errno));
      at += size_t(count);
    }
  }

  std::string read_all() {
    std::string bytes(size_t(lseek(number, 0, SEEK_END)), '\0');
    ssize_t count = pread(number, &bytes[0], bytes.size(), 0);
    if (count != ssize_t(bytes.size())) fail("its output could not be read");
    return bytes;
  }

  const int number;
};

std::string run(const std::string& program, const char* option, const std::string& cubin) {
  NamelessFile input, output;
  input.write_all(cubin);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output.number, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.number, STDERR_FILENO);
  std::string file = "/proc/self/fd/" + std::to_string(input.number);
  std::vector<std::string> words = {program, option, file};
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(&word[0]);
  arguments.push_back(nullptr);

  pid_t child = 0;
  int refused = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (refused != 0) fail(program + " could not be started: " + std::strerror(refused));

  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) fail(program + " was lost: " + std::strerror(errno));
  }
  std::string text = output.read_all();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail(program + " failed: " + text.substr(0, text.find('\n')));
  return text;
}

std::string sass(const Artifact& artifact) {
  if (artifact.cubin.empty()) throw DeviceError("UNSUPPORTED", "Expected machine code to disassemble but the cell was compiled to PTX alone (--arch=compute_…).");
  for (const auto& [name, option] : kDisassemblers) {
    std::string program = find_program(name);
    if (!program.empty()) return run(program, option, artifact.cubin);
  }
  throw DeviceError("UNSUPPORTED", "Expected nvdisasm or cuobjdump for SASS but found neither in " + searched_places() +
      ". Install one with pip install nvidia-cuda-nvdisasm (CUDA 12: nvidia-cuda-cuobjdump-cu12 or the toolkit).");
}

}  // namespace

std::string disassemble(const Artifact& artifact, const std::string& form) {
  if (form == "ptx") return artifact.ptx;
  if (form == "sass") return sass(artifact);
  throw DeviceError("UNSUPPORTED", "Expected ptx or sass but got " + form + ".");
}

}  // namespace warpcell::cuda
