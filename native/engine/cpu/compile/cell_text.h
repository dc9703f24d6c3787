// What a cell's text needs before a host compiler takes it: turns CUDA C++ into C++ with the same lines.
#pragma once
#include <set>
#include <string>

#include "edits.h"

namespace warpcell::cpu {

struct CellText {
  std::string text;
  Edits edits;                      // that made it
  bool standard_library = false;    // it includes headers of the C++ library
  std::set<std::string> bounded;    // kernels with __launch_bounds__: for each, the text has a constant
                                    // warpcell_cpu_bounds_NAME, with the kernel's own template parameters
  std::set<std::string> clustered;  // the same for __cluster_dims__: three in warpcell_cpu_cluster_NAME
};

// Rewrites what no macro can: `extern __shared__ T name[]` becomes a reference to the block's dynamic shared memory,
// inline PTX becomes C++ where there is some, and like an initial value of a `__shared__` variable a compile error that
// says so elsewhere, `alignas` moves to where a host compiler takes it, `inline` leaves a kernel, a function that is
// __host__ alone becomes one that cannot be called, and for g++ `#pragma unroll` gets its own spelling. Comments,
// strings and the numbers of lines stay.
CellText host_text(const std::string& source, bool for_clang);

}  // namespace warpcell::cpu
