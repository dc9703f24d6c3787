// The sanitizers' instrumentation without their libraries: check/callbacks.cc answers its calls.
#include "checked_flags.h"

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

}  // namespace

std::vector<std::string> checked_flags(const Compiler& compiler, const std::string& source, bool counts) {
  std::vector<std::string> flags(std::begin(kAll), std::end(kAll));
  if (compiler.is_clang)
    flags.insert(flags.end(), std::begin(kClang), std::end(kClang));
  else
    flags.insert(flags.end(), std::begin(kGcc), std::end(kGcc));
  // A vector is accessed as a whole, as on a GPU.
  if (counts && !compiler.is_clang) flags.push_back("-fno-tree-sra");
  // Our headers come before the text that says so.
  if (host_text(source, compiler.is_clang).standard_library) flags.push_back("-DWARPCELL_CPU_STANDARD_LIBRARY=1");
  flags.insert(flags.end(), {"-include", "warpcell_cpu/checked.h"});
  return flags;
}

}  // namespace warpcell::cpu
