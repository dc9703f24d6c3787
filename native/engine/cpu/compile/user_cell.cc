// One compilation, and a second one for the few cells that the first one's warnings tell something about: floats that
// become integers without a word, or local arrays that take more of a stack than is usual.
#include "user_cell.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "../../host/errors.h"
#include "../../host/options.h"
#include "../../host/text.h"
#include "arithmetic_text.h"
#include "cell_compiler.h"
#include "checked_flags.h"
#include "compiler.h"
#include "implicit_conversions.h"
#include "named_lines.h"
#include "../run/stacks.h"

namespace warpcell::cpu {
namespace {

constexpr size_t kUsualFrame = 56 << 10;   // of the 64 KiB that a thread's stack has by itself
constexpr size_t kLocalBytes = 512 << 10;  // that a thread may have on any GPU

// What only cells include comes in front of what the library's kernels share with them.
std::vector<std::string> flags_of(const Compiler& compiler, const CompileRequest& request) {
  std::vector<std::string> flags = {"-I" + request.headers + "/cells",
                                    "-include",
                                    "warpcell_cpu/arithmetic.h",
                                    "-fno-delete-null-pointer-checks",
                                    "-Wall",
                                    "-Wno-sign-compare",
                                    "-Wno-unknown-pragmas",
                                    "-Wno-unused-function",
                                    "-Wno-unused-const-variable"};
  // Shifts are written as operators of ours, which bind as C++'s own.
  if (compiler.is_clang) flags.push_back("-Wno-overloaded-shift-op-parentheses");
  if (request.source.find("asm") != std::string::npos || request.source.find("__cvta") != std::string::npos)
    flags.push_back("-DWARPCELL_CPU_PTX");
  CellOptions options = read_options(request.options);
  if (options.check) {
    std::vector<std::string> more = checked_flags(compiler, request.source, options.count, options.follow);
    flags.insert(flags.end(), more.begin(), more.end());
  }
  return flags;
}

std::vector<std::string> flags_of_first(const Compiler& compiler) {
  // A kernel is a part of its entry, which is in a header.
  return {"-Wfloat-conversion", "-Wframe-larger-than=" + std::to_string(kUsualFrame),
          compiler.is_clang ? "-fdiagnostics-print-source-range-info" : "-Wsystem-headers"};
}

// In front of the options of the user, who may contradict.
CompileRequest with(const CompileRequest& request, const std::string& source, const std::vector<std::string>& flags) {
  CompileRequest result = request;
  result.source = source;
  std::vector<std::string> options = {"--split"};
  for (const std::string& flag : flags) options.push_back("--flag=" + flag);
  result.options.insert(result.options.begin(), options.begin(), options.end());
  return result;
}

// What the frames of functions take that are larger than usual: "the frame size of 71704 bytes is larger …", "stack
// frame size (71704) exceeds …".
size_t large_frames(const std::string& log) {
  const std::string said = "frame size ";
  size_t bytes = 0;
  for (size_t at = log.find(said); at != std::string::npos; at = log.find(said, at + 1)) {
    size_t digits = at + said.size();
    while (digits < log.size() && !std::isdigit(static_cast<unsigned char>(log[digits]))) digits++;
    bytes += std::strtoul(log.c_str() + digits, nullptr, 10);
  }
  return bytes;
}

// Whether a message is for the user: not about headers that come with a compiler or with us, nor what was asked for our
// own sake.
bool is_for_user(const std::string& message, const std::string& headers) {
  return !starts_with(message, "/usr/") && !starts_with(message, headers + "/") && message[0] != '<' &&
         message.find("[-Wfloat-conversion]") == std::string::npos &&
         message.find("[-Wframe-larger-than") == std::string::npos;
}

// The warnings that are for the user, each with the lines below it that show the place.
std::string warnings_in(const std::string& log, const std::string& headers) {
  std::string kept;
  bool keeps = false;
  for (size_t at = 0; at < log.size();) {
    size_t end = std::min(log.find('\n', at), log.size() - 1) + 1;
    std::string line = log.substr(at, end - at);
    at = end;
    if (line.find(": warning: ") != std::string::npos)
      keeps = is_for_user(line, headers);
    else if (line[0] != ' ')
      keeps = keeps && line.find(": note: ") != std::string::npos;
    if (keeps) kept += line;
  }
  return kept;
}

// "name:12:40: warning" with the column of the text before the edits, and without the ranges of clang. Edits keep
// lines.
std::string in_columns_of(const std::string& source, const std::string& text, const Edits& edits,
                          const std::string& name, const std::string& log) {
  NamedLines edited(text, name), lines(source, name);
  std::string result;
  for (size_t at = 0; at < log.size();) {
    size_t end = std::min(log.find('\n', at), log.size() - 1) + 1;
    std::string message = log.substr(at, end - at);
    at = end;
    std::string file = edited.named_in(message);
    if (!file.empty()) {
      const char* from = message.c_str() + file.size() + 1;
      char *after_line, *after_column = nullptr;
      size_t line = std::strtoul(from, &after_line, 10), column = 0;
      if (after_line != from && *after_line == ':') column = std::strtoul(after_line + 1, &after_column, 10);
      size_t start = edited.start(file, line), before = lines.start(file, line);
      if (column > 0 && start != std::string::npos && before != std::string::npos) {
        size_t old = edits.before(start + column - 1);
        size_t told = old >= before ? old - before + 1 : 1;
        std::string rest = after_column;
        if (starts_with(rest, ":{")) rest = rest.substr(rest.find("}: ") + 1);
        message = file + ":" + std::to_string(line) + ":" + std::to_string(told) + rest;
      }
    }
    result += message;
  }
  return result;
}

}  // namespace

Compiled compile_user_cell(const CompileRequest& request) {
  const Compiler& compiler = system_compiler();
  std::vector<std::string> flags = flags_of(compiler, request), first = flags_of_first(compiler);
  first.insert(first.begin(), flags.begin(), flags.end());
  Edits arithmetic = arithmetic_edits(request.source);
  std::string text = arithmetic.apply(request.source);

  Compiled compiled;
  try {
    compiled = compile_cell(with(request, text, first));
  } catch (const DeviceError& error) {
    if (error.code != "COMPILE") throw;
    // The messages are to be about what the user wrote. Should that compile, an edit was wrong.
    compiled = compile_cell(with(request, request.source, flags));
    compiled.log += request.name +
                    ":1:1: warning: conversions of floats and shifts that are out of range are those of this "
                    "processor in this cell, not a GPU's\n";
    return compiled;
  }
  std::string left;
  Edits implicit = implicit_conversion_edits(
      {text, request.name, compiled.log, compiler.is_clang, read_options(request.options).defines.size()}, &left);
  size_t frames = large_frames(compiled.log);
  if (frames > kLocalBytes + kUsualFrame) {
    throw DeviceError("COMPILE", request.name + " does not compile.",
                      request.name + ":1:1: error: a thread may have at most " + std::to_string(kLocalBytes >> 10) +
                          " KB of local memory, but this cell's local arrays take " + std::to_string(frames >> 10) +
                          " KB: put them into an array in global memory, a part for each thread\n");
  }
  if (frames != 0) flags.push_back("-DWARPCELL_CPU_STACK=" + std::to_string(frames + Stacks::kBytes));
  std::string warnings =
      left + in_columns_of(request.source, text, arithmetic, request.name, warnings_in(compiled.log, request.headers));
  CellOptions options = read_options(request.options);
  if (!options.syntax && (!implicit.empty() || frames != 0)) {
    try {
      compiled = compile_cell(with(request, implicit.apply(text), flags));
    } catch (const DeviceError& error) {
      if (error.code != "COMPILE" || implicit.empty()) throw;
      compiled = compile_cell(with(request, text, flags));
      warnings += request.name +
                  ":1:1: warning: floats that become integers without a cast are converted in this cell as this "
                  "processor does it, not as a GPU: write the casts, (int)x\n";
    }
  }
  if (!options.verbose) compiled.log = warnings;
  return compiled;
}

}  // namespace warpcell::cpu
