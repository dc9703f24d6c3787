// Compiles the host code of a program: C++ as the system has it, with the headers of our own runtime.
#include <filesystem>
#include <sstream>

#include "../../host/errors.h"
#include "../../host/files.h"
#include "../../host/options.h"
#include "../../host/programs.h"
#include "../../host/rule_files.h"
#include "../../program.h"
#include "compiler.h"

namespace warpcell {
namespace {

std::vector<std::string> command(const cpu::Compiler& compiler, const CompileRequest& request,
                                 const CellOptions& options) {
  std::vector<std::string> arguments = {compiler.path,
                                        "-std=" + options.standard,
                                        "-O2",
                                        "-fPIC",
                                        "-shared",
                                        "-Wl,-Bsymbolic",
                                        "-pthread",
                                        "-fno-finite-loops",  // an endless loop is one that can be interrupted
                                        "-w",
                                        "-fno-diagnostics-color",
                                        "-isystem",
                                        request.headers + "/program"};
  if (compiler.is_clang)
    arguments.push_back("-ferror-limit=0");
  else
    arguments.insert(arguments.end(), {"-fno-gnu-unique", "-ftabstop=1"});
  for (const std::string& define : options.defines) arguments.push_back("-D" + define);
  for (const std::string& folder : options.includes)
    arguments.push_back("-I" + std::filesystem::absolute(folder).string());
  return arguments;
}

// A name in a #line directive.
std::string quoted(const std::string& name) {
  std::string result = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\') result += '\\';
    if (c != '\n') result += c;
  }
  return result + "\"";
}

}  // namespace

HostCompiled compile_host(const CompileRequest& request) {
  const cpu::Compiler* found = cpu::system_compiler_if_any();
  if (found == nullptr) {
    throw DeviceError("NO_COMPILER",
                      "The host code of a program is compiled by this system's C++ compiler, but there is none that "
                      "runs (clang++, g++ or c++ in PATH, or what WARPCELL_CXX names). Install one: apt-get install "
                      "g++.");
  }
  CellOptions options = read_options(request.options);
  PrivateFolder folder(cpu::kCompileFolder);
  std::string source = folder.file("program.cc"), object = folder.file("program.so"), log = folder.file("log");
  std::string rule = folder.file("dependencies");
  write_file(source, "#include <cuda_runtime.h>\n#line 1 " + quoted(request.name) + "\n" + request.source + "\n");
  std::vector<std::string> arguments = command(*found, request, options);
  arguments.insert(arguments.end(), {"-MD", "-MF", rule, "-o", object, source});
  int status = run_program(arguments, {"LC_ALL=C", "TMPDIR=" + folder.path}, folder.path, log);
  std::string said = read_file(log);
  if (status != 0) {
    throw DeviceError("COMPILE", request.name + " does not compile (" + found->name + " " + found->version + ").",
                      said);
  }
  return {read_file(object), said, files_in_rule(read_file(rule), folder.path)};
}

}  // namespace warpcell
