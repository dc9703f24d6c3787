// Runs nvdisasm, or cuobjdump, on the machine code of an artifact.
#include "disassembly.h"

#include <vector>

#include "../../host/errors.h"
#include "../../host/files.h"
#include "../../host/programs.h"
#include "../library_table.h"
#include "toolkit.h"

namespace warpcell::cuda {
namespace {

struct Disassembler {
  const char* program;
  std::vector<std::string> options;
};

// Of each form, best first. Lines: a comment before the instructions of each line of the source, also of functions that
// were inlined. Registers: columns that show which are alive; the program prints either, not both.
const struct {
  const char* form;
  std::vector<Disassembler> disassemblers;
} kForms[] = {
    {"sass", {{"nvdisasm", {"-c"}}, {"cuobjdump", {"-sass"}}}},
    {"sass-lines", {{"nvdisasm", {"-c", "-gi"}}}},
    {"sass-registers", {{"nvdisasm", {"-c", "-plr", "-lrm", "count"}}}},
};

[[noreturn]] void fail(const std::string& what) {
  throw DeviceError("DISASSEMBLE", "The machine code cannot be disassembled: " + what + ".");
}

std::string run(const std::string& program, const std::vector<std::string>& options, const std::string& cubin) {
  PrivateFolder folder("warpcell-disassembly-");
  write_file(folder.file("cubin"), cubin);
  std::vector<std::string> arguments = {program};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.push_back(folder.file("cubin"));
  int status = run_program(arguments, {}, folder.path, folder.file("output"));
  std::string text = read_file(folder.file("output"));
  if (status != 0)
    fail(program + " failed: " + (text.empty() ? "status " + std::to_string(status) : text.substr(0, text.find('\n'))));
  return text;
}

std::string sass(const Artifact& artifact, const std::vector<Disassembler>& disassemblers) {
  if (artifact.cubin.empty())
    throw DeviceError(
        "UNSUPPORTED",
        "There is no machine code to disassemble: the cell was compiled to PTX alone (--arch=compute_…).");
  std::string names;
  for (const Disassembler& disassembler : disassemblers) {
    std::string program = find_program(disassembler.program);
    if (!program.empty()) return run(program, disassembler.options, artifact.cubin);
    names += (names.empty() ? "" : " or ") + std::string(disassembler.program);
  }
  bool several = disassemblers.size() > 1;
  throw DeviceError("UNSUPPORTED", "SASS needs " + names + ", " + (several ? "and neither is" : "which is not") +
                                       " in " + kToolkitPlaces + ". Install " + (several ? "one" : "it") +
                                       " with pip install nvidia-cuda-nvdisasm (CUDA 12: " +
                                       (several ? "nvidia-cuda-cuobjdump-cu12 or " : "") + "the toolkit).");
}

}  // namespace

std::string disassemble(const Artifact& artifact, const std::string& form) {
  if (form == "ptx") return artifact.ptx;
  for (const auto& known : kForms) {
    if (form == known.form) return sass(artifact, known.disassemblers);
  }
  throw DeviceError("NO_SUCH_FORM",
                    "A kernel of a GPU is listed as ptx, sass, sass-lines or sass-registers, not as " + form + ".");
}

}  // namespace warpcell::cuda
