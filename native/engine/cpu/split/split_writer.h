// One kernel as loops over the threads of a block.
#pragma once
#include <string>

#include "cell_names.h"

namespace warpcell::cpu {

// The text of a split kernel; nothing where it does not wait and would be no faster. What is kept for the sake of
// strides may be what cannot be kept: then it goes without them. Throws Kept.
std::string split_kernel(const Code& code, const CellNames& names, const KernelText& kernel, bool waits,
                         bool* has_branches_of_warps);

}  // namespace warpcell::cpu
