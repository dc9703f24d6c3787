// Branches that whole warps take, as in `if (warp == 0) sum = warp_sum(sum);`: the other warps pass by what waits
// there.
#pragma once
#include "uniformity.h"

namespace warpcell::cpu {

// Whether all threads of a warp answer a branch's condition alike, if no warp has threads of two rows, and nothing in
// it is for the whole block.
bool is_branch_of_warps(const Code& code, const CellNames& names, const KernelBody& body, const Uniformity& uniformity,
                        const Statement& branch);

}  // namespace warpcell::cpu
