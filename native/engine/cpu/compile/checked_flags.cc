// The sanitizers' instrumentation without their libraries: check/callbacks.cc answers its calls.
#include "checked_flags.h"

#include <algorithm>
#include <initializer_list>

#include "../split/code.h"
#include "cell_text.h"

namespace warpcell::cpu {
namespace {

constexpr const char* kAll[] = {
    "-O1",
    // No vectors, for which nobody is called.
    "-fno-tree-vectorize",
    "-gdwarf-4",  // which every addr2line reads
    "-gz=none",
    "-fsanitize=thread",
    "-fsanitize=bounds,alignment,signed-integer-overflow,integer-divide-by-zero",
    // Linked without the sanitizers' libraries; copies of memory are called for, too.
    "-nodefaultlibs",
    "-lstdc++",
    "-lm",
    "-lc",
    "-lgcc",
    "-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset",
};

constexpr const char* kClang[] = {
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-mllvm",
    "-tsan-distinguish-volatile=1",
    "-mllvm",
    "-tsan-instrument-func-entry-exit=0",
    "-mllvm",
    "-tsan-instrument-read-before-write=1",
    "-Wconditional-uninitialized",
    "-Wno-unused-command-line-argument",
};

constexpr const char* kGcc[] = {
    "-fno-tree-slp-vectorize",
    "-fno-aggressive-loop-optimizations",
    "--param=tsan-distinguish-volatile=1",
    "-Wmaybe-uninitialized",
};

// Whether the cell has names of its own that are those of the indices: `dim3 blockDim(16, 16);`, `plan.gridDim`.
bool names_indices(const std::string& source) {
  Code code(source);
  auto is_one_of = [&code](size_t i, std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(), [&](const char* word) { return code.is(i, word); });
  };
  for (size_t i = 2; i < code.size(); i++) {
    if (!is_one_of(i, {"threadIdx", "blockIdx", "blockDim", "gridDim"})) continue;
    if (code.is(i - 1, ".") || (code.is(i - 2, "-") && code.is(i - 1, ">"))) return true;
    if (code.is(i - 2, ":") && code.is(i - 1, ":")) return true;
    if (is_one_of(i - 1, {"&", "*"}) && is_one_of(i - 2, {"dim3", "uint3", "auto"})) return true;
    if (code.is_name(i - 1) && !is_one_of(i - 1, {"return", "else", "do", "case"})) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> checked_flags(const Compiler& compiler, const std::string& source, bool counts, bool follows) {
  std::vector<std::string> flags(std::begin(kAll), std::end(kAll));
  if (compiler.is_clang)
    flags.insert(flags.end(), std::begin(kClang), std::end(kClang));
  else
    flags.insert(flags.end(), std::begin(kGcc), std::end(kGcc));
  // A vector is accessed as a whole, as on a GPU.
  if (counts && !compiler.is_clang) flags.push_back("-fno-tree-sra");
  // So that it is seen of a variable that it was given no value.
  if (follows) flags.insert(flags.end(), {"-DWARPCELL_CPU_TELLS", "-ftrivial-auto-var-init=pattern"});
  if (names_indices(source)) flags.push_back("-DWARPCELL_CPU_OWN_INDICES");
  // Our headers come before the text that says so.
  if (host_text(source, compiler.is_clang).standard_library) flags.push_back("-DWARPCELL_CPU_STANDARD_LIBRARY=1");
  flags.insert(flags.end(), {"-include", "warpcell_cpu/checked.h"});
  return flags;
}

}  // namespace warpcell::cpu
