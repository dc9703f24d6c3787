// Runs nvdisasm, or cuobjdump, on the machine code of an artifact.
#include "disassembly.h"

#include "../host/errors.h"
#include "../host/files.h"
#include "../host/programs.h"
#include "toolkit.h"

namespace warpcell::cuda {
namespace {

constexpr struct { const char* program; const char* option; } kDisassemblers[] = {{"nvdisasm", "-c"}, {"cuobjdump", "-sass"}};

[[noreturn]] void fail(const std::string& what) {
  throw DeviceError("DISASSEMBLE", "The machine code cannot be disassembled: " + what + ".");
}

std::string run(const std::string& program, const char* option, const std::string& cubin) {
  PrivateFolder folder("warpcell-disassembly-");
  write_file(folder.file("cubin"), cubin);
  int status = run_program({program, option, folder.file("cubin")}, {}, folder.path, folder.file("output"));
  std::string text = read_file(folder.file("output"));
  if (status != 0) fail(program + " failed: " + (text.empty() ? "status " + std::to_string(status) : text.substr(0, text.find('\n'))));
  return text;
}

std::string sass(const Artifact& artifact) {
  if (artifact.cubin.empty()) throw DeviceError("UNSUPPORTED", "There is no machine code to disassemble: the cell was compiled to PTX alone (--arch=compute_…).");
  for (const auto& [name, option] : kDisassemblers) {
    std::string program = find_program(name);
    if (!program.empty()) return run(program, option, artifact.cubin);
  }
  throw DeviceError("UNSUPPORTED", "SASS needs nvdisasm or cuobjdump, and neither is in " + searched_places() +
      ". Install one with pip install nvidia-cuda-nvdisasm (CUDA 12: nvidia-cuda-cuobjdump-cu12 or the toolkit).");
}

}  // namespace

std::string disassemble(const Artifact& artifact, const std::string& form) {
  if (form == "ptx") return artifact.ptx;
  if (form == "sass") return sass(artifact);
  throw DeviceError("UNSUPPORTED", "A kernel is listed as ptx or sass, not as " + form + ".");
}

}  // namespace warpcell::cuda
