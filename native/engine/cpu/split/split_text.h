// Kernels that wait at __syncthreads() as loops over the threads of a block, from one barrier to the next, and kernels
// with loops by strides as loops over their rounds: text that a compiler makes vectors of, and that needs no switch
// between threads.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace warpcell::cpu {

struct SplitKernel {
  bool has_rows;     // its blocks may have several
  bool waits;        // it has barriers; else it would run thread after thread
  std::string uses;  // of one that proves: of its parameters (proof_text.h)
};

struct SplitText {
  std::string text;                          // the cell with a split kernel behind each kernel that has one
  std::map<std::string, std::string> kept;   // why a kernel has none, of those with barriers
  std::map<std::string, SplitKernel> split;  // kernels that have one, warpcell_cpu_split_NAME: a template of how many
                                             // threads a row has, or 0
};

// `defines`: NAME or NAME=VALUE. `with_plain`: kernels without loops are split, too, for a compiler that makes no
// vectors of their threads by itself. Lines of the text that are the cell's keep their numbers.
SplitText split_text(const std::string& source, const std::vector<std::string>& defines, bool with_plain);

// The cell with a kernel behind each whose accesses are all known that looks at them and may prove that nothing is
// wrong: split as above, under the same names.
SplitText proof_text(const std::string& source, const std::vector<std::string>& defines);

}  // namespace warpcell::cpu
